"""Business day by day (经营数据): what each company sold, bought, took in and paid out, and what fell overdue.

Its screen shows the figures of the console above the days. Sales are net of tax and of returns, receipts and payments
are what settled receivables and payables or was paid in advance, as the daily report has them.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.asked import this_month
from api.kit.fields import COST, integer, key, money, rate, ref
from api.kit.fields import day as on_day
from api.kit.ratios import Ratio
from api.kit.resource import Declaration, Drill, Menu
from api.kit.scope import Principal
from api.kit.view import READ_ONLY, Sql, Values
from api.reporting.expressions import ratio
from api.reporting.facts import sees_whole_companies
from api.reporting.published import Published
from api.reporting.trade_rows import SALES_DETAIL

# Days of a company on which nothing happened have nothing to tell.
_FLOWS = ("sales", "sales_bills", "sales_cost", "purchase", "receipts", "payments", "new_overdue")
_DAYS = f"""
select d.company_id * 1000000 + date_diff('day', date '1970-01-01', d.day) as business_data_id,
    d.company_id, d.day, d.sales, cast(d.sales_bills as bigint) as sales_bills, d.sales_cost,
    d.sales - d.sales_cost as profit, {ratio("d.sales - d.sales_cost", "d.sales", "margin")},
    d.purchase, d.receipts, d.payments, d.new_overdue
from facts.fct_business_day d
where {" or ".join(f"d.{flow} <> 0" for flow in _FLOWS)}
"""


class BusinessData(Published):
    """经营数据"""

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

    business_data_id: Mapped[int] = key()
    day: Mapped[date] = on_day("日期", search=True, sort=-60)
    company_id: Mapped[int] = ref("company", "公司", search=True, sort=-58)
    sales: Mapped[Decimal] = money("销售收入", total=True)
    sales_bills: Mapped[int] = integer("出库单数", total=True)
    sales_cost: Mapped[Decimal] = money("销售成本", total=True, permission=COST)
    profit: Mapped[Decimal] = money("毛利", total=True, permission=COST)
    margin: Mapped[Decimal | None] = rate(
        "毛利率%", default=None, permission=COST, ratio=Ratio("profit", "sales")
    )
    purchase: Mapped[Decimal] = money("采购金额", total=True)
    receipts: Mapped[Decimal] = money("收款", total=True)
    payments: Mapped[Decimal] = money("付款", total=True)
    new_overdue: Mapped[Decimal] = money("新增逾期", total=True)

    @classmethod
    def open_to(cls, principal: Principal) -> bool:
        return sees_whole_companies(principal)

    @classmethod
    def usual(cls) -> dict[str, str]:
        return this_month("day")

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        return _DAYS, {}
