"""Business by day (经营数据): sales, purchases, receipts, payments and new overdue amounts of each
company.

Its screen shows the console's figures above the days. Sales are net of tax and of returns; receipts and
payments are what settled receivables and payables or was paid in advance, as in the daily report.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    COST,
    integer_field,
    key_field,
    money_field,
    rate_field,
    reference_field,
)
from api.kit.declaration.fields import date_field as on_day
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values
from api.kit.http.date_filters import this_month_filter
from api.kit.scope import Principal
from api.reporting.lists.expressions import ratio_sql
from api.reporting.lists.list_report import ListReport
from api.reporting.lists.sales_purchase_columns import SALES_DETAIL
from api.reporting.snapshot.fact_tables import can_see_whole_companies

# Days of a company on which nothing happened have nothing to tell.
_FLOWS = ("sales", "sales_bills", "sales_cost", "purchase", "receipts", "payments", "new_overdue")
_DAYS = f"""
select d.company_id * 1000000 + date_diff('day', date '1970-01-01', d.day) as business_data_id,
    d.company_id, d.day, d.sales, cast(d.sales_bills as bigint) as sales_bills, d.sales_cost,
    d.sales - d.sales_cost as profit, {ratio_sql("d.sales - d.sales_cost", "d.sales", "margin")},
    d.purchase, d.receipts, d.payments, d.new_overdue
from facts.fct_business_day d
where {" or ".join(f"d.{flow} <> 0" for flow in _FLOWS)}
"""


class BusinessData(ListReport):
    """Business of a company by day (经营数据)."""

    __tablename__ = "business_data"
    declaration = Declaration(
        "经营数据",
        "v2/report/BusinessData",
        "company_id",
        routes={"list": "/system/businessData"},
        menu=Menu("报表中心", "报表总览", 5),
        actions=READ_ONLY,
        order_by=("day", "desc"),
        drill=Drill(
            "销售明细报表",
            SALES_DETAIL,
            (("company_id", "company_id"), ("business_date_start", "day"), ("business_date_end", "day")),
        ),
        question="今天和这个月卖了、收了、付了多少，谁、哪里、什么卖得好？",
    )

    business_data_id: Mapped[int] = key_field()
    day: Mapped[date] = on_day("日期", search=True, sort=-60)
    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-58)
    sales: Mapped[Decimal] = money_field("销售收入", total=True)
    sales_bills: Mapped[int] = integer_field("出库单数", total=True)
    sales_cost: Mapped[Decimal] = money_field("销售成本", total=True, permission=COST)
    profit: Mapped[Decimal] = money_field("毛利", total=True, permission=COST)
    margin: Mapped[Decimal | None] = rate_field(
        "毛利率%", default=None, permission=COST, ratio=Ratio("profit", "sales")
    )
    purchase: Mapped[Decimal] = money_field("采购金额", total=True)
    receipts: Mapped[Decimal] = money_field("收款", total=True)
    payments: Mapped[Decimal] = money_field("付款", total=True)
    new_overdue: Mapped[Decimal] = money_field("新增逾期", total=True)

    @classmethod
    def is_visible_to(cls, principal: Principal) -> bool:
        return can_see_whole_companies(principal)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return this_month_filter("day")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _DAYS, {}
