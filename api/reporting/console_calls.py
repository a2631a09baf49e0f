"""首页经营数据接口：今日、本月、业务员、省份、排名，均在用户的数据范围内取自最新发布的快照。

Source: spec/3-rules.md 7.4 (console dashboard). Amounts of profit are 无权限 without the cost right.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel

from api.kit.calls import call, router
from api.kit.context import Context
from api.kit.told import APART, PLAIN, of
from api.reporting import console
from api.reporting.business_data import BusinessData
from api.reporting.console import Asked

api = router()
PREFIX = "v2/system/Console"
RIGHT = BusinessData.right("list")
MOST = 50

CompanyId = Annotated[int, Query(ge=0, le=2**62, description="公司；0 为数据范围内的全部公司")]
Shown = Decimal | str | None
"""A figure, 无权限, or nothing where there is none."""
Bills = Annotated[int, of("business_data.sales_bills")]
Quantity = Annotated[Decimal, of("sales_summary.quantity")]
Revenue = Annotated[Decimal, of("business_data.sales")]
Change = Annotated[Decimal | None, of("business_data.sales")]
Profit = Annotated[Shown, of("business_data.profit")]
Margin = Annotated[Shown, of("business_data.margin")]
Receipts = Annotated[Decimal | None, of("business_data.receipts")]
Company = Annotated[str, of("business_data.company_id")]


class Sold(BaseModel):
    """Sales net of returns; revenue and profit net of tax."""

    bill_count: Bills
    quantity: Quantity
    amount: Revenue
    revenue: Revenue
    profit: Profit
    margin: Margin


class SalesCase(Sold):
    """The sales situation of a day; receipts are empty for who doesn't see whole companies."""

    key: Literal["today", "yesterday", "last_year"]
    label: Annotated[str, PLAIN]
    day: date
    order_count: Annotated[int, of("sales_order.bill_no")]
    order_amount: Annotated[Decimal, of("sales_order.total_amount")]
    receipts: Receipts


class SalesDay(Sold):
    day: date
    receipts: Receipts
    last_year_revenue: Revenue


class TodaySales(BaseModel):
    """Today, yesterday, the same day a year ago, and the last 30 days in their order."""

    cases: list[SalesCase]
    days: list[SalesDay]


class Paid(BaseModel):
    """Empty for who doesn't see whole companies."""

    purchase: Annotated[Decimal | None, of("business_data.purchase")]
    receipts: Receipts
    payments: Annotated[Decimal | None, of("business_data.payments")]
    new_overdue: Annotated[Decimal | None, of("business_data.new_overdue")]


class ActivityDay(Sold, Paid):
    day: date


class ActivityMonth(Sold, Paid):
    """The month's sums up to today, or those of the same days a month or a year ago."""

    key: Literal["this", "previous", "last_year"]
    label: Annotated[str, PLAIN]
    first_day: date
    last_day: date


class MonthActivity(BaseModel):
    days: list[ActivityDay]
    months: list[ActivityMonth]


class Compared(BaseModel):
    """This month's sales beside the same days of the month before; percentages are empty without a base."""

    quantity: Quantity
    revenue: Revenue
    bill_count: Bills
    profit: Profit
    margin: Margin
    share: Change
    previous_revenue: Revenue
    change: Change


class Salesman(Compared):
    """`curve`: revenue of the month up to each of the days."""

    company_id: int
    company_name: Company
    employee_id: Annotated[int | None, of("sales_summary.employee_id")]
    employee_name: Annotated[str, of("sales_summary.employee_id")]
    curve: Annotated[list[Decimal], of("business_data.sales")]


class Salesmen(BaseModel):
    days: list[date]
    people: list[Salesman]


class ProvinceSales(Compared):
    province_name: Annotated[str, of("customer.province_id")]
    customer_count: Annotated[int, of("customer.customer_name")]


class Ranking(Compared):
    id: Annotated[int | None, APART]
    name: Annotated[str, APART]


@call(api, "GET", f"{PREFIX}/getTodaySalesCaseList", right=RIGHT, returns=TodaySales)
def get_today_sales_case_list(ctx: Context, company_id: CompanyId = 0) -> Any:
    """今日销售情况: orders, outbound, receipts and profit beside yesterday and a year ago, and the curve of 30 days."""
    return console.today_sales(Asked(ctx.principal, company_id))


# The specification writes the name so.
@call(api, "GET", f"{PREFIX}/getMonthCctivityList", right=RIGHT, returns=MonthActivity)
def get_month_cctivity_list(ctx: Context, company_id: CompanyId = 0) -> Any:
    """本月经营动态: sales, purchases, receipts and payments day by day."""
    return console.month_activity(Asked(ctx.principal, company_id))


@call(api, "GET", f"{PREFIX}/getSalesmanCharts", right=RIGHT, returns=Salesmen)
def get_salesman_charts(ctx: Context, company_id: CompanyId = 0) -> Any:
    """业务员业绩: the first ten of the month, with their curves."""
    return console.salesmen(Asked(ctx.principal, company_id))


@call(api, "GET", f"{PREFIX}/getMonthlyProvinces", right=RIGHT, returns=list[ProvinceSales])
def get_monthly_provinces(ctx: Context, company_id: CompanyId = 0) -> Any:
    """本月各省销售: by the province that the customer lies in."""
    return console.provinces(Asked(ctx.principal, company_id))


@call(api, "GET", f"{PREFIX}/getRankingList", right=RIGHT, returns=list[Ranking])
def get_ranking_list(
    ctx: Context,
    company_id: CompanyId = 0,
    type: Annotated[
        Literal["company", "goods", "customer", "brand"], Query(description="排名对象")
    ] = "goods",
    measure: Annotated[Literal["revenue", "quantity", "profit"], Query(description="排名依据")] = "revenue",
    num: Annotated[int, Query(ge=1, le=MOST)] = 10,
    province_name: Annotated[str, Query(max_length=50, description="只看这个省的客户")] = "",
) -> Any:
    """排名（本月）: of companies, goods, customers or brands."""
    return console.ranking(Asked(ctx.principal, company_id), type, measure, num, province_name)
