"""往来：应收、应付的账龄与月账，付款安排，核销明细。

Open amounts stand as of a month's end, the running month as of the snapshot's day; advances and unused rebates have a
column of their own, and the buckets sum to what is open. Of a month: opening + increases − settled − offset = closing.
"""

from __future__ import annotations

from dataclasses import dataclass

from reports.catalogue.aging import BUCKET, bucket_metrics, bucket_names
from reports.catalogue.compare import MONTH, all_periods, compared, series_of, with_suffixes
from reports.catalogue.model import (
    MONEY,
    PERCENT,
    QUANTITY,
    Board,
    Column,
    Dataset,
    Filter,
    Metric,
    Report,
    Tab,
)
from reports.catalogue.parts import (
    COMPANY,
    CUSTOMER,
    EMPLOYEE,
    bars,
    board,
    change_metric,
    company_filter,
    curves,
    employee_filter,
    figure,
    figures,
    in_order,
    line,
    link,
    money,
    percent,
    period_filter,
    ranking,
    ratio,
    report,
    share,
    stack,
    table,
    trend_figure,
)

DEBT_BUCKETS = ("未到期", "1–30天", "31–60天", "61–90天", "91–180天", "180天以上")
MONTHS = (Column("month", "月份", "date"), Column("month_label", "月"))
MONTH_DAYS = {
    "business_date_start": "strftime(m.month, '%Y-%m-%d')",
    "business_date_end": "strftime(last_day(m.month), '%Y-%m-%d')",
}


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

    def filters(self, dataset: Dataset) -> tuple[Filter, ...]:
        own = Filter(self.key, self.label, dataset.key, self.name, searched=True)
        salesman = (employee_filter(dataset),) if EMPLOYEE in self.columns else ()
        return (company_filter(dataset), *salesman, own)

    def bills(self, **days: str) -> Column:
        """Leads to the partner's bills in a company."""
        return link(
            "往来",
            self.statement,
            company_id="m.company_id",
            **{f"{self.key}_id": f"m.{self.key}_id"},
            **days,
            company_id__label="url_encode(m.company_name)",
            **{f"{self.key}_id__label": f"url_encode(m.{self.name})"},
        )


CUSTOMERS = Partner(
    key="customer",
    label="客户",
    owed="应收",
    advance="预收款",
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
    advance="预付款",
    delivered="采购",
    settled="付款",
    side="payable",
    statement="/report/factorydetrpt",
    columns=(Column("supplier_name", "供应商"),),
)


def past_due(days: int) -> str:
    return f"sum(open_amount) filter (where days_past_due > {days})"


def aging_dataset(partner: Partner) -> Dataset:
    return Dataset(
        key=f"{partner.side}_aging",
        label=f"{partner.owed}账款账龄",
        source=f"mart_{partner.side}_aging",
        grain="company",
        buckets=DEBT_BUCKETS,
        time_column="month",
        columns=(
            *MONTHS,
            COMPANY,
            *partner.columns,
            Column("bill_no", "单据编号"),
            Column("business_date", "单据日期", "date"),
            Column("due_date", "到期日", "date"),
            Column("days_past_due", "逾期天数", "number"),
            *BUCKET,
            partner.bills(),
        ),
        measures=("open_amount", "advance_amount", "balance"),
        metrics=(
            money("balance", f"{partner.owed}余额"),
            money("open_amount", f"未核销{partner.owed}"),
            money("advance", partner.advance, "advance_amount"),
            Metric("overdue", "逾期金额", f"cast({past_due(0)} as double)", MONEY),
            percent("overdue_share", "逾期占比", past_due(0), "sum(open_amount)"),
            percent("long_share", "逾期90天以上占比", past_due(90), "sum(open_amount)"),
            Metric("longest", "最长逾期（天）", "max(days_past_due)", QUANTITY),
            *bucket_metrics(DEBT_BUCKETS, "open_amount", MONEY),
        ),
    )


def aging_board(partner: Partner) -> Board:
    data = aging_dataset(partner)
    series = all_periods(data)
    owed = partner.owed
    who = tuple(column.name for column in partner.columns)
    listed = table(
        f"{partner.label}账龄明细",
        data,
        ("company_name", *who, "detail_link"),
        ("balance", "open_amount", *bucket_names(DEBT_BUCKETS), "advance", "longest"),
        "open_amount",
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
            "detail_link",
        ),
        ("open_amount",),
        "longest",
        key="bills",
    )
    lines = (
        figures(
            trend_figure("balance_now", f"{owed}余额", series, "balance", "较上月末，已减" + partner.advance),
            trend_figure("overdue_now", "逾期金额", series, "overdue", "较上月末，已过到期日"),
            figure("overdue_share", "逾期占比", data, f"占未核销{owed}"),
            figure("long_share", "逾期90天以上占比", data, f"占未核销{owed}"),
            figure("advance", partner.advance, data, "尚未核销"),
            height=20,
        ),
        line(
            46,
            (
                bars(
                    "buckets", f"未核销{owed}按逾期账龄", data, ("open_amount",), "bucket_axis", valued=True
                ),
                4,
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
                4,
            ),
            (ranking("partners", f"逾期金额前十{partner.label}", data, "overdue", partner.name), 4),
        ),
        line(42, (stack("companies", f"各公司{owed}账龄构成", data, "open_amount", "company_name"), 12)),
        line(76, (listed, 12)),
        line(76, (bills, 12)),
    )
    bucket = Filter("bucket", "账龄段", data.key, "bucket")
    return board(
        (data, series),
        lines,
        (period_filter(data, "month_label", "截至月末"), *partner.filters(data), bucket),
    )


FLOWS = ("opening", "delivery", "return", "other", "settled", "offset", "closing")


def months_datasets(partner: Partner) -> tuple[Dataset, Dataset]:
    """The partners' months beside the month before and last year's, and the dataset for the series."""

    def source(alone: bool) -> str:
        return compared(
            f"mart_{partner.side}_month",
            MONTH,
            start="month",
            label="month_label",
            dimensions=(
                *("company_id", "company_name", f"{partner.key}_id"),
                *(column.name for column in partner.columns),
            ),
            measures={name: f"{name}_amount" for name in FLOWS},
            alone=alone,
        )

    owed = partner.owed
    words = {
        "opening": f"期初{owed}",
        "delivery": f"本期{partner.delivered}",
        "return": "本期退货",
        "other": "其他增加",
        "settled": f"本期{partner.settled}",
        "offset": "本期冲抵",
        "closing": f"期末{owed}",
    }
    data = Dataset(
        key=f"{partner.side}_month",
        label=f"{owed}月账",
        source=source(alone=False),
        grain="company",
        time_column="month",
        columns=(*MONTHS, COMPANY, *partner.columns, partner.bills(**MONTH_DAYS)),
        measures=with_suffixes(*FLOWS),
        metrics=(
            *(money(name, label) for name, label in words.items()),
            money("closing_before", f"上月末{owed}"),
            change_metric("closing_change", "较上月末", "sum(closing)", "sum(closing_before)"),
            money("delivery_before", f"上月整月{partner.delivered}"),
            money("settled_before", f"上月整月{partner.settled}"),
            change_metric(
                "settled_change", f"{partner.settled}较上月整月", "sum(settled)", "sum(settled_before)"
            ),
            money("settled_year", f"去年同月整月{partner.settled}"),
            Metric(
                "rate",
                f"{partner.settled}率",
                ratio("coalesce(sum(settled), 0)", "coalesce(sum(opening), 0) + coalesce(sum(delivery), 0)"),
                PERCENT,
            ),
        ),
    )
    return data, series_of(data, source(alone=True))


def months_board(partner: Partner) -> Board:
    data, series = months_datasets(partner)
    owed = partner.owed
    who = tuple(column.name for column in partner.columns)
    listed = table(
        f"{partner.label}{owed}明细",
        data,
        ("company_name", *who, "detail_link"),
        (*FLOWS, "closing_before", "closing_change", "settled_year", "rate"),
        "closing",
        bar="closing",
    )
    lines = (
        figures(
            trend_figure("closing_now", f"期末{owed}", series, "closing", "较上月末"),
            trend_figure("delivery_now", f"本月至今{partner.delivered}", series, "delivery", "较上月整月"),
            trend_figure("settled_now", f"本月至今{partner.settled}", series, "settled", "较上月整月"),
            figure("opening", f"期初{owed}", data, "所选月份"),
            figure(
                "rate", f"{partner.settled}率", data, f"{partner.settled} ÷（期初 + 本期{partner.delivered}）"
            ),
            height=20,
        ),
        line(
            44,
            (
                curves(
                    "months",
                    f"各月{partner.delivered}、{partner.settled}与期末{owed}",
                    series,
                    ("delivery", "settled"),
                    "closing",
                    "month_label",
                ),
                7,
            ),
            (ranking("partners", f"期末{owed}前十{partner.label}", data, "closing", partner.name), 5),
        ),
        line(
            40,
            (
                bars(
                    "companies",
                    f"各公司期初与期末{owed}",
                    data,
                    ("opening", "closing"),
                    "company_name",
                    order="closing",
                ),
                12,
            ),
        ),
        line(82, (listed, 12)),
    )
    filters = (period_filter(data, "month_label", "月"), *partner.filters(data))
    return board((data, series), lines, filters)


DUE = ("已逾期", "7天内", "8–15天", "16–30天", "31–60天", "60天以后")
# Days from the snapshot's day to the due date.
AHEAD = "date_diff('day', m.as_of, m.due_date)"
DUE_ORDER = (
    f"case when {AHEAD} < 0 then 1 when {AHEAD} <= 7 then 2 when {AHEAD} <= 15 then 3 when {AHEAD} <= 30 then 4"
    f" when {AHEAD} <= 60 then 5 else 6 end"
)
DUE_NAME = f"{list(DUE)}[{DUE_ORDER}]"


def payment_board(cost: bool) -> Board:
    """What has to be paid and when, beside what was paid."""
    months, series = months_datasets(SUPPLIERS)
    data = Dataset(
        key="payable_due",
        label="付款安排",
        source="(select * from mart_payable_aging where month = (select max(month) from mart_payable_aging))",
        grain="company",
        buckets=DUE,
        columns=(
            COMPANY,
            *SUPPLIERS.columns,
            Column("bill_no", "单据编号"),
            Column("business_date", "单据日期", "date"),
            Column("due_date", "到期日", "date"),
            Column("days_ahead", "距到期（天）", "number", sql=AHEAD),
            Column("bucket", "到期段", sql=DUE_NAME),
            Column("bucket_axis", "到期段", sql=in_order(DUE_ORDER, DUE_NAME)),
            SUPPLIERS.bills(),
        ),
        measures=("open_amount", "advance_amount"),
        metrics=(
            money("open_amount", "未付应付"),
            money("advance", "预付款", "advance_amount"),
            Metric(
                "needed", "扣除预付后应付", "cast(sum(open_amount) - sum(advance_amount) as double)", MONEY
            ),
            Metric("soonest", "最早到期（天）", "min(days_ahead)", QUANTITY),
            *bucket_metrics(DUE, "open_amount", MONEY),
            percent(
                "overdue_share",
                "已逾期占比",
                "sum(open_amount) filter (where days_ahead < 0)",
                "sum(open_amount)",
            ),
        ),
    )
    plan = table(
        "供应商付款安排",
        data,
        ("company_name", "supplier_name", "detail_link"),
        ("open_amount", *bucket_names(DUE), "advance", "needed"),
        "open_amount",
        bar="open_amount",
    )
    bills = table(
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
            "detail_link",
        ),
        ("open_amount",),
        "open_amount",
        key="bills",
    )
    lines = (
        figures(
            figure("bucket_1", "已逾期应付", data, "已过到期日"),
            figure("bucket_2", "7天内到期", data, "需要准备的资金"),
            figure("needed", "扣除预付后应付", data, "未付应付减预付款"),
            figure("advance", "预付款", data, "尚未核销"),
            trend_figure("settled_now", "本月至今付款", series, "settled", "较上月整月"),
            height=20,
        ),
        line(
            44,
            (bars("due", "未付应付按到期时间", data, ("open_amount",), "bucket_axis", valued=True), 6),
            (
                curves(
                    "paid",
                    "各月采购、付款与期末应付",
                    series,
                    ("delivery", "settled"),
                    "closing",
                    "month_label",
                ),
                6,
            ),
        ),
        line(
            44,
            (ranking("partners", "未付应付前十供应商", data, "open_amount", "supplier_name"), 6),
            (stack("companies", "各公司未付应付到期构成", data, "open_amount", "company_name"), 6),
        ),
        line(76, (plan, 12)),
        line(76, (bills, 12)),
    )
    bucket = Filter("bucket", "到期段", data.key, "bucket")
    return board((data, months, series), lines, (*SUPPLIERS.filters(data), bucket))


def write_off_board(partner: Partner) -> Board:
    """Each write-off with both its bills."""
    data = Dataset(
        key=f"{partner.side}_write_off",
        label=f"{partner.owed}核销明细",
        source=f"(select * from mart_write_off where side = '{partner.owed}')",
        grain="company",
        time_column="month",
        columns=(
            *MONTHS,
            COMPANY,
            Column("partner_name", partner.label),
            Column("business_date", "核销日期", "date"),
            Column("bill_no", "核销单据"),
            Column("manner", "核销方式"),
            Column("item_bill_no", "被核销单据"),
            Column("item_date", "单据日期", "date"),
            Column("due_date", "到期日", "date"),
            Column("late_days", "逾期天数", "number"),
            link(
                "往来",
                partner.statement,
                company_id="m.company_id",
                **{f"{partner.key}_id": "m.partner_id"},
                **MONTH_DAYS,
                company_id__label="url_encode(m.company_name)",
                **{f"{partner.key}_id__label": "url_encode(m.partner_name)"},
            ),
        ),
        measures=("amount", "item_amount", "held_days"),
        metrics=(
            money("amount", "核销金额"),
            money("item_amount", "被核销单据金额"),
            Metric("bills", "核销单据数", "count(distinct bill_no)", QUANTITY),
            percent("late_share", "逾期核销占比", "sum(amount) filter (where late_days > 0)", "sum(amount)"),
            Metric("mean_held", "平均账期（天）", ratio("sum(amount * held_days)", "sum(amount)"), ",.1f"),
            Metric("mean_late", "平均逾期（天）", ratio("sum(amount * late_days)", "sum(amount)"), ",.1f"),
        ),
    )
    series = all_periods(data)
    detail = table(
        "核销明细",
        data,
        (
            *(
                "company_name",
                "partner_name",
                "business_date",
                "bill_no",
                "manner",
                "item_bill_no",
                "item_date",
            ),
            *("due_date", "late_days", "detail_link"),
        ),
        ("item_amount", "amount"),
        "amount",
    )
    lines = (
        figures(
            trend_figure("amount_now", "本月至今核销", series, "amount", "较上月整月"),
            figure("bills", "核销单据数", data, "所选月份"),
            figure("mean_held", "平均账期（天）", data, "从单据到核销，按金额加权"),
            figure("mean_late", "平均逾期（天）", data, "按金额加权"),
            figure("late_share", "逾期核销占比", data, "过了到期日才核销的金额"),
            height=20,
        ),
        line(
            44,
            (curves("months", "各月核销金额与平均账期", series, ("amount",), "mean_held", "month_label"), 7),
            (ranking("partners", f"核销金额前十{partner.label}", data, "amount", "partner_name"), 5),
        ),
        line(
            42,
            (ranking("companies", "各公司核销金额", data, "amount", "company_name", 20), 8),
            (share("manners", "核销方式", data, "amount", "manner"), 4),
        ),
        line(90, (detail, 12)),
    )
    filters = (
        period_filter(data, "month_label", "月"),
        company_filter(data),
        Filter("partner", partner.label, data.key, "partner_name", searched=True),
        Filter("manner", "核销方式", data.key, "manner"),
    )
    return board((data, series), lines, filters)


ACCOUNTS_RECEIVABLE = report(
    code="accountsReceivable",
    label="应收账款账龄",
    question="谁欠多少，逾期多久，比上月末是多是少？",
    group="往来报表",
    make=lambda cost: aging_board(CUSTOMERS),
    has_cost=False,
)
RECEIVABLE_SCHEDULE = report(
    code="ScheduleAccountsReceivable",
    label="应收账款明细表",
    question="这个月新增多少应收、收回多少、还剩多少？",
    group="往来报表",
    make=lambda cost: months_board(CUSTOMERS),
    has_cost=False,
)
PAYABLE_SCHEDULE = Report(
    code="ScheduleAccountsPayable",
    label="应付账款明细表",
    question="欠供应商多少，这个月付了多少，哪些已经逾期？",
    group="往来报表",
    tabs=(Tab("months", "月账", months_board(SUPPLIERS)), Tab("aging", "账龄", aging_board(SUPPLIERS))),
)
FACTORY_PAYMENT = report(
    code="facyorypayment",
    label="厂家付款分析",
    question="哪些厂家的款快到期，要准备多少资金？",
    group="往来报表",
    make=payment_board,
    has_cost=False,
)
VERIFICATION_DETAILS = Report(
    code="verificationDetails",
    label="核销明细",
    question="每一笔核销对应哪两张单据，账期多长、有没有逾期？",
    group="往来报表",
    tabs=(
        Tab("receivable", "应收核销", write_off_board(CUSTOMERS)),
        Tab("payable", "应付核销", write_off_board(SUPPLIERS)),
    ),
)
