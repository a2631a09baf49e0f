"""Inventory holding (库存占用): mean, peak, closing and share of a month, with the prior month and last year's.

A month's peak is the greatest of its days' sums, so that it holds for any choice of warehouses and goods;
peaks of parts fall on different days and don't add up.
"""

from __future__ import annotations

from reports.catalogue.stock_measures import get_stock_measure
from reports.semantics.dashboards import Board, Chart
from reports.semantics.datasets import Column, Dataset, Metric
from reports.semantics.expressions import Expression, FunctionCall, ToDouble, compare, max_of, sum_of
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import (
    change_metric,
    ratio_of,
    share_of_total_metric,
    sum_where,
    total_of,
)
from reports.semantics.period_comparison import compared_datasets
from reports.semantics.report_builders import (
    BRAND,
    BY_WAREHOUSE,
    GOODS_TYPE,
    PLACES,
    build_board,
    build_donut_chart,
    build_ranking_chart,
    build_report,
    build_row,
    build_table,
    known_days_filter,
    link_column,
    period_filter,
    place_and_goods_filters,
    variant_key,
)

MOVES = link_column(
    "流水",
    "/inventory/stockmoves",
    **BY_WAREHOUSE,
    **known_days_filter("{period_start}", "last_day({period_start})"),
)


def build_mean(suffix: str = "") -> Expression:
    return ratio_of(sum_of(f"held{suffix}"), max_of(f"days{suffix}"))


def build_peak(suffix: str = "") -> Expression:
    days = (sum_where(f"held{suffix}", compare("day_of_month", "=", day)) for day in range(1, 32))
    return ToDouble(FunctionCall("greatest", tuple(days)))


def inventory_holding_datasets(cost: bool) -> tuple[Dataset, Dataset]:
    measure, what, form = get_stock_measure(cost)
    measures = {"held": measure, "closing": f"closing_{measure}", "days": "days"}

    return compared_datasets(
        variant_key("stock_occupation", cost),
        "库存占用",
        "mart_stock_occupation",
        grain="warehouse",
        cost=cost,
        axis=(
            Column("period_start", "期间开始", "date"),
            Column("period_label", "月", starts="period_start"),
        ),
        columns=(
            Column("day_label", "日", sql="lpad(cast(m.day_of_month as varchar), 2, '0')"),
            *PLACES,
            GOODS_TYPE,
            BRAND,
            MOVES,
        ),
        measures=measures,
        hidden=("day_of_month",),
        levels=tuple(measures),
        metrics=(
            Metric("mean", f"日均{what}", build_mean(), form),
            Metric("mean_before", "上月日均", build_mean("_before"), form),
            change_metric("mean_change", "较上月", build_mean(), build_mean("_before"), ""),
            Metric("mean_year", "去年同月日均", build_mean("_year"), form),
            change_metric("year_change", "较去年", build_mean(), build_mean("_year"), ""),
            Metric("peak", f"峰值{what}", build_peak(), form),
            Metric("peak_before", "上月峰值", build_peak("_before"), form),
            Metric("closing", f"期末{what}", total_of("closing"), form),
            Metric("closing_before", "上月末", total_of("closing_before"), form),
            share_of_total_metric("share", "占比", sum_of("held")),
            Metric("held", "所选月份", total_of("held"), form),
            Metric("held_before", "上月", total_of("held_before"), form),
            Metric("held_year", "去年同月", total_of("held_year"), form),
        ),
    )


def inventory_holding_board(cost: bool) -> Board:
    data, _ = inventory_holding_datasets(cost)
    what = get_stock_measure(cost)[1]
    listed = build_table(
        "库存占用明细",
        data,
        ("company_name", "warehouse_name", "type1_name", "detail_link"),
        (
            *("mean", "share", "peak", "closing", "mean_before", "mean_change"),
            *("peak_before", "closing_before", "mean_year", "year_change"),
        ),
        "mean",
        bar="mean",
    )
    days = Chart(
        "days",
        f"每日{what}：所选月份、上月与去年同月",
        "line",
        data.key,
        ("held", "held_before", "held_year"),
        x="day_label",
    )
    head = build_kpi_header(
        data,
        Kpi("mean", "每日期末的平均"),
        Kpi("peak", "一天中最高"),
        Kpi("closing", "期末或今天"),
    )
    lines = (
        build_row(
            46,
            (days, 8),
            (build_donut_chart("types", f"日均{what}占比（商品类型）", data, "mean", "type1_name"), 4),
        ),
        build_row(
            46,
            (
                build_ranking_chart(
                    *("companies", f"各公司日均{what}与上月", data, "mean", "company_name", 20),
                    extra_metrics=("mean_before",),
                ),
                6,
            ),
            (build_ranking_chart("warehouses", f"各仓库日均{what}", data, "mean", "warehouse_name", 15), 6),
        ),
        build_row(82, (listed, 12)),
    )
    filters = (period_filter(data, "period_label", "月"), *place_and_goods_filters(data))
    return build_board((data,), head, lines, filters)


INVENTORY_HOLDING = build_report(
    code="inventoryOccupation",
    label="库存占用",
    question="钱压在哪些公司、仓库和品类，比上月和去年是多是少？",
    group="库存报表",
    words="压货 积压 占用资金",
    make=inventory_holding_board,
)
