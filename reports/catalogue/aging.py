"""账龄与库龄：库存账龄、应收账款账龄。

Inventory: FIFO layers as of the snapshot's day, a transfer keeps the first receipt date. Receivables: open amount
by days past due, advances in a column of their own; the buckets sum to the balance.
"""

from __future__ import annotations

from reports.catalogue.model import DAYS, MONEY, QUANTITY, Board, Column, Dataset, Filter, Metric
from reports.catalogue.parts import (
    COMPANY,
    CUSTOMER,
    EMPLOYEE,
    GOODS,
    PLACES,
    bars,
    board,
    company_filter,
    customer_filter,
    employee_filter,
    figure,
    figures,
    goods_filter,
    line,
    money,
    percent,
    place_and_goods_filters,
    quantity,
    ranking,
    ratio,
    report,
    stack,
    table,
    total,
    variant,
)

STOCK_BUCKETS = ("0–30天", "31–60天", "61–90天", "91–180天", "181–365天", "365天以上")
DEBT_BUCKETS = ("未到期", "1–30天", "31–60天", "61–90天", "91–180天", "180天以上")
# Text sorts by its letters; invisible letters in front put the buckets into their own order.
BUCKET_AXIS = "repeat(chr(8203), cast(m.bucket_order as integer)) || m.bucket"
BUCKET = (Column("bucket", "账龄段"), Column("bucket_axis", "账龄段", sql=BUCKET_AXIS))


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

    def older(day: int) -> Metric:
        amount = f'sum("{measure}")'
        return percent(f"over_{day}", f"{day}天以上占比", f"{amount} filter (where age_days > {day})", amount)

    return Dataset(
        key=variant("inventory_aging", cost),
        label="库存账龄",
        source="mart_inventory_aging",
        grain="warehouse",
        cost=cost,
        buckets=STOCK_BUCKETS,
        columns=(
            *PLACES,
            *GOODS,
            *BUCKET,
            Column("age_days", "库龄天数", "number"),
        ),
        measures=("quantity", "value") if cost else ("quantity",),
        metrics=(
            Metric("amount", what, total(measure), form),
            quantity("quantity", "库存数量"),
            Metric(
                "mean_age", "平均库龄（天）", ratio('sum("quantity" * age_days)', 'sum("quantity")'), DAYS
            ),
            Metric("oldest", "最长库龄（天）", "max(age_days)", QUANTITY),
            older(90),
            older(180),
            older(365),
            *bucket_metrics(STOCK_BUCKETS, measure, form),
        ),
    )


def inventory_board(cost: bool) -> Board:
    data, what = inventory_dataset(cost), ("库存金额" if cost else "库存数量")
    lines = (
        figures(
            figure("amount", what, data, "全部在库"),
            figure("mean_age", "平均库龄（天）", data, "按数量加权"),
            *(figure(f"over_{day}", f"{day}天以上占比", data, f"占{what}") for day in (90, 180, 365)),
        ),
        line(
            42,
            (bars("buckets", f"{what}按账龄段", data, ("amount",), "bucket_axis", valued=True), 6),
            (
                bars(
                    "share",
                    f"180天以上{what}（品牌）",
                    data,
                    ("bucket_5", "bucket_6"),
                    "brand_name",
                    stacked=True,
                    limit=15,
                ),
                6,
            ),
        ),
        line(44, (stack("warehouses", f"各仓库{what}账龄构成", data, "amount", "warehouse_name"), 12)),
        line(
            82,
            (
                table(
                    "商品账龄明细",
                    data,
                    ("warehouse_name", "goods_num", "goods_name", "brand_name"),
                    (
                        *(("quantity",) if cost else ()),
                        "amount",
                        "mean_age",
                        "oldest",
                        *bucket_names(STOCK_BUCKETS),
                    ),
                    "mean_age",
                    bar="mean_age",
                ),
                12,
            ),
        ),
    )
    bucket = Filter("bucket", "账龄段", data.key, "bucket")
    return board((data,), lines, (*place_and_goods_filters(data), bucket, goods_filter(data)))


OVERDUE = "sum(open_amount) filter (where days_past_due"
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
        *BUCKET,
    ),
    measures=("open_amount", "advance_amount", "balance"),
    metrics=(
        money("balance", "应收余额"),
        money("open_amount", "未核销应收"),
        money("advance", "预收款", "advance_amount"),
        Metric("overdue", "逾期金额", f"cast({OVERDUE} > 0) as double)", MONEY),
        percent("overdue_share", "逾期占比", f"{OVERDUE} > 0)", "sum(open_amount)"),
        percent("long_share", "逾期90天以上占比", f"{OVERDUE} > 90)", "sum(open_amount)"),
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


def receivable_board(cost: bool) -> Board:
    data = RECEIVABLE
    bill = ("bill_no", "business_date", "due_date", "days_past_due", "bucket")
    customers = table(
        "客户账龄明细",
        data,
        ("company_name", "customer_name", "employee_name"),
        ("balance", "open_amount", *bucket_names(DEBT_BUCKETS), "advance", "longest"),
        "open_amount",
        bar="balance",
    )
    bills = table(
        "未结单据", data, ("company_name", "customer_name", *bill), ("open_amount",), "longest", key="bills"
    )
    lines = (
        figures(
            figure("balance", "应收余额", data, "未核销应收减预收款"),
            figure("overdue", "逾期金额", data, "已过到期日"),
            figure("overdue_share", "逾期占比", data, "占未核销应收"),
            figure("long_share", "逾期90天以上占比", data, "占未核销应收"),
            figure("advance", "预收款", data, "尚未核销"),
        ),
        line(
            46,
            (bars("buckets", "未核销应收按逾期账龄", data, ("open_amount",), "bucket_axis", valued=True), 6),
            (ranking("customers", "逾期金额前十客户", data, "overdue", "customer_name"), 6),
        ),
        line(42, (stack("companies", "各公司应收账龄构成", data, "open_amount", "company_name"), 12)),
        line(76, (customers, 12)),
        line(76, (bills, 12)),
    )
    bucket = Filter("bucket", "账龄段", data.key, "bucket")
    return board((data,), lines, (company_filter(data), employee_filter(data), customer_filter(data), bucket))


INVENTORY_AGING = report(
    code="inventoryAgingReport",
    label="库存账龄",
    question="库存放了多久，哪些商品该清？",
    group="库存报表",
    make=inventory_board,
)
ACCOUNTS_RECEIVABLE = report(
    code="accountsReceivable",
    label="应收账款账龄",
    question="谁欠多少，逾期多久？",
    group="往来报表",
    make=receivable_board,
    has_cost=False,
)
