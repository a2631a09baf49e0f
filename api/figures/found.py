"""Figures (报表的数字) that a report can be asked for one by one, and what they come to under its filters.

They are those that its files have: what stands at its head, for the chosen period and as changes against the ones
beside it, and the totals of its tables. None is computed in any other way than on paper.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from api.exporting.asked import Asked, Values
from api.exporting.rows import chart_rows, settled, table_columns, table_statement, totals_statement
from api.exporting.wording import worded
from reports.catalogue.beside import moved_name, names
from reports.catalogue.boards import Board, Chart
from reports.catalogue.datasets import POINTS, Dataset, Metric
from reports.catalogue.period_offsets import SO_FAR


@dataclass(frozen=True)
class Figure:
    """A figure of a chart; at the head it is of the period of this number: 0 the chosen one, 1 the one before, 2 last
    year's, beside which its change is told."""

    chart: Chart
    dataset: Dataset
    metric: Metric
    period: int = 0

    @property
    def key(self) -> str:
        return f"{self.chart.key}/{self.metric.name}/{self.period}"

    @property
    def label(self) -> str:
        """Its name; of a change also against what."""
        if not self.period:
            return self.metric.label
        assert self.dataset.beside is not None
        return f"{self.metric.label}（较{self.dataset.beside.words[self.period]}）"

    @property
    def is_share(self) -> bool:
        """Whether it is told of a hundred."""
        return self.metric.format.endswith("%")

    def told(self, value: float | None) -> str:
        """A value of it as it reads."""
        if value is None:
            return "（空）"
        unit = "点" if self.metric.format == POINTS else ""
        return worded(float(value), self.metric.format) + unit


def figures_of(board: Board) -> Iterator[Figure]:
    """Every figure that a board can be asked for, as they stand on it."""
    for chart in board.figures:
        dataset = board.dataset(chart.dataset)
        for name in names(chart):
            yield Figure(chart, dataset, dataset.metric(name))
            if moved_name(name) in chart.metrics:
                yield from (Figure(chart, dataset, dataset.metric(moved_name(name)), at) for at in (1, 2))
    for chart in board.tables:
        if not chart.totalled:
            continue
        dataset = board.dataset(chart.dataset)
        for name in dict.fromkeys(chart.metrics):
            metric = dataset.metric(name)
            if not metric.expression.has_window and _is_of_all(board, dataset, name):
                yield Figure(chart, dataset, metric)


def _is_of_all(board: Board, dataset: Dataset, name: str) -> bool:
    """Whether a figure is one of all rows: of a list those are that its pivot adds up."""
    pivot = board.pivot
    return not pivot.offered or pivot.dataset != dataset.key or name in pivot.offered


def find_figure(board: Board, key: str) -> Figure | None:
    """The figure of a key, as long as the board has it."""
    return next((figure for figure in figures_of(board) if figure.key == key), None)


def value_of(asked: Asked, figure: Figure, source: Connection) -> float | None:
    """What a figure comes to in a snapshot, for whom and under what is asked; None where it is empty."""
    return values_of(asked, [figure], source)[figure.key]


def values_of(asked: Asked, figures: Iterable[Figure], source: Connection) -> dict[str, float | None]:
    """What figures of a board come to, by their keys: each chart is asked once for all of its own."""
    values = settled(asked, source)
    of_charts = defaultdict[str, list[Figure]](list)
    for figure in figures:
        of_charts[figure.chart.key].append(figure)
    return {
        figure.key: _number(value)
        for these in of_charts.values()
        for figure, value in zip(these, _values(asked, these, values, source), strict=True)
    }


def _values(
    asked: Asked, figures: Sequence[Figure], values: Mapping[str, Values], source: Connection
) -> list[object]:
    """Of figures that one chart has."""
    chart, dataset = figures[0].chart, figures[0].dataset
    rows = chart_rows(asked, chart, values)
    if chart not in asked.board.figures:
        return list(rows.one(source, totals_statement([figure.metric for figure in figures])))
    assert dataset.beside is not None
    width = len(table_columns(dataset, chart))
    # Read to the end: another query on the connection would break off this one.
    found = rows.read(source, table_statement(dataset, chart))
    lines = {str(line[0]).removesuffix(SO_FAR): line[width:] for line in found}
    words = dataset.beside.words
    return [
        lines[words[figure.period]][chart.metrics.index(figure.metric.name)]
        if words[figure.period] in lines
        else None
        for figure in figures
    ]


def _number(value: object) -> float | None:
    """A figure that is one: what nothing was divided by is none."""
    number = math.nan if value is None else float(value)  # type: ignore[arg-type]
    return number if math.isfinite(number) else None
