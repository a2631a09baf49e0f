"""Stock turnover (库存周转): by warehouse (weeks, months) and by goods.

Rate = cost of sales net of returns ÷ mean of the daily closing stock value; days = days in period ÷ rate.
A running period is compared with whole ones by progress. A role without cost rights gets the same in
quantities: value is cost.
"""

from __future__ import annotations

from reports.semantics.dashboards import Board, Chart, Report, Tab
from reports.semantics.datasets import DAYS, MONEY, QUANTITY, RATIO, Column, Dataset, Metric
from reports.semantics.expressions import Bracketed, Expression, compare, default_to_zero, max_of, sum_of
from reports.semantics.kpi_comparison import Kpi, KpiHeader, build_kpi_header, limit_to_whole_days
from reports.semantics.metrics import change_metric, percent_metric, ratio_of, sum_where, total_of
from reports.semantics.period_comparison import MONTH, WEEK, Period, compared_datasets
from reports.semantics.report_builders import (
    BRAND,
    BY_GOODS,
    BY_WAREHOUSE,
    GOODS,
    GOODS_TYPE,
    PLACES,
    build_bar_chart,
    build_board,
    build_curve_chart,
    build_donut_chart,
    build_ranking_chart,
    build_report,
    build_row,
    build_table,
    goods_filter,
    known_days_filter,
    link_column,
    moves_link,
    place_and_goods_filters,
    running_filter,
    sales_link,
    variant_key,
)

COMPARED = (
    "sales",
    "mean_stock",
    "closing_stock",
    "turnover_rate",
    "rate_before",
    "rate_change",
    "rate_year",
)


def period_days(period: Period) -> dict[str, str]:
    """Return a page's filter by the days of a row's period."""
    return known_days_filter(
        "{period_start}", "last_day({period_start})" if period is MONTH else "{period_start} + 6"
    )


def sold_link(period: Period, **filters: str) -> Column:
    """Leads to the sales and returns of a row's period, whose cost or quantity is the row's."""
    return sales_link("sold_link", **filters, **period_days(period))


def build_rate(suffix: str = "") -> Expression:
    return ratio_of(sum_of(f"flow{suffix}"), sum_of(f"stock{suffix}"), max_of(f"days{suffix}"))


def build_days(suffix: str = "") -> Expression:
    return ratio_of(sum_of(f"stock{suffix}"), sum_of(f"flow{suffix}"))


def list_flow_labels(cost: bool) -> tuple[str, str, str]:
    """Return the labels of the flow and of the stock, and their format.

    Values for roles that see cost, else quantities.
    """
    return ("销售成本", "金额", MONEY) if cost else ("销售数量", "数量", QUANTITY)


def list_measures(cost: bool) -> dict[str, str]:
    if cost:
        return {"flow": "sales_cost", "stock": "value_days", "days": "days", "closing": "closing_value"}
    return {"flow": "sales_quantity", "stock": "quantity_days", "days": "days", "closing": "closing_quantity"}


def turnover_metrics(period: Period, cost: bool) -> tuple[Metric, ...]:
    flow, what, form = list_flow_labels(cost)
    return (
        Metric("turnover_rate", "周转率（次）", build_rate(), RATIO),
        Metric("rate_before", f"{period.previous}周转率", build_rate("_before"), RATIO),
        change_metric(
            "rate_change",
            period.change_labels[0],
            build_rate(),
            limit_to_whole_days(Bracketed(build_rate("_before"))),
        ),
        Metric("rate_year", f"{period.last_year}周转率", build_rate("_year"), RATIO),
        Metric("turnover_days", "周转天数", build_days(), DAYS),
        Metric("days_before", f"{period.previous}周转天数", build_days("_before"), DAYS),
        Metric("sales", flow, total_of("flow"), form),
        Metric("mean_stock", f"平均库存{what}", ratio_of(sum_of("stock"), max_of("days")), form),
        Metric("closing_stock", f"期末库存{what}", total_of("closing"), form),
    )


def turnover_head(data: Dataset, *more: Kpi) -> KpiHeader:
    flow, what, _ = list_flow_labels(data.cost)
    return build_kpi_header(
        data,
        Kpi("turnover_rate", f"{flow} ÷ 平均库存{what}", "fall", is_cumulative=True),
        Kpi("turnover_days", f"平均库存{what} ÷ 日均{flow}", "rise"),
        Kpi("sales", "出库减退货", "fall"),
        Kpi("mean_stock", "每日期末的平均"),
        *more,
    )


def turnover_trend(title: str, series: Dataset, dense: bool = False) -> Chart:
    flow, what, _ = list_flow_labels(series.cost)
    title = f"{title}：{flow}、平均库存{what}与周转率"
    return build_curve_chart(
        "trend", title, series, ("mean_stock", "sales"), "turnover_rate", "period_label", dense
    )


def turnover_datasets(
    key: str,
    label: str,
    mart: str,
    period: Period,
    cost: bool,
    columns: tuple[Column, ...],
    more: tuple[Metric, ...] = (),
    keys: tuple[str, ...] = (),
    where: str = "",
) -> tuple[Dataset, Dataset]:
    """Return the periods' rows with prior periods, and the dataset for their series."""
    return compared_datasets(
        variant_key(key, cost),
        label,
        mart,
        grain="warehouse",
        cost=cost,
        period=period,
        axis=(
            Column("period_start", "期间开始", "date"),
            Column("period_label", period.name, starts="period_start"),
        ),
        keys=keys,
        columns=(*PLACES, *columns),
        measures=list_measures(cost),
        levels=("stock", "days", "closing"),
        metrics=(*turnover_metrics(period, cost), *more),
        where=where,
    )


def warehouse_datasets(period: Period, cost: bool) -> tuple[Dataset, Dataset]:
    return turnover_datasets(
        f"turnover_{period.key}",
        f"仓库周转 {period.label}",
        "mart_turnover_period",
        period,
        cost,
        (
            GOODS_TYPE,
            BRAND,
            link_column("流水", "/inventory/stockmoves", **BY_WAREHOUSE, **period_days(period)),
            sold_link(period, **BY_WAREHOUSE),
        ),
        where=f"period_kind = '{period.key}'",
    )


def warehouse_board(period: Period, cost: bool) -> Board:
    data, series = warehouse_datasets(period, cost)
    what = list_flow_labels(cost)[1]
    listed = build_table(
        "仓库周转明细",
        data,
        ("company_name", "warehouse_name", "type1_name", "sold_link", "detail_link"),
        (*COMPARED, "turnover_days", "days_before"),
        "mean_stock",
        bar="mean_stock",
        paged=False,
    )
    lines = (
        build_row(
            42,
            (turnover_trend("周转趋势", series, dense=period is WEEK), 8),
            (
                build_donut_chart(
                    "types", f"平均库存{what}构成（商品类型）", data, "mean_stock", "type1_name"
                ),
                4,
            ),
        ),
        build_row(
            52,
            (
                build_ranking_chart(
                    "warehouses", "各仓库周转率（次）", data, "turnover_rate", "warehouse_name", 20
                ),
                6,
            ),
            (build_comparison_chart("brands", "各品牌周转天数", data, "turnover_days", "brand_name"), 6),
        ),
        build_row(76, (listed, 12)),
    )
    filters = (running_filter(data, "period_label", period), *place_and_goods_filters(data))
    return build_board((data, series), turnover_head(data), lines, filters)


def build_comparison_chart(key: str, title: str, data: Dataset, metric: str, x: str) -> Chart:
    return build_bar_chart(key, title, data, (metric,), x, order=metric, limit=15)


IDLE = percent_metric(
    "idle_share",
    "无销售库存占比",
    sum_where("stock", compare(default_to_zero("flow"), "<=", 0)),
    sum_of("stock"),
)
# Of each goods in each warehouse: days that its stock lasts at the month's pace.
SPEED = (
    "case when coalesce(m.flow, 0) <= 0 then '本月无销售' when m.stock <= m.flow * 30 then '30天以内' "
    "when m.stock <= m.flow * 60 then '31–60天' when m.stock <= m.flow * 90 then '61–90天' else '90天以上' end"
)


def goods_datasets(cost: bool) -> tuple[Dataset, Dataset]:
    columns = (
        *GOODS,
        Column("speed", "周转速度", sql=SPEED),
        moves_link(**period_days(MONTH)),
        sold_link(MONTH, **BY_GOODS, **BY_WAREHOUSE),
    )
    mart = "mart_inventory_turnover"
    return turnover_datasets(
        "inventory_turnover", "商品周转", mart, MONTH, cost, columns, (IDLE,), ("goods_id",)
    )


def goods_board(cost: bool) -> Board:
    data, series = goods_datasets(cost)
    what = list_flow_labels(cost)[1]
    goods = ("goods_num", "goods_name", "specification_type", "brand_name")
    listed = build_table(
        "商品周转明细",
        data,
        ("company_name", "warehouse_name", *goods, "sold_link", "detail_link"),
        (*COMPARED, "turnover_days"),
        "mean_stock",
        bar="mean_stock",
        # The names of goods have them.
        export_only=("specification_type", "brand_name"),
    )
    idle = Kpi("idle_share", f"占库存{what}，未过完不比", "rise", whole_only=True)
    lines = (
        build_row(
            42,
            (turnover_trend("各月周转", series), 8),
            (build_donut_chart("speed", f"平均库存{what}按周转速度分布", data, "mean_stock", "speed"), 4),
        ),
        build_row(
            40,
            (build_comparison_chart("brands", "各品牌周转率（次）", data, "turnover_rate", "brand_name"), 7),
            (
                build_comparison_chart(
                    "types", "各商品类型周转率（次）", data, "turnover_rate", "type1_name"
                ),
                5,
            ),
        ),
        build_row(82, (listed, 12)),
    )
    filters = (
        running_filter(data, "period_label"),
        *place_and_goods_filters(data),
        goods_filter(data),
    )
    return build_board((data, series), turnover_head(data, idle), lines, filters)


WAREHOUSE_TURNOVER = Report(
    code="warehouseTurnover",
    label="仓库周转率",
    question="哪些仓库、品类的库存转得慢，比上期和去年同期是好是坏？",
    group="库存报表",
    tabs=tuple(
        Tab(period.key, period.label, warehouse_board(period, cost=False), warehouse_board(period, cost=True))
        for period in (WEEK, MONTH)
    ),
    default_tab=MONTH.key,
)
INVENTORY_TURNOVER = build_report(
    code="inventoryturnover",
    label="商品周转率",
    question="哪些商品占着库存却卖得慢，哪些该多备？",
    group="库存报表",
    words="动销 卖得快",
    make=goods_board,
)
