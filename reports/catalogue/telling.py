"""哪些行有话可说：期间对比的行里，哪些期间的行用得着、哪些行会显示出来。

A dataset with earlier periods beside the chosen one has rows that tell something only where those are asked for. What
its mart measures it measures in each of its rows: a row of a period tells something as soon as one sum of that period
is asked for, whatever it comes to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reports.catalogue.datasets import BESIDE_ORDER, COUNT, WINDOW, Dataset
from reports.catalogue.metrics import is_change_of, total

Periods = frozenset[int]
"""Periods by the numbers of BESIDE_ORDER."""
EVERY: Periods = frozenset(range(3))
OWN: Periods = frozenset((0,))


@dataclass(frozen=True)
class Telling:
    """Which rows of a table have something to say: those of these periods, and those of which one of the conditions
    holds, which rows of the periods `needed` tell."""

    periods: Periods
    conditions: tuple[str, ...]
    needed: Periods

    def among(self, periods: Periods) -> str:
        """What has to hold of a row that adds up rows of these periods; empty where each has something to say."""
        if periods == self.periods:
            return ""
        numbers = ", ".join(map(str, sorted(self.periods)))
        of_periods = (f'bool_or("{BESIDE_ORDER}" in ({numbers}))',) if numbers else ()
        return " or ".join((*of_periods, *self.conditions))


def looked_at(dataset: Dataset, sql: str) -> Periods:
    """The periods of which a figure is made, or a condition on figures: rows of others are nothing to it."""
    used = dataset.words(sql)
    known = dataset.periods
    if "count(" in sql or not used or not used <= known.keys():
        return EVERY
    return frozenset(known[name] for name in used)


def telling(dataset: Dataset, names: Iterable[str]) -> Telling:
    """The rows that tell something by these metrics.

    A row of an earlier period alone stands in the chosen one for what it is compared with: where that isn't asked
    for, it has nothing to say. Counts have no need of rows to be one. What is known only where another figure is needs
    no condition of its own: a figure of periods that tell by themselves, or a change of one.
    """
    asked = (dataset.metric(name).sql for name in names) if dataset.compares else ()
    figures = [sql for sql in asked if WINDOW not in sql and not COUNT.match(sql)]
    if not figures:
        return Telling(EVERY, (), EVERY)
    summed = {total(name): period for name, period in dataset.periods.items()}
    periods = frozenset(summed[sql] for sql in figures if sql in summed)
    known = [sql for sql in figures if looked_at(dataset, sql) <= periods]
    rest = [sql for sql in figures if sql not in known and not any(is_change_of(sql, of) for of in known)]
    conditions = tuple(f"({sql}) is not null" for sql in rest)
    return Telling(periods, conditions, periods.union(*(looked_at(dataset, sql) for sql in rest)))
