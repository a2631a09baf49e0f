"""Partners (往来单位): customers and suppliers, aging of receivables and payables.

Open amounts stand as of a month's end, the running month as of the snapshot's day; advances and unused
rebates have a column of their own, and the buckets sum to the open amount.
"""

from __future__ import annotations

from dataclasses import dataclass

from reports.catalogue.stock_aging import BUCKET, bucket_metrics, bucket_names
from reports.semantics.as_of import DAY_ENDS, DEBT_BUCKETS, MONTH_ENDS, AsOfMode
from reports.semantics.dashboards import Board, Filter, Pivot, Report, Tab
from reports.semantics.datasets import MONEY, QUANTITY, Column, Dataset, Metric, Worse
from reports.semantics.expressions import Expression, ToDouble, compare, max_of, sum_of
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import (
    list_comparison_names,
    money_metric,
    percent_metric,
    sum_where,
    with_prior_periods,
)
from reports.semantics.period_comparison import compared_datasets, prior_period_variants
from reports.semantics.report_builders import (
    BY_COMPANY,
    COMPANY,
    CUSTOMER,
    EMPLOYEE,
    SUPPLIER,
    bill_link,
    build_bar_chart,
    build_board,
    build_bucket_chart,
    build_curve_chart,
    build_ranking_chart,
    build_row,
    build_table,
    company_filter,
    employee_filter,
    key_filter,
    link_column,
)

OPEN_BILL = (
    Column("bill_no", "单据编号", determined_by=("bill_type", "bill_id")),
    Column("business_date", "单据日期", "date", determined_by=("bill_type", "bill_id")),
    Column("due_date", "到期日", "date"),
    bill_link(),
)
"""Columns that identify an open item."""


@dataclass(frozen=True)
class Partner:
    """A kind of partner: its key, its words, and the page of its single bills."""

    key: str
    label: str
    balance_label: str
    advance_label: str
    delivery_label: str
    payment_label: str
    side: str
    statement: str
    columns: tuple[Column, ...]

    @property
    def name(self) -> str:
        return f"{self.key}_name"

    @property
    def worse_balance(self) -> Worse:
        """Direction of a bad change of the balance.

        Customers that owe more are a risk; suppliers may go either way.
        """
        return "rise" if self.side == "receivable" else ""

    @property
    def worse_payment(self) -> Worse:
        return "fall" if self.side == "receivable" else ""

    def filters(self, dataset: Dataset) -> tuple[Filter, ...]:
        own = Filter(self.key, self.label, dataset.key, self.name, searched=True)
        salesman = (employee_filter(dataset),) if EMPLOYEE in self.columns else ()
        return (company_filter(dataset), *salesman, own)

    def bills(self, **days: str) -> Column:
        """Return the link to the partner's bills in a company."""
        return link_column(
            "往来",
            self.statement,
            **BY_COMPANY,
            **key_filter(f"{self.key}_id", self.name),
            **days,
        )


CUSTOMERS = Partner(
    key="customer",
    label="客户",
    balance_label="应收",
    advance_label="预收及未用返利",
    delivery_label="销售",
    payment_label="收款",
    side="receivable",
    statement="/report/customerdetrpt",
    columns=(CUSTOMER, EMPLOYEE),
)
SUPPLIERS = Partner(
    key="supplier",
    label="供应商",
    balance_label="应付",
    advance_label="预付及未用返利",
    delivery_label="采购",
    payment_label="付款",
    side="payable",
    statement="/report/factorydetrpt",
    columns=(SUPPLIER,),
)


def sum_past_due(days: int) -> Expression:
    return sum_where("open_amount", compare("days_past_due", ">", days))


def aging_metrics(partner: Partner) -> tuple[Metric, ...]:
    return (
        money_metric("balance", f"{partner.balance_label}余额"),
        money_metric("open_amount", f"未核销{partner.balance_label}"),
        money_metric("advance", partner.advance_label, "advance_amount"),
        Metric("overdue", "逾期金额", ToDouble(sum_past_due(0)), MONEY),
        percent_metric("overdue_share", "逾期占比", sum_past_due(0), sum_of("open_amount")),
        percent_metric("long_share", "逾期90天以上占比", sum_past_due(90), sum_of("open_amount")),
        Metric("longest", "最长逾期（天）", max_of("days_past_due"), QUANTITY),
        *bucket_metrics(DEBT_BUCKETS, "open_amount", MONEY),
    )


def aging_comparison_datasets(partner: Partner, at: AsOfMode) -> tuple[Dataset, Dataset]:
    """Return the aging at a moment with those a month and a year before, and its series."""
    measures = ("open_amount", "advance_amount", "balance", "days_past_due")
    shown = aging_metrics(partner)
    by_name = {metric.name: metric for metric in shown}
    return compared_datasets(
        f"{partner.side}_aging{at.mark or '_month'}",
        f"{partner.balance_label}账龄对比{at.word}",
        f"mart_{partner.side}_{at.mart}",
        grain="company",
        period=at.period,
        axis=at.columns,
        rows=at.rows,
        keys=(f"{partner.key}_id", "bucket_order"),
        columns=(COMPANY, *partner.columns, *BUCKET, partner.bills(**at.days)),
        measures={name: name for name in measures},
        levels=measures,
        buckets=DEBT_BUCKETS,
        metrics=(
            *shown,
            *with_prior_periods(
                by_name["balance"], measures, *at.period.prior_labels, worse=partner.worse_balance
            ),
            *with_prior_periods(
                by_name["overdue"], measures, *at.period.prior_labels, word="逾期", worse="rise"
            ),
            *prior_period_variants(by_name["overdue_share"], measures, *at.period.prior_labels),
        ),
        explorable=not at.any_day,
    )


def aging_dataset(partner: Partner, at: AsOfMode) -> Dataset:
    return Dataset(
        key=f"{partner.side}_aging{at.mark and at.mark + '_items'}",
        label=f"{partner.balance_label}账款账龄{at.word}",
        source=at.source(partner.side),
        grain="company",
        buckets=DEBT_BUCKETS,
        time_column=at.columns[0].name,
        columns=(
            *at.columns,
            COMPANY,
            *partner.columns,
            *OPEN_BILL,
            Column("days_past_due", "逾期天数", "number"),
            *BUCKET,
            partner.bills(**at.days),
        ),
        measures=("open_amount", "advance_amount", "balance"),
        metrics=aging_metrics(partner),
        explorable=not at.any_day,
    )


def aging_board(partner: Partner, at: AsOfMode) -> Board:
    """Return the board of open items; its series are of month ends, whatever the moment."""
    data, then = aging_dataset(partner, at), aging_comparison_datasets(partner, at)[0]
    series = aging_comparison_datasets(partner, MONTH_ENDS)[1]
    owed = partner.balance_label
    who = tuple(column.name for column in partner.columns)
    listed = build_table(
        f"{partner.label}账龄明细",
        data,
        ("company_name", *who, "detail_link"),
        ("balance", "open_amount", *bucket_names(DEBT_BUCKETS), "advance", "longest"),
        "balance",
        bar="balance",
    )
    stood_then = build_table(
        f"{partner.label}{owed}与{'、'.join(at.period.prior_labels)}",
        then,
        ("company_name", partner.name, "detail_link"),
        (*list_comparison_names("balance"), "overdue", "overdue_before", "overdue_year", "overdue_share"),
        "balance",
        key="compared",
        bar="balance",
    )
    bills = build_table(
        "未结单据",
        data,
        (
            *(
                "company_name",
                partner.name,
                "bill_no",
                "business_date",
                "due_date",
                "days_past_due",
                "bucket",
            ),
            *("bill_link", "detail_link"),
        ),
        ("open_amount",),
        "longest",
        key="bills",
    )
    head = build_kpi_header(
        then,
        Kpi("balance", f"减{partner.advance_label[:2]}", partner.worse_balance),
        Kpi("overdue", "已过到期日", "rise"),
        Kpi("overdue_share", f"占未核销{owed}", "rise"),
        Kpi("long_share", f"占未核销{owed}", "rise"),
        Kpi("advance", "尚未核销"),
    )
    lines = (
        build_row(
            46,
            (
                build_bar_chart(
                    "buckets", f"未核销{owed}按逾期账龄", data, ("open_amount",), "bucket_axis", valued=True
                ),
                6,
            ),
            (
                build_curve_chart(
                    "trend",
                    f"各月末{owed}与逾期占比",
                    series,
                    ("open_amount", "overdue"),
                    "overdue_share",
                    "month_label",
                ),
                6,
            ),
        ),
        build_row(
            46,
            (build_bucket_chart("months", f"各月末{owed}账龄构成", series, "open_amount", "month_label"), 6),
            (
                build_bucket_chart("companies", f"各公司{owed}账龄构成", data, "open_amount", "company_name"),
                6,
            ),
        ),
        build_row(
            46,
            (
                build_ranking_chart(
                    "partners", f"逾期金额前十{partner.label}", data, "overdue", partner.name
                ),
                12,
            ),
        ),
        build_row(76, (listed, 12)),
        build_row(76, (stood_then, 12)),
        build_row(76, (bills, 12)),
    )
    offered = aging_dataset(partner, MONTH_ENDS)
    bucket = Filter("bucket", "账龄段", offered.key, "bucket")
    return build_board(
        (data, then, series, *at.list_offered_datasets(offered)),
        head,
        lines,
        (at.filter(data), *partner.filters(offered), bucket),
        # Advances are of no age.
        Pivot(data.key, ("company_name",), ("bucket_axis",), ("open_amount",)),
    )


def aging_tabs(partner: Partner, *names: tuple[str, str]) -> tuple[Tab, ...]:
    """Return the tabs by month end and by any day."""
    return tuple(
        Tab(key, label, aging_board(partner, at))
        for (key, label), at in zip(names, (MONTH_ENDS, DAY_ENDS), strict=True)
    )


ACCOUNTS_RECEIVABLE = Report(
    code="accountsReceivable",
    label="应收账款账龄",
    question="谁欠多少，逾期多久，比上月末是多是少？",
    group="往来报表",
    words="欠款 欠账 赊账 挂账 客户欠我们多少钱 货款没收回来",
    tabs=aging_tabs(CUSTOMERS, ("all", "按月末"), ("day", "按截至日")),
)
