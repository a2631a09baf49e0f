"""核销明细：每一笔核销与它的两张单据。

Of each write-off both bills are told, how long the item was open and how late it was; means are weighed by amounts.
"""

from __future__ import annotations

from functools import partial

from reports.catalogue.beside import Figure, figures
from reports.catalogue.boards import Board, Filter, Report, Tab
from reports.catalogue.compare import MONTH, MONTH_COLUMNS, Period, compared_datasets, stood
from reports.catalogue.datasets import MONEY, Column, Dataset, Metric
from reports.catalogue.days import ANY_DAYS, MONTHS, Span
from reports.catalogue.expressions import ColumnRef, Expression, compare, sum_of
from reports.catalogue.metrics import (
    bill_count,
    compared,
    grown_beside,
    money,
    once,
    percent,
    quantity,
    ratio,
    sum_where,
)
from reports.catalogue.partners import CUSTOMERS, SUPPLIERS, Partner
from reports.catalogue.parts import (
    BY_COMPANY,
    COMPANY,
    bill_link,
    board,
    by_key,
    company_filter,
    curves,
    line,
    link,
    ranking,
    share,
    table,
)


def write_off_metrics(late: Expression, held_days: Expression, late_days: Expression) -> tuple[Metric, ...]:
    """Means are weighed by amounts: `held_days` and `late_days` are amounts times days, `late` what was late."""
    return (
        money("amount", "核销金额"),
        percent("late_share", "逾期核销占比", late, sum_of("amount")),
        Metric("mean_held", "平均账期（天）", ratio(held_days, sum_of("amount")), ",.1f"),
        Metric("mean_late", "平均逾期（天）", ratio(late_days, sum_of("amount")), ",.1f"),
    )


def write_off_months(partner: Partner) -> tuple[Dataset, Dataset]:
    """A month's write-offs beside the month before and last year's, and the dataset for their series."""
    measures = ("amount", "late_amount", "held_days", "late_days", "bill_count")
    amount, *weighed = write_off_metrics(sum_of("late_amount"), sum_of("held_days"), sum_of("late_days"))
    return compared_datasets(
        f"{partner.side}_write_off_month",
        f"{partner.owed}核销按月",
        "mart_write_off_month",
        grain="company",
        columns=(
            COMPANY,
            Column("partner_name", partner.label, follows=("partner_id",), is_wrapped=True),
            Column("manner", "核销方式"),
        ),
        measures={name: name for name in measures},
        metrics=(
            amount,
            *weighed_beside(partner, (amount, *weighed), measures, MONTH),
            quantity("bills", "核销单据数", "bill_count"),
        ),
        where=f"side = '{partner.owed}'",
    )


def weighed_beside(
    partner: Partner, shown: tuple[Metric, ...], measures: tuple[str, ...], period: Period
) -> tuple[Metric, ...]:
    """How an amount stood in earlier periods, and the means that it weighs, then and now."""
    amount, *weighed = shown
    return (
        *grown_beside(amount, measures, worse=partner.less_settled, period=period),
        *weighed,
        *(then for metric in weighed for then in stood(metric, measures, *period.earlier)),
    )


def write_off_columns(partner: Partner, span: Span) -> tuple[Column, ...]:
    statement = {**BY_COMPANY, **by_key(f"{partner.key}_id", "partner_name", "partner_id"), **span.days}
    return (
        COMPANY,
        Column("partner_name", partner.label, follows=("partner_id",), is_wrapped=True),
        Column("business_date", "核销日期", "date"),
        Column("bill_no", "核销单据", follows=("bill_type", "bill_id")),
        Column("manner", "核销方式"),
        Column("item_bill_no", "被核销单据", follows=("item_bill_type", "item_bill_id")),
        Column("item_date", "单据日期", "date", follows=("item_bill_type", "item_bill_id")),
        Column("due_date", "到期日", "date"),
        Column("late_days", "逾期天数", "number"),
        bill_link("核销单"),
        bill_link("被核销单", "item_link", "item_"),
        link("往来", partner.statement, **statement),
    )


LINE_METRICS = (
    Metric("item_amount", "被核销单据金额", once("item_amount", "settlement_id"), MONEY),
    bill_count("bills", "核销单据数", "amount"),
)
"""What single write-offs are counted by: a bill that was written off bit by bit counts once in any sum of bills."""


def write_off_days(partner: Partner) -> tuple[Dataset, Dataset]:
    """The write-offs of any days beside those of earlier days, and the dataset for their series."""
    measures = ("amount", "item_amount", "settlement_id", "late_amount", "held", "late")
    shown = write_off_metrics(sum_of("late_amount"), sum_of("held"), sum_of("late"))
    return compared_datasets(
        f"{partner.side}_write_off{ANY_DAYS.mark}",
        f"{partner.owed}核销明细{ANY_DAYS.word}",
        "(select *, business_date as day, case when late_days > 0 then amount else 0 end as late_amount,"
        " amount * held_days as held, amount * late_days as late from mart_write_off)",
        grain="company",
        columns=write_off_columns(partner, ANY_DAYS),
        measures={name: name for name in measures},
        metrics=(
            shown[0],
            *weighed_beside(partner, shown, measures, ANY_DAYS.period),
            *LINE_METRICS,
        ),
        period=ANY_DAYS.period,
        axis=ANY_DAYS.columns,
        where=f"side = '{partner.owed}'",
        explorable=False,
    )


def write_off_lines(partner: Partner) -> Dataset:
    measures = ("amount", "item_amount", "settlement_id", "held_days")
    return Dataset(
        key=f"{partner.side}_write_off",
        label=f"{partner.owed}核销明细",
        source=f"(select * from mart_write_off where side = '{partner.owed}')",
        grain="company",
        time_column="month",
        columns=(*MONTH_COLUMNS, *write_off_columns(partner, MONTHS)),
        measures=measures,
        flows=measures,
        metrics=(
            *write_off_metrics(
                sum_where("amount", compare("late_days", ">", 0)),
                sum_of(ColumnRef("amount") * ColumnRef("held_days")),
                sum_of(ColumnRef("amount") * ColumnRef("late_days")),
            ),
            *LINE_METRICS,
        ),
    )


def write_off_board(partner: Partner, span: Span) -> Board:
    """Each write-off with both its bills."""
    data, then, series = span.lines_beside(
        partial(write_off_lines, partner),
        partial(write_off_months, partner),
        partial(write_off_days, partner),
    )
    partners = table(
        f"{partner.label}核销与{'、'.join(span.period.earlier)}",
        then,
        ("company_name", "partner_name"),
        (*compared("amount"), "mean_held", "mean_held_before", "mean_held_year", "late_share"),
        "amount",
        key="compared",
        bar="amount",
    )
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
            *("due_date", "late_days", "bill_link", "item_link", "detail_link"),
        ),
        ("item_amount", "amount"),
        "amount",
        only_filed=("manner", "item_date"),
    )
    head = figures(
        then,
        Figure("amount", worse=partner.less_settled),
        Figure("bills", "核销用的单据"),
        Figure("mean_held", "从单据到核销，按金额加权", "rise"),
        Figure("mean_late", "按金额加权", "rise"),
        Figure("late_share", "过了到期日才核销的金额", "rise"),
    )
    # What a reversal leaves of a day's amounts weighs no mean.
    word, second = ("平均账期", "mean_held") if span.whole else ("单据数", "bills")
    title = f"{span.each}核销金额与{word}"
    trend = curves("trend", title, series, ("amount",), second, span.axis, span.dense)
    lines = (
        line(
            44,
            (trend, 7),
            (ranking("partners", f"核销金额前十{partner.label}", data, "amount", "partner_name"), 5),
        ),
        line(
            42,
            (ranking("companies", "各公司核销金额", data, "amount", "company_name", 20), 8),
            (share("manners", "核销方式", data, "amount", "manner"), 4),
        ),
        line(70, (partners, 12)),
        line(90, (detail, 12)),
    )
    filters = (
        span.filter(data),
        company_filter(data),
        Filter("partner", partner.label, data.key, "partner_name", searched=True),
        Filter("manner", "核销方式", data.key, "manner"),
    )
    return board((data, then, series), head, lines, filters)


VERIFICATION_DETAILS = Report(
    code="verificationDetails",
    label="核销明细",
    question="每一笔核销对应哪两张单据，账期多长、有没有逾期？",
    group="往来报表",
    tabs=tuple(
        Tab(f"{key}{span.mark}", f"{label}{span.word}", write_off_board(partner, span))
        for span in (MONTHS, ANY_DAYS)
        for key, label, partner in (("receivable", "应收核销", CUSTOMERS), ("payable", "应付核销", SUPPLIERS))
    ),
)
