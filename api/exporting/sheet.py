"""Sheets (报表打印): a tab's figures, main charts and tables, as the data that the press sets on A4.

What stands under a table is the total of all its rows, printed or not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Connection

from api.exporting.asked import Asked, Values
from api.exporting.book import NO_ROWS, TOTAL, letters
from api.exporting.drawing import draw
from api.exporting.head import Told, filter_words
from api.exporting.plotting import main_charts, plot
from api.exporting.rows import (
    chart_rows,
    count_statement,
    table_columns,
    table_metrics,
    table_statement,
    totals_statement,
)
from api.exporting.wording import worded
from api.shell.export_about import moment
from reports.catalogue.beside import moved_name, names
from reports.catalogue.boards import Chart
from reports.catalogue.datasets import POINTS, Column, Dataset, Metric

PRINTED = 5000
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


def sheet(asked: Asked, source: Connection, facts: Told, values: Mapping[str, Values]) -> dict[str, Any]:
    """A report's sheet as `report.typ` describes it."""
    tables = [chart.on_screen for chart in asked.board.tables]
    counts = [
        chart_rows(asked, chart, values).one(
            source, count_statement(asked.board.dataset(chart.dataset), chart)
        )[0]
        for chart in tables
    ]
    paper, across, placed = _laid(
        [
            _table(asked, chart, source, values, count, printed)
            for chart, count, printed in zip(tables, counts, shares(counts, PRINTED), strict=True)
        ]
    )
    return {
        "paper": paper,
        "title": asked.title,
        "head": [facts.who, facts.when, f"筛选条件：{filter_words(asked, asked.board.filters, values)}"],
        "figures": list(_figures(asked, source, values)),
        "charts": _charts(asked, source, values, across * SIZE),
        "tables": placed,
        "foot": f"{asked.title}　数据时间 {moment(facts.computed) if facts.computed else '尚未发布'}",
    }


def shares(counts: Sequence[int], most: int) -> list[int]:
    """How many rows of each table are printed of so many together: what a short one leaves is the others'."""
    found = [0] * len(counts)
    by_length = sorted(range(len(counts)), key=counts.__getitem__)
    for left, at in zip(range(len(counts), 0, -1), by_length, strict=True):
        found[at] = min(counts[at], (most - sum(found)) // left)
    return found


def _charts(
    asked: Asked, source: Connection, values: Mapping[str, Values], across: float
) -> list[dict[str, str]]:
    """The board's first charts that have something to compare."""
    plots = ((chart, plot(asked, chart, source, values)) for chart in main_charts(asked.board))
    found = list(islice(((chart, shown) for chart, shown in plots if shown), CHARTS))
    width = (across - APART * (len(found) - 1)) / max(1, len(found))
    return [{"title": chart.title, "picture": draw(shown, width)} for chart, shown in found]


def _figures(asked: Asked, source: Connection, values: Mapping[str, Values]) -> Iterator[dict[str, Any]]:
    """The figures at the head: each as it is, what it counts, and what it was before."""
    for chart in asked.board.figures:
        dataset = asked.board.dataset(chart.dataset)
        assert dataset.beside is not None
        chosen, *earlier = dataset.beside.words
        lines = chart_rows(asked, chart, values).read(source, table_statement(dataset, chart))
        # A period without rows has no line.
        told = {word: dict(zip(chart.metrics, line, strict=True)) for word, *line in lines}
        for name in names(chart):
            metric = dataset.metric(name)
            yield {
                "label": metric.label,
                "value": worded(told[chosen][name], metric.format) if chosen in told else "",
                "note": metric.note,
                "earlier": [
                    _stood(dataset, name, word, told[word])
                    for word in earlier
                    if word in told and told[word][name] is not None
                ],
            }


def _stood(dataset: Dataset, name: str, word: str, then: Mapping[str, Any]) -> str:
    """What a figure was in an earlier period, and how it has changed since."""
    value = worded(then[name], dataset.metric(name).format)
    moved = then.get(moved_name(name))
    if moved is None:
        return f"{word} {value}"
    form = dataset.metric(moved_name(name)).format
    return f"{word} {value}（{worded(moved, form)}{'点' if form == POINTS else ''}）"


def _table(
    asked: Asked, chart: Chart, source: Connection, values: Mapping[str, Values], count: int, printed: int
) -> dict[str, Any]:
    dataset, rows = asked.board.dataset(chart.dataset), chart_rows(asked, chart, values)
    columns, metrics = table_columns(dataset, chart), table_metrics(dataset, chart)
    formats = [*map(_format, columns), *(metric.format for metric in metrics)]
    cells = [
        [worded(value, form) for value, form in zip(row, formats, strict=True)]
        for row in rows.read(source, table_statement(dataset, chart, printed))
    ]
    totals = (
        _totals(rows.one(source, totals_statement(metrics)), metrics, len(columns))
        if chart.totalled and cells
        else []
    )
    lines = [*cells, totals] if totals else cells
    labels = [*(column.label for column in columns), *(metric.label for metric in metrics)]
    kinds = [*(column.kind for column in columns), *["number"] * len(metrics)]
    return {
        "title": chart.title,
        "note": _note(asked, chart, values, count, len(cells)),
        "columns": [
            {
                "label": label,
                "right": kind == "number",
                "widths": _widths(label, kind, [line[at] for line in lines]),
            }
            for at, (label, kind) in enumerate(zip(labels, kinds, strict=True))
        ],
        "rows": cells,
        "totals": totals,
    }


def _format(column: Column) -> str:
    return column.number_format if column.kind == "number" else ""


def _totals(values: Sequence[Any], metrics: Sequence[Metric], before: int) -> list[str]:
    words = (worded(value, metric.format) for value, metric in zip(values, metrics, strict=True))
    return [TOTAL, *[""] * (before - 1), *words]


def _note(asked: Asked, chart: Chart, values: Mapping[str, Values], count: int, printed: int) -> str:
    """How much of a table is printed, and which of the report's filters it leaves out."""
    heeded = asked.board.filters_of(chart)
    others = [item.label for item in asked.board.filters if values[item.key] and item not in heeded]
    rows = f"共 {count:,} 行" if count else NO_ROWS
    if count > printed:
        rows += f"，此处打印前 {printed:,} 行，合计为全部 {count:,} 行；完整的行请导出 Excel 明细"
    return rows + (f"；不按{'、'.join(others)}筛选" if others else "")


def _widths(label: str, kind: str, cells: Sequence[str]) -> tuple[float, float]:
    """How much of the sheet a column takes, wide or tight: figures in full, texts up to a limit, headings halved."""
    full = max(map(letters, cells), default=0)
    least = max(letters(label) / 2, NARROW)
    if kind != "text":
        return (width := max(full, least) * LETTER + EDGES), width
    unbroken = max((len(run) for cell in cells for run in RUN.findall(cell)), default=0)
    wide, tight = (max(min(full, most), unbroken, least) * LETTER + EDGES for most in (WIDE, TIGHT))
    return wide, tight


def _laid(tables: list[dict[str, Any]]) -> tuple[str, float, list[dict[str, Any]]]:
    """The paper that all tables fit on, how wide it is, and the tables with the widths of columns and letters."""
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
