"""Details of partners' balances (客户往来明细、供应商往来明细): the balance before, each bill and the
balance after it."""

from __future__ import annotations

from datetime import date

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import date_field, enum_field, integer_field, key_field, text_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL, READ_ONLY, Sql, Values
from api.kit.http.date_filters import parse_date_range, this_month_filter
from api.kit.scope import Principal
from api.reporting.lists.bill_columns import bill_columns_sql
from api.reporting.lists.partner_columns import (
    CUSTOMER,
    SUPPLIER,
    PartnerKind,
    PartnerRow,
    customer_column,
    partner_money,
    supplier_column,
)

OPENING, CHANGE = 0, 1
ENTRIES = {OPENING: "期初余额", CHANGE: "往来单据"}

# What was reversed on its own day is no row; a bill whose items come to nothing together is one, as each item is told.
_ENTRIES = """
select e.company_id, e.party_id as {key}, cast(:first as date) as business_date, {opening} as entry, 0 as place,
    null as bill_type, null as bill_id, null as bill_no, null as due_date,
    cast(sum(e.amount) as decimal(18, 2)) as change, 0 as increase, 0 as settled, 0 as written_off, 0 as advance,
    0 as waived
from facts.fct_settlement_entry e
where e.party_type = '{type}' and e.business_date < cast(:first as date)
    and cast(:first as date) <= cast(:last as date)
group by e.company_id, e.party_id
having sum(e.amount) <> 0
union all
select e.company_id, e.party_id, e.business_date, {bill}, min(e.entry_id), e.bill_type, e.bill_id, min(e.bill_no),
    min(e.due_date) filter (where not e.is_write_off and not e.is_advance),
    cast(sum(e.amount) as decimal(18, 2)) as change,
    coalesce(sum(e.amount) filter (where not {settling} and e.movement <> 'waived'), 0) as increase,
    coalesce(-sum(e.amount) filter (where {settling}), 0) as settled,
    coalesce(-sum(e.amount) filter (where {settling} and not e.is_advance), 0) as written_off,
    coalesce(-sum(e.amount) filter (where {settling} and e.is_advance), 0) as advance,
    coalesce(-sum(e.amount) filter (where e.movement = 'waived'), 0) as waived
from (
    select t.*, sum(t.amount) over (
        partition by t.settlement_id, t.business_date, t.bill_type, t.bill_id
    ) as of_item
    from facts.fct_settlement_entry t
    where t.party_type = '{type}' and t.business_date between cast(:first as date) and cast(:last as date)
) e
group by e.company_id, e.party_id, e.business_date, e.bill_type, e.bill_id
having increase <> 0 or written_off <> 0 or advance <> 0 or waived <> 0 or bool_or(e.of_item <> 0)
"""
_SETTLING = "e.movement in ('settled', 'offset')"
_BALANCES = """
select
    cast(hash(company_id, {key}, business_date, entry, bill_type, bill_id) % 9007199254740991 as bigint) as {name}_id,
    row_number() over (order by company_id, {key}, business_date, entry, place) as number,
    r.*, {bill},
    case when entry <> {opening} then increase end as increase_amount,
    case when entry <> {opening} then settled end as settled_amount,
    case when entry <> {opening} then written_off end as written_off_amount,
    case when entry <> {opening} then advance end as advance_change,
    case when entry <> {opening} then waived end as waived_amount,
    sum(change) over (
        partition by company_id, {key} order by business_date, entry, place
        rows between unbounded preceding and current row
    ) as balance_amount
from {{rows}} r
"""


class PartnerBalanceDetail(PartnerRow):
    """Base of balance details: a bill that changed a partner's balance, or the balance before."""

    __abstract__ = True

    business_date: Mapped[date] = date_field("业务日期", search=True, width=110, sort=-60)
    number: Mapped[int] = integer_field("序号", list=False)
    entry: Mapped[int] = enum_field("摘要", ENTRIES, default=CHANGE, width=100)
    bill_name: Mapped[str | None] = text_field("单据类型", width=100)
    bill_no: Mapped[str | None] = text_field("单据号", width=190)
    due_date: Mapped[date | None] = date_field("到期日", width=110)

    increase_amount = partner_money("增加{0.owed}", 1, default=None, total=True)
    settled_amount = partner_money("{0.settled}及冲抵", 2, default=None, total=True)
    written_off_amount = partner_money("其中核销{0.owed}", 3, default=None, total=True)
    advance_change = partner_money("其中{0.advance}增减", 4, default=None, total=True)
    waived_amount = partner_money("抹零及现金折扣", 5, default=None, total=True)
    balance_amount = partner_money("{0.owed}余额", 6)
    route: Mapped[str | None] = text_field("单据地址", list=False, export=False, hidden=True)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return this_month_filter("business_date")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        first, last = parse_date_range(params, "business_date", "业务日期")
        sql = _ENTRIES.format(
            key=cls.party.key, type=cls.party.type, settling=_SETTLING, opening=OPENING, bill=CHANGE
        )
        return sql, {"first": first, "last": last}

    @classmethod
    def summary(cls, params: Values) -> str:
        return _BALANCES.format(
            key=cls.party.key, name=cls.name(), opening=OPENING, bill=bill_columns_sql("r")
        )


def _build_declaration(party: PartnerKind, api: str, sort: int) -> Declaration:
    return Declaration(
        f"{party.label}往来明细",
        api,
        "bill_no",
        routes={"list": party.statement},
        menu=Menu("报表中心", "往来报表", sort),
        actions=READ_ONLY,
        order_by=("number", "asc"),
        drill=BILL,
        question=f"一个{party.label}的{party.owed}余额是怎样一笔一笔变成现在这样的？",
    )


class CustomerBalanceDetail(PartnerBalanceDetail):
    """Balance of a customer bill by bill (客户往来明细)."""

    __tablename__ = "customer_statement"
    pinned_columns = (
        "business_date",
        "customer_id",
        "entry",
        "bill_no",
        "increase_amount",
        "settled_amount",
        "balance_amount",
    )
    party = CUSTOMER
    declaration = _build_declaration(CUSTOMER, "v2/report/CustomerStatement", 20)

    customer_statement_id: Mapped[int] = key_field()
    customer_id: Mapped[int] = customer_column()


class SupplierBalanceDetail(PartnerBalanceDetail):
    """Balance of a supplier bill by bill (供应商往来明细)."""

    __tablename__ = "supplier_statement"
    pinned_columns = (
        "business_date",
        "supplier_id",
        "entry",
        "bill_no",
        "increase_amount",
        "settled_amount",
        "balance_amount",
    )
    party = SUPPLIER
    declaration = _build_declaration(SUPPLIER, "v2/report/SupplierStatement", 40)

    supplier_statement_id: Mapped[int] = key_field()
    supplier_id: Mapped[int] = supplier_column()
