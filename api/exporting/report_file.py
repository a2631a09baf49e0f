"""Files of reports (导出文件): a tab as a workbook of its tables, as a cross table, or on paper.

All of a file is read on one connection, of one snapshot; a query is read to its end before the next
begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from api.exporting.bill_number_filter import hide_numbers
from api.exporting.cross_table import build_cross_table
from api.exporting.dataset_sql import (
    chart_rows,
    resolve_filter_values,
    table_columns,
    table_metrics,
    table_statement,
    totals_statement,
)
from api.exporting.export_request import ExportRequest, Values
from api.exporting.report_header import ExportMetadata, build_header, describe_filters
from api.exporting.report_layout import build_sheet
from api.exporting.workbook import TOTAL, Line, WorkbookWriter, dimension_column, figure_column
from api.printing import typst_renderer
from api.shell.files.export_job import SHEET_ROWS
from reports.semantics.dashboards import Chart


def write_report(
    path: Path,
    request: ExportRequest,
    source: Connection,
    facts: ExportMetadata,
    sheet_rows: int = SHEET_ROWS,
) -> int:
    """Write the requested file and return how many rows it holds."""
    values = resolve_filter_values(request, source)
    if request.form == "pdf":
        printed = _mask_numbers(request, build_sheet(request, source, facts, values))
        path.write_bytes(typst_renderer.render_pdf("report", [printed]))
        return sum(len(table["rows"]) for table in printed["tables"])
    with WorkbookWriter(path, sheet_rows) as book:
        if request.form == "pivot":
            return _write_pivot(book, request, source, facts, values)
        return sum(
            _write_table(book, request, chart, source, facts, values)
            for chart in request.board.exported_charts
        )


def _mask_numbers(request: ExportRequest, printed: dict[str, Any]) -> dict[str, Any]:
    """Hide bill numbers that the reader may not see; of a picture only texts are changed."""
    tables = list(hide_numbers(request.reader, printed["tables"]))
    return {
        **printed,
        "tables": tables,
        "charts": list(hide_numbers(request.reader, printed["charts"], saying=True)),
    }


def _write_table(
    book: WorkbookWriter,
    request: ExportRequest,
    chart: Chart,
    source: Connection,
    facts: ExportMetadata,
    values: Mapping[str, Values],
) -> int:
    dataset, rows = request.board.dataset(chart.dataset), chart_rows(request, chart, values)
    columns, metrics = table_columns(dataset, chart), table_metrics(dataset, chart)

    def lines() -> Iterator[Line]:
        for row in rows.read(source, table_statement(dataset, chart)):
            yield "row", row
        if chart.totalled:
            yield "total", [TOTAL, *[None] * (len(columns) - 1), *rows.one(source, totals_statement(metrics))]

    return book.write(
        chart.title,
        build_header(
            request, facts, chart.title, describe_filters(request, request.board.filters_of(chart), values)
        ),
        [*map(dimension_column, columns), *(figure_column((item.label,), item) for item in metrics)],
        hide_numbers(request.reader, lines()),
        filtered=True,
    )


def _write_pivot(
    book: WorkbookWriter,
    request: ExportRequest,
    source: Connection,
    facts: ExportMetadata,
    values: Mapping[str, Values],
) -> int:
    table = build_cross_table(request, values).as_seen(request.reader, source)
    free = [item.label for item in request.board.filters if item.column in table.periods]
    columns, lines = table.read(source)
    headings = hide_numbers(request.reader, [column.heading for column in columns])
    columns = [replace(one, heading=heading) for one, heading in zip(columns, headings, strict=True)]
    words = describe_filters(request, table.filters, values, free)
    partial = "、".join(item.label for item in table.partial)
    notes = [f"说明：{partial}在不同{'、'.join(free)}之间不能相加，不作合计"] if partial else []
    return book.write(
        "透视",
        build_header(request, facts, table.title, words, notes),
        columns,
        hide_numbers(request.reader, lines),
        frozen=len(request.pivot.rows),
    )
