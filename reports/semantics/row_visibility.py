"""Row visibility (哪些行可见): the periods whose rows a query needs, and the rows that have a figure to show.

A dataset with prior periods has rows that are empty unless those are asked for. Every measure of a mart is
known in each of its rows: a row of a period is visible as soon as one sum of that period is asked for,
whatever its value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reports.semantics.datasets import PERIOD_OFFSET, Dataset
from reports.semantics.expressions import Bracketed, Expression, IsNull
from reports.semantics.metrics import is_change_of, total_of

Periods = frozenset[int]
"""Periods by their offsets."""
EVERY: Periods = frozenset(range(3))
OWN: Periods = frozenset((0,))


@dataclass(frozen=True)
class RowVisibility:
    """The visible rows of a table.

    Those of `periods`, and those that meet one of the conditions, which rows of the periods `needed`
    compute.
    """

    periods: Periods
    conditions: tuple[str, ...]
    needed: Periods

    def condition_sql(self, periods: Periods) -> str:
        """Return the condition on a row that sums rows of these periods; empty where all are visible."""
        if periods == self.periods:
            return ""
        numbers = ", ".join(map(str, sorted(self.periods)))
        of_periods = (f'bool_or("{PERIOD_OFFSET}" in ({numbers}))',) if numbers else ()
        return " or ".join((*of_periods, *self.conditions))


def find_read_periods(dataset: Dataset, expression: Expression) -> Periods:
    """Return the periods that a figure, or a condition on figures, reads.

    Rows of others don't matter to it.
    """
    return EVERY if expression.has_count else periods_of(dataset, expression.columns)


def periods_of(dataset: Dataset, names: Iterable[str]) -> Periods:
    """Return the periods whose rows have these columns and measures; every one where rows of others may have them."""
    used = dataset.referenced_names(names)
    known = dataset.periods
    return frozenset(known[name] for name in used) if used and used <= known.keys() else EVERY


def find_row_visibility(dataset: Dataset, names: Iterable[str]) -> RowVisibility:
    """Return the visible rows for these metrics.

    A row of a prior period alone stands in the chosen one for comparison: where that isn't asked for, it
    is empty. Counts need no row. A metric that is known only where another one is needs no condition of
    its own: one of the visible periods, or a change of one.
    """
    expressions = (dataset.metric(name).expression for name in names) if dataset.has_comparisons else ()
    figures = [figure for figure in expressions if not figure.has_window and not figure.is_count]
    if not figures:
        return RowVisibility(EVERY, (), EVERY)
    summed = {total_of(name): period for name, period in dataset.periods.items()}
    periods = frozenset(summed[figure] for figure in figures if figure in summed)
    known = [figure for figure in figures if find_read_periods(dataset, figure) <= periods]
    rest = [
        figure
        for figure in figures
        if figure not in known and not any(is_change_of(figure, of) for of in known)
    ]
    conditions = tuple(IsNull(Bracketed(figure), negated=True).sql for figure in rest)
    return RowVisibility(
        periods, conditions, periods.union(*(find_read_periods(dataset, figure) for figure in rest))
    )
