"""Workbooks of reports (报表工作簿): tables with a header and frozen headings, written in constant memory."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import xlsxwriter

from api.shell.files.export_job import SHEET_ROWS, WORKBOOK_OPTIONS
from reports.semantics.datasets import Column, Metric

MOST_COLUMNS = 16_384
NAME_LENGTH = 31
FORBIDDEN = re.compile(r"[\[\]:*?/\\]")
WIDEST, NARROWEST = 40, 8
"""Of a column, in letters."""
TOTAL, NO_ROWS = "合计", "没有符合条件的数据"
SAMPLE = 200
"""So many rows say how wide a column of texts is."""
A4 = 9
FORMAT = re.compile(r"([+-]?),\.(\d)~?([f%])")
Style = Literal["row", "subtotal", "total", "none"]
STYLES: tuple[Style, ...] = ("row", "subtotal", "total", "none")
Line = tuple[Style, Sequence[Any]]
COLUMN_FORMATS = {"date": "yyyy-mm-dd", "datetime": "yyyy-mm-dd hh:mm:ss"}


@dataclass(frozen=True)
class SheetColumn:
    """A column of a sheet: its heading (one or more lines), its number format, and its least width."""

    heading: tuple[str, ...]
    format: str
    width: float


def text_column(heading: tuple[str, ...], width: float) -> SheetColumn:
    return SheetColumn(heading, "", width)


def dimension_column(column: Column) -> SheetColumn:
    form = (
        number_format(column.number_format)
        if column.kind == "number"
        else COLUMN_FORMATS.get(column.kind, "")
    )
    return SheetColumn((column.label,), form, measure_text(column.label) + 2)


def figure_column(heading: tuple[str, ...], metric: Metric) -> SheetColumn:
    return SheetColumn(
        heading, number_format(metric.format), max(13, *(measure_text(word) + 2 for word in heading))
    )


def number_format(d3: str) -> str:
    """Convert a d3 format of the catalogue to Excel's."""
    sign, decimals, percent = _parse_format(d3)
    # Excel would write the point alone of a number that has no decimals.
    decimals = min(decimals, 2) if "~" in d3 else decimals
    plain = "#,##0" + (f".{'0' * decimals}" if decimals else "") + ("%" if percent else "")
    return f"+{plain};-{plain};{plain}" if sign == "+" else plain


def smallest_difference(d3: str) -> float:
    """Return the smallest difference that a d3 format of the catalogue shows."""
    _, decimals, percent = _parse_format(d3)
    return float(10.0 ** -(decimals + 2 * percent))


def _parse_format(d3: str) -> tuple[str, int, bool]:
    """Return sign, decimals, and whether it is a percentage."""
    match = FORMAT.fullmatch(d3)
    assert match, f"no number format {d3}"
    sign, decimals, kind = match.groups()
    return sign, int(decimals), kind == "%"


class WorkbookWriter:
    """Writer of a workbook, sheet after sheet; nothing in it is a formula or a link."""

    def __init__(self, path: Path, sheet_rows: int = SHEET_ROWS) -> None:
        self._workbook = xlsxwriter.Workbook(str(path), WORKBOOK_OPTIONS)
        self._sheet_rows = sheet_rows
        self._formats: dict[tuple[tuple[str, Any], ...], Any] = {}
        self._names: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._workbook.close()

    def write(
        self,
        name: str,
        head: Sequence[str],
        columns: Sequence[SheetColumn],
        lines: Iterable[Line],
        *,
        frozen: int = 0,
        filtered: bool = False,
    ) -> int:
        """Write a table under its header and return the count of plain rows.

        A full sheet is continued in the next one; a table without rows says so instead of a total.
        `frozen` columns stay on screen; `filtered` headings offer Excel's filter.
        """
        styles = {style: self._styles(style, columns) for style in STYLES}
        waiting = iter(lines)
        sample = list(islice(waiting, SAMPLE))
        if not any(style == "row" for style, _ in sample):
            sample = [("none", [NO_ROWS])]
        widths = _fit_widths(columns, sample)
        sheets = [self._sheet(name, head, columns, widths, frozen)]
        for style, values in chain(sample, waiting):
            if sheets[-1].lines >= self._sheet_rows and style != "total":
                sheets.append(self._sheet(name, head, columns, widths, frozen))
            sheets[-1].add(values, styles[style], style == "row")
        if filtered:
            for sheet in sheets:
                sheet.offer_filter(len(columns))
        return sum(sheet.rows for sheet in sheets)

    def _sheet(
        self,
        name: str,
        head: Sequence[str],
        columns: Sequence[SheetColumn],
        widths: Sequence[float],
        frozen: int,
    ) -> _Sheet:
        sheet = self._workbook.add_worksheet(self._name(name))
        for at, width in enumerate(widths):
            sheet.set_column(at, at, width)
        sheet.set_landscape()
        sheet.set_paper(A4)
        sheet.fit_to_pages(1, 0)
        title = self._format(bold=True, font_size=14)
        for line, text in enumerate(head):
            sheet.write_string(line, 0, text, title if line == 0 else None)
        heading = self._format(bold=True, bg_color="#ECF5FF", bottom=1, text_wrap=True, valign="vcenter")
        top = len(head)
        depth = max(len(column.heading) for column in columns)
        for line in range(depth):
            for at, column in enumerate(columns):
                sheet.write_string(top + line, at, column.heading[line], heading)
        sheet.freeze_panes(top + depth, frozen)
        sheet.repeat_rows(top, top + depth - 1)
        return _Sheet(sheet, top + depth)

    def _styles(self, style: Style, columns: Sequence[SheetColumn]) -> list[Any]:
        marks: dict[str, Any] = {}
        if style in ("subtotal", "total"):
            marks = {"bold": True, "bg_color": "#F5F7FA"}
        if style == "total":
            marks["top"] = 1
        return [
            self._format(**marks, **({"num_format": column.format} if column.format else {}))
            for column in columns
        ]

    def _format(self, **marks: Any) -> Any:
        key = tuple(sorted(marks.items()))
        if key not in self._formats:
            self._formats[key] = self._workbook.add_format(marks) if marks else None
        return self._formats[key]

    def _name(self, wanted: str) -> str:
        plain = FORBIDDEN.sub(" ", wanted).strip("'")
        number, name = 1, plain[:NAME_LENGTH]
        while name.lower() in self._names:
            number += 1
            end = f" {number}"
            name = plain[: NAME_LENGTH - len(end)] + end
        self._names.add(name.lower())
        return name


class _Sheet:
    """A sheet under its headings."""

    def __init__(self, sheet: Any, first: int) -> None:
        self._sheet, self._first, self.lines, self.rows = sheet, first, 0, 0
        number, moment = sheet.write_number, sheet.write_datetime
        self._writers = {
            str: sheet.write_string,
            float: number,
            int: number,
            Decimal: number,
            date: moment,
            datetime: moment,
        }

    def add(self, values: Sequence[Any], formats: Sequence[Any], plain: bool) -> None:
        line = self._first + self.lines
        writers = self._writers
        for at, value in enumerate(values):
            if value is not None:
                writers[type(value)](line, at, value, formats[at])
        self.lines += 1
        self.rows += plain

    def offer_filter(self, width: int) -> None:
        """Add a filter over the rows; the totals below them stay in sight."""
        self._sheet.autofilter(self._first - 1, 0, self._first - 1 + self.rows, width - 1)


def _fit_widths(columns: Sequence[SheetColumn], sample: Sequence[Line]) -> list[float]:
    """Return widths that hold the texts of the first rows."""
    found = [column.width for column in columns]
    for _, values in sample:
        for at, value in enumerate(values):
            if isinstance(value, str):
                found[at] = max(found[at], measure_text(value) + 2)
            elif isinstance(value, date):
                found[at] = max(found[at], 12)
    return [min(max(width, NARROWEST), WIDEST) for width in found]


def measure_text(text: str) -> int:
    """Return the width of a text in letters: a Chinese character takes two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
