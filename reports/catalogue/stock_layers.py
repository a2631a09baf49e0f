"""Stock layers (库存层): aging by single layer down to the stock ledger, and DOT age.

Layers are the remainders of the oldest receipts, as of the snapshot's day or an earlier month's end; they
sum to the stock ledger. A tyre's DOT age counts weeks from the Monday of its production week to that day's
Monday; goods without a valid code are one row, 未知.
"""

from __future__ import annotations

from dataclasses import replace

from reports.catalogue.stock_aging import BUCKET, STOCK_BUCKETS, bucket_metrics, bucket_names
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
from reports.semantics.dashboards import Board, Chart, Filter
from reports.semantics.datasets import DAYS, QUANTITY, Column, Dataset, Metric
from reports.semantics.expressions import (
    ColumnRef,
    IsNull,
    ToDouble,
    compare,
    count_distinct,
    is_known,
    max_of,
    sum_of,
    weighted_sum,
)
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import (
    percent_metric,
    quantity_metric,
    ratio_of,
    share_of_total_metric,
    sum_where,
    total_of,
)
from reports.semantics.period_comparison import MONTH_COLUMNS
from reports.semantics.report_builders import (
    GOODS,
    PLACES,
    UNTIL_MONTH_END,
    as_of_filter,
    build_bar_chart,
    build_board,
    build_bucket_chart,
    build_report,
    build_row,
    build_stacked_chart,
    build_table,
    goods_filter,
    key_filter,
    moves_link,
    ordered_label_sql,
    place_and_goods_filters,
    variant_key,
)

DOT_BUCKETS = ("26周以内", "27–52周", "53–104周", "105–156周", "156周以上", "未知")
BATCH = Column("batch", "批次(DOT)", determined_by=("batch_id",))
TYRE = ("goods_num", "goods_name", "brand_name", "batch")
LAYER = ("goods_num", "goods_name", "specification_type", "brand_name", "batch")


def layer_dataset(
    key: str, label: str, cost: bool, columns: tuple[Column, ...], metrics: tuple[Metric, ...], **more: object
) -> Dataset:
    """Layers with the columns and metrics of one report beside what all of them have."""
    measure, what, form = get_stock_measure(cost)
    return Dataset(
        key=variant_key(key, cost),
        label=label,
        source="mart_inventory_aging",
        grain="warehouse",
        cost=cost,
        time_column="month",
        columns=(
            *(*MONTH_COLUMNS, *PLACES, *GOODS, BATCH, *columns),
            moves_link(**key_filter("batch_id", "batch"), **UNTIL_MONTH_END),
        ),
        measures=list_stock_measures(cost),
        comparison=build_layers_comparison("mart_inventory_aging", list_stock_measures(cost)),
        metrics=(
            Metric("amount", what, total_of(measure), form),
            quantity_metric("quantity", "库存数量"),
            Metric("goods_count", "商品数", count_distinct("goods_id"), QUANTITY),
            *metrics,
        ),
        **more,  # type: ignore[arg-type]
    )


def detail_board(cost: bool) -> Board:
    measure, what, _ = get_stock_measure(cost)
    data = layer_dataset(
        "inventory_layers",
        "库存账龄明细",
        cost,
        columns=(
            Column("receipt_date", "入库日期", "date"),
            Column("receipt_month", "入库月份", sql="strftime(m.receipt_date, '%Y-%m')"),
            Column("age_days", "库龄天数", "number"),
            *BUCKET,
        ),
        metrics=(
            Metric(
                "mean_age",
                "平均库龄（天）",
                ratio_of(weighted_sum("quantity", "age_days"), sum_of("quantity")),
                DAYS,
            ),
            Metric("oldest", "最长库龄（天）", max_of("age_days"), QUANTITY),
            percent_metric(
                "over_180",
                "180天以上占比",
                sum_where(measure, compare("age_days", ">", 180)),
                sum_of(measure),
            ),
        ),
        buckets=STOCK_BUCKETS,
    )
    listed = replace(
        data,
        key=variant_key("inventory_layers_listed", cost),
        label="库存层",
        source=with_sales_sql(data.source),
        columns=(*data.columns, LAST_SALE),
        comparison=None,
        explorable=False,
    )
    layers = build_table(
        "库存层明细",
        listed,
        (
            *("company_name", "warehouse_name", *LAYER),
            *("receipt_date", "age_days", "bucket", "last_sale_date", "detail_link"),
        ),
        ("quantity", "amount") if cost else ("quantity",),
        "oldest",
        bar="quantity",
        # The names of goods and the days tell them.
        export_only=("specification_type", "bucket"),
    )
    head = build_kpi_header(
        data,
        Kpi("amount", "截至当日"),
        Kpi("goods_count", "有库存的商品"),
        Kpi("mean_age", "按数量加权", "rise"),
        Kpi("oldest", "自首次入库", "rise"),
        Kpi("over_180", f"占{what}", "rise"),
    )
    lines = (
        build_row(
            42,
            (build_bar_chart("buckets", f"{what}按账龄段", data, ("amount",), "bucket_axis", valued=True), 6),
            (build_bucket_chart("months", f"在库{what[2:]}按入库月份", data, "amount", "receipt_month"), 6),
        ),
        build_row(90, (layers, 12)),
    )
    bucket = Filter("bucket", "账龄段", data.key, "bucket")
    return build_board(
        (data, listed, MONTH_ENDS_OF_STOCK),
        head,
        lines,
        (as_of_filter(MONTH_ENDS_OF_STOCK), *place_and_goods_filters(data), bucket, goods_filter(data)),
    )


def dot_board(cost: bool) -> Board:
    measure, what, form = get_stock_measure(cost)
    amount = sum_of(measure)
    known = sum_where(measure, is_known("dot_weeks"))
    data = layer_dataset(
        "inventory_dot",
        "DOT库龄",
        cost,
        columns=(
            Column("dot_week", "DOT周", determined_by=("batch_id",), is_unwrapped=True),
            Column("dot_weeks", "库龄（周）", "number"),
            Column("dot_bucket", "DOT库龄段", determined_by=("dot_weeks",)),
            Column(
                "bucket_axis",
                "DOT库龄段",
                sql=ordered_label_sql("m.dot_bucket_order", "m.dot_bucket"),
                has_all_labels=True,
            ),
        ),
        metrics=(
            Metric("dated", f"已知DOT的{what}", ToDouble(known), form),
            share_of_total_metric("share", "占比", amount),
            Metric(
                "mean_weeks",
                "平均库龄（周）",
                ratio_of(
                    weighted_sum("quantity", "dot_weeks"),
                    sum_where("quantity", is_known("dot_weeks")),
                ),
                DAYS,
            ),
            Metric("oldest", "最长库龄（周）", max_of("dot_weeks"), QUANTITY),
            percent_metric(
                "over_year", "52周以上占比", sum_where(measure, compare("dot_weeks", ">", 52)), known
            ),
            percent_metric(
                "unknown", "未知DOT占比", sum_where(measure, IsNull(ColumnRef("dot_weeks"))), amount
            ),
            *bucket_metrics(DOT_BUCKETS, measure, form, "dot_bucket"),
        ),
        buckets=DOT_BUCKETS,
    )
    months = month_end_dataset(
        data,
        "inventory_dot_month",
        "mart_inventory_aging",
        (*data.measures, "dot_weeks"),
        (*PLACES, *GOODS, Column("dot_bucket", "DOT库龄段")),
        "amount",
        ("mean_weeks", "over_year"),
    )
    counted = ("quantity", "amount") if cost else ("quantity",)
    weeks = build_table(
        "DOT周汇总",
        data,
        ("dot_week", "dot_weeks", "dot_bucket"),
        (*counted, "share", "goods_count"),
        "oldest",
        key="weeks",
        bar="quantity",
    )
    detail = build_table(
        "DOT明细",
        data,
        ("company_name", "warehouse_name", *TYRE, "dot_week", "dot_weeks", "detail_link"),
        counted,
        "oldest",
        bar="quantity",
    )
    head = build_kpi_header(
        data,
        Kpi("dated", "批次是有效的DOT周"),
        Kpi("mean_weeks", "按数量加权，已知DOT", "rise"),
        Kpi("oldest", "自生产周", "rise"),
        Kpi("over_year", "占已知DOT", "rise"),
        Kpi("unknown", f"占{what}", "rise"),
    )
    lines = (
        build_row(
            44,
            (
                build_bar_chart(
                    "buckets", f"{what}按DOT库龄段", data, ("amount",), "bucket_axis", valued=True
                ),
                6,
            ),
            (Chart("production", f"{what}按DOT周", "bar", data.key, ("dated",), x="dot_week"), 6),
        ),
        build_row(
            44,
            (
                build_stacked_chart(
                    *("warehouses", f"{what}前十五仓库的DOT库龄构成", data, "amount"),
                    bucket_names(DOT_BUCKETS, "dot_bucket"),
                    "warehouse_name",
                ),
                12,
            ),
        ),
        build_row(72, (weeks, 12)),
        build_row(82, (detail, 12)),
        build_row(76, (build_month_end_table(what, months, "amount", ("mean_weeks", "over_year")), 12)),
    )
    bucket = Filter("bucket", "DOT库龄段", data.key, "dot_bucket")
    return build_board(
        (data, months, MONTH_ENDS_OF_STOCK),
        head,
        lines,
        (as_of_filter(MONTH_ENDS_OF_STOCK), *place_and_goods_filters(data), bucket, goods_filter(data)),
    )


INVENTORY_AGING_DETAILED = build_report(
    code="inventoryAgingReportDetailed",
    label="库存账龄明细",
    question="每一层库存是何时入库的，还剩多少？",
    group="库存报表",
    make=detail_board,
)
INVENTORY_DOT = build_report(
    code="inventoryDOTReport",
    label="DOT库龄",
    question="轮胎是哪一周生产的，哪些快要过龄？",
    group="库存报表",
    words="过期 老胎",
    make=dot_board,
)
