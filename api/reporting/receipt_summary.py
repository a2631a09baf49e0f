"""Receipts over any days, summed up as chosen (收款汇总): by company, customer, settlement method, or several."""

from __future__ import annotations

from datetime import date

from sqlalchemy.orm import Mapped

from api.kit.asked import asked_days, this_month
from api.kit.fields import day as on_day
from api.kit.fields import enum, integer, key
from api.kit.resource import Declaration, Drill, Menu
from api.kit.scope import Principal
from api.kit.view import READ_ONLY, Sql, Values
from api.reporting.groupings import Groupings
from api.reporting.receipt_rows import RECEIPTS, ReceiptRow

BY = Groupings(
    {
        1: ("公司", ("company_id",)),
        2: ("客户", ("company_id", "customer_id")),
        3: ("结算方式", ("receivables_mode_id",)),
        4: ("部门", ("company_id", "department_id")),
        5: ("收款人", ("company_id", "employee_id")),
    },
    usual=2,
)

_RECEIPTS = """
select r.*, cast(:first as date) as first_day, cast(:last as date) as day, cast(:grouping as integer) as grouping
from facts.fct_receipt r
where r.business_date between cast(:first as date) and cast(:last as date)
"""
_SUMMARY = """
with sums as (
    select {columns}, min(grouping) as grouping, min(first_day) as first_day, min(day) as day, count(*) as bill_count,
        sum(amount) as amount, sum(written_off_amount) as written_off_amount, sum(advance_change) as advance_change
    from {{rows}}
    group by {chosen}
)
select *, {row_id} from sums
"""


class ReceiptSummary(ReceiptRow):
    """收款汇总报表"""

    __tablename__ = "receipt_summary"
    declaration = Declaration(
        "收款汇总报表",
        "v2/report/ReceiptSummary",
        "bill_count",
        routes={"list": "/report/receiptsumrpt"},
        menu=Menu("报表中心", "收款报表", 10),
        actions=READ_ONLY,
        order_by=("amount", "desc"),
        drill=Drill(
            "收款明细报表",
            RECEIPTS,
            (*BY.leads(), ("business_date_start", "first_day"), ("business_date_end", "day")),
        ),
    )

    receipt_summary_id: Mapped[int] = key()
    day: Mapped[date] = on_day("日期", search=True, list=False, sort=-60)
    first_day: Mapped[date] = on_day("起始日期", list=False)
    grouping: Mapped[int] = enum("汇总方式", BY.labels, default=BY.usual, search=True, list=False, sort=-59)
    bill_count: Mapped[int] = integer("收款单数", sort=9)

    @classmethod
    def usual(cls) -> dict[str, str]:
        return {**this_month("day"), "grouping": str(BY.usual)}

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        first, last = asked_days(asked, "day", "日期")
        return _RECEIPTS, {"first": first, "last": last, "grouping": BY.numbers(asked)[0]}

    @classmethod
    def summary(cls, asked: Values) -> str:
        row_id = BY.row_id("receipt_summary_id")
        return _SUMMARY.format(columns=BY.columns(asked), chosen=BY.chosen(asked), row_id=row_id)
