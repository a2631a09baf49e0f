"""往来账：应收、应付按月、按起止日从期初到期末。

Of a month or any days: opening + increases − settled − offset = closing.
"""

from __future__ import annotations

from dataclasses import replace

from reports.catalogue.aims import aimed_chart, aimed_dataset
from reports.catalogue.beside import Figure, figures
from reports.catalogue.between import BETWEEN, Balances
from reports.catalogue.boards import Board, Pivot, Report, Tab
from reports.catalogue.compare import MONTH_COLUMNS, Source, compared_datasets
from reports.catalogue.datasets import MONEY, PERCENT, Dataset, Metric
from reports.catalogue.days import DAY_COLUMNS, MONTHS, Span
from reports.catalogue.expressions import ColumnRef, Sum, ToDouble, Window, default_to_zero, sum_of
from reports.catalogue.metrics import change_metric, money, ratio
from reports.catalogue.partners import CUSTOMERS, SUPPLIERS, Partner, aging_tabs
from reports.catalogue.parts import COMPANY, bars, board, curves, line, ranking, table

STANDING = "standing"
"""What is owed at the end of a day."""
MOVES = ("delivery", "return", "other", "settled", "offset")
FLOWS = ("opening", *MOVES, "closing")


def account_datasets(partner: Partner, span: Span = MONTHS) -> tuple[Dataset, Dataset]:
    """The partners' months or days beside earlier ones, and the dataset for the series."""
    owed = partner.owed
    previous, last_year = span.period.earlier
    ended = f"{previous.removesuffix('整月')}末"
    words = {
        "opening": f"期初{owed}",
        "delivery": f"本期{partner.delivered}",
        "return": "本期退货",
        "other": "其他增加",
        "settled": f"本期{partner.settled}",
        "offset": "本期冲抵",
        "closing": f"期末{owed}",
    }
    data, series = compared_datasets(
        f"{partner.side}{span.mark or '_month'}",
        f"{owed}{'月' if span.whole else '日'}账",
        f"mart_{partner.side}_month",
        grain="company",
        period=span.period,
        axis=span.columns,
        rows=Source if span.whole else Balances,
        keys=(f"{partner.key}_id",),
        columns=(COMPANY, *partner.columns, partner.bills(**span.days)),
        measures={name: f"{name}_amount" for name in FLOWS},
        levels=("opening", "closing"),
        metrics=(
            *(money(name, label) for name, label in words.items()),
            money("closing_before", f"{ended}{owed}"),
            change_metric(
                "closing_change", f"较{ended}", sum_of("closing"), sum_of("closing_before"), partner.more_owed
            ),
            money("settled_year", f"{last_year}{partner.settled}"),
            Metric(
                "rate",
                f"{partner.settled}率",
                ratio(
                    default_to_zero(sum_of("settled")),
                    default_to_zero(sum_of("opening")) + default_to_zero(sum_of("delivery")),
                ),
                PERCENT,
            ),
        ),
        explorable=span.whole,
    )
    if span.whole:
        return data, series
    day_end = Metric(
        STANDING,
        f"当日终了{owed}",
        ToDouble(Window(Sum(sum_of("closing")), ColumnRef("day_label"))),
        MONEY,
        stands=True,
    )
    columns = (*DAY_COLUMNS, *series.columns)
    return data, replace(series, columns=columns, metrics=(*series.metrics, day_end))


def aimed_receipts(partner: Partner) -> Dataset:
    """What was received each month, and what was aimed at."""
    return aimed_dataset(
        f"{partner.side}_month",
        f"{partner.owed}月账",
        f"mart_{partner.side}_month",
        money("settled", partner.settled, "settled_amount"),
        ("settled_amount",),
        "receipts_target",
        MONTH_COLUMNS,
        tuple(column for column in partner.columns if column.kind != "link"),
    )


def account_board(partner: Partner, span: Span) -> Board:
    data, series = account_datasets(partner, span)
    # Of all ranges there are no rows to offer values of.
    offered = data if span.whole else account_datasets(partner)[0]
    owed = partner.owed
    level = series.metric("closing" if span.whole else STANDING)
    beside = f"与{level.label}" if span.whole else f"，右轴为{level.label}"
    who = tuple(column.name for column in partner.columns)
    listed = table(
        f"{partner.label}{owed}明细",
        data,
        ("company_name", *who, "detail_link"),
        (*FLOWS, "closing_before", "closing_change", "settled_year", "rate"),
        "closing",
        bar="closing",
        only_filed=("closing_before", "settled_year"),
    )
    head = figures(
        data,
        Figure("closing", worse=partner.more_owed),
        Figure("delivery"),
        Figure("settled", worse=partner.less_settled),
        Figure("opening"),
        Figure("rate", f"{partner.settled} ÷（期初 + 本期{partner.delivered}）", partner.less_settled),
    )
    aims = span.whole and partner is CUSTOMERS
    aimed = aimed_receipts(partner)
    lines = (
        line(
            44,
            (
                curves(
                    "months",
                    f"{span.each}{partner.delivered}、{partner.settled}{beside}",
                    series,
                    ("delivery", "settled"),
                    level.name,
                    span.axis,
                    span.dense,
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
        *((line(36, (aimed_chart(aimed, "month_label"), 12)),) if aims else ()),
        line(82, (listed, 12)),
    )
    chosen = span.filter(data)
    filters = (
        replace(chosen, excludes=(*chosen.excludes, "aimed")) if aims else chosen,
        *partner.filters(offered),
    )
    datasets = tuple(dict.fromkeys((data, series, offered, *((aimed,) if aims else ()))))
    return board(datasets, head, lines, filters, None if span.whole else by_day(series))


def by_day(series: Dataset) -> Pivot:
    """What moved day by day; what stood at the ends of a range is told of the range alone."""
    return Pivot(series.key, (COMPANY.name,), (DAY_COLUMNS[1].name,), ("settled",), offered=MOVES)


RECEIVABLE_SCHEDULE = Report(
    code="ScheduleAccountsReceivable",
    label="应收账款明细表",
    question="这个月新增多少应收、收回多少、还剩多少？",
    group="往来报表",
    words="客户欠款 欠账 回款",
    tabs=tuple(
        Tab(span.key, span.period.label, account_board(CUSTOMERS, span)) for span in (MONTHS, BETWEEN)
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
        Tab(BETWEEN.key, BETWEEN.period.label, account_board(SUPPLIERS, BETWEEN)),
        *aging_tabs(SUPPLIERS, ("aging", "账龄"), ("aging_day", "账龄按截至日")),
    ),
)
