"""Sluggish stock (呆滞库存): stock older than a threshold, its latest sale, and its share of all stock.

Stock as of the snapshot's day or an earlier month's end; sales always up to the snapshot's day.
"""

from __future__ import annotations

from dataclasses import replace

from reports.catalogue.stock_aging import STOCK_EDGES
from reports.catalogue.stock_measures import (
    LAST_SALE,
    MONTH_ENDS_OF_STOCK,
    build_layers_comparison,
    build_month_end_table,
    get_stock_measure,
    list_stock_measures,
    month_end_dataset,
    with_sales_sql,
)
from reports.semantics.dashboards import Board, Filter
from reports.semantics.datasets import PERCENT, QUANTITY, Column, Dataset, Metric
from reports.semantics.expressions import count_distinct, is_positive, sum_of, sum_over_rows
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import (
    percent_metric,
    quantity_metric,
    ratio_of,
    share_of_total_metric,
    total_of,
)
from reports.semantics.period_comparison import MONTH_COLUMNS
from reports.semantics.report_builders import (
    GOODS,
    GOODS_LABEL,
    NAMED,
    PLACES,
    UNTIL_MONTH_END,
    as_of_filter,
    build_bar_chart,
    build_board,
    build_donut_chart,
    build_ranking_chart,
    build_report,
    build_row,
    build_table,
    goods_filter,
    moves_link,
    ordered_label_sql,
    place_and_goods_filters,
    variant_key,
)

DEFAULT_THRESHOLD = "90天以上"
# Text sorts by its letters; invisible letters in front put the thresholds into their own order.
THRESHOLD_AXIS = Column(
    "threshold_axis",
    "库龄",
    sql=ordered_label_sql("m.threshold_days // 30", "m.threshold"),
    has_all_labels=True,
)


def threshold_layers_sql(cost: bool) -> str:
    """Return SQL of single stock layers by threshold, as the mart sums them by goods.

    Totals need no grouping by goods.
    """
    edges = " union all ".join(
        f"select {days} as threshold_days, '{days}天以上' as threshold" for days in STOCK_EDGES
    )
    longer = "t.age_days > e.threshold_days"
    soon = "t.age_days between e.threshold_days - 29 and e.threshold_days"
    parts = ", ".join(
        f"t.{kind} as stock_{kind}, case when {longer} then t.{kind} else 0 end as sluggish_{kind},"
        f" case when {soon} then t.{kind} else 0 end as coming_{kind}"
        for kind in list_stock_measures(cost)
    )
    return (
        f"(select t.*, e.threshold_days, e.threshold, {parts} from mart_inventory_aging as t"
        f" cross join ({edges}) as e)"
    )


def list_layer_measures(cost: bool) -> tuple[str, ...]:
    return tuple(
        f"{part}_{kind}" for kind in list_stock_measures(cost) for part in ("stock", "sluggish", "coming")
    )


def sluggish_datasets(cost: bool) -> tuple[Dataset, Dataset]:
    """Return the datasets of all stock, for shares, and of goods with sluggish stock, for lists."""
    measure, what, form = get_stock_measure(cost)
    measures, layers = list_layer_measures(cost), threshold_layers_sql(cost)
    whole = Dataset(
        key=variant_key("sluggish_stock", cost),
        label="呆滞库存",
        source=layers,
        grain="warehouse",
        cost=cost,
        time_column="month",
        columns=(
            *MONTH_COLUMNS,
            Column("threshold", "呆滞标准"),
            THRESHOLD_AXIS,
            *PLACES,
            *GOODS,
            GOODS_LABEL,
        ),
        measures=measures,
        comparison=build_layers_comparison(layers, measures),
        metrics=(
            Metric("sluggish", f"呆滞{what}", total_of(f"sluggish_{measure}"), form),
            quantity_metric("quantity", "呆滞数量", "sluggish_quantity"),
            Metric("stock", f"全部{what}", total_of(f"stock_{measure}"), form),
            percent_metric("share", "呆滞占比", sum_of(f"sluggish_{measure}"), sum_of(f"stock_{measure}")),
            Metric(
                "of_all",
                "占全部库存",
                ratio_of(sum_of(f"sluggish_{measure}"), sum_over_rows(sum_of(f"stock_{measure}"))),
                PERCENT,
            ),
            Metric("coming", f"30天内将呆滞{what[2:]}", total_of(f"coming_{measure}"), form),
            Metric(
                "goods_count",
                "呆滞商品数",
                count_distinct("goods_id", is_positive("sluggish_quantity")),
                QUANTITY,
            ),
        ),
    )
    goods = replace(
        whole,
        key=variant_key("sluggish_goods", cost),
        label="呆滞商品",
        source=with_sales_sql(
            "mart_sluggish_stock", "days_since_sale", "sales_quantity_90", where="t.sluggish_quantity <> 0"
        ),
        columns=(
            *whole.columns,
            Column("oldest_days", "最长库龄（天）", "number"),
            LAST_SALE,
            Column("days_since_sale", "未销售天数（至今）", "number", determined_by=LAST_SALE.determined_by),
            moves_link(**UNTIL_MONTH_END),
        ),
        measures=(*measures, "sales_quantity_90"),
        comparison=None,
        metrics=(
            *whole.metrics,
            percent_metric(
                "goods_share", "占该商品库存", sum_of(f"sluggish_{measure}"), sum_of(f"stock_{measure}")
            ),
            share_of_total_metric("part", "占全部呆滞", sum_of(f"sluggish_{measure}")),
            quantity_metric("sales", "近90天销量（至今）", "sales_quantity_90"),
        ),
    )
    return whole, goods


def sluggish_board(cost: bool) -> Board:
    whole, goods = sluggish_datasets(cost)
    what = f"呆滞{get_stock_measure(cost)[1]}"
    months = month_end_dataset(
        whole,
        "sluggish_month",
        whole.source,
        whole.measures,
        (Column("threshold", "呆滞标准"), *PLACES, *GOODS),
        "sluggish",
        ("share",),
        worse="rise",
    )
    places = build_table(
        "各仓库、商品类型的呆滞占比",
        whole,
        ("company_name", "warehouse_name", "type1_name"),
        ("sluggish", "stock", "share", "of_all", "coming", "goods_count"),
        "sluggish",
        key="places",
        bar="sluggish",
    )
    listed = build_table(
        "呆滞商品明细",
        goods,
        (
            *(
                "company_name",
                "warehouse_name",
                "goods_num",
                "goods_name",
                "specification_type",
                "brand_name",
            ),
            *("oldest_days", "last_sale_date", "days_since_sale", "detail_link"),
        ),
        (*(("quantity",) if cost else ()), "sluggish", "part", "goods_share", "sales"),
        "sluggish",
        bar="sluggish",
        export_only=NAMED,
    )
    head = build_kpi_header(
        whole,
        Kpi("sluggish", "库龄超过所选天数", "rise"),
        Kpi("share", f"占全部{what[2:]}", "rise"),
        Kpi("goods_count", "有呆滞库存的商品数", "rise"),
        Kpi("coming", "30天内，若不再销售", "rise"),
        Kpi("stock", "截至当日"),
    )
    lines = (
        build_row(
            42,
            (
                build_bar_chart(
                    "thresholds", f"{what}与各库龄标准", whole, ("sluggish",), "threshold_axis", valued=True
                ),
                5,
            ),
            (build_ranking_chart("goods", f"{what}前十商品", whole, "sluggish", "goods_label"), 7),
        ),
        build_row(
            42,
            (build_ranking_chart("warehouses", "呆滞占比前十仓库", whole, "share", "warehouse_name"), 7),
            (build_donut_chart("types", f"{what}构成（品牌）", whole, "sluggish", "brand_name"), 5),
        ),
        build_row(60, (places, 12)),
        build_row(86, (listed, 12)),
        build_row(76, (build_month_end_table(what, months, "sluggish", ("share",)), 12)),
    )
    threshold = Filter(
        "threshold",
        "呆滞标准（库龄）",
        whole.key,
        "threshold",
        multiple=False,
        default=(DEFAULT_THRESHOLD,),
        excludes=("thresholds",),
    )
    return build_board(
        (whole, goods, months, MONTH_ENDS_OF_STOCK),
        head,
        lines,
        (as_of_filter(MONTH_ENDS_OF_STOCK), threshold, *place_and_goods_filters(whole), goods_filter(whole)),
    )


SLUGGISH_STOCK = build_report(
    code="sluggishstock",
    label="呆滞库存",
    question="哪些库存压了太久，压在哪里，最近还卖得动吗？",
    group="库存报表",
    words="货卖不动 压货 滞销商品 积压 死库存",
    make=sluggish_board,
)
