"""Operating revenue (营业收入).

Audited sales outbounds net of tax less returns, with the same days a month and year ago.

A month is compared with the same days of earlier ones, as any days are.
"""

from __future__ import annotations

from dataclasses import replace

from reports.catalogue.target_lines import build_target_chart, target_dataset
from reports.semantics.dashboards import Board, Chart, Filter
from reports.semantics.datasets import MONEY, Column, Dataset, Metric
from reports.semantics.expressions import FunctionCall, sum_of
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import (
    list_comparison_names,
    money_metric,
    percent_metric,
    quantity_metric,
    ratio_of,
    with_prorated_prior_periods,
)
from reports.semantics.period_comparison import compared_datasets
from reports.semantics.report_builders import (
    BY_COMPANY,
    BY_EMPLOYEE,
    EMPLOYEE,
    PLACES,
    build_board,
    build_curve_chart,
    build_ranking_chart,
    build_row,
    build_table,
    company_filter,
    optional_key_filter,
    period_filter,
    sales_link,
    warehouse_filter,
)
from reports.semantics.time_grains import DAY_COLUMNS, DAY_LINK, DAYS, TimeGrain, build_time_grain_report

MEASURES = ("revenue", "sales_revenue", "return_revenue", "bill_count", "quantity")
MONTH_OF_DAY = (
    Column("month", "月份", "date", sql="cast(date_trunc('month', m.day) as date)"),
    Column("month_label", "月", sql="strftime(m.day, '%Y-%m')"),
)


def revenue_dataset(span: TimeGrain) -> Dataset:
    """Return the dataset of each day's revenue with that of the same days a month and a year before."""
    period = replace(DAYS, key="same_days", name="月", ranged=False) if span.is_whole else DAYS
    revenue = money_metric("revenue", "营业收入")
    return compared_datasets(
        f"operating_revenue{span.mark}",
        f"营业收入{span.word}",
        "mart_operating_revenue",
        grain="company",
        period=period,
        axis=DAY_COLUMNS,
        explorable=span.is_whole,
        keys=("department_id", "employee_id"),
        columns=(
            *(MONTH_OF_DAY if span.is_whole else ()),
            *PLACES,
            Column("department_name", "部门", determined_by=("department_id",), min_width=84),
            EMPLOYEE,
            sales_link(
                **BY_COMPANY,
                **optional_key_filter("department_id", "department_name"),
                **BY_EMPLOYEE,
                **DAY_LINK,
            ),
        ),
        measures={name: name for name in MEASURES},
        metrics=(
            revenue,
            *with_prorated_prior_periods(revenue, MEASURES, period=period, prior_word="收入"),
            money_metric("sales_revenue", "销售收入"),
            money_metric("return_revenue", "销售退货"),
            quantity_metric("bills", "单据数", "bill_count"),
            quantity_metric("quantity", "销售数量"),
            Metric("per_bill", "单均收入", ratio_of(sum_of("revenue"), sum_of("bill_count")), MONEY),
            percent_metric(
                "return_share",
                "退货率",
                FunctionCall("abs", (sum_of("return_revenue"),)),
                sum_of("sales_revenue"),
            ),
        ),
    )[0]


def revenue_target_dataset() -> Dataset:
    """Return the dataset of each month's revenue and its target."""
    return target_dataset(
        "operating_revenue",
        "营业收入",
        "mart_operating_revenue",
        money_metric("revenue", "营业收入"),
        ("revenue",),
        "sales_target",
        (DAY_COLUMNS[0], MONTH_OF_DAY[1]),
        (PLACES[1], Column("department_name", "部门", min_width=84), EMPLOYEE),
    )


def revenue_board(cost: bool, span: TimeGrain) -> Board:
    data, aimed = revenue_dataset(span), revenue_target_dataset()
    head = build_kpi_header(
        data,
        Kpi("revenue", "不含税", "fall"),
        Kpi("bills", "已审核销售出库", "fall"),
        Kpi("quantity", "出库减退货", "fall"),
        Kpi("per_bill", "收入 ÷ 单据数", "fall"),
        Kpi("return_share", "退货占销售收入", "rise"),
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
        build_curve_chart(
            "months",
            "各月营业收入与同比",
            data,
            ("revenue", "revenue_year"),
            "revenue_growth",
            "month_label",
        )
        if span.is_whole
        else build_ranking_chart("departments", "各部门收入", data, "revenue", "department_name", 12)
    )
    listed = build_table(
        "营业收入明细",
        data,
        ("company_name", "department_name", "employee_name", "detail_link"),
        (
            *list_comparison_names("revenue"),
            "sales_revenue",
            "return_revenue",
            "return_share",
            "bills",
            "per_bill",
        ),
        "revenue",
        bar="revenue",
        paged=False,
    )
    lines = (
        build_row(
            42,
            (daily, 8),
            (build_ranking_chart("companies", "各公司收入", data, "revenue", "company_name", 20), 4),
        ),
        build_row(
            44,
            (second, 7),
            (build_ranking_chart("employees", "各业务员收入", data, "revenue", "employee_name", 12), 5),
        ),
        *((build_row(36, (build_target_chart(aimed, "month_label"), 12)),) if span.is_whole else ()),
        build_row(76, (listed, 12)),
    )
    chosen = (
        period_filter(data, "month_label", "月", "months", "aimed") if span.is_whole else span.filter(data)
    )
    filters = (
        chosen,
        company_filter(data),
        warehouse_filter(data),
        Filter("department", "部门", data.key, "department_name", parent="company"),
        Filter("employee", "业务员", data.key, "employee_name", parent="company"),
    )
    return build_board((data, aimed) if span.is_whole else (data,), head, lines, filters)


OPERATING_REVENUE = build_time_grain_report(
    code="OperatingRevenue",
    label="营业收入",
    question="这个月卖了多少，比上月同期和去年同期如何？",
    group="销售报表",
    words="营业额 销售额 业绩",
    make=revenue_board,
    has_cost=False,
)
