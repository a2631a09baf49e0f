"""Charts on paper (报表图表): the bars and lines of a board, read from the same rows as its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from sqlalchemy import Connection

from api.exporting.dataset_sql import chart_rows, chosen_days, order_sql
from api.exporting.export_request import ExportRequest, Values
from api.exporting.query import quote_identifier
from api.exporting.report_header import NOTHING
from api.exporting.text_format import format_value
from reports.semantics.dashboards import Board, Chart
from reports.semantics.datasets import Dataset, strip_order_prefix
from reports.semantics.time_axis import fill_figures, fill_steps
from reports.superset.chart_params import axis_format, axis_note, is_grounded, label_colors, stored_queries
from reports.superset.theme import SERIES_COLORS

PLOTTED_KINDS = ("bar", "line", "mixed")
"""Kinds of charts that are drawn; parts of a whole can be read off the tables."""


@dataclass(frozen=True)
class Series:
    """Values at each step, as bars or as a line; `second` ones are read off the axis on the right."""

    label: str
    color: str
    values: Sequence[float | None]
    line: bool = False
    second: bool = False


@dataclass(frozen=True)
class Plot:
    """A chart as it is drawn: its steps in their order, and the d3 formats of its axes.

    `upright` bars stand on their steps, others are horizontal, the first one lowest; `valued` ones show
    their values; an axis that is not `grounded` need not begin at zero, of which it may bear a `note`.
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
    """Return the charts of a board that can be drawn, as its rows have them."""
    placed = (board.chart(key) for row in board.rows for key, _ in row.charts)
    return [chart for chart in placed if chart.kind in PLOTTED_KINDS]


def build_plot(
    request: ExportRequest, chart: Chart, source: Connection, values: Mapping[str, Values]
) -> Plot | None:
    """Return a chart's plot under the filters; None where there is nothing to compare."""
    dataset = request.board.dataset(chart.dataset)
    found = list(chart_rows(request, chart, values).read(source, _build_statement(request.board, chart)))
    chosen = chosen_days(request, chart, values)
    steps = fill_steps(list(dict.fromkeys(row[0] for row in found)), chosen)
    if len(steps) < 2 and len(found) < 2:
        return None
    if not chart.by:
        empty = {name: dataset.zero_value(dataset.metric(name)) for name in (*chart.metrics, *chart.second)}
        rows_by_step = {step: dict(zip(empty, row, strict=True)) for step, *row in found}
        figures = fill_figures(steps, rows_by_step, empty, dataset)
        found = [(step, *row.values()) for step, row in zip(steps, figures, strict=True)]
    second = tuple(name for name in chart.second if name not in chart.metrics)
    formats = {dataset.metric(name).format for name in (*chart.metrics, *second)}
    return Plot(
        [_format_step(step) for step in steps],
        _series_by_value(request.board, chart, steps, found)
        if chart.by
        else _series_by_metric(request.board, chart, second, found),
        axis_format(chart.metrics[0], dataset),
        axis_format(second[0], dataset) if second and len(formats) > 1 else "",
        not chart.horizontal,
        chart.stacked,
        chart.valued or (chart.horizontal and len(chart.metrics) == 1 and not chart.by),
        is_grounded(chart, dataset),
        axis_note(chart, dataset),
    )


def _build_statement(board: Board, chart: Chart) -> str:
    """Build the SQL of a chart's steps in the order of the screen, limited to the largest where it has a
    limit."""
    dataset = board.dataset(chart.dataset)
    names = [chart.x, *chart.by]
    metrics = dict.fromkeys((*chart.metrics, *chart.second))
    keys = ", ".join(map(quote_identifier, names))
    having = stored_queries(chart, dataset)[0]["extras"]["having"]
    ranked = chart.order.lstrip("-")
    selected = [*dict.fromkeys((*metrics, *((ranked,) if chart.limit else ())))]
    figures = ", ".join(f"{dataset.metric(name).sql} as {quote_identifier(name)}" for name in selected)
    found = f"select {keys}, {figures} from {{rows}} group by {keys}" + (
        f" having {having}" if having else ""
    )
    if chart.limit:
        found += f" order by {quote_identifier(ranked)} desc nulls last, {keys} limit {chart.limit}"
    order = quote_identifier(ranked) if ranked else _order_sql(dataset, chart.x)
    if chart.by and ranked in chart.metrics:
        order = f"sum({order}) over (partition by {quote_identifier(chart.x)})"
    direction = "desc" if chart.order.startswith("-") else "asc"
    shown = ", ".join(map(quote_identifier, (*names, *metrics)))
    return (
        f"select {shown} from ({found}) as f order by {order} {direction} nulls last,"
        f" {', '.join(f'{_order_sql(dataset, name)} nulls last' for name in names)}"
    )


def _order_sql(dataset: Dataset, name: str) -> str:
    return order_sql(dataset.column(name), quote_identifier(name))


def _series_by_metric(
    board: Board, chart: Chart, second: Sequence[str], found: Sequence[Any]
) -> list[Series]:
    """Return a series for each metric."""
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


def _series_by_value(board: Board, chart: Chart, steps: Sequence[Any], found: Sequence[Any]) -> list[Series]:
    """Return a series for each value of the column that the figure is split by."""
    colors, palette = label_colors(board), cycle(SERIES_COLORS)
    values = {(row[0], row[1]): row[2] for row in found}
    parts = sorted({row[1] for row in found}, key=lambda part: (part is None, part))
    return [
        Series(
            _format_step(part),
            colors.get(part) or next(palette),
            [None if (value := values.get((step, part))) is None else float(value) for step in steps],
            line=chart.kind == "line",
        )
        for part in parts
    ]


def _format_step(value: Any) -> str:
    return strip_order_prefix(format_value(value)) or NOTHING
