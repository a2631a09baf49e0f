"""营业收入：已审核销售出库（不含税）减退货，按公司、部门、业务员、日月，与上期、去年同期对比。"""

from __future__ import annotations

from reports.catalogue.beside import Figure, figures, stacked
from reports.catalogue.boards import Board, Chart, Filter
from reports.catalogue.datasets import MONEY, Beside, Column, Dataset, Metric
from reports.catalogue.metrics import change_metric, money, percent, quantity, ratio
from reports.catalogue.parts import (
    BY_COMPANY,
    BY_EMPLOYEE,
    EMPLOYEE,
    PLACES,
    board,
    by_one_or_none,
    company_filter,
    curves,
    line,
    period_filter,
    ranking,
    report,
    sales_link,
    share,
    table,
    warehouse_filter,
)

NOW = ("revenue", "sales_revenue", "return_revenue", "bill_count", "quantity")


def moved_on(step: str) -> str:
    """Each day's figures by a month or a year later, as the mart compares them: as far as this month has come."""
    day = f"cast(t.day + {step} as date)"
    return (
        f"select t.* replace ({day} as day, strftime({day}, '%Y-%m') as month_label) from mart_operating_revenue as t"
        f" where {day} <= (select max(d.day) from mart_operating_revenue as d)"
    )


SAME_DAYS = ("所选月", "上月同期", "去年同期")
MEASURES = (
    *NOW,
    *("previous_revenue", "last_year_revenue"),
)
REVENUE = Dataset(
    key="operating_revenue",
    label="营业收入",
    source="mart_operating_revenue",
    grain="company",
    time_column="day",
    columns=(
        Column("day", "日期", "date"),
        Column("day_label", "日", sql="strftime(m.day, '%m-%d')"),
        Column("month", "月份", "date", sql="cast(date_trunc('month', m.day) as date)"),
        Column("month_label", "月"),
        *PLACES,
        Column("department_name", "部门"),
        EMPLOYEE,
        sales_link(
            **BY_COMPANY,
            **by_one_or_none("department_id", "department_name"),
            **BY_EMPLOYEE,
            business_date_start="strftime(date_trunc('month', m.day), '%Y-%m-%d')",
            business_date_end="strftime(last_day(m.day), '%Y-%m-%d')",
        ),
    ),
    measures=MEASURES,
    flows=MEASURES,
    beside=Beside(
        stacked(
            SAME_DAYS,
            "select t.* from mart_operating_revenue as t",
            *(moved_on(f"interval 1 {step}") for step in ("month", "year")),
        ),
        SAME_DAYS,
        NOW,
    ),
    metrics=(
        money("revenue", "营业收入"),
        money("sales_revenue", "销售收入"),
        money("return_revenue", "销售退货"),
        money("previous", "上月同期", "previous_revenue"),
        change_metric("change", "环比", "sum(revenue)", "sum(previous_revenue)"),
        money("last_year", "去年同期", "last_year_revenue"),
        change_metric("growth", "同比", "sum(revenue)", "sum(last_year_revenue)"),
        quantity("bills", "单据数", "bill_count"),
        quantity("quantity", "销售数量"),
        Metric("per_bill", "单均收入", ratio("sum(revenue)", "sum(bill_count)"), MONEY),
        percent("return_share", "退货率", "abs(sum(return_revenue))", "sum(sales_revenue)"),
    ),
)
COMPARED = ("revenue", "previous", "change", "last_year", "growth")


def revenue_board(cost: bool) -> Board:
    data = REVENUE
    head = figures(
        data,
        Figure("revenue", "不含税", "fall"),
        Figure("bills", "已审核销售出库", "fall"),
        Figure("quantity", "出库减退货", "fall"),
        Figure("per_bill", "收入 ÷ 单据数", "fall"),
        Figure("return_share", "退货占销售收入", "rise"),
    )
    lines = (
        line(
            42,
            (
                Chart(
                    "days",
                    "每日营业收入与同期对比",
                    "line",
                    data.key,
                    ("revenue", "previous", "last_year"),
                    x="day_label",
                ),
                8,
            ),
            (share("companies", "收入构成（公司）", data, "revenue", "company_name"), 4),
        ),
        line(
            44,
            (
                curves(
                    "months", "各月营业收入与同比", data, ("revenue", "last_year"), "growth", "month_label"
                ),
                7,
            ),
            (ranking("employees", "各业务员收入", data, "revenue", "employee_name", 12), 5),
        ),
        line(
            76,
            (
                table(
                    "营业收入明细",
                    data,
                    ("company_name", "department_name", "employee_name", "detail_link"),
                    (*COMPARED, "sales_revenue", "return_revenue", "return_share", "bills", "per_bill"),
                    "revenue",
                    bar="revenue",
                    paged=False,
                ),
                12,
            ),
        ),
    )
    filters = (
        period_filter(data, "month_label", "月", "months"),
        company_filter(data),
        warehouse_filter(data),
        Filter("department", "部门", data.key, "department_name", parent="company"),
        Filter("employee", "业务员", data.key, "employee_name", parent="company"),
    )
    return board((data,), head, lines, filters)


OPERATING_REVENUE = report(
    code="OperatingRevenue",
    label="营业收入",
    question="这个月卖了多少，比上月同期和去年同期如何？",
    group="销售报表",
    make=revenue_board,
    has_cost=False,
)
