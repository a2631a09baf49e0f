"""Metrics (指标) 的写法：合计、占比、与上期和去年同期的对比。"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from reports.catalogue.beside import passed
from reports.catalogue.compare import MONTH, Period, stood
from reports.catalogue.datasets import CHANGE, MONEY, PERCENT, QUANTITY, Metric, Worse
from reports.catalogue.expressions import (
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


def total(name: str) -> Expression:
    """The sum of a measure, as a number that JSON keeps a number."""
    return ToDouble(quoted_sum(name))


def once(measure: str, key: str) -> Expression:
    """The sum of what the rows of a key share, however many of them there are."""
    return ToDouble(SumPerKey(ColumnRef(key), ColumnRef(measure)))


def bill_count(name: str, label: str, measure: str) -> Metric:
    """How many bills have rows with a measure: rows of other periods have it only as it stood in them."""
    return Metric(name, label, count_distinct("bill_no", is_known(measure)), QUANTITY)


def sum_where(measure: str, condition: Expression) -> Expression:
    """The sum of a measure over rows of which a condition holds. DuckDB takes three times as long with a filter."""
    return Sum(CaseWhen(condition, ColumnRef(measure)))


def ratio(top: Expression, base: Expression, factor: Expression | float | None = None) -> Expression:
    """A quotient of two aggregates, empty when the base is zero or negative."""
    return Quotient(top, base, None if factor is None else as_expression(factor))


def change(now: Expression, before: Expression) -> Expression:
    """The change of an aggregate against another, empty when that is zero or negative."""
    return RelativeChange(now, before)


def is_change_of(expression: Expression, now: Expression) -> bool:
    """Whether a figure is a change of this aggregate or of what it carries, and so empty where that is."""
    return isinstance(expression, RelativeChange) and expression.is_empty_without(now)


def change_metric(
    name: str, label: str, now: Expression, before: Expression, worse: Worse = "fall"
) -> Metric:
    return Metric(name, label, change(now, before), CHANGE, worse)


def grown_metric(name: str, label: str, now: Expression, before: Expression, worse: Worse = "fall") -> Metric:
    """The change of a sum against an earlier period's, of which as much counts as has passed of its own."""
    return change_metric(name, label, now, passed(before), worse)


def beside(
    metric: Metric,
    measures: Iterable[str],
    previous: str,
    last_year: str,
    word: str = "",
    worse: Worse = "fall",
) -> tuple[Metric, ...]:
    """A figure as it stood in the period before and a year ago, and its changes against both.

    `word` tells it from what else of its dataset is compared, `worse` which change is bad.
    """
    before, year = stood(replace(metric, label=word or metric.label), measures, previous, last_year)
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


def grown_beside(
    metric: Metric,
    measures: Iterable[str],
    word: str = "",
    worse: Worse = "fall",
    period: Period = MONTH,
    called: str = "",
) -> tuple[Metric, ...]:
    """`beside` for a sum that grows with the days of its period: of one that may run by progress.

    `called` is what it is called in earlier periods, where its changes need no word.
    """
    before, year = stood(replace(metric, label=called or word or metric.label), measures, *period.earlier)
    change, growth = period.moved
    return (
        before,
        change_metric(
            f"{metric.name}_change",
            f"{word}{change}",
            metric.expression,
            period.then(before.expression),
            worse,
        ),
        year,
        change_metric(
            f"{metric.name}_growth", f"{word}{growth}", metric.expression, period.then(year.expression), worse
        ),
    )


def compared(name: str) -> tuple[str, ...]:
    """The names of a metric and of what `beside` puts next to it."""
    return (name, f"{name}_before", f"{name}_change", f"{name}_year", f"{name}_growth")


def money(name: str, label: str, measure: str = "") -> Metric:
    """The sum of an amount."""
    return Metric(name, label, total(measure or name), MONEY)


def quantity(name: str, label: str, measure: str = "") -> Metric:
    """The sum of a quantity."""
    return Metric(name, label, total(measure or name), QUANTITY)


def among_all(name: str, label: str, top: Expression) -> Metric:
    """The share of a row's sum in all rows of the table."""
    return Metric(name, label, ratio(top, sum_over_rows(top)), PERCENT)


def percent(name: str, label: str, top: Expression, base: Expression) -> Metric:
    """The share of one aggregate in another; nothing of something is 0."""
    return Metric(name, label, ratio(default_to_zero(top), base), PERCENT)
