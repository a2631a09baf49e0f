"""Balances of partners and their changes over any days (客户往来汇总、供应商往来汇总).

opening + increase − settled − waived − offset = closing, in every row and in total; closing = owed −
advance, and both are the open amounts of the items on the last day.
"""

from __future__ import annotations

from datetime import date

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import date_field as on_day
from api.kit.declaration.fields import key_field, reference_field
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values
from api.kit.http.date_filters import parse_date_range, this_month_filter
from api.kit.scope import Principal
from api.reporting.lists.expressions import conditional_sum_sql
from api.reporting.lists.partner_columns import (
    CUSTOMER,
    PARTNER_KEY,
    SUPPLIER,
    PartnerKind,
    PartnerRow,
    customer_column,
    partner_money,
    supplier_column,
)

_FIGURES = """
with figures as (
    select e.company_id, e.party_id as {key}, e.is_advance, cast(sum(e.amount) as decimal(18, 2)) as amount,
        case when e.business_date < cast(:first as date) then 'opening' else e.movement end as movement
    from facts.fct_settlement_entry e
    where e.party_type = '{type}' and e.business_date <= cast(:last as date)
    group by all
)
select f.*, {salesman} cast(:first as date) as first_day, cast(:last as date) as day
from figures f
{master}
"""
INCREASES = {"delivery": "", "return": "-", "transfer": "", "initial": "", "other": ""}
"""Movements that change what is owed, with the sign of their column."""
SETTLING = ("settled", "waived", "offset")


_SUMS = ",\n".join(
    [
        conditional_sum_sql("opening_amount", "amount", "movement = 'opening'"),
        *(
            conditional_sum_sql(f"{name}_amount", "amount", f"movement = '{name}'", sign)
            for name, sign in INCREASES.items()
        ),
        *(conditional_sum_sql(f"{name}_amount", "amount", f"movement = '{name}'", "-") for name in SETTLING),
        conditional_sum_sql(
            "written_off_amount",
            "amount",
            "movement in ('settled', 'waived', 'offset') and not is_advance",
            "-",
        ),
        conditional_sum_sql(
            "advance_change", "amount", "movement in ('settled', 'waived', 'offset') and is_advance", "-"
        ),
        conditional_sum_sql("closing_owed", "amount", "not is_advance"),
        conditional_sum_sql("closing_advance", "amount", "is_advance", "-"),
        conditional_sum_sql("closing_amount", "amount", "true"),
    ]
)
_SUMMARY = """
with sums as (
    select company_id, {key}, {salesman} min(first_day) as first_day, min(day) as day, {sums}
    from {{rows}}
    group by company_id, {key}
)
select *, {id} as {name}_id,
    delivery_amount - return_amount + transfer_amount + initial_amount + other_amount as increase_amount
from sums
where opening_amount <> 0 or closing_owed <> 0 or closing_advance <> 0 or delivery_amount <> 0 or return_amount <> 0
    or transfer_amount <> 0 or initial_amount <> 0 or other_amount <> 0 or written_off_amount <> 0
    or advance_change <> 0
"""


class PartnerSummary(PartnerRow):
    """Base of rows that sum up one partner over the selected days."""

    __abstract__ = True

    day: Mapped[date] = on_day("日期", search=True, list=False, sort=-60)
    first_day: Mapped[date] = on_day("起始日期", list=False)

    opening_amount = partner_money("期初{0.owed}", 1, total=True)
    initial_amount = partner_money("期初录入", 2, total=True)
    delivery_amount = partner_money("本期{0.delivery}", 3, total=True)
    return_amount = partner_money("本期{0.delivery}退货", 4, total=True)
    transfer_amount = partner_money("公司间调拨", 5, total=True)
    other_amount = partner_money("其他增加", 6, total=True)
    increase_amount = partner_money("本期增加{0.owed}", 7, total=True)
    settled_amount = partner_money("本期{0.settled}", 8, total=True)
    waived_amount = partner_money("本期抹零及现金折扣", 9, total=True)
    offset_amount = partner_money("本期冲抵", 9, total=True)
    written_off_amount = partner_money("其中核销{0.owed}", 10, total=True)
    advance_change = partner_money("其中{0.advance}增减", 11, total=True)
    closing_owed = partner_money("期末未核销{0.owed}", 12, total=True)
    closing_advance = partner_money("期末{0.advance}", 13, total=True)
    closing_amount = partner_money("期末{0.owed}", 14, total=True)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return this_month_filter("day")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        first, last = parse_date_range(params, "day", "日期")
        party = cls.party
        salesman, master = "", ""
        if "employee_id" in cls.table().columns:
            salesman, master = "m.employee_id,", f"left join {party.type} m on m.{party.key} = f.{party.key}"
        sql = _FIGURES.format(key=party.key, type=party.type, salesman=salesman, master=master)
        return sql, {"first": first, "last": last}

    @classmethod
    def summary(cls, params: Values) -> str:
        salesman = "min(employee_id) as employee_id," if "employee_id" in cls.table().columns else ""
        key = cls.party.key
        row_id = PARTNER_KEY.format("sums", key)
        return _SUMMARY.format(key=key, salesman=salesman, sums=_SUMS, id=row_id, name=cls.name())


def _build_declaration(party: PartnerKind, api: str, sort: int) -> Declaration:
    return Declaration(
        f"{party.label}往来汇总",
        api,
        party.key,
        routes={"list": party.summary},
        menu=Menu("报表中心", "往来报表", sort),
        actions=READ_ONLY,
        order_by=("closing_amount", "desc"),
        balance="closing_amount",
        drill=Drill(
            f"{party.label}往来明细",
            party.statement,
            (
                ("company_id", "company_id"),
                (party.key, party.key),
                ("business_date_start", "first_day"),
                ("business_date_end", "day"),
            ),
        ),
        question=f"这段时间每个{party.label}的{party.owed}增减了多少，期末还剩多少？",
    )


class CustomerSummary(PartnerSummary):
    """Balances of customers and their changes (客户往来汇总)."""

    __tablename__ = "customer_summary"
    party = CUSTOMER
    declaration = _build_declaration(CUSTOMER, "v2/report/CustomerSummary", 10)

    customer_summary_id: Mapped[int] = key_field()
    customer_id: Mapped[int] = customer_column()
    employee_id: Mapped[int | None] = reference_field(
        "employee", "业务员", within=("company_id",), search=True, width=90, sort=-53
    )


class SupplierSummary(PartnerSummary):
    """Balances of suppliers and their changes (供应商往来汇总)."""

    __tablename__ = "supplier_summary"
    party = SUPPLIER
    declaration = _build_declaration(SUPPLIER, "v2/report/SupplierSummary", 30)

    supplier_summary_id: Mapped[int] = key_field()
    supplier_id: Mapped[int] = supplier_column()
