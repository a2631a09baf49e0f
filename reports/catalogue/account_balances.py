"""Account schedules (往来账): receivables and payables from opening to closing, by month or any days.

Opening + increases − settled − offset = closing.
"""

from __future__ import annotations

from dataclasses import replace

from reports.catalogue.partners import CUSTOMERS, SUPPLIERS, Partner, aging_tabs
from reports.catalogue.target_lines import build_target_chart, target_dataset
from reports.semantics.dashboards import Board, Pivot, Report, Tab
from reports.semantics.datasets import MONEY, PERCENT, Dataset, Metric
from reports.semantics.expressions import ColumnRef, Sum, ToDouble, Window, default_to_zero, sum_of
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import change_metric, money_metric, ratio_of
from reports.semantics.period_comparison import MONTH_COLUMNS, PeriodSource, compared_datasets
from reports.semantics.range_balances import BALANCE_DAYS, RangeBalances
from reports.semantics.report_builders import (
    COMPANY,
    build_bar_chart,
    build_board,
    build_curve_chart,
    build_ranking_chart,
    build_row,
    build_table,
)
from reports.semantics.time_grains import DAY_COLUMNS, MONTHS, TimeGrain

DAY_END_BALANCE = "standing"
"""Metric of the balance at the end of a day."""
MOVES = ("delivery", "return", "other", "settled", "offset")
FLOWS = ("opening", *MOVES, "closing")


def account_datasets(partner: Partner, span: TimeGrain = MONTHS) -> tuple[Dataset, Dataset]:
    """Return the partners' months or days with prior periods, and the dataset for the series."""
    owed = partner.balance_label
    previous, last_year = span.period.prior_labels
    ended = f"{previous.removesuffix('整月')}末"
    words = {
        "opening": f"期初{owed}",
        "delivery": f"本期{partner.delivery_label}",
        "return": "本期退货",
        "other": "其他增加",
        "settled": f"本期{partner.payment_label}",
        "offset": "本期冲抵",
        "closing": f"期末{owed}",
    }
    data, series = compared_datasets(
        f"{partner.side}{span.mark or '_month'}",
        f"{owed}{'月' if span.is_whole else '日'}账",
        f"mart_{partner.side}_month",
        grain="company",
        period=span.period,
        axis=span.columns,
        rows=PeriodSource if span.is_whole else RangeBalances,
        keys=(f"{partner.key}_id",),
        columns=(COMPANY, *partner.columns, partner.bills(**span.days)),
        measures={name: f"{name}_amount" for name in FLOWS},
        levels=("opening", "closing"),
        metrics=(
            *(money_metric(name, label) for name, label in words.items()),
            money_metric("closing_before", f"{ended}{owed}"),
            change_metric(
                "closing_change",
                f"较{ended}",
                sum_of("closing"),
                sum_of("closing_before"),
                partner.worse_balance,
            ),
            money_metric("settled_year", f"{last_year}{partner.payment_label}"),
            Metric(
                "rate",
                f"{partner.payment_label}率",
                ratio_of(
                    default_to_zero(sum_of("settled")),
                    default_to_zero(sum_of("opening")) + default_to_zero(sum_of("delivery")),
                ),
                PERCENT,
            ),
        ),
        explorable=span.is_whole,
    )
    if span.is_whole:
        return data, series
    day_end = Metric(
        DAY_END_BALANCE,
        f"当日终了{owed}",
        ToDouble(Window(Sum(sum_of("closing")), ColumnRef("day_label"))),
        MONEY,
        carries_forward=True,
    )
    columns = (*DAY_COLUMNS, *series.columns)
    return data, replace(series, columns=columns, metrics=(*series.metrics, day_end))


def receipts_target_dataset(partner: Partner) -> Dataset:
    """Return the dataset of each month's receipts and their target."""
    return target_dataset(
        f"{partner.side}_month",
        f"{partner.balance_label}月账",
        f"mart_{partner.side}_month",
        money_metric("settled", partner.payment_label, "settled_amount"),
        ("settled_amount",),
        "receipts_target",
        MONTH_COLUMNS,
        tuple(column for column in partner.columns if column.kind != "link"),
    )


def account_board(partner: Partner, span: TimeGrain) -> Board:
    data, series = account_datasets(partner, span)
    # Of all ranges there are no rows to offer values of.
    offered = data if span.is_whole else account_datasets(partner)[0]
    owed = partner.balance_label
    level = series.metric("closing" if span.is_whole else DAY_END_BALANCE)
    axis_note = f"与{level.label}" if span.is_whole else f"，右轴为{level.label}"
    who = tuple(column.name for column in partner.columns)
    listed = build_table(
        f"{partner.label}{owed}明细",
        data,
        ("company_name", *who, "detail_link"),
        (*FLOWS, "closing_before", "closing_change", "settled_year", "rate"),
        "closing",
        bar="closing",
        export_only=("closing_before", "settled_year"),
    )
    head = build_kpi_header(
        data,
        Kpi("closing", worse=partner.worse_balance),
        Kpi("delivery"),
        Kpi("settled", worse=partner.worse_payment),
        Kpi("opening"),
        Kpi(
            "rate", f"{partner.payment_label} ÷（期初 + 本期{partner.delivery_label}）", partner.worse_payment
        ),
    )
    aims = span.is_whole and partner is CUSTOMERS
    aimed = receipts_target_dataset(partner)
    lines = (
        build_row(
            44,
            (
                build_curve_chart(
                    "months",
                    f"{span.each}{partner.delivery_label}、{partner.payment_label}{axis_note}",
                    series,
                    ("delivery", "settled"),
                    level.name,
                    span.axis,
                    span.is_dense,
                ),
                7,
            ),
            (
                build_ranking_chart(
                    "partners", f"期末{owed}前十{partner.label}", data, "closing", partner.name
                ),
                5,
            ),
        ),
        build_row(
            40,
            (
                build_bar_chart(
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
        *((build_row(36, (build_target_chart(aimed, "month_label"), 12)),) if aims else ()),
        build_row(82, (listed, 12)),
    )
    chosen = span.filter(data)
    filters = (
        replace(chosen, excludes=(*chosen.excludes, "aimed")) if aims else chosen,
        *partner.filters(offered),
    )
    datasets = tuple(dict.fromkeys((data, series, offered, *((aimed,) if aims else ()))))
    return build_board(datasets, head, lines, filters, None if span.is_whole else build_day_pivot(series))


def build_day_pivot(series: Dataset) -> Pivot:
    """Return the pivot of daily flows; opening and closing balances exist for the range as a whole only."""
    return Pivot(series.key, (COMPANY.name,), (DAY_COLUMNS[1].name,), ("settled",), offered=MOVES)


RECEIVABLE_SCHEDULE = Report(
    code="ScheduleAccountsReceivable",
    label="应收账款明细表",
    question="这个月新增多少应收、收回多少、还剩多少？",
    group="往来报表",
    words="客户欠款 欠账 回款",
    tabs=tuple(
        Tab(span.key, span.period.label, account_board(CUSTOMERS, span)) for span in (MONTHS, BALANCE_DAYS)
    ),
)
PAYABLE_SCHEDULE = Report(
    code="ScheduleAccountsPayable",
    label="应付账款明细表",
    question="欠供应商多少，这个月付了多少，哪些已经逾期？",
    group="往来报表",
    words="供应商欠款 欠账 我们欠谁钱",
    tabs=(
        Tab("months", "月账", account_board(SUPPLIERS, MONTHS)),
        Tab(BALANCE_DAYS.key, BALANCE_DAYS.period.label, account_board(SUPPLIERS, BALANCE_DAYS)),
        *aging_tabs(SUPPLIERS, ("aging", "账龄"), ("aging_day", "账龄按截至日")),
    ),
)
