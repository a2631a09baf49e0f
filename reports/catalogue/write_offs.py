"""Write-offs (核销明细): each write-off with its two bills.

Each has both bills, the days that the item was open and the days past due; means are weighted by amounts.
"""

from __future__ import annotations

from functools import partial

from reports.catalogue.partners import CUSTOMERS, SUPPLIERS, Partner
from reports.semantics.dashboards import Board, Filter, Report, Tab
from reports.semantics.datasets import MONEY, Column, Dataset, Metric
from reports.semantics.expressions import ColumnRef, Expression, compare, sum_of
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import (
    bill_count_metric,
    list_comparison_names,
    money_metric,
    percent_metric,
    quantity_metric,
    ratio_of,
    sum_once,
    sum_where,
    with_prorated_prior_periods,
)
from reports.semantics.period_comparison import (
    MONTH,
    MONTH_COLUMNS,
    Period,
    compared_datasets,
    prior_period_variants,
)
from reports.semantics.report_builders import (
    BY_COMPANY,
    COMPANY,
    bill_link,
    build_board,
    build_curve_chart,
    build_donut_chart,
    build_ranking_chart,
    build_row,
    build_table,
    company_filter,
    key_filter,
    link_column,
)
from reports.semantics.time_grains import ANY_DAYS, MONTHS, TimeGrain


def write_off_metrics(late: Expression, held_days: Expression, late_days: Expression) -> tuple[Metric, ...]:
    """Return the metrics of write-offs; means are weighted by amounts.

    `held_days` and `late_days` are sums of amounts times days, `late` is the late amount.
    """
    return (
        money_metric("amount", "核销金额"),
        percent_metric("late_share", "逾期核销占比", late, sum_of("amount")),
        Metric("mean_held", "平均账期（天）", ratio_of(held_days, sum_of("amount")), ",.1f"),
        Metric("mean_late", "平均逾期（天）", ratio_of(late_days, sum_of("amount")), ",.1f"),
    )


def write_off_months(partner: Partner) -> tuple[Dataset, Dataset]:
    """Return a month's write-offs with prior periods, and their series dataset."""
    measures = ("amount", "late_amount", "held_days", "late_days", "bill_count")
    amount, *weighed = write_off_metrics(sum_of("late_amount"), sum_of("held_days"), sum_of("late_days"))
    return compared_datasets(
        f"{partner.side}_write_off_month",
        f"{partner.balance_label}核销按月",
        "mart_write_off_month",
        grain="company",
        columns=(
            COMPANY,
            Column("partner_name", partner.label, determined_by=("partner_id",), is_wrapped=True),
            Column("manner", "核销方式"),
        ),
        measures={name: name for name in measures},
        metrics=(
            amount,
            *weighted_comparison_metrics(partner, (amount, *weighed), measures, MONTH),
            quantity_metric("bills", "核销单据数", "bill_count"),
        ),
        where=f"side = '{partner.balance_label}'",
    )


def weighted_comparison_metrics(
    partner: Partner, shown: tuple[Metric, ...], measures: tuple[str, ...], period: Period
) -> tuple[Metric, ...]:
    """Return an amount's prior periods and changes, and its weighted means, now and then."""
    amount, *weighed = shown
    return (
        *with_prorated_prior_periods(amount, measures, worse=partner.worse_payment, period=period),
        *weighed,
        *(
            then
            for metric in weighed
            for then in prior_period_variants(metric, measures, *period.prior_labels)
        ),
    )


def write_off_columns(partner: Partner, span: TimeGrain) -> tuple[Column, ...]:
    statement = {**BY_COMPANY, **key_filter(f"{partner.key}_id", "partner_name", "partner_id"), **span.days}
    return (
        COMPANY,
        Column("partner_name", partner.label, determined_by=("partner_id",), is_wrapped=True),
        Column("business_date", "核销日期", "date"),
        Column("bill_no", "核销单据", determined_by=("bill_type", "bill_id")),
        Column("manner", "核销方式"),
        Column("item_bill_no", "被核销单据", determined_by=("item_bill_type", "item_bill_id")),
        Column("item_date", "单据日期", "date", determined_by=("item_bill_type", "item_bill_id")),
        Column("due_date", "到期日", "date"),
        Column("late_days", "逾期天数", "number"),
        bill_link("核销单"),
        bill_link("被核销单", "item_link", "item_"),
        link_column("往来", partner.statement, **statement),
    )


LINE_METRICS = (
    Metric("item_amount", "被核销单据金额", sum_once("item_amount", "settlement_id"), MONEY),
    bill_count_metric("bills", "核销单据数", "amount"),
)
"""Metrics of single write-offs: a bill that was written off bit by bit counts once in any sum of bills."""


def write_off_days(partner: Partner) -> tuple[Dataset, Dataset]:
    """Return the write-offs of any days with prior days, and their series dataset."""
    measures = ("amount", "item_amount", "settlement_id", "late_amount", "held", "late")
    shown = write_off_metrics(sum_of("late_amount"), sum_of("held"), sum_of("late"))
    return compared_datasets(
        f"{partner.side}_write_off{ANY_DAYS.mark}",
        f"{partner.balance_label}核销明细{ANY_DAYS.word}",
        "(select *, business_date as day, case when late_days > 0 then amount else 0 end as late_amount,"
        " amount * held_days as held, amount * late_days as late from mart_write_off)",
        grain="company",
        columns=write_off_columns(partner, ANY_DAYS),
        measures={name: name for name in measures},
        metrics=(
            shown[0],
            *weighted_comparison_metrics(partner, shown, measures, ANY_DAYS.period),
            *LINE_METRICS,
        ),
        period=ANY_DAYS.period,
        axis=ANY_DAYS.columns,
        where=f"side = '{partner.balance_label}'",
        explorable=False,
    )


def write_off_lines(partner: Partner) -> Dataset:
    measures = ("amount", "item_amount", "settlement_id", "held_days")
    return Dataset(
        key=f"{partner.side}_write_off",
        label=f"{partner.balance_label}核销明细",
        source=f"(select * from mart_write_off where side = '{partner.balance_label}')",
        grain="company",
        time_column="month",
        columns=(*MONTH_COLUMNS, *write_off_columns(partner, MONTHS)),
        measures=measures,
        additive_measures=measures,
        metrics=(
            *write_off_metrics(
                sum_where("amount", compare("late_days", ">", 0)),
                sum_of(ColumnRef("amount") * ColumnRef("held_days")),
                sum_of(ColumnRef("amount") * ColumnRef("late_days")),
            ),
            *LINE_METRICS,
        ),
    )


def write_off_board(partner: Partner, span: TimeGrain) -> Board:
    """Return the board of write-offs, each with both its bills."""
    data, then, series = span.build_line_datasets(
        partial(write_off_lines, partner),
        partial(write_off_months, partner),
        partial(write_off_days, partner),
    )
    partners = build_table(
        f"{partner.label}核销与{'、'.join(span.period.prior_labels)}",
        then,
        ("company_name", "partner_name"),
        (*list_comparison_names("amount"), "mean_held", "mean_held_before", "mean_held_year", "late_share"),
        "amount",
        key="compared",
        bar="amount",
    )
    detail = build_table(
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
        export_only=("manner", "item_date"),
    )
    head = build_kpi_header(
        then,
        Kpi("amount", worse=partner.worse_payment),
        Kpi("bills", "核销用的单据"),
        Kpi("mean_held", "从单据到核销，按金额加权", "rise"),
        Kpi("mean_late", "按金额加权", "rise"),
        Kpi("late_share", "过了到期日才核销的金额", "rise"),
    )
    # What a reversal leaves of a day's amounts weighs no mean.
    word, second = ("平均账期", "mean_held") if span.is_whole else ("单据数", "bills")
    title = f"{span.each}核销金额与{word}"
    trend = build_curve_chart("trend", title, series, ("amount",), second, span.axis, span.is_dense)
    lines = (
        build_row(
            44,
            (trend, 7),
            (
                build_ranking_chart(
                    "partners", f"核销金额前十{partner.label}", data, "amount", "partner_name"
                ),
                5,
            ),
        ),
        build_row(
            42,
            (build_ranking_chart("companies", "各公司核销金额", data, "amount", "company_name", 20), 8),
            (build_donut_chart("manners", "核销方式", data, "amount", "manner"), 4),
        ),
        build_row(70, (partners, 12)),
        build_row(90, (detail, 12)),
    )
    filters = (
        span.filter(data),
        company_filter(data),
        Filter("partner", partner.label, data.key, "partner_name", searched=True),
        Filter("manner", "核销方式", data.key, "manner"),
    )
    return build_board((data, then, series), head, lines, filters)


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
