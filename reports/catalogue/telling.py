"""哪些行有话可说：期间对比的行里，哪些期间的行用得着、哪些行会显示出来。

A dataset with earlier periods beside the chosen one has rows that tell something only where those are asked for. What
its mart measures it measures in each of its rows: a row of a period tells something as soon as one sum of that period
is asked for, whatever it comes to.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reports.catalogue.datasets import BESIDE_ORDER, Dataset
from reports.catalogue.expressions import Bracketed, Expression, IsNull
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


def looked_at(dataset: Dataset, expression: Expression) -> Periods:
    """The periods of which a figure is made, or a condition on figures: rows of others are nothing to it."""
    return EVERY if expression.has_count else periods_of(dataset, expression.columns)


def periods_of(dataset: Dataset, names: Iterable[str]) -> Periods:
    """Return the periods whose rows have these columns and measures; every one where rows of others may have them."""
    used = dataset.words(names)
    known = dataset.periods
    return frozenset(known[name] for name in used) if used and used <= known.keys() else EVERY


def telling(dataset: Dataset, names: Iterable[str]) -> Telling:
    """The rows that tell something by these metrics.

    A row of an earlier period alone stands in the chosen one for what it is compared with: where that isn't asked
    for, it has nothing to say. Counts have no need of rows to be one. What is known only where another figure is needs
    no condition of its own: a figure of periods that tell by themselves, or a change of one.
    """
    asked = (dataset.metric(name).expression for name in names) if dataset.compares else ()
    figures = [figure for figure in asked if not figure.has_window and not figure.is_count]
    if not figures:
        return Telling(EVERY, (), EVERY)
    summed = {total(name): period for name, period in dataset.periods.items()}
    periods = frozenset(summed[figure] for figure in figures if figure in summed)
    known = [figure for figure in figures if looked_at(dataset, figure) <= periods]
    rest = [
        figure
        for figure in figures
        if figure not in known and not any(is_change_of(figure, of) for of in known)
    ]
    conditions = tuple(IsNull(Bracketed(figure), negated=True).sql for figure in rest)
    return Telling(periods, conditions, periods.union(*(looked_at(dataset, figure) for figure in rest)))
