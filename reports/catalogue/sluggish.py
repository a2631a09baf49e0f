"""呆滞库存：库龄超过所选天数的库存，最近一次销售，占全部库存的比例。

Stock as of the snapshot's day or an earlier month's end; sales always up to the snapshot's day.
"""

from __future__ import annotations

from dataclasses import replace

from reports.catalogue.aging import STOCK_EDGES
from reports.catalogue.beside import Figure, figures
from reports.catalogue.boards import Board, Filter
from reports.catalogue.compare import MONTH_COLUMNS
from reports.catalogue.datasets import PERCENT, QUANTITY, Column, Dataset, Metric
from reports.catalogue.expressions import count_distinct, is_positive, sum_of, sum_over_rows
from reports.catalogue.metrics import among_all, percent, quantity, ratio, total
from reports.catalogue.parts import (
    GOODS,
    GOODS_LABEL,
    NAMED,
    PLACES,
    UNTIL_MONTH_END,
    as_of_filter,
    bars,
    board,
    goods_filter,
    in_order,
    line,
    moves_link,
    place_and_goods_filters,
    ranking,
    report,
    share,
    table,
    variant,
)
from reports.catalogue.stock import (
    LAST_SALE,
    MONTH_ENDS_OF_STOCK,
    held,
    held_in,
    layers_beside,
    month_ends,
    month_ends_table,
    with_sales,
)

DEFAULT_THRESHOLD = "90天以上"
# Text sorts by its letters; invisible letters in front put the thresholds into their own order.
THRESHOLD_AXIS = Column(
    "threshold_axis",
    "库龄",
    sql=in_order("m.threshold_days // 30", "m.threshold"),
    has_all_labels=True,
)


def layers_by_threshold(cost: bool) -> str:
    """What the mart adds up of each goods, of single layers: what asks for no goods need not add them up."""
    edges = " union all ".join(
        f"select {days} as threshold_days, '{days}天以上' as threshold" for days in STOCK_EDGES
    )
    longer = "t.age_days > e.threshold_days"
    soon = "t.age_days between e.threshold_days - 29 and e.threshold_days"
    parts = ", ".join(
        f"t.{kind} as stock_{kind}, case when {longer} then t.{kind} else 0 end as sluggish_{kind},"
        f" case when {soon} then t.{kind} else 0 end as coming_{kind}"
        for kind in held_in(cost)
    )
    return (
        f"(select t.*, e.threshold_days, e.threshold, {parts} from mart_inventory_aging as t"
        f" cross join ({edges}) as e)"
    )


def added_up(cost: bool) -> tuple[str, ...]:
    return tuple(f"{part}_{kind}" for kind in held_in(cost) for part in ("stock", "sluggish", "coming"))


def sluggish_datasets(cost: bool) -> tuple[Dataset, Dataset]:
    """All stock, for shares; and the goods of which something is sluggish, for lists."""
    measure, what, form = held(cost)
    measures, layers = added_up(cost), layers_by_threshold(cost)
    whole = Dataset(
        key=variant("sluggish_stock", cost),
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
        beside=layers_beside(layers, measures),
        metrics=(
            Metric("sluggish", f"呆滞{what}", total(f"sluggish_{measure}"), form),
            quantity("quantity", "呆滞数量", "sluggish_quantity"),
            Metric("stock", f"全部{what}", total(f"stock_{measure}"), form),
            percent("share", "呆滞占比", sum_of(f"sluggish_{measure}"), sum_of(f"stock_{measure}")),
            Metric(
                "of_all",
                "占全部库存",
                ratio(sum_of(f"sluggish_{measure}"), sum_over_rows(sum_of(f"stock_{measure}"))),
                PERCENT,
            ),
            Metric("coming", f"30天内将呆滞{what[2:]}", total(f"coming_{measure}"), form),
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
        key=variant("sluggish_goods", cost),
        label="呆滞商品",
        source=with_sales(
            "mart_sluggish_stock", "days_since_sale", "sales_quantity_90", where="t.sluggish_quantity <> 0"
        ),
        columns=(
            *whole.columns,
            Column("oldest_days", "最长库龄（天）", "number"),
            LAST_SALE,
            Column("days_since_sale", "未销售天数（至今）", "number", follows=LAST_SALE.follows),
            moves_link(**UNTIL_MONTH_END),
        ),
        measures=(*measures, "sales_quantity_90"),
        beside=None,
        metrics=(
            *whole.metrics,
            percent("goods_share", "占该商品库存", sum_of(f"sluggish_{measure}"), sum_of(f"stock_{measure}")),
            among_all("part", "占全部呆滞", sum_of(f"sluggish_{measure}")),
            quantity("sales", "近90天销量（至今）", "sales_quantity_90"),
        ),
    )
    return whole, goods


def sluggish_board(cost: bool) -> Board:
    whole, goods = sluggish_datasets(cost)
    what = f"呆滞{held(cost)[1]}"
    months = month_ends(
        whole,
        "sluggish_month",
        whole.source,
        whole.measures,
        (Column("threshold", "呆滞标准"), *PLACES, *GOODS),
        "sluggish",
        ("share",),
        worse="rise",
    )
    places = table(
        "各仓库、商品类型的呆滞占比",
        whole,
        ("company_name", "warehouse_name", "type1_name"),
        ("sluggish", "stock", "share", "of_all", "coming", "goods_count"),
        "sluggish",
        key="places",
        bar="sluggish",
    )
    listed = table(
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
        only_filed=NAMED,
    )
    head = figures(
        whole,
        Figure("sluggish", "库龄超过所选天数", "rise"),
        Figure("share", f"占全部{what[2:]}", "rise"),
        Figure("goods_count", "有呆滞库存的商品数", "rise"),
        Figure("coming", "30天内，若不再销售", "rise"),
        Figure("stock", "截至当日"),
    )
    lines = (
        line(
            42,
            (
                bars(
                    "thresholds", f"{what}与各库龄标准", whole, ("sluggish",), "threshold_axis", valued=True
                ),
                5,
            ),
            (ranking("goods", f"{what}前十商品", whole, "sluggish", "goods_label"), 7),
        ),
        line(
            42,
            (ranking("warehouses", "呆滞占比前十仓库", whole, "share", "warehouse_name"), 7),
            (share("types", f"{what}构成（品牌）", whole, "sluggish", "brand_name"), 5),
        ),
        line(60, (places, 12)),
        line(86, (listed, 12)),
        line(76, (month_ends_table(what, months, "sluggish", ("share",)), 12)),
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
    return board(
        (whole, goods, months, MONTH_ENDS_OF_STOCK),
        head,
        lines,
        (as_of_filter(MONTH_ENDS_OF_STOCK), threshold, *place_and_goods_filters(whole), goods_filter(whole)),
    )


SLUGGISH_STOCK = report(
    code="sluggishstock",
    label="呆滞库存",
    question="哪些库存压了太久，压在哪里，最近还卖得动吗？",
    group="库存报表",
    words="货卖不动 压货 滞销商品 积压 死库存",
    make=sluggish_board,
)
