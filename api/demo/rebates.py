"""Rebates of a demo company (演示返利): a policy a year with its largest supplier and its largest customer.

Each quarter that is over becomes a rebate some days after its end; all but the latest are audited, and the supplier's
first ones are taken off payments.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from random import Random

from sqlalchemy import Row, text

from api.demo.bill_insert import add_months
from api.kit.bills import drafts, transitions
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.flow import POSTED_SQL
from api.master.rebates.rebate_accruals import DUE, rebate_accruals_sql
from api.master.rebates.rebate_policies import CUSTOMER, SUPPLIER, Direction, RebatePolicy
from api.master.rebates.rebates import Rebate
from api.purchase.supplier_payment import SupplierPayment

YEARS = 2
MAX_USED = 2
"""So many rebates of suppliers are taken off a payment."""
CONFIRMED_WITHIN = (4, 18)
"""Days after its end in which a quarter's rebate is confirmed."""

_LARGEST = f"""
select h.{{party}}_id as partner, sum(h.total_amount) as amount
from {{bill}} h
where h.company_id = :company and h.status in {POSTED_SQL} and h.business_date between :since and :until
group by h.{{party}}_id order by 2 desc limit 1
"""
_KINDS = text("""
select t.rebate_type_id, c.rebate_cycle_id from rebate_type t cross join rebate_cycle c
where t.rebate_type_name = '金额返利' and c.rebate_cycle_name = '按季'
""")
# The oldest rebate that is left, and the oldest bill that it can be taken off.
_REBATE_AND_BILL = text("""
with rebate as (
    select * from settlement_item
    where company_id = :company and party_type = 'supplier' and bill_type = 'CGFL' and open_amount < 0
    order by business_date, settlement_id limit 1
), bill as (
    select b.* from settlement_item b join rebate r using (company_id, party_type, party_id)
    where b.bill_type = 'CGRK' and b.open_amount > -r.open_amount
    order by b.business_date, b.settlement_id limit 1
)
select settlement_id, party_id, open_amount, business_date from rebate where exists (select from bill)
union all
select settlement_id, party_id, open_amount, business_date from bill
""")


def make_rebates(ctx: Context, company_id: int, day: date) -> None:
    """Make rebate policies for each of the years before `day`, and confirm their rebates."""
    chance = Random(f"demo rebates {company_id}")
    for of in (SUPPLIER, CUSTOMER):
        due: list[Row[tuple[object, ...]]] = []
        for ago in range(YEARS, 0, -1):
            since = add_months(day.replace(day=1), -12 * ago)
            until = add_months(since, 12) - timedelta(days=1) if ago > 1 else date(day.year, 12, 31)
            policy = _make_policy(ctx, of, company_id, since, until)
            if policy is not None:
                due += _read_due(ctx, of, policy, day)
        _confirm_rebates(ctx, of, due, day, chance)
    for _ in range(MAX_USED):
        _take_off_payment(ctx, company_id, day)


def _make_policy(ctx: Context, of: Direction, company_id: int, since: date, until: date) -> int | None:
    largest = text(_LARGEST.format(party=of.party, bill=of.traded[0]))
    params = {"company": company_id, "since": since, "until": until}
    found = ctx.conn.execute(largest, params).first()
    if found is None:
        return None
    quarter = max(found.amount // 4000, Decimal(1)) * 1000
    kinds = ctx.conn.execute(_KINDS).one()._mapping
    header = {
        **kinds,
        "company_id": company_id,
        f"{of.party}_id": found.partner,
        "business_date": since,
        "policy_name": f"{until.year}年度阶梯返利",
        "starts_on": since,
        "ends_on": until,
        "tiers": [
            {"starts_from": quarter * share / 10, "rate": rate} for share, rate in ((2, 1), (8, 2), (12, 3))
        ],
    }
    cls = registry.get_resource(of.policy)
    assert issubclass(cls, RebatePolicy)
    key: int = drafts.add_draft(ctx, cls, header)["id"]
    transitions.apply_transition(ctx, cls, "auditorPass", key)
    return key


def _read_due(ctx: Context, of: Direction, policy: int, day: date) -> Sequence[Row[tuple[object, ...]]]:
    """Return the accruals of a policy in the cycles that are over."""
    due = text(
        f"select a.* from ({rebate_accruals_sql(of)}) a where a.policy_id = :policy and a.state = {DUE}"
        " order by a.cycle_start"
    )
    return ctx.conn.execute(due, {"policy": policy, "today": day}).all()


def _confirm_rebates(
    ctx: Context, of: Direction, due: Sequence[Row[tuple[object, ...]]], day: date, chance: Random
) -> None:
    cls = registry.get_resource(of.rebate)
    assert issubclass(cls, Rebate)
    for row in due:
        latest = row is due[-1]
        on = row.cycle_end + timedelta(days=chance.randint(*CONFIRMED_WITHIN))
        header = {
            **{
                name: row._mapping[name]
                for name in ("company_id", f"{of.party}_id", "policy_id", "cycle_start")
            },
            "business_date": day if latest else min(day, on),
            "amount": row.accrued,
        }
        key: int = drafts.add_draft(ctx, cls, header)["id"]
        if not latest:
            transitions.apply_transition(ctx, cls, "auditorPass", key)


def _take_off_payment(ctx: Context, company_id: int, day: date) -> None:
    """Pay a supplier's bill less the rebate, as soon as both are there."""
    items = ctx.conn.execute(_REBATE_AND_BILL, {"company": company_id}).all()
    if not items:
        return
    mode: int = ctx.conn.execute(text("select min(receivables_mode_id) from receivables_mode")).scalar_one()
    header = {
        "company_id": company_id,
        "business_date": min(day, max(item.business_date for item in items) + timedelta(days=3)),
        "supplier_id": items[0].party_id,
        "receivables_mode_id": mode,
        "amount": sum(item.open_amount for item in items),
        "write_offs": [{"settlement_id": item.settlement_id, "amount": item.open_amount} for item in items],
    }
    key: int = drafts.add_draft(ctx, SupplierPayment, header)["id"]
    transitions.apply_transition(ctx, SupplierPayment, "auditorPass", key)
