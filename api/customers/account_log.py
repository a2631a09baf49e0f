"""Account log (账户日志): what moved a customer's account over any days, customer by customer and bill by bill.

Read from the settlement ledger itself. Opening + change of receivables − change of advances = closing.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    date_field,
    flag_field,
    integer_field,
    key_field,
    money_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import BILL, READ_ONLY, BillReferenceRow, Sql, Values, View
from api.kit.http.date_filters import parse_date_range, this_month_filter
from api.kit.scope import Principal
from api.master.settlements.advances import IS_ADVANCE

ENTRIES = "/custom/accountloglist"

_OPENING = """
select l.company_id, l.party_id as customer_id, l.open_amount as opening
from settlement_item l
where l.party_type = 'customer' and l.open_amount <> 0
union all
select e.company_id, e.party_id, -e.amount
from settlement_ledger e
where e.party_type = 'customer' and e.business_date >= :first
"""
"""Amounts open now, less all movements since the first day: earlier years need not be summed."""

_MOVES = f"""
select e.company_id, e.party_id as customer_id, e.business_date, e.entry_id, e.bill_type, e.bill_id, e.bill_no,
    e.posted_at, e.reverses is not null as reversal,
    case when {IS_ADVANCE} then 0.00 else e.amount end as receivable,
    case when {IS_ADVANCE} then -e.amount else 0.00 end as advance
from settlement_item l
join settlement_ledger e using (settlement_id)
where e.party_type = 'customer' and e.business_date between :first and :last
"""

_DAYS = f"""
select f.*, f.opening + f.receivable - f.advance as closing, c.customer_type_id, c.employee_id,
    f.customer_id as customer_account_log_id, :first as first_day, :last as days
from (
    select p.company_id, p.customer_id, sum(p.opening) as opening, sum(p.receivable) as receivable,
        sum(p.advance) as advance,
        count(distinct (p.bill_type, p.bill_id)) filter (where p.bill_id is not null) as bills
    from (
        select company_id, customer_id, opening, 0.00 as receivable, 0.00 as advance,
            null::text as bill_type, null::bigint as bill_id
        from ({_OPENING}) o
        union all
        select company_id, customer_id, 0.00, receivable, advance, bill_type, bill_id
        from ({_MOVES}) m
    ) p
    group by p.company_id, p.customer_id
) f
join customer c using (customer_id)
where f.opening <> 0 or f.bills > 0
"""

_ENTRIES = f"""
select l.customer_account_entry_id, l.business_date, l.bill_no, l.company_id, l.customer_id, l.reversal,
    l.receivable, l.advance,
    coalesce(o.opening, 0.00) + sum(l.receivable - l.advance) over (
        partition by l.company_id, l.customer_id order by l.business_date, l.customer_account_entry_id
    ) as balance,
    {{route}}
from (
    select m.company_id, m.customer_id, m.business_date, m.bill_type, m.bill_id, m.bill_no, m.reversal,
        min(m.entry_id) as customer_account_entry_id, sum(m.receivable) as receivable, sum(m.advance) as advance
    from ({_MOVES}) m
    group by m.company_id, m.customer_id, m.business_date, m.bill_type, m.bill_id, m.bill_no, m.reversal,
        m.posted_at
) l
left join (
    select company_id, customer_id, sum(opening) as opening from ({_OPENING}) o group by company_id, customer_id
) o using (company_id, customer_id)
"""


class CustomerAccountLog(View):
    """账户日志: this month as a rule, or any days."""

    __tablename__ = "customer_account_log"
    keyword_reference = "customer_id"
    declaration = Declaration(
        "账户日志",
        "v2/custom/AccountLog",
        "customer_id",
        routes={"list": "/custom/accountlog"},
        menu=Menu("客户管理", "收款业务", 80),
        actions=READ_ONLY,
        order_by=("closing", "desc"),
        drill=Drill(
            "账户日志明细",
            ENTRIES,
            (
                *((name, name) for name in ("company_id", "customer_id")),
                ("business_date_start", "first_day"),
                ("business_date_end", "days"),
            ),
        ),
    )

    customer_account_log_id: Mapped[int] = key_field()
    days: Mapped[date] = date_field("日期", search=True, list=False)
    first_day: Mapped[date] = date_field("起始日期", list=False)
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )
    customer_type_id: Mapped[int | None] = reference_field("customer_type", "客户类别", search=True)
    employee_id: Mapped[int | None] = reference_field(
        "employee", "业务员", within=("company_id",), search=True
    )
    opening: Mapped[Decimal] = money_field("期初余额", total=True, width=130)
    receivable: Mapped[Decimal] = money_field("应收变动", total=True, width=130)
    advance: Mapped[Decimal] = money_field("预收变动", total=True, width=130)
    closing: Mapped[Decimal] = money_field("期末余额", total=True, width=130)
    bills: Mapped[int] = integer_field("单据数", total=True, width=90)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return this_month_filter("days")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        first, last = parse_date_range(params, "days", "日期")
        return _DAYS, {"first": first, "last": last}


class CustomerAccountEntry(BillReferenceRow):
    """账户日志明细: what each posting of a bill did to a customer's account, with the balance after it."""

    __tablename__ = "customer_account_entry"
    keyword_reference = "customer_id"
    declaration = Declaration(
        "账户日志明细",
        "v2/custom/AccountLogList",
        "bill_no",
        routes={"list": ENTRIES},
        menu=Menu("客户管理", "收款业务", 90),
        actions=READ_ONLY,
        order_by=("customer_account_entry_id", "desc"),
        drill=BILL,
    )

    customer_account_entry_id: Mapped[int] = key_field()
    business_date: Mapped[date] = date_field("业务日期", search=True, width=110)
    bill_no: Mapped[str] = text_field("单据号", search=True, width=190)
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200
    )
    receivable: Mapped[Decimal] = money_field("应收变动", total=True, width=130)
    advance: Mapped[Decimal] = money_field("预收变动", total=True, width=130)
    balance: Mapped[Decimal] = money_field("余额", width=130)
    reversal: Mapped[bool] = flag_field("冲销", width=70)

    rows = _ENTRIES

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return this_month_filter("business_date")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        first, last = parse_date_range(params, "business_date", "业务日期")
        sql, values = super().source(principal, params)
        return sql, {**values, "first": first, "last": last}
