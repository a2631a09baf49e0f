"""Pivots (透视): a cross table with subtotals, each level a query of its own over the base rows.

Not grouping sets: a share's denominator is the sum over all rows of its query, which would count every
level.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import groupby
from typing import Any

from sqlalchemy import Connection

from api.exporting.bill_number_filter import hide_numbers
from api.exporting.dataset_sql import build_row_query, order_sql, rounded_sql
from api.exporting.export_request import ExportRequest, Values, applicable_filters, pivoted_single_filters
from api.exporting.query import RowQuery, quote_identifier
from api.exporting.report_header import NOTHING
from api.exporting.workbook import MOST_COLUMNS, TOTAL, Line, SheetColumn, Style, figure_column, text_column
from api.kit.errors import Refusal
from api.kit.scope import Principal
from api.kit.storage.projection import MASK
from reports.semantics.dashboards import Filter, Pivot
from reports.semantics.datasets import Dataset, Metric, strip_order_prefix

SUBTOTAL = "小计"
Key = tuple[Any, ...]


@dataclass(frozen=True)
class CrossTable:
    """A pivot over its rows; `periods` are its columns of which the report otherwise shows one value at a time. Texts
    that are `hidden` from its reader, by column, stand where 无权限 does, in an order that is drawn anew each time:
    numbers of bills can be guessed, and so could their places.

    Figures that don't add up over periods are empty where a level has several of them.
    """

    dataset: Dataset
    pivot: Pivot
    rows: RowQuery
    filters: list[Filter]
    periods: frozenset[str]
    hidden: Mapping[str, frozenset[str]] = field(default_factory=dict)
    drawn_order: str = field(default_factory=secrets.token_hex, compare=False)

    @property
    def metrics(self) -> list[Metric]:
        return [self.dataset.metric(name) for name in self.pivot.metrics]

    @property
    def title(self) -> str:
        """Row labels × column labels, and the figures."""
        sides = (
            "、".join(self._label(name) for name in side) for side in (self.pivot.rows, self.pivot.columns)
        )
        return (
            f"{' × '.join(side for side in sides if side)}：{'、'.join(item.label for item in self.metrics)}"
        )

    @property
    def partial(self) -> list[Metric]:
        """The figures that have no total over the periods."""
        return [item for item in self.metrics if self.periods and not self.dataset.is_additive(item)]

    def read(self, source: Connection) -> tuple[list[SheetColumn], Iterator[Line]]:
        """Return the columns, and the lines with their subtotals as they are read. Raises Refusal if too wide
        for a sheet."""
        cells = [
            (key, metric)
            for key in self._read_column_keys(source)
            for metric in self.metrics
            if self._can_show(key, metric)
        ]
        width = len(self.pivot.rows) + len(cells)
        if width > MOST_COLUMNS:
            raise Refusal(
                f"透视有 {width:,} 列，超过 Excel 的 {MOST_COLUMNS:,} 列，请换一个列维度或先筛选后再导出"
            )
        return self._build_columns(cells), self._lines(source, cells)

    def statement(self) -> str:
        """Build the SQL of all row levels by all column levels, each with its depth on both sides, keys and
        figures."""
        down, across = self.pivot.rows, self.pivot.columns
        parts = [
            self._level(down[:deep], across[:far])
            for deep in range(len(down) + 1)
            for far in range(len(across) + 1)
        ]
        order = [
            part
            for at, name in enumerate(down)
            for part in (f"depth < {at + 1}", *self._order_sql(name, f"key{at}"))
        ]
        return f"select * from ({' union all '.join(parts)}) order by {', '.join(order)}"

    def _level(self, down: Sequence[str], across: Sequence[str]) -> str:
        kept = [*down, *across]
        keys = [
            f"{quote_identifier(name) if name in kept else 'null'} as key{at}"
            for at, name in enumerate((*self.pivot.rows, *self.pivot.columns))
        ]
        whole = self.periods <= set(kept)
        figures = [
            rounded_sql(item) if whole or self.dataset.is_additive(item) else "null" for item in self.metrics
        ]
        grouped = f" group by {', '.join(map(quote_identifier, kept))}" if kept else ""
        selected = [f"{len(down)} as depth", f"{len(across)} as far", *keys, *figures]
        return f"(select {', '.join(selected)} from {{rows}}{grouped})"

    def _can_show(self, key: Key, metric: Metric) -> bool:
        """Return whether a column of a level can show a metric at all."""
        across = self.pivot.columns
        return self.dataset.is_additive(metric) or self.periods & set(across) <= set(across[: len(key)])

    def _read_column_keys(self, source: Connection) -> list[Key]:
        """Return the keys of the columns in their order, each group closed by its subtotal."""
        if not self.pivot.columns:
            return [()]
        names = [quote_identifier(name) for name in self.pivot.columns]
        keys = ", ".join(names)
        order = ", ".join(
            part for name in self.pivot.columns for part in self._order_sql(name, quote_identifier(name))
        )
        statement = f"select {keys} from {{rows}} group by {keys} order by {order} limit {MOST_COLUMNS + 1}"
        return list(_with_subtotals([tuple(row) for row in self.rows.read(source, statement)], 0, len(names)))

    def _build_columns(self, cells: list[tuple[Key, Metric]]) -> list[SheetColumn]:
        height = len(self.pivot.columns)
        named = not height or len(self.metrics) > 1
        lines = height + named
        sides = [
            text_column((*[""] * (lines - 1), self._label(name)), 16 if at else 22)
            for at, name in enumerate(self.pivot.rows)
        ]
        return [
            *sides,
            *(
                figure_column((*_format_headings(key, height), *([metric.label] if named else [])), metric)
                for key, metric in cells
            ),
        ]

    def _lines(self, source: Connection, cells: list[tuple[Key, Metric]]) -> Iterator[Line]:
        down, across = len(self.pivot.rows), len(self.pivot.columns)
        first = 2 + down + across
        places = {metric.name: first + at for at, metric in enumerate(self.metrics)}
        found = self.rows.read(source, self.statement())
        for key, group in groupby(found, lambda row: (row[0], row[2 : 2 + down])):
            depth, names = key
            rows: Mapping[Key, tuple[Any, ...]] = {
                tuple(row[2 + down : 2 + down + row[1]]): row for row in group
            }
            figures = [rows[at][places[metric.name]] if at in rows else None for at, metric in cells]
            style: Style = "row" if depth == down else "subtotal" if depth else "total"
            yield style, [*_format_side(names, depth, down), *figures]

    def _order_sql(self, name: str, key: str) -> list[str]:
        column, hidden = self.dataset.column(name), self.hidden.get(name)
        if not hidden:
            return [f"{order_sql(column, key)} nulls last"]
        shown = (
            f"case when {key} in ({', '.join(map(_literal, sorted(hidden)))}) then '{MASK}' else {key} end"
        )
        return [f"{order_sql(column, shown)} nulls last", f"md5({key} || '{self.drawn_order}')"]

    def as_seen(self, reader: Principal, source: Connection) -> CrossTable:
        """The same in the order of what its reader sees."""
        if not reader.is_narrowed:
            return self
        names = [name for name in (*self.pivot.rows, *self.pivot.columns) if self._is_text(name)]
        return replace(self, hidden={name: self._hidden(name, reader, source) for name in names})

    def _is_text(self, name: str) -> bool:
        return self.dataset.column(name).kind == "text"

    def _hidden(self, name: str, reader: Principal, source: Connection) -> frozenset[str]:
        found = self.rows.read(source, f"select distinct {quote_identifier(name)} from {{rows}}")
        texts = [str(text) for (text,) in found if text is not None]
        seen = hide_numbers(reader, texts)
        return frozenset(text for text, shown in zip(texts, seen, strict=True) if text != shown)

    def _label(self, name: str) -> str:
        return self.dataset.column(name).label


def build_cross_table(request: ExportRequest, values: Mapping[str, Values]) -> CrossTable:
    """Build the requested pivot over the rows that the filters leave."""
    board, pivot = request.board, request.pivot
    dataset, free = board.dataset(pivot.dataset), pivoted_single_filters(board, pivot)
    filters = applicable_filters(board, dataset, free)
    chosen = [(item, values[item.key]) for item in filters]
    rows = request.listed.rows if request.listed else build_row_query(dataset, request.role_id, chosen)
    return CrossTable(dataset, pivot, rows, filters, frozenset(free))


def _with_subtotals(found: list[Key], level: int, depth: int) -> Iterator[Key]:
    """Yield keys in order, and after those with a common beginning that beginning itself, for its subtotal."""
    if level == depth:
        yield found[0]
        return
    for _, group in groupby(found, lambda key: key[level]):
        yield from _with_subtotals(list(group), level + 1, depth)
    yield found[0][:level] if found else ()


def _format_headings(key: Key, height: int) -> list[str]:
    if len(key) == height:
        return [_format_key(value) for value in key]
    closing = SUBTOTAL if key else TOTAL
    return [*map(_format_key, key), closing, *[""] * (height - len(key) - 1)]


def _format_side(names: Key, depth: int, down: int) -> list[Any]:
    known = [_format_key(value) for value in names[:depth]]
    if depth == down:
        return known
    return [*known, SUBTOTAL if depth else TOTAL, *[None] * (down - depth - 1)]


def _literal(text: str) -> str:
    # What is written as a place for the rows is none.
    return "'{}'".format(text.replace("'", "''").replace("{", "' || '{' || '"))


def _format_key(value: Any) -> str:
    if value is None or value == "":
        return NOTHING
    return value.isoformat() if isinstance(value, date) else strip_order_prefix(str(value))
