"""Stock on hand (现有库存).

Goods with sales and cover days; companies with share, turnover and age; two month ends.
"""

from __future__ import annotations

from reports.catalogue.stock_measures import COVER, get_stock_measure, list_amount_names, list_stock_measures
from reports.semantics.dashboards import Board, Chart, Filter
from reports.semantics.datasets import DAYS, QUANTITY, RATIO, Column, Dataset, Metric, PeriodComparison
from reports.semantics.expressions import (
    Expression,
    ToDouble,
    compare,
    count_distinct,
    is_positive,
    quoted_sum,
    sum_of,
)
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import (
    change_metric,
    money_metric,
    percent_metric,
    quantity_metric,
    ratio_of,
    share_of_total_metric,
    sum_where,
    total_of,
)
from reports.semantics.period_comparison import MONTH_END
from reports.semantics.period_offsets import stack_periods_sql
from reports.semantics.report_builders import (
    BRAND,
    BY_COMPANY,
    GOODS,
    GOODS_LABEL,
    GOODS_TYPE,
    NAMED,
    PLACES,
    build_bar_chart,
    build_board,
    build_donut_chart,
    build_ranking_chart,
    build_report,
    build_row,
    build_table,
    goods_filter,
    link_column,
    moves_link,
    place_and_goods_filters,
    variant_key,
)

# Of each goods in each warehouse: days that its stock lasts at the pace of the last 30 days. What is sold out was sold
# within them.
_COVER = (
    "case when m.quantity <= 0 and m.sales_quantity_30 > 0 then '断货' when m.quantity <= 0 then '无库存' "
    "when m.sales_quantity_30 <= 0 then '近30天无销售' "
    "when m.quantity <= m.sales_quantity_30 * 0.5 then '15天以内' when m.quantity <= m.sales_quantity_30 "
    "then '16–30天' when m.quantity <= m.sales_quantity_30 * 3 then '31–90天' else '90天以上' end"
)
GOODS_STOCK_ROWS = f"(select m.*, {_COVER} as cover_range from mart_goods_stock as m)"
COVER_RANGE = Column("cover_range", "可售天数")
SAME_GOODS = "按现在的库存和销量分；上月末、去年同月末的数是同样这些商品那时的"

STOCK_ENDS = ("现在", *MONTH_END.prior_labels)
RECENT = ("sales_quantity_30", "sales_quantity_90")


def build_goods_comparison(rows: str, cost: bool) -> PeriodComparison:
    """Return the comparison of stock and recent sales.

    Now, at last month's end and at last year's same month end.

    The rows of `mart_goods_stock` carry all three. Cover ranges are those of now in all three: a filter of
    them compares the same goods.
    """
    known = (*list_stock_measures(cost), *RECENT)
    queries = (
        f"select t.* replace ({', '.join(f't.{sold if name in RECENT else lay}{name} as {name}' for name in known)})"
        f" from {rows} as t"
        for lay, sold in (("", ""), ("last_month_", "last_month_"), ("last_year_", "last_year_end_"))
    )
    return PeriodComparison(stack_periods_sql(STOCK_ENDS, *queries), STOCK_ENDS, known)


def cover_filter(dataset: Dataset) -> Filter:
    name, label = COVER_RANGE.name, COVER_RANGE.label
    return Filter(name, label, dataset.key, name, parameter="cover", hint=SAME_GOODS)


PLACE_AND_KIND = ("company_id", "company_name", "warehouse_id", "warehouse_name", "type1_name", "brand_name")


def build_company_comparison(cost: bool) -> PeriodComparison:
    """Return the comparison of stock now and at two earlier month ends, with turnover and age of layers."""
    kinds = list_stock_measures(cost)
    lay = {kind: f"case when t.period_start = e.newest then t.closing_{kind} else 0 end" for kind in kinds}
    turned = {f"year_{kind}_days": f"t.{kind}_days" for kind in kinds}
    turned |= {year_sales_column(cost): f"t.{year_sales_column(cost).removeprefix('year_')}"}
    aged = {
        f"aged_{days}_{kind}": f"case when t.age_days > {days} then t.{kind} else 0 end"
        for days in (90, 180)
        for kind in kinds
    }
    known = (*lay, *turned, *aged)

    def select_rows(expressions: dict[str, str], mart: str, months_ago: int, where: str) -> str:
        figures = ", ".join(f"{expressions.get(name, '0')} as {name}" for name in known)
        newest = (
            f"select cast(max(period_start) - interval {months_ago} month as date) as newest"
            " from mart_turnover_period where period_kind = 'month'"
        )
        places = ", ".join(f"t.{name}" for name in PLACE_AND_KIND)
        return f"select {places}, {figures} from {mart} as t cross join ({newest}) as e where {where}"

    def select_month_end(months_ago: int) -> str:
        year = "t.period_kind = 'month' and t.period_start between e.newest - interval 11 month and e.newest"
        old = "t.month = e.newest and t.age_days > 90"
        return (
            select_rows(lay | turned, "mart_turnover_period", months_ago, year)
            + " union all "
            + select_rows(aged, "mart_inventory_aging", months_ago, old)
        )

    now = f"select {', '.join((*PLACE_AND_KIND, *known))} from mart_company_stock"
    return PeriodComparison(
        stack_periods_sql(STOCK_ENDS, now, select_month_end(1), select_month_end(12)), STOCK_ENDS, known
    )


def year_sales_column(cost: bool) -> str:
    return "year_sales_cost" if cost else "year_sales_quantity"


def stock_comparison_metrics(cost: bool) -> tuple[Metric, ...]:
    """Return the metrics of stock now, at last month's end and at last year's same month end."""
    measure, what, form = get_stock_measure(cost)
    now = quoted_sum(measure)
    before, year = (sum_of(f"last_{then}_{measure}") for then in ("month", "year"))
    return (
        Metric("amount", what, total_of(measure), form),
        share_of_total_metric("share", "占比", now),
        quantity_metric("quantity", "库存数量"),
        Metric("last_month", f"上月末{what[2:]}", total_of(f"last_month_{measure}"), form),
        Metric("movement", f"较上月末{what[2:]}", ToDouble(now) - ToDouble(before), form),
        change_metric("change", "较上月末", now, before, ""),
        Metric("last_year", f"去年同月末{what[2:]}", total_of(f"last_year_{measure}"), form),
        change_metric("year_change", "较去年同月末", now, year, ""),
    )


def sales_comparison_metrics() -> tuple[Metric, ...]:
    """Return the metrics of recent sales, of the days before them and of the same days of last year."""
    recent = sum_of("sales_quantity_30")
    return (
        quantity_metric("sales_30", "近30天销量", "sales_quantity_30"),
        change_metric("pace_change", "销速较前60天", recent * 2, sum_of("sales_quantity_90") - recent),
        quantity_metric("sales_30_year", "去年同期30天销量", "last_year_sales_quantity_30"),
        change_metric("sales_growth", "销量较去年同期", recent, sum_of("last_year_sales_quantity_30")),
        quantity_metric("sales_90", "近90天销量", "sales_quantity_90"),
    )


def goods_dataset(cost: bool) -> Dataset:
    measure = get_stock_measure(cost)[0]
    return Dataset(
        key=variant_key("goods_stock", cost),
        label="商品库存",
        source=GOODS_STOCK_ROWS,
        grain="warehouse",
        cost=cost,
        comparison=build_goods_comparison(GOODS_STOCK_ROWS, cost),
        columns=(
            *PLACES,
            *GOODS,
            GOODS_LABEL,
            COVER_RANGE,
            Column("last_sale_date", "最近销售", "date", determined_by=("warehouse_id", "goods_id")),
            moves_link(),
        ),
        measures=(
            *("quantity", "last_month_quantity", "last_year_quantity"),
            *(*RECENT, "last_year_sales_quantity_30"),
            *(("value", "last_month_value", "last_year_value") if cost else ()),
        ),
        metrics=(
            *stock_comparison_metrics(cost),
            *sales_comparison_metrics(),
            COVER,
            percent_metric(
                "idle",
                "近90天无销售占比",
                sum_where(measure, compare("sales_quantity_90", "<=", 0)),
                sum_of(measure),
            ),
            Metric(
                "goods_count", "在库商品数", count_distinct("goods_id", is_positive("quantity")), QUANTITY
            ),
            Metric(
                "places", "有货仓库数", count_distinct("warehouse_name", is_positive("quantity")), QUANTITY
            ),
        ),
    )


def goods_board(cost: bool) -> Board:
    data = goods_dataset(cost)
    what = get_stock_measure(cost)[1]
    goods = ("goods_num", "goods_name", "specification_type", "brand_name")
    counted = list_amount_names(cost)
    then = ("change", "year_change")
    recent = ("sales_30", "pace_change", "sales_growth", "cover")
    whole = build_table(
        "商品库存汇总",
        data,
        goods,
        (*counted, "share", "places", *then, *recent),
        "amount",
        key="goods",
        bar="amount",
    )
    places = build_table(
        "商品在各公司、仓库的库存",
        data,
        ("company_name", "warehouse_name", *goods, "last_sale_date", "detail_link"),
        (*counted, *then, "sales_30", "sales_growth", "cover"),
        "amount",
        bar="amount",
        export_only=NAMED,
    )
    head = build_kpi_header(
        data,
        Kpi("amount", "当前在库"),
        Kpi("goods_count", "有库存的商品"),
        Kpi("sales_30", "出库减退货", "fall"),
        Kpi("cover", "数量 ÷ 近30天日均销量"),
        Kpi("idle", f"占{what}", "rise"),
    )
    lines = (
        build_row(
            46,
            (build_ranking_chart("top", f"{what}前十五商品", data, "amount", "goods_label", 15), 7),
            (build_donut_chart("cover_ranges", f"{what}按可售天数", data, "amount", "cover_range"), 5),
        ),
        build_row(
            40,
            (
                build_bar_chart(
                    "warehouses",
                    f"前二十仓库{what}与上月末、去年同月末",
                    data,
                    ("amount", "last_month", "last_year"),
                    "warehouse_name",
                    order="amount",
                    limit=20,
                ),
                12,
            ),
        ),
        build_row(76, (whole, 12)),
        build_row(82, (places, 12)),
    )
    return build_board(
        (data,), head, lines, (*place_and_goods_filters(data), cover_filter(data), goods_filter(data))
    )


def company_datasets(cost: bool) -> tuple[Dataset, Dataset]:
    measure, what, form = get_stock_measure(cost)
    flow = year_sales_column(cost)
    sums = (
        "quantity",
        "last_month_quantity",
        "last_year_quantity",
        "month_sales_quantity",
        "aged_90_quantity",
        "aged_180_quantity",
    )
    valued = (
        "value",
        "last_month_value",
        "last_year_value",
        "inbound_value",
        "outbound_value",
        "aged_90_value",
        "aged_180_value",
    )
    moved = (
        money_metric("inbound", "本月入库金额", "inbound_value"),
        money_metric("outbound", "本月出库金额", "outbound_value"),
    )

    def build_aged_share(days: int) -> Metric:
        return percent_metric(
            f"aged_{days}", f"{days}天以上占比", sum_of(f"aged_{days}_{measure}"), quoted_sum(measure)
        )

    now = Dataset(
        key=variant_key("company_stock", cost),
        label="公司库存",
        source="mart_company_stock",
        grain="warehouse",
        cost=cost,
        comparison=build_company_comparison(cost),
        columns=(
            *PLACES,
            GOODS_TYPE,
            BRAND,
            link_column(
                "查看",
                "/inventory/inventorysummer",
                **BY_COMPANY,
            ),
        ),
        measures=("year_days", flow, f"year_{measure}_days", *sums, *(valued if cost else ())),
        metrics=(
            *stock_comparison_metrics(cost),
            Metric("rate", "年周转率（次）", _build_yearly_rate(flow, measure), RATIO),
            Metric("turnover_days", "周转天数", ratio_of(sum_of(f"year_{measure}_days"), sum_of(flow)), DAYS),
            build_aged_share(90),
            build_aged_share(180),
            quantity_metric("sales", "本月销量", "month_sales_quantity"),
            *(moved if cost else ()),
        ),
    )
    months = Dataset(
        key=variant_key("company_stock_months", cost),
        label="公司库存走势",
        source=(
            "(select t.* from mart_turnover_period as t where t.period_kind = 'month' and t.period_start >= (select "
            "max(p.period_start) - interval 12 month from mart_turnover_period as p where p.period_kind = 'month'))"
        ),
        grain="warehouse",
        cost=cost,
        columns=(Column("period_label", "月"), *PLACES, GOODS_TYPE, BRAND),
        measures=(f"closing_{measure}",),
        metrics=(Metric("closing", f"月末{what}", total_of(f"closing_{measure}"), form),),
    )
    return now, months


def _build_yearly_rate(flow: str, measure: str) -> Expression:
    """Return the turnover of the last twelve months, scaled to 365 days."""
    return ratio_of(sum_of(flow), sum_of(f"year_{measure}_days"), 365)


def company_board(cost: bool) -> Board:
    now, months = company_datasets(cost)
    what = get_stock_measure(cost)[1]
    counted = (*list_amount_names(cost), "share")
    then = ("movement", "change", "year_change")
    moved = (*then, *(("inbound", "outbound") if cost else ()), "sales")
    judged = ("rate", "turnover_days", "aged_90", "aged_180")
    companies = build_table(
        "公司库存",
        now,
        ("company_name", "detail_link"),
        (*counted, *moved, *judged),
        "amount",
        bar="amount",
        paged=False,
    )
    places = build_table(
        "仓库与商品类型",
        now,
        ("company_name", "warehouse_name", "type1_name"),
        (*counted, *then, *judged),
        "amount",
        key="places",
        bar="amount",
    )
    head = build_kpi_header(
        now,
        Kpi("amount", "当前在库"),
        Kpi("rate", "近十二个月，按365天折算", "fall"),
        Kpi("aged_90", f"占{what}", "rise"),
        Kpi("aged_180", f"占{what}", "rise"),
    )
    lines = (
        build_row(
            44,
            (
                build_ranking_chart(
                    *("companies", f"各公司{what}与上月末、去年同月末", now, "amount", "company_name", 20),
                    extra_metrics=("last_month", "last_year"),
                ),
                7,
            ),
            (build_ranking_chart("rates", "各公司年周转率（次）", now, "rate", "company_name", 20), 5),
        ),
        build_row(
            44,
            (
                Chart(
                    "months",
                    f"近一年各公司月末{what}",
                    "bar",
                    months.key,
                    ("closing",),
                    by=("company_name",),
                    x="period_label",
                    stacked=True,
                ),
                12,
            ),
        ),
        build_row(72, (companies, 12)),
        build_row(76, (places, 12)),
    )
    return build_board((now, months), head, lines, place_and_goods_filters(now))


GOODS_STOCK = build_report(
    code="goodsinventoryrpt",
    label="商品库存报表",
    question="每个商品在哪些公司和仓库有多少，够卖几天？",
    group="库存报表",
    words="存货 还有没有货",
    make=goods_board,
)
COMPANY_STOCK = build_report(
    code="CompanyInventoryreport",
    label="公司库存报表",
    question="各公司压了多少库存，转得快不快，老库存占多少？",
    group="库存报表",
    make=company_board,
    path="inventory",
    module="库存管理",
)
