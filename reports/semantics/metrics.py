"""Metric builders (指标): sums, shares, and comparisons with the prior period and last year."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from reports.semantics.datasets import CHANGE, MONEY, PERCENT, QUANTITY, Metric, Worse
from reports.semantics.expressions import (
    CaseWhen,
    ColumnRef,
    Expression,
    Quotient,
    RelativeChange,
    Sum,
    SumPerKey,
    ToDouble,
    as_expression,
    count_distinct,
    default_to_zero,
    is_known,
    quoted_sum,
    sum_over_rows,
)
from reports.semantics.kpi_comparison import prorate_to_date
from reports.semantics.period_comparison import MONTH, Period, prior_period_variants


def total_of(name: str) -> Expression:
    """Return the sum of a measure, as a number that JSON keeps a number."""
    return ToDouble(quoted_sum(name))


def sum_once(measure: str, key: str) -> Expression:
    """Return the sum of a measure that the rows of a key share, counted once per key."""
    return ToDouble(SumPerKey(ColumnRef(key), ColumnRef(measure)))


def bill_count_metric(name: str, label: str, measure: str) -> Metric:
    """Return the metric of the number of bills with a measure.

    Rows of other periods have only the suffixed measures.
    """
    return Metric(name, label, count_distinct("bill_no", is_known(measure)), QUANTITY)


def sum_where(measure: str, condition: Expression) -> Expression:
    """Return the sum of a measure over the rows that meet a condition.

    A `filter` takes DuckDB three times as long.
    """
    return Sum(CaseWhen(condition, ColumnRef(measure)))


def ratio_of(top: Expression, base: Expression, factor: Expression | float | None = None) -> Expression:
    """Return the quotient of two aggregates, empty when the base is zero or negative."""
    return Quotient(top, base, None if factor is None else as_expression(factor))


def change_of(now: Expression, before: Expression) -> Expression:
    """Return the relative change of an aggregate, empty when the earlier one is zero or negative."""
    return RelativeChange(now, before)


def is_change_of(expression: Expression, now: Expression) -> bool:
    """Return whether a figure is a change of this aggregate, and so empty where that is."""
    return isinstance(expression, RelativeChange) and expression.is_empty_without(now)


def change_metric(
    name: str, label: str, now: Expression, before: Expression, worse: Worse = "fall"
) -> Metric:
    return Metric(name, label, change_of(now, before), CHANGE, worse)


def prorated_change_metric(
    name: str, label: str, now: Expression, before: Expression, worse: Worse = "fall"
) -> Metric:
    """Return the metric of the change of a sum against the prorated sum of a prior period."""
    return change_metric(name, label, now, prorate_to_date(before), worse)


def with_prior_periods(
    metric: Metric,
    measures: Iterable[str],
    previous: str,
    last_year: str,
    word: str = "",
    worse: Worse = "fall",
) -> tuple[Metric, ...]:
    """Return a metric for the prior period and last year, and its changes against both.

    `word` tells it from other compared metrics of its dataset, `worse` which change is bad.
    """
    before, year = prior_period_variants(
        replace(metric, label=word or metric.label), measures, previous, last_year
    )
    return (
        before,
        change_metric(
            f"{metric.name}_change", f"{word}较{previous}", metric.expression, before.expression, worse
        ),
        year,
        change_metric(
            f"{metric.name}_growth", f"{word}较{last_year}", metric.expression, year.expression, worse
        ),
    )


def with_prorated_prior_periods(
    metric: Metric,
    measures: Iterable[str],
    word: str = "",
    worse: Worse = "fall",
    period: Period = MONTH,
    prior_word: str = "",
) -> tuple[Metric, ...]:
    """Return `with_prior_periods` for a cumulative sum: a running period is compared by progress.

    `prior_word` is its label in prior periods, where its changes need no word.
    """
    before, year = prior_period_variants(
        replace(metric, label=prior_word or word or metric.label), measures, *period.prior_labels
    )
    change, growth = period.change_labels
    return (
        before,
        change_metric(
            f"{metric.name}_change",
            f"{word}{change}",
            metric.expression,
            period.make_comparable(before.expression),
            worse,
        ),
        year,
        change_metric(
            f"{metric.name}_growth",
            f"{word}{growth}",
            metric.expression,
            period.make_comparable(year.expression),
            worse,
        ),
    )


def list_comparison_names(name: str) -> tuple[str, ...]:
    """Return the names of a metric and of those that `with_prior_periods` adds."""
    return (name, f"{name}_before", f"{name}_change", f"{name}_year", f"{name}_growth")


def money_metric(name: str, label: str, measure: str = "") -> Metric:
    """Return the metric of a sum of money."""
    return Metric(name, label, total_of(measure or name), MONEY)


def quantity_metric(name: str, label: str, measure: str = "") -> Metric:
    """Return the metric of a sum of quantities."""
    return Metric(name, label, total_of(measure or name), QUANTITY)


def share_of_total_metric(name: str, label: str, top: Expression) -> Metric:
    """Return the metric of a row's share of the sum of all rows of the table."""
    return Metric(name, label, ratio_of(top, sum_over_rows(top)), PERCENT)


def percent_metric(name: str, label: str, top: Expression, base: Expression) -> Metric:
    """Return the metric of the share of one aggregate in another; nothing of something is 0."""
    return Metric(name, label, ratio_of(default_to_zero(top), base), PERCENT)
