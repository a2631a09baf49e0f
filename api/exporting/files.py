"""Files of reports (导出文件): a tab as a workbook of its tables, as a cross table, or on paper.

All of a file is read on one connection, of one snapshot; a query is read to its end before the next begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from api.exporting.asked import Asked, Values
from api.exporting.bill_number_filter import hide_numbers
from api.exporting.book import TOTAL, Book, Line, dimension_column, figure_column
from api.exporting.head import Told, filter_words, head
from api.exporting.pivoting import cross_table
from api.exporting.rows import (
    chart_rows,
    settled,
    table_columns,
    table_metrics,
    table_statement,
    totals_statement,
)
from api.exporting.sheet import sheet
from api.printing import press
from api.shell.export_job import SHEET_ROWS
from reports.catalogue.boards import Chart


def write(path: Path, asked: Asked, source: Connection, facts: Told, sheet_rows: int = SHEET_ROWS) -> int:
    """Write what was asked to a file. Answers how many rows it holds."""
    values = settled(asked, source)
    if asked.form == "pdf":
        printed = _shown(asked, sheet(asked, source, facts, values))
        path.write_bytes(press.pdf("report", [printed]))
        return sum(len(table["rows"]) for table in printed["tables"])
    with Book(path, sheet_rows) as book:
        if asked.form == "pivot":
            return _write_pivot(book, asked, source, facts, values)
        return sum(_write_table(book, asked, chart, source, facts, values) for chart in asked.board.listed)


def _shown(asked: Asked, printed: dict[str, Any]) -> dict[str, Any]:
    """A sheet as its reader may see it; of a picture only words are changed."""
    tables = list(hide_numbers(asked.reader, printed["tables"]))
    return {
        **printed,
        "tables": tables,
        "charts": list(hide_numbers(asked.reader, printed["charts"], saying=True)),
    }


def _write_table(
    book: Book, asked: Asked, chart: Chart, source: Connection, facts: Told, values: Mapping[str, Values]
) -> int:
    dataset, rows = asked.board.dataset(chart.dataset), chart_rows(asked, chart, values)
    columns, metrics = table_columns(dataset, chart), table_metrics(dataset, chart)

    def lines() -> Iterator[Line]:
        for row in rows.read(source, table_statement(dataset, chart)):
            yield "row", row
        if chart.totalled:
            yield "total", [TOTAL, *[None] * (len(columns) - 1), *rows.one(source, totals_statement(metrics))]

    return book.write(
        chart.title,
        head(asked, facts, chart.title, filter_words(asked, asked.board.filters_of(chart), values)),
        [*map(dimension_column, columns), *(figure_column((item.label,), item) for item in metrics)],
        hide_numbers(asked.reader, lines()),
        filtered=True,
    )


def _write_pivot(
    book: Book, asked: Asked, source: Connection, facts: Told, values: Mapping[str, Values]
) -> int:
    table = cross_table(asked, values).as_seen(asked.reader, source)
    free = [item.label for item in asked.board.filters if item.column in table.periods]
    columns, lines = table.lay(source)
    headings = hide_numbers(asked.reader, [column.heading for column in columns])
    columns = [replace(one, heading=heading) for one, heading in zip(columns, headings, strict=True)]
    words = filter_words(asked, table.filters, values, free)
    partial = "、".join(item.label for item in table.partial)
    notes = [f"说明：{partial}在不同{'、'.join(free)}之间不能相加，不作合计"] if partial else []
    return book.write(
        "透视",
        head(asked, facts, table.title, words, notes),
        columns,
        hide_numbers(asked.reader, lines),
        frozen=len(asked.pivot.rows),
    )
