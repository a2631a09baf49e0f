"""一张图由哪些列和数画成：从它的表单里读出；发布时记下，只看看板的人也只能问这些。"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

COLUMNS = (
    "groupby",
    "groupby_b",
    "groupbyRows",
    "groupbyColumns",
    "columns",
    "all_columns",
    "x_axis",
    "series",
)
FIGURES = (
    *("metrics", "metrics_b", "metric", "metric_2", "secondary_metric", "percent_metrics"),
    *("timeseries_limit_metric", "size", "x", "y"),
)
"""Where Superset's kinds of charts keep what they are drawn of."""
Sum = tuple[str | None, str]
"""How a column is summed up, and which."""


@dataclass(frozen=True)
class Parts:
    """Columns, the dataset's own figures, and sums over columns."""

    columns: frozenset[str]
    figures: frozenset[str]
    sums: frozenset[Sum]

    def has(self, figure: Any) -> bool:
        """Whether a figure of a query is one of these."""
        return figure in self.figures if isinstance(figure, str) else sum_of(figure) in self.sums


def parts_of(form: Mapping[str, Any]) -> Parts:
    """What a chart's form says that it is drawn of."""
    figures = [*_listed(form, FIGURES)]
    return Parts(
        columns=frozenset(_named(form, COLUMNS)),
        figures=frozenset(one for one in figures if isinstance(one, str)),
        sums=frozenset(found for one in figures if (found := sum_of(one))),
    )


def sum_of(figure: Any) -> Sum | None:
    """A sum over a column as charts write it; None for anything else."""
    if not isinstance(figure, dict):
        return None
    aggregate, column = figure.get("aggregate"), (figure.get("column") or {}).get("column_name")
    return (aggregate, column) if isinstance(aggregate, str | None) and isinstance(column, str) else None


def _listed(form: Mapping[str, Any], keys: Iterable[str]) -> Iterator[Any]:
    for key in keys:
        found = form.get(key)
        yield from found if isinstance(found, list) else (found,)


def _named(form: Mapping[str, Any], keys: Iterable[str]) -> Iterator[str]:
    """Columns by name, those of an axis with its grain too."""
    for one in _listed(form, keys):
        name = one.get("sqlExpression") if isinstance(one, dict) else one
        if isinstance(name, str):
            yield name
