"""Charts on paper (报表图表): what a board's bars and lines show, read from the same rows as its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from sqlalchemy import Connection

from api.exporting.asked import Asked, Values
from api.exporting.head import NOTHING
from api.exporting.query import quoted
from api.exporting.rows import chart_rows, chosen_days, ordered
from api.exporting.wording import worded
from reports.catalogue.boards import Board, Chart
from reports.catalogue.datasets import Dataset, unplaced
from reports.chart_params import axis_format, axis_note, is_grounded, label_colors, stored_queries
from reports.steps import every_step, figures_of
from reports.theme import SERIES_COLORS

DRAWN = ("bar", "line", "mixed")
"""Kinds of charts that are drawn; parts of a whole can be read off the tables."""


@dataclass(frozen=True)
class Series:
    """A figure at each step, as bars or as a line; `second` ones are read off the axis on the right."""

    label: str
    color: str
    values: Sequence[float | None]
    line: bool = False
    second: bool = False


@dataclass(frozen=True)
class Plot:
    """A chart as it is drawn: its steps in their order, and the d3 formats of its axes.

    `upright` bars stand on their steps, others lie beside them, the first one lowest; `valued` ones tell their
    figures; an axis that is not `grounded` need not begin at nothing, of which it may bear a `note`.
    """

    steps: Sequence[str]
    series: Sequence[Series]
    format: str
    second_format: str = ""
    upright: bool = True
    stacked: bool = False
    valued: bool = False
    grounded: bool = True
    note: str = ""


def main_charts(board: Board) -> list[Chart]:
    """The charts of a board that can be drawn, as its rows have them."""
    placed = (board.chart(key) for row in board.rows for key, _ in row.charts)
    return [chart for chart in placed if chart.kind in DRAWN]


def plot(asked: Asked, chart: Chart, source: Connection, values: Mapping[str, Values]) -> Plot | None:
    """What a chart shows under the filters; None where there is nothing to compare."""
    dataset = asked.board.dataset(chart.dataset)
    found = list(chart_rows(asked, chart, values).read(source, _statement(asked.board, chart)))
    chosen = chosen_days(asked, chart, values)
    steps = every_step(list(dict.fromkeys(row[0] for row in found)), chosen)
    if len(steps) < 2 and len(found) < 2:
        return None
    if not chart.by:
        empty = {name: dataset.nothing(dataset.metric(name)) for name in (*chart.metrics, *chart.second)}
        held = {step: dict(zip(empty, row, strict=True)) for step, *row in found}
        figures = figures_of(steps, held, empty, dataset)
        found = [(step, *row.values()) for step, row in zip(steps, figures, strict=True)]
    second = tuple(name for name in chart.second if name not in chart.metrics)
    formats = {dataset.metric(name).format for name in (*chart.metrics, *second)}
    return Plot(
        [_word(step) for step in steps],
        _split(asked.board, chart, steps, found) if chart.by else _beside(asked.board, chart, second, found),
        axis_format(chart.metrics[0], dataset),
        axis_format(second[0], dataset) if second and len(formats) > 1 else "",
        not chart.horizontal,
        chart.stacked,
        chart.valued or (chart.horizontal and len(chart.metrics) == 1 and not chart.by),
        is_grounded(chart, dataset),
        axis_note(chart, dataset),
    )


def _statement(board: Board, chart: Chart) -> str:
    """Its steps in the order of the screen: of many the largest."""
    dataset = board.dataset(chart.dataset)
    names = [chart.x, *chart.by]
    metrics = dict.fromkeys((*chart.metrics, *chart.second))
    keys = ", ".join(map(quoted, names))
    having = stored_queries(chart, dataset)[0]["extras"]["having"]
    ranked = chart.order.lstrip("-")
    asked = [*dict.fromkeys((*metrics, *((ranked,) if chart.limit else ())))]
    figures = ", ".join(f"{dataset.metric(name).sql} as {quoted(name)}" for name in asked)
    found = f"select {keys}, {figures} from {{rows}} group by {keys}" + (
        f" having {having}" if having else ""
    )
    if chart.limit:
        found += f" order by {quoted(ranked)} desc nulls last, {keys} limit {chart.limit}"
    order = quoted(ranked) if ranked else _ordered(dataset, chart.x)
    if chart.by and ranked in chart.metrics:
        order = f"sum({order}) over (partition by {quoted(chart.x)})"
    direction = "desc" if chart.order.startswith("-") else "asc"
    shown = ", ".join(map(quoted, (*names, *metrics)))
    return (
        f"select {shown} from ({found}) as f order by {order} {direction} nulls last,"
        f" {', '.join(f'{_ordered(dataset, name)} nulls last' for name in names)}"
    )


def _ordered(dataset: Dataset, name: str) -> str:
    return ordered(dataset.column(name), quoted(name))


def _beside(board: Board, chart: Chart, second: Sequence[str], found: Sequence[Any]) -> list[Series]:
    """A series for each figure."""
    dataset, colors = board.dataset(chart.dataset), label_colors(board)
    metrics = [dataset.metric(name) for name in dict.fromkeys((*chart.metrics, *second))]
    apart = len({metric.format for metric in metrics}) > 1
    return [
        Series(
            metric.label,
            colors[metric.name],
            [None if row[at] is None else float(row[at]) for row in found],
            line=chart.kind == "line" or metric.name in second or chart.dense,
            second=metric.name in second and apart,
        )
        for at, metric in enumerate(metrics, start=1)
    ]


def _split(board: Board, chart: Chart, steps: Sequence[Any], found: Sequence[Any]) -> list[Series]:
    """A series for each value of the column that the figure is split by."""
    colors, palette = label_colors(board), cycle(SERIES_COLORS)
    held = {(row[0], row[1]): row[2] for row in found}
    parts = sorted({row[1] for row in found}, key=lambda part: (part is None, part))
    return [
        Series(
            _word(part),
            colors.get(part) or next(palette),
            [None if (value := held.get((step, part))) is None else float(value) for step in steps],
            line=chart.kind == "line",
        )
        for part in parts
    ]


def _word(value: Any) -> str:
    return unplaced(worded(value)) or NOTHING
