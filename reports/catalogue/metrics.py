"""Metrics (指标) 的写法：合计、占比、与上期和去年同期的对比。"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from reports.catalogue.beside import passed
from reports.catalogue.compare import MONTH, Period, stood
from reports.catalogue.datasets import CHANGE, MONEY, PERCENT, QUANTITY, Metric, Worse


def total(name: str) -> str:
    """The sum of a measure, as a number that JSON keeps a number."""
    return f'cast(sum("{name}") as double)'


def once(measure: str, key: str) -> str:
    """The sum of what the rows of a key share, however many of them there are."""
    return f"cast(list_sum(list_transform(list(distinct row({key}, {measure})), lambda x: x[2])) as double)"


def bill_count(name: str, label: str, measure: str) -> Metric:
    """How many bills have rows with a measure: rows of other periods have it only as it stood in them."""
    return Metric(name, label, f"count(distinct bill_no) filter (where {measure} is not null)", QUANTITY)


def sum_where(measure: str, condition: str) -> str:
    """The sum of a measure over rows of which a condition holds. DuckDB takes three times as long with a filter."""
    return f"sum(case when {condition} then {measure} end)"


def ratio(top: str, base: str, factor: str = "") -> str:
    """A quotient of two aggregates, empty when the base is zero or negative."""
    times = f" * {factor}" if factor else ""
    return f"case when {base} > 0 then cast({top} as double){times} / cast({base} as double) end"


def change(now: str, before: str) -> str:
    """The change of an aggregate against another, empty when that is zero or negative."""
    return f"case when {before} > 0 then cast({now} as double) / cast({before} as double) - 1 end"


def is_change_of(sql: str, now: str) -> bool:
    """Whether a figure is a change of this aggregate, and so empty where that is."""
    told, of = (re.sub(r'"|cast\(| as double\)', "", text) for text in (sql, now))
    return f" then {of} / " in told and told.endswith(" - 1 end")


def change_metric(name: str, label: str, now: str, before: str, worse: Worse = "fall") -> Metric:
    return Metric(name, label, change(now, before), CHANGE, worse)


def grown_metric(name: str, label: str, now: str, before: str, worse: Worse = "fall") -> Metric:
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
        change_metric(f"{metric.name}_change", f"{word}较{previous}", metric.sql, before.sql, worse),
        year,
        change_metric(f"{metric.name}_growth", f"{word}较{last_year}", metric.sql, year.sql, worse),
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
        change_metric(f"{metric.name}_change", f"{word}{change}", metric.sql, period.then(before.sql), worse),
        year,
        change_metric(f"{metric.name}_growth", f"{word}{growth}", metric.sql, period.then(year.sql), worse),
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


def among_all(name: str, label: str, top: str) -> Metric:
    """The share of a row's sum in all rows of the table."""
    return Metric(name, label, ratio(top, f"sum({top}) over ()"), PERCENT)


def percent(name: str, label: str, top: str, base: str) -> Metric:
    """The share of one aggregate in another; nothing of something is 0."""
    return Metric(name, label, ratio(f"coalesce({top}, 0)", base), PERCENT)
