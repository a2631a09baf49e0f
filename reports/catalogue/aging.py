"""账龄与库龄：库存账龄、应收账款账龄。

Inventory: FIFO layers as of the snapshot's day, a transfer keeps the first receipt date. Receivables: open amount
by days past due, advances in a column of their own; the buckets sum to the balance.
"""

from __future__ import annotations

from reports.catalogue.model import (
    DAYS,
    MONEY,
    PERCENT,
    QUANTITY,
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
    CUSTOMER,
    EMPLOYEE,
    GOODS_NAME,
    GOODS_NUM,
    GOODS_TYPE,
    REFRESHED,
    SPECIFICATION,
    STAMP,
    WAREHOUSE,
    company_filter,
    goods_filter,
    goods_filters,
    ratio,
    total,
    warehouse_filter,
)

STOCK_BUCKETS = ("0–30天", "31–60天", "61–90天", "91–180天", "181–365天", "365天以上")
DEBT_BUCKETS = ("未到期", "1–30天", "31–60天", "61–90天", "91–180天", "180天以上")
# Text sorts by its letters; invisible letters in front put the buckets into their own order.
BUCKET_AXIS = "repeat(chr(8203), cast(m.bucket_order as integer)) || m.bucket"


def bucket_metrics(buckets: tuple[str, ...], measure: str, form: str) -> tuple[Metric, ...]:
    """One column per bucket: what of the measure lies in it."""
    return tuple(
        Metric(
            f"bucket_{number}",
            label,
            f"cast(sum(\"{measure}\") filter (where bucket = '{label}') as double)",
            form,
        )
        for number, label in enumerate(buckets, start=1)
    )


def bucket_names(buckets: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"bucket_{number}" for number in range(1, len(buckets) + 1))


def inventory_dataset(cost: bool) -> Dataset:
    measure, what, form = ("value", "库存金额", MONEY) if cost else ("quantity", "库存数量", QUANTITY)

    def older(day: int) -> str:
        return ratio(f'sum("{measure}") filter (where age_days > {day})', f'sum("{measure}")')

    return Dataset(
        key=f"inventory_aging_{'cost' if cost else 'plain'}",
        label="库存账龄",
        source="mart_inventory_aging",
        grain="warehouse",
        cost=cost,
        buckets=STOCK_BUCKETS,
        columns=(
            COMPANY,
            WAREHOUSE,
            GOODS_TYPE,
            BRAND,
            GOODS_NUM,
            GOODS_NAME,
            SPECIFICATION,
            Column("bucket", "账龄段"),
            Column("bucket_axis", "账龄段", sql=BUCKET_AXIS),
            Column("age_days", "库龄天数", "number"),
        ),
        measures=("quantity", "value") if cost else ("quantity",),
        metrics=(
            Metric("amount", what, total(measure), form),
            Metric("quantity", "库存数量", total("quantity"), QUANTITY),
            Metric(
                "mean_age", "平均库龄（天）", ratio('sum("quantity" * age_days)', 'sum("quantity")'), DAYS
            ),
            Metric("oldest", "最长库龄（天）", "max(age_days)", QUANTITY),
            Metric("over_90", "90天以上占比", older(90), PERCENT),
            Metric("over_180", "180天以上占比", older(180), PERCENT),
            Metric("over_365", "365天以上占比", older(365), PERCENT),
            *bucket_metrics(STOCK_BUCKETS, measure, form),
        ),
    )


def inventory_board(cost: bool) -> Board:
    data = inventory_dataset(cost)
    what, key = ("库存金额" if cost else "库存数量"), data.key
    buckets = bucket_names(STOCK_BUCKETS)
    charts = (
        Chart("amount", what, "kpi", key, ("amount",), subtitle="全部在库"),
        Chart("mean_age", "平均库龄（天）", "kpi", key, ("mean_age",), subtitle="按数量加权"),
        Chart("over_90", "90天以上占比", "kpi", key, ("over_90",), subtitle=f"占{what}"),
        Chart("over_180", "180天以上占比", "kpi", key, ("over_180",), subtitle=f"占{what}"),
        Chart("over_365", "365天以上占比", "kpi", key, ("over_365",), subtitle=f"占{what}"),
        STAMP,
        Chart("buckets", f"{what}按账龄段", "bar", key, ("amount",), x="bucket_axis", valued=True),
        Chart(
            "share",
            f"180天以上{what}（品牌）",
            "bar",
            key,
            ("bucket_5", "bucket_6"),
            x="brand_name",
            stacked=True,
            limit=15,
        ),
        Chart(
            "warehouses",
            f"各仓库{what}账龄构成",
            "bar",
            key,
            ("amount",),
            by=("bucket_axis",),
            x="warehouse_name",
            stacked=True,
        ),
        Chart(
            "detail",
            "商品账龄明细",
            "table",
            key,
            (*(("quantity",) if cost else ()), "amount", "mean_age", "oldest", *buckets),
            by=("warehouse_name", "goods_num", "goods_name", "brand_name"),
            order="-mean_age",
            bars=("mean_age",),
            paged=True,
        ),
    )
    rows = (
        Row(
            (("amount", 2), ("mean_age", 2), ("over_90", 2), ("over_180", 2), ("over_365", 2), ("stamp", 2)),
            19,
        ),
        Row((("buckets", 6), ("share", 6)), 42),
        Row((("warehouses", 12),), 44),
        Row((("detail", 12),), 82),
    )
    filters = (
        company_filter(data),
        warehouse_filter(data),
        *goods_filters(data),
        Filter("bucket", "账龄段", key, "bucket"),
        goods_filter(data),
    )
    return Board(charts, rows, filters, (data, REFRESHED))


RECEIVABLE = Dataset(
    key="receivable_aging",
    label="应收账款账龄",
    source="mart_receivable_aging",
    grain="company",
    buckets=DEBT_BUCKETS,
    columns=(
        COMPANY,
        CUSTOMER,
        EMPLOYEE,
        Column("bill_no", "单据编号"),
        Column("business_date", "单据日期", "date"),
        Column("due_date", "到期日", "date"),
        Column("days_past_due", "逾期天数", "number"),
        Column("bucket", "账龄段"),
        Column("bucket_axis", "账龄段", sql=BUCKET_AXIS),
    ),
    measures=("open_amount", "advance_amount", "balance"),
    metrics=(
        Metric("balance", "应收余额", total("balance"), MONEY),
        Metric("open_amount", "未核销应收", total("open_amount"), MONEY),
        Metric("advance", "预收款", total("advance_amount"), MONEY),
        Metric(
            "overdue", "逾期金额", "cast(sum(open_amount) filter (where days_past_due > 0) as double)", MONEY
        ),
        Metric(
            "overdue_share",
            "逾期占比",
            ratio("sum(open_amount) filter (where days_past_due > 0)", "sum(open_amount)"),
            PERCENT,
        ),
        Metric(
            "long_share",
            "逾期90天以上占比",
            ratio("sum(open_amount) filter (where days_past_due > 90)", "sum(open_amount)"),
            PERCENT,
        ),
        Metric(
            "customers",
            "欠款客户数",
            "count(distinct customer_name) filter (where open_amount > 0)",
            QUANTITY,
        ),
        Metric("longest", "最长逾期（天）", "max(days_past_due)", QUANTITY),
        *bucket_metrics(DEBT_BUCKETS, "open_amount", MONEY),
    ),
)


def receivable_board() -> Board:
    key, buckets = RECEIVABLE.key, bucket_names(DEBT_BUCKETS)
    charts = (
        Chart("balance", "应收余额", "kpi", key, ("balance",), subtitle="未核销应收减预收款"),
        Chart("overdue", "逾期金额", "kpi", key, ("overdue",), subtitle="已过到期日"),
        Chart("overdue_share", "逾期占比", "kpi", key, ("overdue_share",), subtitle="占未核销应收"),
        Chart("long_share", "逾期90天以上占比", "kpi", key, ("long_share",), subtitle="占未核销应收"),
        Chart("advance", "预收款", "kpi", key, ("advance",), subtitle="尚未核销"),
        STAMP,
        Chart("buckets", "未核销应收按逾期账龄", "bar", key, ("open_amount",), x="bucket_axis", valued=True),
        Chart(
            "customers",
            "逾期金额前十客户",
            "bar",
            key,
            ("overdue",),
            x="customer_name",
            order="overdue",
            horizontal=True,
            limit=10,
        ),
        Chart(
            "companies",
            "各公司应收账龄构成",
            "bar",
            key,
            ("open_amount",),
            by=("bucket_axis",),
            x="company_name",
            stacked=True,
        ),
        Chart(
            "detail",
            "客户账龄明细",
            "table",
            key,
            ("balance", "open_amount", *buckets, "advance", "longest"),
            by=("company_name", "customer_name", "employee_name"),
            order="-open_amount",
            bars=("balance",),
            paged=True,
        ),
        Chart(
            "bills",
            "未结单据",
            "table",
            key,
            ("open_amount",),
            by=(
                "company_name",
                "customer_name",
                "bill_no",
                "business_date",
                "due_date",
                "days_past_due",
                "bucket",
            ),
            order="-longest",
            paged=True,
        ),
    )
    rows = (
        Row(
            (
                ("balance", 2),
                ("overdue", 2),
                ("overdue_share", 2),
                ("long_share", 2),
                ("advance", 2),
                ("stamp", 2),
            ),
            19,
        ),
        Row((("buckets", 6), ("customers", 6)), 46),
        Row((("companies", 12),), 42),
        Row((("detail", 12),), 76),
        Row((("bills", 12),), 76),
    )
    filters = (
        company_filter(RECEIVABLE),
        Filter("employee", "业务员", key, "employee_name"),
        Filter("customer", "客户", key, "customer_name", parent="company", searched=True),
        Filter("bucket", "账龄段", key, "bucket"),
    )
    return Board(charts, rows, filters, (RECEIVABLE, REFRESHED))


INVENTORY_AGING = Report(
    code="inventoryAgingReport",
    label="库存账龄",
    question="库存放了多久，哪些商品该清？",
    group="库存报表",
    tabs=(Tab("all", "库存账龄", inventory_board(cost=False), inventory_board(cost=True)),),
)
ACCOUNTS_RECEIVABLE = Report(
    code="accountsReceivable",
    label="应收账款账龄",
    question="谁欠多少，逾期多久？",
    group="往来报表",
    tabs=(Tab("all", "应收账款账龄", receivable_board()),),
)
