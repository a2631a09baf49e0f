"""Summaries (报表摘要): a tab's figures and the first rows of its tables, as the data that the press sets on A4.

What stands under a table is the total of all its rows, printed or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection

from api.exporting.asked import Asked, Values
from api.exporting.book import TOTAL, letters
from api.exporting.head import Told, filter_words
from api.exporting.rows import (
    chart_rows,
    count_statement,
    quoted,
    table_columns,
    table_metrics,
    table_statement,
    totals_statement,
)
from api.shell.export_about import moment
from reports.catalogue.model import Chart

PRINTED = 300
"""So many rows of a table are printed; the workbook has all."""
NARROW, WIDE = 5, 26
"""Of a column, in letters."""


def summary(asked: Asked, source: Connection, facts: Told, values: Mapping[str, Values]) -> dict[str, Any]:
    """A report's sheet as `report.typ` describes it."""
    return {
        "title": asked.title,
        "head": [facts.who, facts.when, f"筛选条件：{filter_words(asked.board.filters, values)}"],
        "figures": list(_figures(asked, source, values)),
        "tables": [_table(asked, chart, source, values) for chart in _on_screen(asked)],
        "foot": f"{asked.title}　数据时间 {moment(facts.computed) if facts.computed else '尚未发布'}",
    }


def _on_screen(asked: Asked) -> list[Chart]:
    """The tables from top to bottom, where what stands beside the figures comes first."""
    laid = [key for row in asked.board.rows for key, _ in row.charts]
    return sorted((chart.on_screen for chart in asked.board.tables), key=lambda chart: laid.index(chart.key))


def _figures(asked: Asked, source: Connection, values: Mapping[str, Values]) -> Iterator[dict[str, str]]:
    for chart in asked.board.charts:
        if chart.kind in ("kpi", "trend_kpi"):
            metric = asked.board.dataset(chart.dataset).metric(chart.metrics[0])
            rows = chart_rows(asked, chart, values)
            if chart.kind == "kpi":
                (value,), note = rows.one(source, totals_statement([metric])), chart.subtitle
            else:
                x = quoted(chart.x)
                newest = f"select {metric.sql} from {{rows}} group by {x} order by {x} desc limit 2"
                value, *before = [found for (found,) in rows.read(source, newest)] or [None]
                note = _compared(value, before, chart.subtitle)
            yield {"label": chart.title, "value": worded(value, metric.format), "note": note}


def _compared(value: Any, before: Sequence[Any], subtitle: str) -> str:
    """The change against the period before, where there is one."""
    if value is None or not before or not before[0]:
        return subtitle
    return f"{(value - before[0]) / abs(before[0]):+.1%} {subtitle}"


def _table(asked: Asked, chart: Chart, source: Connection, values: Mapping[str, Values]) -> dict[str, Any]:
    dataset, rows = asked.board.dataset(chart.dataset), chart_rows(asked, chart, values)
    columns, metrics = table_columns(dataset, chart), table_metrics(dataset, chart)
    formats = [*[""] * len(columns), *(metric.format for metric in metrics)]
    (count,) = rows.one(source, count_statement(chart))
    totals = rows.one(source, totals_statement(metrics)) if chart.totalled else ()
    cells = [
        [worded(value, form) for value, form in zip(row, formats, strict=True)]
        for row in rows.read(source, table_statement(dataset, chart, PRINTED))
    ]
    labels = [*(column.label for column in columns), *(metric.label for metric in metrics)]
    kinds = [*(column.kind for column in columns), *["number"] * len(metrics)]
    return {
        "title": chart.title,
        "note": _note(asked, chart, values, count, len(cells)),
        "columns": [
            {"label": label, "width": _width(label, at, cells), "right": kind == "number"}
            for at, (label, kind) in enumerate(zip(labels, kinds, strict=True))
        ],
        "rows": cells,
        "totals": [
            *(TOTAL, *[""] * (len(columns) - 1)),
            *(worded(value, metric.format) for value, metric in zip(totals, metrics, strict=True)),
        ]
        if chart.totalled
        else [],
    }


def _note(asked: Asked, chart: Chart, values: Mapping[str, Values], count: int, printed: int) -> str:
    """How much of a table is printed, and which of the report's filters it leaves out."""
    heeded = asked.board.filters_of(chart)
    others = [item.label for item in asked.board.filters if values[item.key] and item not in heeded]
    rows = f"共 {count:,} 行" + (
        f"，打印前 {printed:,} 行，合计为全部 {count:,} 行" if count > printed else ""
    )
    return rows + (f"；不按{'、'.join(others)}筛选" if others else "")


def worded(value: Any, form: str = "") -> str:
    """A value as it reads: figures in their d3 format, which is Python's as well."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, date):
        return value.isoformat()
    if not form:
        return str(value)
    sign = form[0] if form[0] in "+-" else ""
    # Nothing has no sign: what rounds to zero is written as zero.
    return f"{value:{sign}z{form.removeprefix(sign)}}"


def _width(label: str, at: int, cells: Sequence[Sequence[str]]) -> float:
    """How much of the sheet a column gets: its texts in full up to a limit, a heading of two lines."""
    needed = max((letters(row[at]) for row in cells), default=0)
    return min(max(needed, letters(label) / 2, NARROW), WIDE)
