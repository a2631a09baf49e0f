"""Chart exports (图表文件): texts stay texts, numbers numbers, dates dates; no cell becomes a formula.

A workbook's texts are written as texts, which no spreadsheet computes. A CSV file has no types: a text
that could be computed has an apostrophe before it there, and any other stands as it is, a backslash too.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from io import BytesIO, StringIO
from typing import Any

import pandas as pd
import xlsxwriter

FORMULA_START = re.compile(r"[\s\x00-\x1f]*[=+\-@＝＋－＠]")
"""Beginning of a text that a spreadsheet would compute."""
MEASURE = re.compile(r"""[+-]\d[^\x00-\x1f=+\-*/^&<>|!()'"{}\[\]:;@\\＝＋－＠（）]*""")
"""A signed number and what it is of, with nothing between that computes."""
MOST_DIGITS = 10**15
"""Larger numbers would lose digits in a workbook."""
DAY, MOMENT = "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"


def build_csv(frame: pd.DataFrame) -> str:
    """Return the rows under their headings, as CSV without a byte order mark."""
    written = StringIO()
    writer = csv.writer(written, lineterminator="\n")
    for row in _list_rows(frame):
        writer.writerow([_escape_formula(value) if isinstance(value, str) else value for value in row])
    return written.getvalue()


def build_workbook(frame: pd.DataFrame) -> bytes:
    """Return the rows under their headings, as one sheet of an xlsx file."""
    written = BytesIO()
    with xlsxwriter.Workbook(written, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        bold = book.add_format({"bold": True})
        day, moment = (book.add_format({"num_format": form}) for form in (DAY, MOMENT))
        for at, row in enumerate(_list_rows(frame)):
            for place, value in enumerate(row):
                if value is None:
                    continue
                if isinstance(value, datetime):
                    sheet.write_datetime(at, place, value, moment)
                elif isinstance(value, date):
                    sheet.write_datetime(at, place, value, day)
                elif isinstance(value, int | float) and abs(value) <= MOST_DIGITS:
                    sheet.write_number(at, place, value)
                else:
                    sheet.write_string(at, place, str(value), None if at else bold)
    return written.getvalue()


def _list_rows(frame: pd.DataFrame) -> Iterator[Sequence[Any]]:
    """Yield the headings and then the rows, of values that both kinds of files know.

    Empty values are None.
    """
    if not isinstance(frame.index, pd.RangeIndex):
        frame = frame.reset_index()
    yield [_format_heading(name) for name in frame.columns]
    columns = [[_convert_value(value) for value in frame.iloc[:, place]] for place in range(frame.shape[1])]
    yield from zip(*columns, strict=True)


def _format_heading(name: Any) -> str:
    return " ".join(map(str, name)) if isinstance(name, tuple) else str(name)


def _convert_value(value: Any) -> Any:
    if isinstance(value, str | list | dict):
        return value if isinstance(value, str) else str(value)
    if pd.isna(value):
        return None
    if isinstance(value, datetime):
        moment = pd.Timestamp(value).tz_localize(None).to_pydatetime(warn=False)
        return moment if moment.time() != datetime.min.time() else moment.date()
    if isinstance(value, Decimal):
        value = float(value)
    if hasattr(value, "item"):
        value = value.item()
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _escape_formula(text: str) -> str:
    """Return a text that a spreadsheet doesn't compute."""
    return f"'{text}" if FORMULA_START.match(text) and not MEASURE.fullmatch(text) else text
