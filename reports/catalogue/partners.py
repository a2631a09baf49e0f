"""往来单位：客户与供应商，应收、应付的账龄。

Open amounts stand as of a month's end, the running month as of the snapshot's day; advances and unused rebates have a
column of their own, and the buckets sum to what is open.
"""

from __future__ import annotations

from dataclasses import dataclass

from reports.catalogue.aging import BUCKET, bucket_metrics, bucket_names
from reports.catalogue.as_of import DAY_ENDS, DEBT_BUCKETS, MONTH_ENDS, Moments
from reports.catalogue.beside import Figure, figures
from reports.catalogue.boards import Board, Filter, Pivot, Report, Tab
from reports.catalogue.compare import compared_datasets, stood
from reports.catalogue.datasets import MONEY, QUANTITY, Column, Dataset, Metric, Worse
from reports.catalogue.expressions import Expression, ToDouble, compare, max_of, sum_of
from reports.catalogue.metrics import beside, compared, money, percent, sum_where
from reports.catalogue.parts import (
    BY_COMPANY,
    COMPANY,
    CUSTOMER,
    EMPLOYEE,
    SUPPLIER,
    bars,
    bill_link,
    board,
    by_key,
    company_filter,
    curves,
    employee_filter,
    line,
    link,
    ranking,
    stack,
    table,
)

OPEN_BILL = (
    Column("bill_no", "单据编号", follows=("bill_type", "bill_id")),
    Column("business_date", "单据日期", "date", follows=("bill_type", "bill_id")),
    Column("due_date", "到期日", "date"),
    bill_link(),
)
"""What an open item is told by."""


@dataclass(frozen=True)
class Partner:
    """A kind of partner: its key, its words, and the page of its single bills."""

    key: str
    label: str
    owed: str
    advance: str
    delivered: str
    settled: str
    side: str
    statement: str
    columns: tuple[Column, ...]

    @property
    def name(self) -> str:
        return f"{self.key}_name"

    @property
    def more_owed(self) -> Worse:
        """Customers that owe more are a risk; what is owed to suppliers may go either way."""
        return "rise" if self.side == "receivable" else ""

    @property
    def less_settled(self) -> Worse:
        return "fall" if self.side == "receivable" else ""

    def filters(self, dataset: Dataset) -> tuple[Filter, ...]:
        own = Filter(self.key, self.label, dataset.key, self.name, searched=True)
        salesman = (employee_filter(dataset),) if EMPLOYEE in self.columns else ()
        return (company_filter(dataset), *salesman, own)

    def bills(self, **days: str) -> Column:
        """Leads to the partner's bills in a company."""
        return link(
            "往来",
            self.statement,
            **BY_COMPANY,
            **by_key(f"{self.key}_id", self.name),
            **days,
        )


CUSTOMERS = Partner(
    key="customer",
    label="客户",
    owed="应收",
    advance="预收及未用返利",
    delivered="销售",
    settled="收款",
    side="receivable",
    statement="/report/customerdetrpt",
    columns=(CUSTOMER, EMPLOYEE),
)
SUPPLIERS = Partner(
    key="supplier",
    label="供应商",
    owed="应付",
    advance="预付及未用返利",
    delivered="采购",
    settled="付款",
    side="payable",
    statement="/report/factorydetrpt",
    columns=(SUPPLIER,),
)


def past_due(days: int) -> Expression:
    return sum_where("open_amount", compare("days_past_due", ">", days))


def aging_metrics(partner: Partner) -> tuple[Metric, ...]:
    return (
        money("balance", f"{partner.owed}余额"),
        money("open_amount", f"未核销{partner.owed}"),
        money("advance", partner.advance, "advance_amount"),
        Metric("overdue", "逾期金额", ToDouble(past_due(0)), MONEY),
        percent("overdue_share", "逾期占比", past_due(0), sum_of("open_amount")),
        percent("long_share", "逾期90天以上占比", past_due(90), sum_of("open_amount")),
        Metric("longest", "最长逾期（天）", max_of("days_past_due"), QUANTITY),
        *bucket_metrics(DEBT_BUCKETS, "open_amount", MONEY),
    )


def aging_beside(partner: Partner, at: Moments) -> tuple[Dataset, Dataset]:
    """What stood open at a moment beside those a month and a year before, and their series."""
    measures = ("open_amount", "advance_amount", "balance", "days_past_due")
    shown = aging_metrics(partner)
    by_name = {metric.name: metric for metric in shown}
    return compared_datasets(
        f"{partner.side}_aging{at.mark or '_month'}",
        f"{partner.owed}账龄对比{at.word}",
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
            *beside(by_name["balance"], measures, *at.period.earlier, worse=partner.more_owed),
            *beside(by_name["overdue"], measures, *at.period.earlier, word="逾期", worse="rise"),
            *stood(by_name["overdue_share"], measures, *at.period.earlier),
        ),
        explorable=not at.any_day,
    )


def aging_dataset(partner: Partner, at: Moments) -> Dataset:
    return Dataset(
        key=f"{partner.side}_aging{at.mark and at.mark + '_items'}",
        label=f"{partner.owed}账款账龄{at.word}",
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


def aging_board(partner: Partner, at: Moments) -> Board:
    """Over months it tells of their ends, whatever the moment."""
    data, then = aging_dataset(partner, at), aging_beside(partner, at)[0]
    series = aging_beside(partner, MONTH_ENDS)[1]
    owed = partner.owed
    who = tuple(column.name for column in partner.columns)
    listed = table(
        f"{partner.label}账龄明细",
        data,
        ("company_name", *who, "detail_link"),
        ("balance", "open_amount", *bucket_names(DEBT_BUCKETS), "advance", "longest"),
        "balance",
        bar="balance",
    )
    stood_then = table(
        f"{partner.label}{owed}与{'、'.join(at.period.earlier)}",
        then,
        ("company_name", partner.name, "detail_link"),
        (*compared("balance"), "overdue", "overdue_before", "overdue_year", "overdue_share"),
        "balance",
        key="compared",
        bar="balance",
    )
    bills = table(
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
    head = figures(
        then,
        Figure("balance", f"减{partner.advance[:2]}", partner.more_owed),
        Figure("overdue", "已过到期日", "rise"),
        Figure("overdue_share", f"占未核销{owed}", "rise"),
        Figure("long_share", f"占未核销{owed}", "rise"),
        Figure("advance", "尚未核销"),
    )
    lines = (
        line(
            46,
            (
                bars(
                    "buckets", f"未核销{owed}按逾期账龄", data, ("open_amount",), "bucket_axis", valued=True
                ),
                6,
            ),
            (
                curves(
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
        line(
            46,
            (stack("months", f"各月末{owed}账龄构成", series, "open_amount", "month_label"), 6),
            (stack("companies", f"各公司{owed}账龄构成", data, "open_amount", "company_name"), 6),
        ),
        line(46, (ranking("partners", f"逾期金额前十{partner.label}", data, "overdue", partner.name), 12)),
        line(76, (listed, 12)),
        line(76, (stood_then, 12)),
        line(76, (bills, 12)),
    )
    offered = aging_dataset(partner, MONTH_ENDS)
    bucket = Filter("bucket", "账龄段", offered.key, "bucket")
    return board(
        (data, then, series, *at.offering(offered)),
        head,
        lines,
        (at.filter(data), *partner.filters(offered), bucket),
        # Advances are of no age.
        Pivot(data.key, ("company_name",), ("bucket_axis",), ("open_amount",)),
    )


def aging_tabs(partner: Partner, *names: tuple[str, str]) -> tuple[Tab, ...]:
    """By month ends, and by any day."""
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
