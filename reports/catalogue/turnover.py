"""库存周转：仓库周转率（按周、按月）。

Rate = cost of sales net of returns ÷ mean of the daily closing stock value; days = days in period ÷ rate. A role without
cost rights gets the same in quantities: value is cost.
"""

from __future__ import annotations

from dataclasses import dataclass

from reports.catalogue.model import (
    DAYS,
    MONEY,
    QUANTITY,
    RATIO,
    Board,
    Chart,
    Column,
    Dataset,
    Filter,
    Metric,
    Report,
    Row,
    Tab,
)
from reports.catalogue.parts import (
    BRAND,
    COMPANY,
    GOODS_TYPE,
    REFRESHED,
    STAMP,
    WAREHOUSE,
    change_metric,
    company_filter,
    goods_filters,
    ratio,
    total,
    warehouse_filter,
)

DIMENSIONS = ("company_id", "company_name", "warehouse_id", "warehouse_name", "type1_name", "brand_name")


@dataclass(frozen=True)
class Period:
    """A kind of period: how far back its predecessor and last year's counterpart lie, and how it is named."""

    key: str
    label: str
    name: str
    step: str
    year: str
    label_format: str
    previous: str
    last_year: str


WEEK = Period("week", "按周分析", "周", "interval 7 day", "interval 364 day", "%G-W%V", "较上周", "去年同周")
MONTH = Period("month", "按月分析", "月", "interval 1 month", "interval 1 year", "%Y-%m", "较上月", "去年同月")


def period_rows(period: Period, flow: str, stock: str) -> str:
    """The mart's rows of one kind of period, each also carried forward as previous period and as last year.

    Carried forward they stay additive, so that comparisons hold under every filter.
    """
    names = ", ".join(f"t.{name}" for name in DIMENSIONS)
    kind = f"t.period_kind = '{period.key}'"
    last = f"(select max(period_start) from mart_turnover_period where period_kind = '{period.key}')"
    empty = "cast(null as double)"

    def shifted(interval: str, ahead: int) -> str:
        start = f"t.period_start + {interval}"
        figures = [empty] * 9
        figures[ahead : ahead + 3] = [f"t.{flow}", f"t.{stock}", "t.days"]
        return (
            f"select cast({start} as date), strftime({start}, '{period.label_format}'), {names}, "
            f"{', '.join(figures)}, {empty} from mart_turnover_period as t where {kind} and {start} <= {last}"
        )

    closing = "closing_value" if flow == "sales_cost" else "closing_quantity"
    own = (
        f"select t.period_start, t.period_label, {names}, t.{flow} as flow, t.{stock} as stock, t.days as days, "
        f"{empty} as flow_before, {empty} as stock_before, {empty} as days_before, "
        f"{empty} as flow_year, {empty} as stock_year, {empty} as days_year, t.{closing} as closing "
        f"from mart_turnover_period as t where {kind}"
    )
    return f"({own} union all {shifted(period.step, 3)} union all {shifted(period.year, 6)})"


def rate(suffix: str = "") -> str:
    return ratio(f"sum(flow{suffix})", f"sum(stock{suffix})", f"max(days{suffix})")


def days(suffix: str = "") -> str:
    return ratio(f"sum(stock{suffix})", f"sum(flow{suffix})")


def turnover_dataset(period: Period, cost: bool) -> Dataset:
    flow_label, mean_label, closing_label = (
        ("销售成本", "平均库存金额", "期末库存金额") if cost else ("销售数量", "平均库存数量", "期末库存数量")
    )
    form = MONEY if cost else QUANTITY
    figures = (f"{name}{suffix}" for suffix in ("", "_before", "_year") for name in ("flow", "stock", "days"))
    return Dataset(
        key=f"turnover_{period.key}_{'cost' if cost else 'plain'}",
        label=f"仓库周转 {period.label}",
        source=period_rows(period, "sales_cost" if cost else "sales_quantity", "value_days" if cost else "quantity_days"),
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
        measures=(*figures, "closing"),
        metrics=(
            Metric("turnover_rate", "周转率（次）", rate(), RATIO),
            Metric("rate_before", f"上{period.name}周转率", rate("_before"), RATIO),
            change_metric("rate_change", period.previous, rate(), rate("_before")),
            Metric("rate_year", period.last_year, rate("_year"), RATIO),
            Metric("turnover_days", "周转天数", days(), DAYS),
            Metric("days_before", f"上{period.name}周转天数", days("_before"), DAYS),
            Metric("sales", flow_label, total("flow"), form),
            Metric("mean_stock", mean_label, ratio("sum(stock)", "max(days)"), form),
            Metric("closing_stock", closing_label, total("closing"), form),
        ),
    )


def turnover_board(period: Period, cost: bool) -> Board:
    data = turnover_dataset(period, cost)
    what = "金额" if cost else "数量"
    latest, key = f"本{period.name}", data.key
    trends = ("rate", "days", "sales", "mean", "trend")
    charts = (
        Chart("rate", f"{latest}周转率（次）", "trend_kpi", key, ("turnover_rate",), x="period_start", subtitle=period.previous),
        Chart("days", f"{latest}周转天数", "trend_kpi", key, ("turnover_days",), x="period_start", subtitle=period.previous),
        Chart("sales", f"{latest}{'销售成本' if cost else '销售数量'}", "trend_kpi", key, ("sales",), x="period_start",
              subtitle=period.previous),
        Chart("mean", f"{latest}平均库存{what}", "trend_kpi", key, ("mean_stock",), x="period_start", subtitle=period.previous),
        STAMP,
        Chart("trend", f"周转趋势：{'销售成本' if cost else '销售数量'}、平均库存与周转率", "mixed", key, ("sales", "mean_stock"),
              x="period_label", second=("turnover_rate",)),
        Chart("types", f"库存{what}构成（商品类型）", "donut", key, ("mean_stock",), by=("type1_name",)),
        Chart("warehouses", "各仓库周转率", "bar", key, ("turnover_rate",), x="warehouse_name", order="turnover_rate",
              horizontal=True, limit=20),
        Chart("brands", "各品牌周转天数", "bar", key, ("turnover_days",), x="brand_name", order="-turnover_days",
              limit=20),
        Chart("detail", "仓库周转明细", "table", key,
              ("sales", "mean_stock", "closing_stock", "turnover_rate", "rate_before", "rate_change", "rate_year",
               "turnover_days", "days_before"),
              by=("company_name", "warehouse_name", "type1_name"), order="-mean_stock", bars=("mean_stock",)),
    )
    rows = (
        Row((("rate", 2), ("days", 2), ("sales", 3), ("mean", 3), ("stamp", 2)), 18),
        Row((("trend", 8), ("types", 4)), 40),
        Row((("warehouses", 6), ("brands", 6)), 44),
        Row((("detail", 12),), 70),
    )
    filters = (
        Filter("period", period.name, key, "period_label", multiple=False, latest=True, excludes=(*trends, "stamp")),
        company_filter(data),
        warehouse_filter(data),
        *goods_filters(data),
    )
    return Board(charts, rows, filters, (data, REFRESHED))


WAREHOUSE_TURNOVER = Report(
    code="warehouseTurnover",
    label="仓库周转率",
    question="哪些仓库、品类的库存转得慢，比上期和去年同期是好是坏？",
    tabs=tuple(
        Tab(period.key, period.label, turnover_board(period, cost=False), turnover_board(period, cost=True))
        for period in (WEEK, MONTH)
    ),
    default_tab=MONTH.key,
)
