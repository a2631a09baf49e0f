"""Rebates of a demo company (演示返利): a year's policy with its largest supplier and its largest customer.

The quarters that are over become rebates; all but the latest are audited, and the supplier's first
one is taken off a payment.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from sqlalchemy import select, text

from api.kit import drafts, registry, transitions
from api.kit.context import Context
from api.kit.database import today
from api.master.rebate_accruals import DUE, accruals
from api.master.rebate_policies import CUSTOMER, SUPPLIER, Direction, RebatePolicy
from api.master.rebates import Rebate, generate
from api.purchase.supplier_payment import SupplierPayment

_LARGEST = """
select h.{party}_id as partner, sum(h.total_amount) as amount
from {bill} h
where h.company_id = :company and h.status in (2, 4, 5) and h.business_date >= :since
group by h.{party}_id order by 2 desc limit 1
"""
_KINDS = text("""
select t.rebate_type_id, c.rebate_cycle_id from rebate_type t cross join rebate_cycle c
where t.rebate_type_name = '金额返利' and c.rebate_cycle_name = '按季'
""")
# The oldest rebate that is left, and the oldest bill that it can be taken off.
_SETTLED = text("""
with rebate as (
    select * from settlement_item
    where company_id = :company and party_type = 'supplier' and bill_type = 'CGFL' and open_amount < 0
    order by business_date, settlement_id limit 1
), bill as (
    select b.* from settlement_item b join rebate r using (company_id, party_type, party_id)
    where b.bill_type = 'CGRK' and b.open_amount > -r.open_amount
    order by b.business_date, b.settlement_id limit 1
)
select settlement_id, party_id, open_amount from rebate where exists (select from bill)
union all
select settlement_id, party_id, open_amount from bill
""")


def make(ctx: Context, company_id: int, day: date) -> None:
    """Agree on rebates a year before `day`, and confirm them."""
    for of in (SUPPLIER, CUSTOMER):
        policy = _agree(ctx, of, company_id, date(day.year - 1, day.month, 1), day)
        if policy is not None:
            _confirm(ctx, of, policy)
    _use(ctx, company_id, day)


def _agree(ctx: Context, of: Direction, company_id: int, since: date, until: date) -> int | None:
    largest = text(_LARGEST.format(party=of.party, bill=of.traded[0][0]))
    found = ctx.conn.execute(largest, {"company": company_id, "since": since}).first()
    if found is None:
        return None
    quarter = max(found.amount // 4000, Decimal(1)) * 1000
    kinds = ctx.conn.execute(_KINDS).one()._mapping
    header = {
        **kinds,
        "company_id": company_id,
        f"{of.party}_id": found.partner,
        "business_date": since,
        "policy_name": "年度阶梯返利",
        "starts_on": since,
        "ends_on": date(until.year, 12, 31),
        "tiers": [
            {"starts_from": quarter * share / 10, "rate": rate} for share, rate in ((2, 1), (8, 2), (12, 3))
        ],
    }
    cls = registry.get(of.policy)
    assert issubclass(cls, RebatePolicy)
    key: int = drafts.add(ctx, cls, header)["id"]
    transitions.move(ctx, cls, "auditorPass", key)
    return key


def _confirm(ctx: Context, of: Direction, policy: int) -> None:
    cls = registry.get(of.rebate)
    assert issubclass(cls, Rebate)
    due = text(
        f"select a.{of.rebate}_accrual_id from ({accruals(of)}) a"
        f" where a.policy_id = :policy and a.state = {DUE} order by a.cycle_start"
    )
    keys: Sequence[int] = ctx.conn.execute(due, {"policy": policy, "today": today()}).scalars().all()
    if not keys:
        return
    generate(ctx, cls, keys)
    table = cls.table()
    made = select(table.c.bill_id).where(table.c.policy_id == policy).order_by(table.c.cycle_start)
    bills: Sequence[int] = ctx.conn.execute(made).scalars().all()
    for key in bills[:-1]:
        transitions.move(ctx, cls, "auditorPass", key)


def _use(ctx: Context, company_id: int, day: date) -> None:
    """Pay the supplier a bill, less the rebate."""
    items = ctx.conn.execute(_SETTLED, {"company": company_id}).all()
    if not items:
        return
    mode: int = ctx.conn.execute(text("select min(receivables_mode_id) from receivables_mode")).scalar_one()
    header = {
        "company_id": company_id,
        "business_date": day,
        "supplier_id": items[0].party_id,
        "receivables_mode_id": mode,
        "amount": sum(item.open_amount for item in items),
        "write_offs": [{"settlement_id": item.settlement_id, "amount": item.open_amount} for item in items],
    }
    key: int = drafts.add(ctx, SupplierPayment, header)["id"]
    transitions.move(ctx, SupplierPayment, "auditorPass", key)
