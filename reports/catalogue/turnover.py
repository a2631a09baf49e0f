"""库存周转：仓库周转率（按周、按月）、商品周转率。

Rate = cost of sales net of returns ÷ mean of the daily closing stock value; days = days in period ÷ rate. A period that
runs is not over: it stands beside whole ones by progress. A role without cost rights gets the same in quantities: value
is cost. Rows lead to all moves, and to the lines of sales bills that what was sold is the sum of.
"""

from __future__ import annotations

from reports.catalogue.beside import Figure, Head, figures, whole_days
from reports.catalogue.boards import Board, Chart, Report, Tab
from reports.catalogue.compare import MONTH, WEEK, Period, compared_datasets
from reports.catalogue.datasets import DAYS, MONEY, QUANTITY, RATIO, Column, Dataset, Metric
from reports.catalogue.expressions import Bracketed, Expression, compare, default_to_zero, max_of, sum_of
from reports.catalogue.metrics import change_metric, percent, ratio, sum_where, total
from reports.catalogue.parts import (
    BRAND,
    BY_GOODS,
    BY_WAREHOUSE,
    GOODS,
    GOODS_TYPE,
    PLACES,
    bars,
    board,
    curves,
    days_known,
    goods_filter,
    line,
    link,
    moves_link,
    place_and_goods_filters,
    ranking,
    report,
    running_filter,
    sales_link,
    share,
    table,
    variant,
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
    """The days of a row's period, as a page is asked for them."""
    return days_known(
        "{period_start}", "last_day({period_start})" if period is MONTH else "{period_start} + 6"
    )


def sold_link(period: Period, **filters: str) -> Column:
    """Leads to the sales and returns of a row's period, whose cost or quantity is the row's."""
    return sales_link("sold_link", **filters, **period_days(period))


def rate(suffix: str = "") -> Expression:
    return ratio(sum_of(f"flow{suffix}"), sum_of(f"stock{suffix}"), max_of(f"days{suffix}"))


def days(suffix: str = "") -> Expression:
    return ratio(sum_of(f"stock{suffix}"), sum_of(f"flow{suffix}"))


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
        change_metric("rate_change", period.moved[0], rate(), whole_days(Bracketed(rate("_before")))),
        Metric("rate_year", f"{period.last_year}周转率", rate("_year"), RATIO),
        Metric("turnover_days", "周转天数", days(), DAYS),
        Metric("days_before", f"{period.previous}周转天数", days("_before"), DAYS),
        Metric("sales", flow, total("flow"), form),
        Metric("mean_stock", f"平均库存{what}", ratio(sum_of("stock"), max_of("days")), form),
        Metric("closing_stock", f"期末库存{what}", total("closing"), form),
    )


def turnover_head(data: Dataset, *more: Figure) -> Head:
    flow, what, _ = words(data.cost)
    return figures(
        data,
        Figure("turnover_rate", f"{flow} ÷ 平均库存{what}", "fall", grows=True),
        Figure("turnover_days", f"平均库存{what} ÷ 日均{flow}", "rise"),
        Figure("sales", "出库减退货", "fall"),
        Figure("mean_stock", "每日期末的平均"),
        *more,
    )


def turnover_trend(title: str, series: Dataset, dense: bool = False) -> Chart:
    flow, what, _ = words(series.cost)
    title = f"{title}：{flow}、平均库存{what}与周转率"
    return curves("trend", title, series, ("mean_stock", "sales"), "turnover_rate", "period_label", dense)


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
    """The periods' rows beside the periods before, and the dataset for their series."""
    return compared_datasets(
        variant(key, cost),
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
        measures=measures(cost),
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
            link("流水", "/inventory/stockmoves", **BY_WAREHOUSE, **period_days(period)),
            sold_link(period, **BY_WAREHOUSE),
        ),
        where=f"period_kind = '{period.key}'",
    )


def warehouse_board(period: Period, cost: bool) -> Board:
    data, series = warehouse_datasets(period, cost)
    what = words(cost)[1]
    listed = table(
        "仓库周转明细",
        data,
        ("company_name", "warehouse_name", "type1_name", "sold_link", "detail_link"),
        (*COMPARED, "turnover_days", "days_before"),
        "mean_stock",
        bar="mean_stock",
        paged=False,
    )
    lines = (
        line(
            42,
            (turnover_trend("周转趋势", series, dense=period is WEEK), 8),
            (share("types", f"平均库存{what}构成（商品类型）", data, "mean_stock", "type1_name"), 4),
        ),
        line(
            52,
            (ranking("warehouses", "各仓库周转率（次）", data, "turnover_rate", "warehouse_name", 20), 6),
            (compare_by("brands", "各品牌周转天数", data, "turnover_days", "brand_name"), 6),
        ),
        line(76, (listed, 12)),
    )
    filters = (running_filter(data, "period_label", period), *place_and_goods_filters(data))
    return board((data, series), turnover_head(data), lines, filters)


def compare_by(key: str, title: str, data: Dataset, metric: str, x: str) -> Chart:
    return bars(key, title, data, (metric,), x, order=metric, limit=15)


IDLE = percent(
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
    what = words(cost)[1]
    goods = ("goods_num", "goods_name", "specification_type", "brand_name")
    listed = table(
        "商品周转明细",
        data,
        ("company_name", "warehouse_name", *goods, "sold_link", "detail_link"),
        (*COMPARED, "turnover_days"),
        "mean_stock",
        bar="mean_stock",
        # The names of goods have them.
        only_filed=("specification_type", "brand_name"),
    )
    idle = Figure("idle_share", f"占库存{what}，未过完不比", "rise", whole=True)
    lines = (
        line(
            42,
            (turnover_trend("各月周转", series), 8),
            (share("speed", f"平均库存{what}按周转速度分布", data, "mean_stock", "speed"), 4),
        ),
        line(
            40,
            (compare_by("brands", "各品牌周转率（次）", data, "turnover_rate", "brand_name"), 7),
            (compare_by("types", "各商品类型周转率（次）", data, "turnover_rate", "type1_name"), 5),
        ),
        line(82, (listed, 12)),
    )
    filters = (
        running_filter(data, "period_label"),
        *place_and_goods_filters(data),
        goods_filter(data),
    )
    return board((data, series), turnover_head(data, idle), lines, filters)


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
INVENTORY_TURNOVER = report(
    code="inventoryturnover",
    label="商品周转率",
    question="哪些商品占着库存却卖得慢，哪些该多备？",
    group="库存报表",
    words="动销 卖得快",
    make=goods_board,
)
