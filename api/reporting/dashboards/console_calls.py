"""Calls of the console (首页经营数据接口): today, this month, salespeople, provinces and rankings, from
the newest snapshot within the user's scope.

Source: spec/3-rules.md 7.4 (console dashboard). Amounts of profit are 无权限 without the cost right.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel

from api.kit.context import Context
from api.kit.declaration.field_sources import APART, PLAIN, from_fields
from api.kit.http.routing import build_router, call
from api.reporting.dashboards import console
from api.reporting.dashboards.console import DashboardQuery
from api.reporting.lists.sales.business_data import BusinessData

api = build_router()
PREFIX = "v2/system/Console"
RIGHT = BusinessData.right("list")
MAX_RANKING = 50

CompanyId = Annotated[int, Query(ge=0, le=2**62, description="公司；0 为数据范围内的全部公司")]
MaskableDecimal = Decimal | str | None
"""A figure, 无权限, or nothing where there is none."""
Bills = Annotated[int, from_fields("business_data.sales_bills")]
Quantity = Annotated[Decimal, from_fields("sales_summary.quantity")]
Revenue = Annotated[Decimal, from_fields("business_data.sales")]
Change = Annotated[Decimal | None, from_fields("business_data.sales")]
Profit = Annotated[MaskableDecimal, from_fields("business_data.profit")]
Margin = Annotated[MaskableDecimal, from_fields("business_data.margin")]
Receipts = Annotated[Decimal | None, from_fields("business_data.receipts")]
Company = Annotated[str, from_fields("business_data.company_id")]


class SalesFigures(BaseModel):
    """Sales figures net of returns; revenue and profit net of tax."""

    bill_count: Bills
    quantity: Quantity
    amount: Revenue
    revenue: Revenue
    profit: Profit
    margin: Margin


class SalesCase(SalesFigures):
    """The sales of one day; receipts are empty for users who don't see whole companies."""

    key: Literal["today", "yesterday", "last_year"]
    label: Annotated[str, PLAIN]
    day: date
    order_count: Annotated[int, from_fields("sales_order.bill_no")]
    order_amount: Annotated[Decimal, from_fields("sales_order.total_amount")]
    receipts: Receipts


class SalesDay(SalesFigures):
    day: date
    receipts: Receipts
    last_year_revenue: Revenue


class TodaySales(BaseModel):
    """Today, yesterday, the same day a year ago, and the last 30 days in their order."""

    cases: list[SalesCase]
    days: list[SalesDay]


class FlowFigures(BaseModel):
    """Purchase, receipt and payment figures; empty for users who don't see whole companies."""

    purchase: Annotated[Decimal | None, from_fields("business_data.purchase")]
    receipts: Receipts
    payments: Annotated[Decimal | None, from_fields("business_data.payments")]
    new_overdue: Annotated[Decimal | None, from_fields("business_data.new_overdue")]


class ActivityDay(SalesFigures, FlowFigures):
    day: date


class ActivityMonth(SalesFigures, FlowFigures):
    """The month's sums up to today, or those of the same days a month or a year ago."""

    key: Literal["this", "previous", "last_year"]
    label: Annotated[str, PLAIN]
    first_day: date
    last_day: date


class MonthActivity(BaseModel):
    days: list[ActivityDay]
    months: list[ActivityMonth]


class ComparedFigures(BaseModel):
    """This month's sales beside the prior period of as many days; percentages are empty without a base."""

    quantity: Quantity
    revenue: Revenue
    bill_count: Bills
    profit: Profit
    margin: Margin
    share: Change
    previous_revenue: Revenue
    change: Change


class Salesman(ComparedFigures):
    """`curve`: revenue of the month up to each of the days."""

    company_id: int
    company_name: Company
    employee_id: Annotated[int | None, from_fields("sales_summary.employee_id")]
    employee_name: Annotated[str, from_fields("sales_summary.employee_id")]
    curve: Annotated[list[Decimal], from_fields("business_data.sales")]


class Salesmen(BaseModel):
    days: list[date]
    people: list[Salesman]


class ProvinceSales(ComparedFigures):
    province_name: Annotated[str, from_fields("customer.province_id")]
    customer_count: Annotated[int, from_fields("customer.customer_name")]


class Ranking(ComparedFigures):
    id: Annotated[int | None, APART]
    name: Annotated[str, APART]


@call(api, "GET", f"{PREFIX}/getTodaySalesCaseList", right=RIGHT, returns=TodaySales)
def get_today_sales_case_list(ctx: Context, company_id: CompanyId = 0) -> Any:
    """今日销售情况: orders, outbound, receipts and profit beside yesterday and a year ago, and the curve of 30 days."""
    return console.read_today_sales(DashboardQuery(ctx.principal, company_id))


# The specification writes the name so.
@call(api, "GET", f"{PREFIX}/getMonthCctivityList", right=RIGHT, returns=MonthActivity)
def get_month_cctivity_list(ctx: Context, company_id: CompanyId = 0) -> Any:
    """本月经营动态: sales, purchases, receipts and payments day by day."""
    return console.read_month_activity(DashboardQuery(ctx.principal, company_id))


@call(api, "GET", f"{PREFIX}/getSalesmanCharts", right=RIGHT, returns=Salesmen)
def get_salesman_charts(ctx: Context, company_id: CompanyId = 0) -> Any:
    """业务员业绩: the first ten of the month, with their curves."""
    return console.rank_salesmen(DashboardQuery(ctx.principal, company_id))


@call(api, "GET", f"{PREFIX}/getMonthlyProvinces", right=RIGHT, returns=list[ProvinceSales])
def get_monthly_provinces(ctx: Context, company_id: CompanyId = 0) -> Any:
    """本月各省销售: by the province that the customer lies in."""
    return console.read_province_sales(DashboardQuery(ctx.principal, company_id))


@call(api, "GET", f"{PREFIX}/getRankingList", right=RIGHT, returns=list[Ranking])
def get_ranking_list(
    ctx: Context,
    company_id: CompanyId = 0,
    type: Annotated[
        Literal["company", "goods", "customer", "brand"], Query(description="排名对象")
    ] = "goods",
    measure: Annotated[Literal["revenue", "quantity", "profit"], Query(description="排名依据")] = "revenue",
    num: Annotated[int, Query(ge=1, le=MAX_RANKING)] = 10,
    province_name: Annotated[str, Query(max_length=50, description="只看这个省的客户")] = "",
) -> Any:
    """排名（本月）: of companies, goods, customers or brands."""
    return console.read_ranking(DashboardQuery(ctx.principal, company_id), type, measure, num, province_name)
