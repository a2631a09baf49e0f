"""Column widths of tables (列宽): headings of at most two lines, the rest for long names.

A browser by itself breaks a narrow column's heading after every letter, and long names although there is
room.
"""

from __future__ import annotations

import re

from reports.semantics.dashboards import Board, Chart
from reports.semantics.datasets import MONEY, Dataset

ROOM = 1100
"""Width of a table in a window of 1440."""
LETTER, SIGN, SORTER, PADDING = 12, 7, 18, 9
"""The width of a Chinese letter, of another sign, of the arrows beside a heading and of what surrounds a cell."""
BREAK = re.compile(r"(?<=[^（])(?=[^）])(?<![!-~](?=[!-~]))|$")
"""Places where a heading may be broken, once: a table that has no room for that exports columns only."""
UNBROKEN = 4 * LETTER
"""Headings of this width stand in one line where there is room."""
WHOLE = 3
"""Headings of so many letters at most stand in one line wherever they are."""
LEAST_NAME, MOST_NAME = 86, 156
AMOUNT, FIGURE, WORDS, DAY, NUMBER = 76, 46, 62, 70, 128


def column_widths(chart: Chart, dataset: Dataset) -> dict[str, int]:
    """Return the least widths of a table's columns by their names."""
    headings = list_headings(chart, dataset)
    columns = {name: dataset.column(name) for name in chart.by}
    names = [name for name, column in columns.items() if column.is_wrapped]
    others = [name for name in headings if name not in names]
    for unbroken in (UNBROKEN, 0):
        widths = {name: heading_width(text, unbroken) for name, text in headings.items()}
        widths |= {name: column.min_width for name, column in columns.items() if column.min_width}
        taken = sum(max(widths[name], _estimate_cell_width(name, dataset)) + PADDING for name in others)
        left = ROOM - taken - len(names) * PADDING
        if left >= len(names) * LEAST_NAME:
            break
    share = left // max(len(names), 1)
    return widths | dict.fromkeys(names, min(max(share, LEAST_NAME), MOST_NAME))


def short_headings(board: Board) -> list[str]:
    """Return the columns of a board that have headings of at most three letters in all its tables."""
    tables = (list_headings(chart.on_screen, board.dataset(chart.dataset)) for chart in board.tables)
    lengths: dict[str, int] = {}
    for name, text in (heading for table in tables for heading in table.items()):
        lengths[name] = max(len(text), lengths.get(name, 0))
    return sorted(name for name, length in lengths.items() if length <= WHOLE)


def list_headings(chart: Chart, dataset: Dataset) -> dict[str, str]:
    """Return the headings of a table's columns, by their names."""
    metrics = (dataset.metric(name) for name in chart.metrics)
    return {name: dataset.column(name).label for name in chart.by} | {
        metric.name: metric.heading or metric.label for metric in metrics
    }


def heading_width(text: str, unbroken: int = UNBROKEN) -> int:
    """Return the room of a heading, in one line up to a width and else in two."""
    whole = _measure_width(text)
    broken = min(
        max(_measure_width(text[: each.start()]), _measure_width(text[each.start() :]))
        for each in BREAK.finditer(text)
    )
    return max(min(whole, unbroken), broken) + SORTER


def _measure_width(text: str) -> int:
    return sum(LETTER if ord(letter) > ord("⺀") else SIGN for letter in text)


def _estimate_cell_width(name: str, dataset: Dataset) -> int:
    """Return the room that the cells of a column need."""
    if name.endswith("_no"):
        return NUMBER
    if dataset.has_column(name):
        return {"link": FIGURE, "number": FIGURE, "date": DAY}.get(dataset.column(name).kind, WORDS)
    return AMOUNT if dataset.metric(name).format == MONEY else FIGURE
