"""Stock aging (库龄): first-in-first-out layers by age bucket; transfers keep the first receipt date.

Layers stand as of a month's end, those of the running month as of the snapshot's day.
"""

from __future__ import annotations

from reports.catalogue.stock_measures import (
    MONTH_ENDS_OF_STOCK,
    build_layers_comparison,
    build_month_end_table,
    get_stock_measure,
    list_amount_names,
    list_stock_measures,
    month_end_dataset,
)
from reports.semantics.dashboards import Board, Filter, Pivot
from reports.semantics.datasets import DAYS, QUANTITY, Column, Dataset, Metric
from reports.semantics.expressions import (
    CaseWhen,
    ColumnRef,
    Constant,
    IsIn,
    Sum,
    ToDouble,
    compare,
    max_of,
    quoted_sum,
    sum_of,
    weighted_sum,
)
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import percent_metric, quantity_metric, ratio_of, sum_where, total_of
from reports.semantics.period_comparison import MONTH_COLUMNS
from reports.semantics.report_builders import (
    BRAND,
    GOODS,
    GOODS_TYPE,
    PLACES,
    UNTIL_MONTH_END,
    as_of_filter,
    build_bar_chart,
    build_board,
    build_bucket_chart,
    build_ranking_chart,
    build_report,
    build_row,
    build_stacked_chart,
    build_table,
    goods_filter,
    moves_link,
    ordered_label_sql,
    place_and_goods_filters,
    variant_key,
)

STOCK_EDGES = (30, 60, 90, 180, 365)
STOCK_BUCKETS = (
    *(
        f"{low}–{high}天"
        for low, high in zip((0, *(day + 1 for day in STOCK_EDGES)), STOCK_EDGES, strict=False)
    ),
    f"{STOCK_EDGES[-1]}天以上",
)
BUCKET = (
    Column("bucket", "账龄段", determined_by=("age_days",), is_unwrapped=True),
    Column("bucket_axis", "账龄段", sql=ordered_label_sql("m.bucket_order", "m.bucket"), has_all_labels=True),
)


def bucket_metrics(
    buckets: tuple[str, ...], measure: str, form: str, column: str = "bucket"
) -> tuple[Metric, ...]:
    """Return one metric per bucket: the part of the measure in it."""
    parts = [sum_where(measure, compare(column, "=", Constant(label))) for label in buckets]
    return tuple(
        Metric(f"{column}_{number}", label, ToDouble(part), form)
        for number, (label, part) in enumerate(zip(buckets, parts, strict=True), start=1)
    )


def bucket_names(buckets: tuple[str, ...], column: str = "bucket") -> tuple[str, ...]:
    return tuple(f"{column}_{number}" for number in range(1, len(buckets) + 1))


def inventory_dataset(cost: bool) -> Dataset:
    measure, what, form = get_stock_measure(cost)

    def build_older_share(day: int) -> Metric:
        old = sum_where(measure, compare("age_days", ">", day))
        return percent_metric(f"over_{day}", f"{day}天以上占比", old, sum_of(measure))

    return Dataset(
        key=variant_key("inventory_aging", cost),
        label="库存账龄",
        source="mart_inventory_aging",
        grain="warehouse",
        cost=cost,
        buckets=STOCK_BUCKETS,
        time_column="month",
        columns=(
            *MONTH_COLUMNS,
            *PLACES,
            *GOODS,
            *BUCKET,
            Column("age_days", "库龄天数", "number"),
            moves_link(**UNTIL_MONTH_END),
        ),
        measures=list_stock_measures(cost),
        comparison=build_layers_comparison("mart_inventory_aging", list_stock_measures(cost)),
        metrics=(
            Metric("amount", what, total_of(measure), form),
            quantity_metric("quantity", "库存数量"),
            Metric(
                "mean_age",
                "平均库龄（天）",
                ratio_of(
                    weighted_sum(ColumnRef("quantity", quoted=True), "age_days"), quoted_sum("quantity")
                ),
                DAYS,
            ),
            Metric("oldest", "最长库龄（天）", max_of("age_days"), QUANTITY),
            build_older_share(90),
            build_older_share(180),
            build_older_share(365),
            Metric(
                "over_180_amount",
                f"180天以上{what}",
                ToDouble(
                    Sum(CaseWhen(compare("age_days", ">", 180), ColumnRef(measure, quoted=True), Constant(0)))
                ),
                form,
            ),
            *bucket_metrics(STOCK_BUCKETS, measure, form),
        ),
    )


def ages_dataset(cost: bool) -> Dataset:
    """Return the dataset of stock by age bucket at each of the last month ends."""
    measure, what, form = get_stock_measure(cost)
    old = IsIn(ColumnRef("bucket"), STOCK_BUCKETS[STOCK_EDGES.index(180) + 1 :])
    return Dataset(
        key=variant_key("stock_age_months", cost),
        label="库龄走势",
        source="mart_stock_age_month",
        grain="warehouse",
        cost=cost,
        buckets=STOCK_BUCKETS,
        time_column="month",
        columns=(*MONTH_COLUMNS, *PLACES, GOODS_TYPE, BRAND, *BUCKET),
        measures=list_stock_measures(cost),
        metrics=(
            Metric("amount", what, total_of(measure), form),
            percent_metric("over_180", "180天以上占比", sum_where(measure, old), sum_of(measure)),
        ),
    )


def inventory_months(cost: bool) -> Dataset:
    shown = inventory_dataset(cost)
    return month_end_dataset(
        shown,
        "inventory_aging_month",
        shown.source,
        (*shown.measures, "age_days"),
        (*PLACES, *GOODS, *BUCKET),
        "amount",
        ("mean_age", "over_180"),
        ("bucket_order",),
    )


def inventory_board(cost: bool) -> Board:
    data, what = inventory_dataset(cost), get_stock_measure(cost)[1]
    ages_of = bucket_names(STOCK_BUCKETS)
    months, ages = inventory_months(cost), ages_dataset(cost)
    stood_then = build_month_end_table(what, months, "amount", ("mean_age", "over_180"))
    head = build_kpi_header(
        data,
        Kpi("amount", "截至当日"),
        Kpi("mean_age", "按数量加权", "rise"),
        *(Kpi(f"over_{day}", f"占{what}", "rise") for day in (90, 180, 365)),
    )
    lines = (
        build_row(
            42,
            (build_bar_chart("buckets", f"{what}按账龄段", data, ("amount",), "bucket_axis", valued=True), 6),
            (
                build_ranking_chart(
                    "share", f"180天以上{what}前十五品牌", data, "over_180_amount", "brand_name", 15
                ),
                6,
            ),
        ),
        build_row(
            44,
            (build_bucket_chart("months", f"各月末{what}账龄构成", ages, "amount", "month_label"), 6),
            (
                build_stacked_chart(
                    "warehouses", f"{what}前十五仓库的账龄构成", data, "amount", ages_of, "warehouse_name"
                ),
                6,
            ),
        ),
        build_row(
            82,
            (
                build_table(
                    "商品账龄明细",
                    data,
                    ("warehouse_name", "goods_num", "goods_name", "brand_name", "detail_link"),
                    (
                        *list_amount_names(cost),
                        "mean_age",
                        "oldest",
                        *ages_of,
                    ),
                    # What was held longest, the most of it first.
                    ages_of[-1],
                    bar=ages_of[-1],
                ),
                12,
            ),
        ),
        build_row(76, (stood_then, 12)),
    )
    bucket = Filter("bucket", "账龄段", data.key, "bucket")
    return build_board(
        (data, months, ages, MONTH_ENDS_OF_STOCK),
        head,
        lines,
        (
            as_of_filter(MONTH_ENDS_OF_STOCK, "months"),
            *place_and_goods_filters(data),
            bucket,
            goods_filter(data),
        ),
        Pivot(data.key, ("company_name",), ("bucket_axis",), ("amount",)),
    )


INVENTORY_AGING = build_report(
    code="inventoryAgingReport",
    label="库存账龄",
    question="库存放了多久，哪些商品该清？",
    group="库存报表",
    words="压货 积压 放久了",
    make=inventory_board,
)
