"""表格的列宽：表头不过两行，长名称分得其余的地方。

A browser by itself breaks a narrow column's heading after every letter, and long names although there is room.
"""

from __future__ import annotations

import re

from reports.catalogue.boards import Board, Chart
from reports.catalogue.datasets import MONEY, Dataset

ROOM = 1100
"""What a table has to itself in a window of 1440."""
LETTER, SIGN, SORTER, PADDING = 12, 7, 18, 9
"""The width of a Chinese letter, of another sign, of the arrows beside a heading and of what surrounds a cell."""
BREAK = re.compile(r"(?<=[^（])(?=[^）])(?<![!-~](?=[!-~]))|$")
"""Where a heading may be broken, once: a table that has no room for that leaves columns to its file."""
UNBROKEN = 4 * LETTER
"""Headings of this width stand in one line where there is room."""
WHOLE = 3
"""Headings of so many letters at most stand in one line wherever they are."""
LEAST_NAME, MOST_NAME = 86, 156
AMOUNT, FIGURE, WORDS, DAY, NUMBER = 76, 46, 62, 70, 128


def column_widths(chart: Chart, dataset: Dataset) -> dict[str, int]:
    """The least widths of a table's columns by their names."""
    headings = headings_of(chart, dataset)
    columns = {name: dataset.column(name) for name in chart.by}
    names = [name for name, column in columns.items() if column.is_wrapped]
    others = [name for name in headings if name not in names]
    for unbroken in (UNBROKEN, 0):
        widths = {name: heading_width(text, unbroken) for name, text in headings.items()}
        widths |= {name: column.min_width for name, column in columns.items() if column.min_width}
        taken = sum(max(widths[name], _filled(name, dataset)) + PADDING for name in others)
        left = ROOM - taken - len(names) * PADDING
        if left >= len(names) * LEAST_NAME:
            break
    share = left // max(len(names), 1)
    return widths | dict.fromkeys(names, min(max(share, LEAST_NAME), MOST_NAME))


def short_headings(board: Board) -> list[str]:
    """The columns of a board that have headings of three letters at most in all its tables."""
    tables = (headings_of(chart.on_screen, board.dataset(chart.dataset)) for chart in board.tables)
    lengths: dict[str, int] = {}
    for name, text in (heading for table in tables for heading in table.items()):
        lengths[name] = max(len(text), lengths.get(name, 0))
    return sorted(name for name, length in lengths.items() if length <= WHOLE)


def headings_of(chart: Chart, dataset: Dataset) -> dict[str, str]:
    """What stands above the columns of a table, by their names."""
    metrics = (dataset.metric(name) for name in chart.metrics)
    return {name: dataset.column(name).label for name in chart.by} | {
        metric.name: metric.heading or metric.label for metric in metrics
    }


def heading_width(text: str, unbroken: int = UNBROKEN) -> int:
    """The room of a heading, in one line up to a width and else in two."""
    whole = _room(text)
    broken = min(
        max(_room(text[: each.start()]), _room(text[each.start() :])) for each in BREAK.finditer(text)
    )
    return max(min(whole, unbroken), broken) + SORTER


def _room(text: str) -> int:
    return sum(LETTER if ord(letter) > ord("⺀") else SIGN for letter in text)


def _filled(name: str, dataset: Dataset) -> int:
    """The room that the cells of a column need."""
    if name.endswith("_no"):
        return NUMBER
    if dataset.has_column(name):
        return {"link": FIGURE, "number": FIGURE, "date": DAY}.get(dataset.column(name).kind, WORDS)
    return AMOUNT if dataset.metric(name).format == MONEY else FIGURE
