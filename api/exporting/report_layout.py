"""Report layout (报表打印): a tab's KPIs, main charts and tables, as the data that Typst sets on A4.

The totals under a table are of all its rows, printed or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Connection

from api.exporting.chart_plot import build_plot, main_charts
from api.exporting.dataset_sql import (
    chart_rows,
    count_statement,
    table_columns,
    table_metrics,
    table_statement,
    totals_statement,
)
from api.exporting.export_request import ExportRequest, Values
from api.exporting.report_header import ExportMetadata, describe_filters
from api.exporting.text_format import format_value
from api.exporting.vega_renderer import render_svg
from api.exporting.workbook import NO_ROWS, TOTAL, measure_text
from api.shell.files.export_summary import format_moment
from reports.semantics.dashboards import Chart
from reports.semantics.datasets import POINTS, Column, Dataset, Metric
from reports.semantics.kpi_comparison import change_name, list_kpi_names

MAX_PRINTED_ROWS = 5000
"""So many rows of all tables are printed; the workbook has all. Of fourteen columns they take the press some five
seconds and one gigabyte, and both grow with the rows."""
CHARTS, APART = 2, 14.0
"""So many charts stand side by side, so many points from each other."""
SIZE = 7.5
"""Of the letters, in points."""
NARROW, WIDE, TIGHT = 5, 26, 14
"""Of a column, in letters; texts of a table with many columns are broken into tight ones."""
LETTER, EDGES = 0.57, 0.9
"""How wide a letter is, and what a cell has besides, in sizes of the letters."""
PAPERS = (("a4", 104.0, 0.75), ("a3", 151.0, 0.0))
"""How many letters' sizes there are across, and how small letters may be before the next larger paper is taken."""
RUN = re.compile(r"[!-~]{1,20}")
"""What has room on a line; longer codes are broken."""


def build_sheet(
    request: ExportRequest, source: Connection, facts: ExportMetadata, values: Mapping[str, Values]
) -> dict[str, Any]:
    """Return a report's sheet as `report.typ` expects it."""
    tables = [chart.on_screen for chart in request.board.tables]
    counts = [
        chart_rows(request, chart, values).one(
            source, count_statement(request.board.dataset(chart.dataset), chart)
        )[0]
        for chart in tables
    ]
    paper, across, placed = _fit_paper(
        [
            _build_table(request, chart, source, values, count, printed)
            for chart, count, printed in zip(
                tables, counts, divide_row_quota(counts, MAX_PRINTED_ROWS), strict=True
            )
        ]
    )
    return {
        "paper": paper,
        "title": request.title,
        "head": [
            facts.exporter_line,
            facts.time_line,
            f"筛选条件：{describe_filters(request, request.board.filters, values)}",
        ],
        "figures": list(_build_kpis(request, source, values)),
        "charts": _draw_charts(request, source, values, across * SIZE),
        "tables": placed,
        "foot": f"{request.title}　数据时间 {format_moment(facts.computed) if facts.computed else '尚未发布'}",
    }


def divide_row_quota(counts: Sequence[int], most: int) -> list[int]:
    """Divide the rows that may be printed among the tables: what a short one leaves goes to the others."""
    found = [0] * len(counts)
    by_length = sorted(range(len(counts)), key=counts.__getitem__)
    for left, at in zip(range(len(counts), 0, -1), by_length, strict=True):
        found[at] = min(counts[at], (most - sum(found)) // left)
    return found


def _draw_charts(
    request: ExportRequest, source: Connection, values: Mapping[str, Values], across: float
) -> list[dict[str, str]]:
    """Draw the board's first charts that have something to compare."""
    plots = ((chart, build_plot(request, chart, source, values)) for chart in main_charts(request.board))
    found = list(islice(((chart, shown) for chart, shown in plots if shown), CHARTS))
    width = (across - APART * (len(found) - 1)) / max(1, len(found))
    return [{"title": chart.title, "picture": render_svg(shown, width)} for chart, shown in found]


def _build_kpis(
    request: ExportRequest, source: Connection, values: Mapping[str, Values]
) -> Iterator[dict[str, Any]]:
    """Yield the KPIs of the header: value, note, and prior periods."""
    for chart in request.board.kpi_charts:
        dataset = request.board.dataset(chart.dataset)
        assert dataset.comparison is not None
        chosen, *earlier = dataset.comparison.labels
        lines = chart_rows(request, chart, values).read(source, table_statement(dataset, chart))
        # A period without rows has no line.
        figures = {word: dict(zip(chart.metrics, line, strict=True)) for word, *line in lines}
        for name in list_kpi_names(chart):
            metric = dataset.metric(name)
            yield {
                "label": metric.label,
                "value": format_value(figures[chosen][name], metric.format) if chosen in figures else "",
                "note": metric.note,
                "earlier": [
                    _describe_prior(dataset, name, word, figures[word])
                    for word in earlier
                    if word in figures and figures[word][name] is not None
                ],
            }


def _describe_prior(dataset: Dataset, name: str, word: str, prior: Mapping[str, Any]) -> str:
    """Return a prior period's value in words, with the change since."""
    value = format_value(prior[name], dataset.metric(name).format)
    moved = prior.get(change_name(name))
    if moved is None:
        return f"{word} {value}"
    form = dataset.metric(change_name(name)).format
    return f"{word} {value}（{format_value(moved, form)}{'点' if form == POINTS else ''}）"


def _build_table(
    request: ExportRequest,
    chart: Chart,
    source: Connection,
    values: Mapping[str, Values],
    count: int,
    printed: int,
) -> dict[str, Any]:
    dataset, rows = request.board.dataset(chart.dataset), chart_rows(request, chart, values)
    columns, metrics = table_columns(dataset, chart), table_metrics(dataset, chart)
    formats = [*map(_column_format, columns), *(metric.format for metric in metrics)]
    cells = [
        [format_value(value, form) for value, form in zip(row, formats, strict=True)]
        for row in rows.read(source, table_statement(dataset, chart, printed))
    ]
    totals = (
        _format_totals(rows.one(source, totals_statement(metrics)), metrics, len(columns))
        if chart.totalled and cells
        else []
    )
    lines = [*cells, totals] if totals else cells
    labels = [*(column.label for column in columns), *(metric.label for metric in metrics)]
    kinds = [*(column.kind for column in columns), *["number"] * len(metrics)]
    return {
        "title": chart.title,
        "note": _describe_rows(request, chart, values, count, len(cells)),
        "columns": [
            {
                "label": label,
                "right": kind == "number",
                "widths": _measure_column(label, kind, [line[at] for line in lines]),
            }
            for at, (label, kind) in enumerate(zip(labels, kinds, strict=True))
        ],
        "rows": cells,
        "totals": totals,
    }


def _column_format(column: Column) -> str:
    return column.number_format if column.kind == "number" else ""


def _format_totals(values: Sequence[Any], metrics: Sequence[Metric], before: int) -> list[str]:
    words = (format_value(value, metric.format) for value, metric in zip(values, metrics, strict=True))
    return [TOTAL, *[""] * (before - 1), *words]


def _describe_rows(
    request: ExportRequest, chart: Chart, values: Mapping[str, Values], count: int, printed: int
) -> str:
    """Return how many rows of a table are printed, and which filters of the report don't apply to it."""
    applied = request.board.filters_of(chart)
    others = [item.label for item in request.board.filters if values[item.key] and item not in applied]
    rows = f"共 {count:,} 行" if count else NO_ROWS
    if count > printed:
        rows += f"，此处打印前 {printed:,} 行，合计为全部 {count:,} 行；完整的行请导出 Excel 明细"
    return rows + (f"；不按{'、'.join(others)}筛选" if others else "")


def _measure_column(label: str, kind: str, cells: Sequence[str]) -> tuple[float, float]:
    """Return a column's width on paper, wide and tight: figures in full, texts up to a limit, headings
    halved."""
    full = max(map(measure_text, cells), default=0)
    least = max(measure_text(label) / 2, NARROW)
    if kind != "text":
        return (width := max(full, least) * LETTER + EDGES), width
    unbroken = max((len(run) for cell in cells for run in RUN.findall(cell)), default=0)
    wide, tight = (max(min(full, most), unbroken, least) * LETTER + EDGES for most in (WIDE, TIGHT))
    return wide, tight


def _fit_paper(tables: list[dict[str, Any]]) -> tuple[str, float, list[dict[str, Any]]]:
    """Return the paper that all tables fit on, its width, and the tables with the widths of columns and
    letters."""
    needed = [
        [sum(column["widths"][tight] for column in table["columns"]) for tight in (0, 1)] for table in tables
    ]
    paper, across, _ = next(one for one in PAPERS if all(tight * one[2] <= one[1] for _, tight in needed))
    for table, (wide, tight) in zip(tables, needed, strict=True):
        broken = wide > across
        for column in table["columns"]:
            column["width"] = column.pop("widths")[broken]
        table["size"] = min(1.0, across / (tight if broken else wide))
    return paper, across, tables
