"""Figures of a report (报表的数字) that can be requested one by one, and their values under its filters.

They are those of its exports: KPIs of the header, for the chosen period and as changes against earlier
ones, and totals of tables. They are computed exactly as in exports.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from api.exporting.dataset_sql import (
    chart_rows,
    resolve_filter_values,
    table_columns,
    table_statement,
    totals_statement,
)
from api.exporting.export_request import ExportRequest, Values
from api.exporting.text_format import format_value
from reports.semantics.dashboards import Board, Chart
from reports.semantics.datasets import POINTS, Dataset, Metric
from reports.semantics.kpi_comparison import change_name, list_kpi_names
from reports.semantics.period_offsets import SO_FAR


@dataclass(frozen=True)
class ReportFigure:
    """A figure of a chart; in the header `period` is 0 for the chosen period, or the earlier one (1 prior, 2
    last year) that a change is against."""

    chart: Chart
    dataset: Dataset
    metric: Metric
    period: int = 0

    @property
    def key(self) -> str:
        return f"{self.chart.key}/{self.metric.name}/{self.period}"

    @property
    def label(self) -> str:
        """Label of the figure; of a change with the period that it is against."""
        if not self.period:
            return self.metric.label
        assert self.dataset.comparison is not None
        return f"{self.metric.label}（较{self.dataset.comparison.labels[self.period]}）"

    @property
    def is_share(self) -> bool:
        """Whether the figure is displayed as a percentage."""
        return self.metric.format.endswith("%")

    def describe_value(self, value: float | None) -> str:
        """Format a value of the figure."""
        if value is None:
            return "（空）"
        unit = "点" if self.metric.format == POINTS else ""
        return format_value(float(value), self.metric.format) + unit


def list_figures(board: Board) -> Iterator[ReportFigure]:
    """Yield every figure of a dashboard, in display order."""
    for chart in board.kpi_charts:
        dataset = board.dataset(chart.dataset)
        for name in list_kpi_names(chart):
            yield ReportFigure(chart, dataset, dataset.metric(name))
            if change_name(name) in chart.metrics:
                yield from (
                    ReportFigure(chart, dataset, dataset.metric(change_name(name)), at) for at in (1, 2)
                )
    for chart in board.tables:
        if not chart.totalled:
            continue
        dataset = board.dataset(chart.dataset)
        for name in dict.fromkeys(chart.metrics):
            metric = dataset.metric(name)
            if not metric.expression.has_window and _is_total(board, dataset, name):
                yield ReportFigure(chart, dataset, metric)


def _is_total(board: Board, dataset: Dataset, name: str) -> bool:
    """Return whether a figure is a total of all rows; of a list those are the ones that its pivot sums."""
    pivot = board.pivot
    return not pivot.offered or pivot.dataset != dataset.key or name in pivot.offered


def find_figure(board: Board, key: str) -> ReportFigure | None:
    """Return the figure of a key, or None if the dashboard lacks it."""
    return next((figure for figure in list_figures(board) if figure.key == key), None)


def read_value(request: ExportRequest, figure: ReportFigure, source: Connection) -> float | None:
    """Read a figure's value in a snapshot for an export request; None if it is empty."""
    return read_values(request, [figure], source)[figure.key]


def read_values(
    request: ExportRequest, figures: Iterable[ReportFigure], source: Connection
) -> dict[str, float | None]:
    """Read the values of figures by key, with one query per chart."""
    values = resolve_filter_values(request, source)
    of_charts = defaultdict[str, list[ReportFigure]](list)
    for figure in figures:
        of_charts[figure.chart.key].append(figure)
    return {
        figure.key: _to_finite(value)
        for these in of_charts.values()
        for figure, value in zip(these, _read_chart_values(request, these, values, source), strict=True)
    }


def _read_chart_values(
    request: ExportRequest, figures: Sequence[ReportFigure], values: Mapping[str, Values], source: Connection
) -> list[object]:
    """Read the values of figures of one chart."""
    chart, dataset = figures[0].chart, figures[0].dataset
    rows = chart_rows(request, chart, values)
    if chart not in request.board.kpi_charts:
        return list(rows.one(source, totals_statement([figure.metric for figure in figures])))
    assert dataset.comparison is not None
    width = len(table_columns(dataset, chart))
    # Read to the end: another query on the connection would break off this one.
    found = rows.read(source, table_statement(dataset, chart))
    lines = {str(line[0]).removesuffix(SO_FAR): line[width:] for line in found}
    words = dataset.comparison.labels
    return [
        lines[words[figure.period]][chart.metrics.index(figure.metric.name)]
        if words[figure.period] in lines
        else None
        for figure in figures
    ]


def _to_finite(value: object) -> float | None:
    """Return a finite float, or None for empty and undefined values."""
    number = math.nan if value is None else float(value)  # type: ignore[arg-type]
    return number if math.isfinite(number) else None
