"""库存周转：仓库周转率（按周、按月）、商品周转率。

Rate = cost of sales net of returns ÷ mean of the daily closing stock value; days = days in period ÷ rate. A role
without cost rights gets the same in quantities: value is cost.
"""

from __future__ import annotations

from reports.catalogue.compare import MONTH, WEEK, Period, compared, series_of, with_suffixes
from reports.catalogue.model import (
    DAYS,
    MONEY,
    PERCENT,
    QUANTITY,
    RATIO,
    Board,
    Chart,
    Column,
    Dataset,
    Metric,
    Report,
    Row,
    Tab,
)
from reports.catalogue.parts import (
    BRAND,
    COMPANY,
    GOODS_NAME,
    GOODS_NUM,
    GOODS_TYPE,
    REFRESHED,
    SPECIFICATION,
    STAMP,
    WAREHOUSE,
    change_metric,
    company_filter,
    goods_filter,
    goods_filters,
    period_filter,
    ratio,
    total,
    warehouse_filter,
)

SCOPED = ("company_id", "company_name", "warehouse_id", "warehouse_name", "type1_name", "brand_name")
GOODS = ("goods_num", "goods_name", "specification_type")


def rate(suffix: str = "") -> str:
    return ratio(f"sum(flow{suffix})", f"sum(stock{suffix})", f"max(days{suffix})")


def days(suffix: str = "") -> str:
    return ratio(f"sum(stock{suffix})", f"sum(flow{suffix})")


def words(cost: bool) -> tuple[str, str, str]:
    """What flows out, what lies in stock and its format: values for roles that see cost, else quantities."""
    return ("销售成本", "金额", MONEY) if cost else ("销售数量", "数量", QUANTITY)


def measures(cost: bool) -> dict[str, str]:
    if cost:
        return {"flow": "sales_cost", "stock": "value_days", "days": "days", "closing": "closing_value"}
    return {"flow": "sales_quantity", "stock": "quantity_days", "days": "days", "closing": "closing_quantity"}


def turnover_metrics(period: Period, cost: bool) -> tuple[Metric, ...]:
    flow, what, form = words(cost)
    return (
        Metric("turnover_rate", "周转率（次）", rate(), RATIO),
        Metric("rate_before", f"{period.previous}周转率", rate("_before"), RATIO),
        change_metric("rate_change", f"较{period.previous}", rate(), rate("_before")),
        Metric("rate_year", f"{period.last_year}周转率", rate("_year"), RATIO),
        Metric("turnover_days", "周转天数", days(), DAYS),
        Metric("days_before", f"{period.previous}周转天数", days("_before"), DAYS),
        Metric("sales", flow, total("flow"), form),
        Metric("mean_stock", f"平均库存{what}", ratio("sum(stock)", "max(days)"), form),
        Metric("closing_stock", f"期末库存{what}", total("closing"), form),
    )


def kpis(period: Period, cost: bool, key: str, axis: str) -> tuple[Chart, ...]:
    """The row of figures: the newest period against the one before."""
    flow, what, _ = words(cost)
    shown = (
        ("rate", "turnover_rate", "周转率（次）"),
        ("days", "turnover_days", "周转天数"),
        ("sales", "sales", flow),
        ("mean", "mean_stock", f"平均库存{what}"),
    )
    return tuple(
        Chart(
            name,
            f"本{period.name}{label}",
            "trend_kpi",
            key,
            (metric,),
            x=axis,
            subtitle=f"较{period.previous}",
        )
        for name, metric, label in shown
    )


def warehouse_source(period: Period, cost: bool, alone: bool = False) -> str:
    return compared(
        "mart_turnover_period",
        period,
        start="period_start",
        label="period_label",
        dimensions=SCOPED,
        measures=measures(cost),
        where=f"period_kind = '{period.key}'",
        alone=alone,
    )


def warehouse_dataset(period: Period, cost: bool) -> Dataset:
    return Dataset(
        key=f"turnover_{period.key}_{'cost' if cost else 'plain'}",
        label=f"仓库周转 {period.label}",
        source=warehouse_source(period, cost),
        grain="warehouse",
        cost=cost,
        time_column="period_start",
        columns=(
            Column("period_start", "期间开始", "date"),
            Column("period_label", period.name),
            COMPANY,
            WAREHOUSE,
            GOODS_TYPE,
            BRAND,
        ),
        measures=with_suffixes("flow", "stock", "days", "closing"),
        metrics=turnover_metrics(period, cost),
    )


def warehouse_board(period: Period, cost: bool) -> Board:
    data = warehouse_dataset(period, cost)
    series = series_of(data, warehouse_source(period, cost, alone=True))
    flow, what, _ = words(cost)
    key = data.key
    charts = (
        *kpis(period, cost, series.key, "period_start"),
        STAMP,
        Chart(
            "trend",
            f"周转趋势：{flow}、平均库存{what}与周转率",
            "mixed",
            series.key,
            ("mean_stock", "sales"),
            x="period_label",
            second=("turnover_rate",),
            dense=period is WEEK,
        ),
        Chart("types", f"平均库存{what}构成（商品类型）", "donut", key, ("mean_stock",), by=("type1_name",)),
        Chart(
            "warehouses",
            "各仓库周转率（次）",
            "bar",
            key,
            ("turnover_rate",),
            x="warehouse_name",
            order="turnover_rate",
            horizontal=True,
            limit=20,
        ),
        Chart(
            "brands",
            "各品牌周转天数",
            "bar",
            key,
            ("turnover_days",),
            x="brand_name",
            order="-turnover_days",
            limit=15,
        ),
        Chart(
            "detail",
            "仓库周转明细",
            "table",
            key,
            (
                "sales",
                "mean_stock",
                "closing_stock",
                "turnover_rate",
                "rate_before",
                "rate_change",
                "rate_year",
                "turnover_days",
                "days_before",
            ),
            by=("company_name", "warehouse_name", "type1_name"),
            order="-mean_stock",
            bars=("mean_stock",),
        ),
    )
    rows = (
        Row((("rate", 2), ("days", 2), ("sales", 3), ("mean", 3), ("stamp", 2)), 20),
        Row((("trend", 8), ("types", 4)), 42),
        Row((("warehouses", 6), ("brands", 6)), 52),
        Row((("detail", 12),), 76),
    )
    filters = (
        period_filter(data, "period_label", period.name, "rate", "days", "sales", "mean", "trend"),
        company_filter(data),
        warehouse_filter(data),
        *goods_filters(data),
    )
    return Board(charts, rows, filters, (data, series, REFRESHED))


def goods_source(cost: bool, alone: bool = False) -> str:
    return compared(
        "mart_inventory_turnover",
        MONTH,
        start="period_start",
        label="period_label",
        dimensions=(*SCOPED, *GOODS),
        measures=measures(cost),
        alone=alone,
    )


def goods_dataset(cost: bool) -> Dataset:
    return Dataset(
        key=f"inventory_turnover_{'cost' if cost else 'plain'}",
        label="商品周转",
        source=goods_source(cost),
        grain="warehouse",
        cost=cost,
        time_column="period_start",
        columns=(
            Column("period_start", "期间开始", "date"),
            Column("period_label", "月"),
            COMPANY,
            WAREHOUSE,
            GOODS_TYPE,
            BRAND,
            GOODS_NUM,
            GOODS_NAME,
            SPECIFICATION,
            Column("speed", "周转速度", sql=SPEED),
        ),
        measures=with_suffixes("flow", "stock", "days", "closing"),
        metrics=(*turnover_metrics(MONTH, cost), Metric("idle_share", "无销售库存占比", IDLE, PERCENT)),
    )


IDLE = ratio("sum(stock) filter (where coalesce(flow, 0) <= 0)", "sum(stock)")
# Of each goods in each warehouse: days that its stock lasts at the month's pace.
SPEED = (
    "case when coalesce(m.flow, 0) <= 0 then '本月无销售' when m.stock <= m.flow * 30 then '30天以内' "
    "when m.stock <= m.flow * 60 then '31–60天' when m.stock <= m.flow * 90 then '61–90天' else '90天以上' end"
)


def goods_board(cost: bool) -> Board:
    data = goods_dataset(cost)
    series = series_of(data, goods_source(cost, alone=True))
    flow, what, _ = words(cost)
    key = data.key
    charts = (
        *kpis(MONTH, cost, series.key, "period_start"),
        Chart(
            "idle",
            "本月无销售库存占比",
            "trend_kpi",
            series.key,
            ("idle_share",),
            x="period_start",
            subtitle="较上月",
        ),
        STAMP,
        Chart(
            "trend",
            f"近一年周转：{flow}、平均库存{what}与周转率",
            "mixed",
            series.key,
            ("mean_stock", "sales"),
            x="period_label",
            second=("turnover_rate",),
        ),
        Chart("speed", f"平均库存{what}按周转速度分布", "donut", key, ("mean_stock",), by=("speed",)),
        Chart(
            "brands",
            "各品牌周转率（次）",
            "bar",
            key,
            ("turnover_rate",),
            x="brand_name",
            order="-turnover_rate",
            limit=15,
        ),
        Chart(
            "types",
            "各商品类型周转率（次）",
            "bar",
            key,
            ("turnover_rate",),
            x="type1_name",
            order="-turnover_rate",
            limit=15,
        ),
        Chart(
            "detail",
            "商品周转明细",
            "table",
            key,
            (
                "sales",
                "mean_stock",
                "closing_stock",
                "turnover_rate",
                "rate_before",
                "rate_change",
                "turnover_days",
            ),
            by=(
                "company_name",
                "warehouse_name",
                "goods_num",
                "goods_name",
                "specification_type",
                "brand_name",
            ),
            order="-mean_stock",
            bars=("mean_stock",),
            paged=True,
        ),
    )
    rows = (
        Row((("rate", 2), ("days", 2), ("sales", 2), ("mean", 2), ("idle", 2), ("stamp", 2)), 20),
        Row((("trend", 8), ("speed", 4)), 42),
        Row((("brands", 7), ("types", 5)), 40),
        Row((("detail", 12),), 82),
    )
    filters = (
        period_filter(data, "period_label", "月", "rate", "days", "sales", "mean", "idle", "trend"),
        company_filter(data),
        warehouse_filter(data),
        *goods_filters(data),
        goods_filter(data),
    )
    return Board(charts, rows, filters, (data, series, REFRESHED))


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
INVENTORY_TURNOVER = Report(
    code="inventoryturnover",
    label="商品周转率",
    question="哪些商品占着库存却卖得慢，哪些该多备？",
    group="库存报表",
    tabs=(Tab("all", "商品周转率", goods_board(cost=False), goods_board(cost=True)),),
)
