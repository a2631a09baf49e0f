"""Fields of a chart (图表的列和数), read from its form.

Stored on publication, so that viewers may ask for these only.
"""

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
"""Form fields in which Superset's kinds of charts keep their columns and metrics."""
Sum = tuple[str | None, str]
"""An aggregate and its column."""


@dataclass(frozen=True)
class ChartFields:
    """Fields of a chart: columns, the dataset's own metrics, and sums over columns."""

    columns: frozenset[str]
    figures: frozenset[str]
    sums: frozenset[Sum]

    def has(self, figure: Any) -> bool:
        """Return whether a figure of a query is one of these."""
        return figure in self.figures if isinstance(figure, str) else parse_sum(figure) in self.sums


def read_chart_fields(form: Mapping[str, Any]) -> ChartFields:
    """Return the fields that a chart's form names."""
    figures = [*_list_values(form, FIGURES)]
    return ChartFields(
        columns=frozenset(_list_names(form, COLUMNS)),
        figures=frozenset(one for one in figures if isinstance(one, str)),
        sums=frozenset(found for one in figures if (found := parse_sum(one))),
    )


def parse_sum(figure: Any) -> Sum | None:
    """Return the sum over a column that a chart's form writes; None for anything else."""
    if not isinstance(figure, dict):
        return None
    aggregate, column = figure.get("aggregate"), (figure.get("column") or {}).get("column_name")
    return (aggregate, column) if isinstance(aggregate, str | None) and isinstance(column, str) else None


def _list_values(form: Mapping[str, Any], keys: Iterable[str]) -> Iterator[Any]:
    for key in keys:
        found = form.get(key)
        yield from found if isinstance(found, list) else (found,)


def _list_names(form: Mapping[str, Any], keys: Iterable[str]) -> Iterator[str]:
    """Yield the columns by name, those of an axis with its grain too."""
    for one in _list_values(form, keys):
        name = one.get("sqlExpression") if isinstance(one, dict) else one
        if isinstance(name, str):
            yield name
