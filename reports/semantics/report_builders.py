"""Common columns, filters, charts and expressions of reports (共用部件)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from reports.semantics.bill_pages import BILL_PAGES, SETTLING_BILLS
from reports.semantics.dashboards import HEAD, Board, BoardRow, Chart, Filter, Pivot, Report, Tab
from reports.semantics.datasets import (
    CLOSING,
    FIRST_DAY,
    FURTHER,
    HAIR,
    LAST_DAY,
    MONEY,
    MOST_SERIES,
    QUANTITY,
    SERIES,
    Column,
    Dataset,
)
from reports.semantics.expressions import RawSql
from reports.semantics.kpi_comparison import KpiHeader
from reports.semantics.period_comparison import MONTH, Period

NUMBERS = {10: "十", 12: "十二", 15: "十五", 20: "二十"}
COMPANY = Column(
    "company_name",
    "公司",
    keys=("company_id",),
    is_wrapped=True,
    is_horizontal=True,
    has_all_labels=True,
)
WAREHOUSE = Column(
    "warehouse_name",
    "仓库",
    keys=("warehouse_id",),
    min_width=84,
    has_all_labels=True,
    measure_word="",
)
GOODS_TYPE = Column("type1_name", "商品类型", determined_by=("goods_id",), is_unwrapped=True)
BRAND = Column(
    "brand_name",
    "品牌",
    determined_by=("goods_id",),
    is_unwrapped=True,
    has_all_labels=True,
    measure_word="",
    min_slice=3,
)
GOODS_NUM = Column("goods_num", "商品编码", keys=("goods_id",), is_unwrapped=True)
GOODS_NAME = Column("goods_name", "商品名称", determined_by=("goods_id",), is_wrapped=True)
GOODS_LABEL = Column(
    "goods_label",
    "商品",
    # Names that several goods share have the number in them.
    sql="m.goods_num || ' ' || replace(m.goods_name, '（' || m.goods_num || '）', '')",
    keys=("goods_id",),
)
TYPE2 = Column(
    "type2_name",
    "二级分类",
    is_unwrapped=True,
    is_horizontal=True,
    has_all_labels=True,
    measure_word="个",
)
SPECIFICATION = Column("specification_type", "规格", determined_by=("goods_id",))
PATTERN = Column("pattern", "花纹", determined_by=("goods_id",))
CUSTOMER = Column("customer_name", "客户", keys=("customer_id",), is_wrapped=True)
SUPPLIER = Column("supplier_name", "供应商", keys=("supplier_id",), is_wrapped=True, measure_word="")
EMPLOYEE = Column(
    "employee_name",
    "业务员",
    determined_by=("employee_id",),
    min_width=62,
    has_all_labels=True,
    measure_word="",
)
PLACES = (COMPANY, WAREHOUSE)
# How an address names what a filter's value is shown as.
LABEL = "__label"
# What the product's filters are asked for rows that name nobody.
NO_RECORD = -1
GOODS = (GOODS_TYPE, BRAND, GOODS_NUM, GOODS_NAME, SPECIFICATION)
NAMED = ("specification_type", "brand_name")
"""Columns that the names of goods contain: a table that is short of room exports them only."""


ORDERS_OF_TODAY = "orders tell what is still to come of them now: what was open on an earlier day is not kept"
"""Reason why open orders have no prior periods."""


def ordered_label_sql(number: str, label: str) -> str:
    """Return SQL of a label with invisible letters that sort it by a number (`add_order_prefix`)."""
    place = f"cast({number} as integer)"
    unseen = (
        f"repeat(chr({FURTHER}), {place})",
        f"chr({CLOSING})",
        f"repeat(chr({HAIR}), greatest({MOST_SERIES} - {place}, 0))",
    )
    return " || ".join((*unseen, label))


DETAIL = "detail_link"
"""The one link of most tables; others beside it are headed by what they lead to."""


def link_column(text: str, route: str, column: str = DETAIL, **filters: str) -> Column:
    """Return a column of links that open a page around the frame.

    A guest's token is good for one dashboard only.

    `filters` are the page's filters, each with the expression of its value, which has to be fit for an
    address; its label (`__label`) follows from it.
    """
    return link_by_row(text, route, (route,), filters, column)


def link_by_row(
    text: str, route: str, pages: tuple[str, ...], filters: Mapping[str, str], named: str = DETAIL
) -> Column:
    """Return a link whose row says which of some pages it opens."""
    values = (value for name, value in filters.items() if not name.endswith(LABEL))
    names = RawSql(" ".join([route, *values])).names
    query = " || '&amp;".join(f"{name}=' || {value}" for name, value in filters.items())
    opening = f'<a target="_top" href="{route}?{query}'
    made_of = RawSql(f"'{opening} || '\">{text}</a>'")
    return Column(
        named,
        "明细" if named == DETAIL else text,
        "link",
        sql=made_of.render(lambda name: f"m.{name}"),
        keys=tuple(name for name in names if name not in (FIRST_DAY, LAST_DAY)),
        made_of=made_of,
        pages=pages,
    )


def key_filter(name: str, shown: str, column: str = "") -> dict[str, str]:
    """Return a page's filter by a key of the row, and the column that the page shows for it."""
    return {name: f"{{{column or name}}}", f"{name}{LABEL}": f"url_encode({{{shown}}})"}


def optional_key_filter(name: str, shown: str) -> dict[str, str]:
    """Return a page's filter by a key that the row may lack; it then asks for records without one."""
    return {**key_filter(name, shown), name: f"coalesce({{{name}}}, {NO_RECORD})"}


def bill_link(
    text: str = "单据", column: str = "bill_link", of: str = "", types: Iterable[str] = SETTLING_BILLS
) -> Column:
    """Return the link to the bill itself, by the mart's columns of type and id.

    `of` is a prefix of their names.
    """
    pages = {kind: BILL_PAGES[kind] for kind in types}
    cases = " ".join(f"when '{kind}' then '{page}'" for kind, page in pages.items())
    route = f"' || case {{{of}bill_type}} {cases} end || '"
    return link_by_row(text, route, tuple(dict.fromkeys(pages.values())), {"id": f"{{{of}bill_id}}"}, column)


BY_COMPANY = key_filter("company_id", "company_name")
BY_WAREHOUSE = key_filter("warehouse_id", "warehouse_name")
BY_GOODS = key_filter("goods_id", "goods_num")
BY_SUPPLIER = key_filter("supplier_id", "supplier_name")
BY_CUSTOMER = key_filter("customer_id", "customer_name")
BY_EMPLOYEE = optional_key_filter("employee_id", "employee_name")
BY_BRAND = optional_key_filter("brand_id", "brand_name")
BY_TYPE = {
    "goods_type_id": "{goods_type_id}",
    f"goods_type_id{LABEL}": (
        "url_encode(coalesce(nullif({type3_name}, ''), nullif({type2_name}, ''), {type1_name}))"
    ),
}


def known_days_filter(first: str, last: str) -> dict[str, str]:
    """Return a page's filter by days up to the snapshot's day.

    Bills dated ahead count when their day has come.
    """
    return {
        "business_date_start": f"strftime({first}, '%Y-%m-%d')",
        "business_date_end": f"strftime(least({last}, (select r.as_of from refreshed_at as r)), '%Y-%m-%d')",
    }


MONTH_DAYS = known_days_filter("{month}", "last_day({month})")
POSTED = {"status": "'2%2C4%2C5'"}
"""A page's filter by the states of bills that count: 已审核, 已关闭, 已锁定."""
UNTIL_MONTH_END = {name: day for name, day in MONTH_DAYS.items() if name == "business_date_end"}
"""Page filter of links of rows as of a month's end."""


def moves_link(**more: str) -> Column:
    """Return the link to the stock ledger's rows of the goods in the warehouse.

    `more` are further filters.
    """
    return link_column("流水", "/inventory/stockmoves", **BY_GOODS, **BY_WAREHOUSE, **more)


def sales_link(named: str = DETAIL, **filters: str) -> Column:
    """Return the link to the lines of sales bills."""
    return link_column("销售明细", "/report/salesdetrpt", named, **filters)


def purchases_link(column: str = DETAIL, **filters: str) -> Column:
    """Return the link to the lines of purchase bills."""
    return link_column("采购明细", "/report/purchasedetrpt", column, **filters)


def period_filter(
    dataset: Dataset, column: str, label: str, *excludes: str, hint: str = "", searched: bool = False
) -> Filter:
    """Return the filter of one period, opening on the newest; charts over many periods are excluded."""
    return Filter(
        "period",
        label,
        dataset.key,
        column,
        multiple=False,
        latest=True,
        excludes=excludes,
        searched=searched,
        hint=hint,
    )


def running_filter(
    dataset: Dataset, column: str = "month_label", period: Period = MONTH, *excludes: str, label: str = ""
) -> Filter:
    """Return the filter of a period that may still run, and is compared with whole ones."""
    return period_filter(dataset, column, label or period.name, *excludes, hint=period.hint)


def as_of_filter(dataset: Dataset, *excludes: str) -> Filter:
    """Return the filter of the month end as of which stock is shown; charts of all months are excluded."""
    hint = "当月截至今天，以前的月份截至当月最后一天"
    return period_filter(dataset, "month_label", "截至月末", *excludes, hint=hint)


def company_filter(dataset: Dataset) -> Filter:
    return Filter("company", "公司", dataset.key, "company_name")


def warehouse_filter(dataset: Dataset) -> Filter:
    return Filter("warehouse", "仓库", dataset.key, "warehouse_name", parent="company")


def employee_filter(dataset: Dataset) -> Filter:
    return Filter("employee", "业务员", dataset.key, "employee_name")


def customer_filter(dataset: Dataset) -> Filter:
    return Filter("customer", "客户", dataset.key, "customer_name", parent="company", searched=True)


def supplier_filter(dataset: Dataset) -> Filter:
    return Filter("supplier", "供应商", dataset.key, "supplier_name", searched=True)


def goods_filters(dataset: Dataset) -> tuple[Filter, ...]:
    return (
        Filter("type", "商品类型", dataset.key, "type1_name"),
        Filter("brand", "品牌", dataset.key, "brand_name", parent="type"),
    )


def place_and_goods_filters(dataset: Dataset) -> tuple[Filter, ...]:
    """Return the filters of company, warehouse, type and brand, of every report of goods in warehouses."""
    return (company_filter(dataset), warehouse_filter(dataset), *goods_filters(dataset))


def goods_filter(dataset: Dataset) -> Filter:
    """Return the filter of goods by their number; addresses may carry it as `goods_num`."""
    return Filter("goods", "商品编码", dataset.key, "goods_num", parameter="goods_num", searched=True)


def build_ranking_chart(
    key: str,
    title: str,
    dataset: Dataset,
    metric: str,
    x: str,
    limit: int = 10,
    extra_metrics: tuple[str, ...] = (),
    *,
    is_signed: bool = False,
) -> Chart:
    """Return a chart of horizontal bars, the largest first, with their figures.

    `extra_metrics` are drawn beside it.
    """
    return Chart(
        key,
        title,
        "bar",
        dataset.key,
        (metric, *extra_metrics),
        x=x,
        order=metric,
        horizontal=True,
        limit=limit,
        is_signed=is_signed,
    )


def build_bar_chart(
    key: str,
    title: str,
    dataset: Dataset,
    metrics: tuple[str, ...],
    x: str,
    *,
    order: str = "",
    limit: int = 0,
    stacked: bool = False,
    valued: bool = False,
    is_signed: bool = False,
) -> Chart:
    """Return a bar chart in the order of the axis or, with `order`, the largest of that metric first."""
    lying = dataset.column(x).is_horizontal
    # The first of lying bars is the lowest.
    if lying:
        placed = order or f"-{x}"
    else:
        placed = f"-{order}" if order else ""
    return Chart(
        key,
        title,
        "bar",
        dataset.key,
        metrics,
        x=x,
        order=placed,
        limit=limit,
        stacked=stacked,
        horizontal=lying,
        valued=valued,
        is_signed=is_signed,
    )


def build_donut_chart(key: str, title: str, dataset: Dataset, metric: str, by: str) -> Chart:
    return Chart(key, title, "donut", dataset.key, (metric,), by=(by,))


def build_bucket_chart(key: str, title: str, dataset: Dataset, metric: str, x: str) -> Chart:
    """Return a bar chart stacked by aging bucket: names the largest first, months in their order."""
    order = metric if dataset.column(x).is_horizontal else ""
    return replace(
        build_bar_chart(key, title, dataset, (metric,), x, order=order, stacked=True), by=("bucket_axis",)
    )


def build_stacked_chart(
    key: str, title: str, dataset: Dataset, whole: str, parts: tuple[str, ...], x: str, limit: int = 15
) -> Chart:
    """Return a chart of horizontal bars stacked of `parts`, the largest `whole`, their sum, first."""
    return replace(build_ranking_chart(key, title, dataset, whole, x, limit), metrics=parts, stacked=True)


def build_curve_chart(
    key: str, title: str, series: Dataset, metrics: tuple[str, ...], second: str, x: str, dense: bool = False
) -> Chart:
    """Return a chart of amounts over time, with a metric of another scale on the right axis."""
    return Chart(key, title, "mixed", series.key, metrics, x=x, second=(second,), dense=dense)


def build_table(
    title: str,
    dataset: Dataset,
    by: tuple[str, ...],
    metrics: tuple[str, ...],
    order: str,
    *,
    key: str = "detail",
    bar: str = "",
    paged: bool = True,
    totalled: bool = True,
    export_only: tuple[str, ...] = (),
) -> Chart:
    """Return a table, the largest of the ordering metric first."""
    barred = (bar,) if bar else ()
    return Chart(
        key,
        title,
        "table",
        dataset.key,
        metrics,
        by=by,
        order=f"-{order}",
        bars=barred,
        paged=paged,
        totalled=totalled,
        export_only=export_only,
    )


GridRow = tuple[int, tuple[tuple[Chart, int], ...]]
HEAD_HEIGHT = 26
WHOLE = 12


def build_row(height: int, *charts: tuple[Chart, int]) -> GridRow:
    """Return a row of the grid: its height and the charts with their widths."""
    return height, charts


def build_board(
    datasets: tuple[Dataset, ...],
    head: KpiHeader,
    lines: tuple[GridRow, ...],
    filters: tuple[Filter, ...],
    pivot: Pivot | None = None,
) -> Board:
    """Return a board of its KPI header and its rows of charts: every chart is named once, where it stands.

    The filter of one period leaves charts of a series alone: they show all periods. Without a `pivot` it
    has the default one. A dataset that serves as two is named twice.
    """
    header_data, first = head
    lines = (build_row(HEAD_HEIGHT, (first, WHOLE)), *lines)
    known = {data.key: data for data in (*datasets, header_data)}
    lines = tuple(
        (height, tuple((complete_title(chart, known[chart.dataset]), width) for chart, width in placed))
        for height, placed in lines
    )
    charts = tuple(chart for _, placed in lines for chart, _ in placed)
    rows = tuple(
        BoardRow(tuple((chart.key, width) for chart, width in placed), height) for height, placed in lines
    )
    series = tuple(chart.key for chart in charts if chart.dataset.endswith(SERIES))
    scoped = tuple(
        replace(item, excludes=(*item.excludes, *series)) if item.latest else item for item in filters
    )
    usual = pivot or build_default_pivot(charts, filters, datasets)
    return Board(charts, rows, scoped, tuple(known.values()), usual)


def complete_title(chart: Chart, dataset: Dataset) -> Chart:
    """Return the chart with a title that says how many of many it draws, and that its amounts are yuan.

    Shares have no unit, and tables have figures of all kinds.
    """
    title = chart.title
    word = dataset.column(chart.x).measure_word if chart.kind == "bar" and chart.limit else None
    if word is not None and title.startswith("各"):
        title = f"前{NUMBERS[chart.limit]}{word}{title[1:]}"
    amounts = [dataset.metric(name).format == MONEY for name in (*chart.metrics, *chart.second)]
    if chart.kind == "figures" and any(amounts):
        title = title.replace(HEAD, f"{HEAD}（金额：元）")
    elif chart.kind not in ("table", "donut", "figures") and all(amounts):
        title = f"{title[:-1]}，元）" if title.endswith("）") else f"{title}（元）"
    return replace(chart, title=title)


def build_default_pivot(
    charts: Iterable[Chart], filters: tuple[Filter, ...], datasets: tuple[Dataset, ...]
) -> Pivot:
    """Return the default pivot.

    The first table's ranking metric by company and period, age, kind of goods or day.

    Semi-additive metrics add up over ages, not over periods: there ages come first.
    """
    first = next(chart for chart in charts if chart.kind == "table")
    data = next(dataset for dataset in datasets if dataset.key == first.dataset)
    down = COMPANY.name if data.has_column(COMPANY.name) else first.by[0]
    ranked = first.order.lstrip("-")
    summed = ranked in first.metrics and data.metric(ranked).format in (MONEY, QUANTITY)
    shown = ranked if summed else first.metrics[0]
    periods = tuple(item.column for item in filters if item.latest)
    ages = ("bucket_axis",) if data.buckets else ()
    few = (item.column for item in filters if not (item.parent or item.searched or item.default))
    telling = (*periods, *ages) if data.is_additive(data.metric(shown)) else (*ages, *periods)
    days = (f"{item.column}_label" for item in filters if item.ranged)
    across = [name for name in (*telling, *few, *days) if name != down and data.has_column(name)]
    return Pivot(data.key, (down,), tuple(across[:1]), (shown,))


def variant_key(name: str, cost: bool) -> str:
    """Return a dataset's key in its variant."""
    return f"{name}_{'cost' if cost else 'plain'}"


def build_report(
    code: str,
    label: str,
    question: str,
    group: str,
    make: Callable[[bool], Board],
    has_cost: bool = True,
    **place: str,
) -> Report:
    """Return a report of one tab; `make` draws its board with or without cost.

    `place` is its path, module and words.
    """
    tab = Tab("all", label, make(False), make(True) if has_cost else None)
    return Report(code, label, question, group, (tab,), **place)
