"""Supplier payments due (厂家付款).

Payables by days until due and days past due, as of a month's end or any day.
"""

from __future__ import annotations

from dataclasses import replace

from reports.catalogue.account_balances import account_datasets
from reports.catalogue.partners import OPEN_BILL, SUPPLIERS
from reports.catalogue.stock_aging import bucket_metrics, bucket_names
from reports.semantics.as_of import AS_OF, DAY_ENDS, DEBT_BUCKETS, MONTH_ENDS, AsOfMode
from reports.semantics.dashboards import Board, Filter, Report, Tab
from reports.semantics.datasets import MONEY, QUANTITY, Column, Dataset, Metric
from reports.semantics.expressions import ToDouble, max_of, min_of, sum_of
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import list_comparison_names, money_metric, with_prior_periods
from reports.semantics.period_comparison import compared_datasets
from reports.semantics.report_builders import (
    COMPANY,
    build_bar_chart,
    build_board,
    build_bucket_chart,
    build_curve_chart,
    build_ranking_chart,
    build_row,
    build_table,
    ordered_label_sql,
)

DUE = ("已逾期", "7天内", "8–15天", "16–30天", "31–60天", "60天以后")
# Days from the day on which it stands to the due date.
AHEAD = "date_diff('day', m.as_of, m.due_date)"
DUE_ORDER = (
    f"case when {AHEAD} < 0 then 1 when {AHEAD} <= 7 then 2 when {AHEAD} <= 15 then 3 when {AHEAD} <= 30 then 4"
    f" when {AHEAD} <= 60 then 5 else 6 end"
)
DUE_NAME = f"{list(DUE)}[{DUE_ORDER}]"
DUE_BUCKET = (
    Column("bucket", "到期段", sql=DUE_NAME, determined_by=("days_ahead",), is_unwrapped=True),
    Column("bucket_axis", "到期段", sql=ordered_label_sql(DUE_ORDER, DUE_NAME), has_all_labels=True),
)


# What is overdue stands by how long besides, as in the report of what is owed.
OVERDUE = (
    Column("overdue", "逾期段", sql="m.bucket"),
    Column(
        "overdue_axis", "逾期段", sql=ordered_label_sql("m.bucket_order", "m.bucket"), has_all_labels=True
    ),
)


def overdue_metrics() -> tuple[Metric, ...]:
    return (
        *bucket_metrics(DEBT_BUCKETS, "open_amount", MONEY, "overdue"),
        Metric("longest", "最长逾期（天）", max_of("days_past_due"), QUANTITY),
    )


def due_metrics() -> tuple[Metric, ...]:
    return (
        money_metric("open_amount", "未付应付"),
        money_metric("advance", "预付及未用返利", "advance_amount"),
        Metric("needed", "扣除预付后应付", ToDouble(sum_of("open_amount") - sum_of("advance_amount")), MONEY),
        *bucket_metrics(DUE, "open_amount", MONEY),
    )


def due_comparison_dataset(at: AsOfMode) -> Dataset:
    """Return the open payables at a moment with those a month and a year before."""
    measures = ("open_amount", "advance_amount")
    figures_now = due_metrics()
    by_name = {metric.name: metric for metric in figures_now}
    overdue = replace(by_name["bucket_1"], name="overdue", label="已逾期应付")
    return compared_datasets(
        f"payable_due{at.mark or '_month'}",
        f"付款安排对比{at.word}",
        f"mart_payable_{at.mart}",
        grain="company",
        period=at.period,
        axis=at.columns,
        rows=at.rows,
        keys=("supplier_id", "as_of", "due_date", "bucket", "bucket_order"),
        columns=(COMPANY, *SUPPLIERS.columns, *DUE_BUCKET, *OVERDUE, SUPPLIERS.bills(**at.days)),
        measures={name: name for name in measures},
        levels=measures,
        buckets=DUE,
        buckets_descending=True,
        metrics=(
            *figures_now,
            *with_prior_periods(
                by_name["open_amount"], measures, *at.period.prior_labels, word="应付", worse=""
            ),
            overdue,
            *with_prior_periods(overdue, measures, *at.period.prior_labels, word="逾期", worse="rise"),
        ),
        explorable=not at.any_day,
    )[0]


def due_dataset(at: AsOfMode) -> Dataset:
    return Dataset(
        key=f"payable_due{at.mark and at.mark + '_items'}",
        label=f"付款安排{at.word}",
        source=at.source(SUPPLIERS.side),
        grain="company",
        buckets=DUE,
        buckets_descending=True,
        time_column=at.columns[0].name,
        columns=(
            *at.columns,
            COMPANY,
            *SUPPLIERS.columns,
            *OPEN_BILL,
            Column("days_ahead", "距到期（天）", "number", sql=AHEAD),
            *DUE_BUCKET,
            *OVERDUE,
            SUPPLIERS.bills(**at.days),
        ),
        measures=("open_amount", "advance_amount", "days_past_due"),
        metrics=(
            *due_metrics(),
            *overdue_metrics(),
            Metric("soonest", "最早到期（天）", min_of("days_ahead"), QUANTITY),
        ),
        explorable=not at.any_day,
    )


def payment_board(at: AsOfMode) -> Board:
    """Return the board of payables by due date, and of payments made."""
    _, series = account_datasets(SUPPLIERS)
    data, before = due_dataset(at), due_comparison_dataset(at)
    plan = build_table(
        "供应商付款安排",
        data,
        ("company_name", "supplier_name", "detail_link"),
        ("open_amount", *bucket_names(DUE), "advance", "needed"),
        "open_amount",
        bar="open_amount",
    )
    late = build_table(
        "供应商应付逾期账龄",
        data,
        ("company_name", "supplier_name", "detail_link"),
        ("open_amount", *bucket_names(DEBT_BUCKETS, "overdue"), "longest"),
        "open_amount",
        key="late",
        bar="open_amount",
    )
    stood_then = build_table(
        f"供应商应付与{'、'.join(at.period.prior_labels)}",
        before,
        ("company_name", "supplier_name", "detail_link"),
        (*list_comparison_names("open_amount"), "overdue", "overdue_before", "overdue_year", "needed"),
        "open_amount",
        key="compared",
        bar="open_amount",
    )
    bills = build_table(
        "待付单据",
        data,
        (
            "company_name",
            "supplier_name",
            "bill_no",
            "business_date",
            "due_date",
            "days_ahead",
            "bucket",
            "overdue",
            "bill_link",
            "detail_link",
        ),
        ("open_amount",),
        "open_amount",
        key="bills",
    )
    head = build_kpi_header(
        before,
        Kpi("bucket_1", "已过到期日", "rise"),
        Kpi("bucket_2", "需要准备的资金"),
        Kpi("needed", "未付应付减预付及未用返利"),
        Kpi("advance", "尚未核销"),
    )
    lines = (
        build_row(
            44,
            (
                build_bar_chart(
                    "due", "未付应付按到期时间", data, ("open_amount",), "bucket_axis", valued=True
                ),
                4,
            ),
            (
                build_bar_chart(
                    "late_due", "未付应付按逾期账龄", data, ("open_amount",), "overdue_axis", valued=True
                ),
                4,
            ),
            (
                build_curve_chart(
                    "paid",
                    "各月采购、付款与期末应付",
                    series,
                    ("delivery", "settled"),
                    "closing",
                    "month_label",
                ),
                4,
            ),
        ),
        build_row(
            44,
            (build_ranking_chart("partners", "未付应付前十供应商", data, "open_amount", "supplier_name"), 6),
            (
                build_bucket_chart(
                    "companies", "各公司未付应付到期构成", data, "open_amount", "company_name"
                ),
                6,
            ),
        ),
        build_row(76, (plan, 12)),
        build_row(76, (late, 12)),
        build_row(76, (stood_then, 12)),
        build_row(76, (bills, 12)),
    )
    offered = due_dataset(MONTH_ENDS)
    filters = (
        at.filter(data),
        *SUPPLIERS.filters(offered),
        Filter("bucket", "到期段", offered.key, "bucket"),
        Filter("overdue", "逾期段", offered.key, "overdue"),
    )
    return build_board((data, before, series, *at.list_offered_datasets(offered)), head, lines, filters)


FACTORY_PAYMENT = Report(
    code="facyorypayment",
    label="厂家付款分析",
    question="哪些厂家的款快到期，要准备多少资金？",
    group="往来报表",
    words="该付多少钱 货款",
    tabs=(
        Tab("all", "按月末", payment_board(MONTH_ENDS)),
        Tab("day", AS_OF.label, payment_board(DAY_ENDS)),
    ),
)
