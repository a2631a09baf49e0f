"""营业收入：已审核销售出库（不含税）减退货，按公司、部门、业务员、日月，与上月同期、去年同期对比。

A month stands beside the same days of earlier ones, as any days do.
"""

from __future__ import annotations

from dataclasses import replace

from reports.catalogue.aims import aimed_chart, aimed_dataset
from reports.catalogue.beside import Figure, figures
from reports.catalogue.boards import Board, Chart, Filter
from reports.catalogue.compare import compared_datasets
from reports.catalogue.datasets import MONEY, Column, Dataset, Metric
from reports.catalogue.days import DAY_COLUMNS, DAY_LINK, DAYS, Span, spanned_report
from reports.catalogue.expressions import FunctionCall, sum_of
from reports.catalogue.metrics import compared, grown_beside, money, percent, quantity, ratio
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
    sales_link,
    table,
    warehouse_filter,
)

MEASURES = ("revenue", "sales_revenue", "return_revenue", "bill_count", "quantity")
MONTH_OF_DAY = (
    Column("month", "月份", "date", sql="cast(date_trunc('month', m.day) as date)"),
    Column("month_label", "月", sql="strftime(m.day, '%Y-%m')"),
)


def revenue_dataset(span: Span) -> Dataset:
    """Each day's revenue beside that of the same days of a month and of a year before."""
    period = replace(DAYS, key="same_days", name="月", ranged=False) if span.whole else DAYS
    revenue = money("revenue", "营业收入")
    return compared_datasets(
        f"operating_revenue{span.mark}",
        f"营业收入{span.word}",
        "mart_operating_revenue",
        grain="company",
        period=period,
        axis=DAY_COLUMNS,
        explorable=span.whole,
        keys=("department_id", "employee_id"),
        columns=(
            *(MONTH_OF_DAY if span.whole else ()),
            *PLACES,
            Column("department_name", "部门", follows=("department_id",), min_width=84),
            EMPLOYEE,
            sales_link(
                **BY_COMPANY,
                **by_one_or_none("department_id", "department_name"),
                **BY_EMPLOYEE,
                **DAY_LINK,
            ),
        ),
        measures={name: name for name in MEASURES},
        metrics=(
            revenue,
            *grown_beside(revenue, MEASURES, period=period, called="收入"),
            money("sales_revenue", "销售收入"),
            money("return_revenue", "销售退货"),
            quantity("bills", "单据数", "bill_count"),
            quantity("quantity", "销售数量"),
            Metric("per_bill", "单均收入", ratio(sum_of("revenue"), sum_of("bill_count")), MONEY),
            percent(
                "return_share",
                "退货率",
                FunctionCall("abs", (sum_of("return_revenue"),)),
                sum_of("sales_revenue"),
            ),
        ),
    )[0]


def aimed_revenue() -> Dataset:
    """Each month's revenue, and what was aimed at."""
    return aimed_dataset(
        "operating_revenue",
        "营业收入",
        "mart_operating_revenue",
        money("revenue", "营业收入"),
        ("revenue",),
        "sales_target",
        (DAY_COLUMNS[0], MONTH_OF_DAY[1]),
        (PLACES[1], Column("department_name", "部门", min_width=84), EMPLOYEE),
    )


def revenue_board(cost: bool, span: Span) -> Board:
    data, aimed = revenue_dataset(span), aimed_revenue()
    head = figures(
        data,
        Figure("revenue", "不含税", "fall"),
        Figure("bills", "已审核销售出库", "fall"),
        Figure("quantity", "出库减退货", "fall"),
        Figure("per_bill", "收入 ÷ 单据数", "fall"),
        Figure("return_share", "退货占销售收入", "rise"),
    )
    daily = Chart(
        "days",
        "每日营业收入与同期对比",
        "line",
        data.key,
        ("revenue", "revenue_before", "revenue_year"),
        x="day_label",
    )
    # Months stand beside each other only where one of them is chosen.
    second = (
        curves(
            "months",
            "各月营业收入与同比",
            data,
            ("revenue", "revenue_year"),
            "revenue_growth",
            "month_label",
        )
        if span.whole
        else ranking("departments", "各部门收入", data, "revenue", "department_name", 12)
    )
    listed = table(
        "营业收入明细",
        data,
        ("company_name", "department_name", "employee_name", "detail_link"),
        (*compared("revenue"), "sales_revenue", "return_revenue", "return_share", "bills", "per_bill"),
        "revenue",
        bar="revenue",
        paged=False,
    )
    lines = (
        line(42, (daily, 8), (ranking("companies", "各公司收入", data, "revenue", "company_name", 20), 4)),
        line(
            44,
            (second, 7),
            (ranking("employees", "各业务员收入", data, "revenue", "employee_name", 12), 5),
        ),
        *((line(36, (aimed_chart(aimed, "month_label"), 12)),) if span.whole else ()),
        line(76, (listed, 12)),
    )
    chosen = period_filter(data, "month_label", "月", "months", "aimed") if span.whole else span.filter(data)
    filters = (
        chosen,
        company_filter(data),
        warehouse_filter(data),
        Filter("department", "部门", data.key, "department_name", parent="company"),
        Filter("employee", "业务员", data.key, "employee_name", parent="company"),
    )
    return board((data, aimed) if span.whole else (data,), head, lines, filters)


OPERATING_REVENUE = spanned_report(
    code="OperatingRevenue",
    label="营业收入",
    question="这个月卖了多少，比上月同期和去年同期如何？",
    group="销售报表",
    words="营业额 销售额 业绩",
    make=revenue_board,
    has_cost=False,
)
