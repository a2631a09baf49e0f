"""Pivots (透视): a cross table with subtotals, each level a query of its own over the base rows.

Not grouping sets: a share's denominator is the sum over all rows of its query, which would count every level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import groupby
from typing import Any

from sqlalchemy import Connection

from api.exporting.asked import Asked, Values, heeded, lifted
from api.exporting.bill_number_filter import hide_numbers
from api.exporting.book import MOST_COLUMNS, TOTAL, Line, Shown, Style, figure_column, text_column
from api.exporting.head import NOTHING
from api.exporting.query import Rows, quoted
from api.exporting.rows import ordered, rows_of, told
from api.kit.errors import Refusal
from api.kit.projection import MASK
from api.kit.scope import Principal
from reports.catalogue.boards import Filter, Pivot
from reports.catalogue.datasets import Dataset, Metric, unplaced

SUBTOTAL = "小计"
Key = tuple[Any, ...]


@dataclass(frozen=True)
class CrossTable:
    """A pivot over its rows; `periods` are its columns of which the report otherwise shows one value at a time. Texts
    that are `hidden` from its reader, by column, stand where 无权限 does, in no order that tells them.

    Figures that don't add up over periods are empty where a level has several of them.
    """

    dataset: Dataset
    pivot: Pivot
    rows: Rows
    filters: list[Filter]
    periods: frozenset[str]
    hidden: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def metrics(self) -> list[Metric]:
        return [self.dataset.metric(name) for name in self.pivot.metrics]

    @property
    def title(self) -> str:
        """What stands down × what across: which figures."""
        sides = (
            "、".join(self._label(name) for name in side) for side in (self.pivot.rows, self.pivot.columns)
        )
        return (
            f"{' × '.join(side for side in sides if side)}：{'、'.join(item.label for item in self.metrics)}"
        )

    @property
    def partial(self) -> list[Metric]:
        """The figures that have no total over the periods."""
        return [item for item in self.metrics if self.periods and not self.dataset.adds_up(item)]

    def lay(self, source: Connection) -> tuple[list[Shown], Iterator[Line]]:
        """The columns, and the lines with their subtotals as they are read. Refuses what is too wide for a sheet."""
        cells = [
            (key, metric) for key in self._across(source) for metric in self.metrics if self._has(key, metric)
        ]
        width = len(self.pivot.rows) + len(cells)
        if width > MOST_COLUMNS:
            raise Refusal(
                f"透视有 {width:,} 列，超过 Excel 的 {MOST_COLUMNS:,} 列，请换一个列维度或先筛选后再导出"
            )
        return self._shown(cells), self._lines(source, cells)

    def statement(self) -> str:
        """All levels of rows by all levels of columns; of each the depth on both sides, its keys and figures."""
        down, across = self.pivot.rows, self.pivot.columns
        parts = [
            self._level(down[:deep], across[:far])
            for deep in range(len(down) + 1)
            for far in range(len(across) + 1)
        ]
        order = [
            part
            for at, name in enumerate(down)
            for part in (f"depth < {at + 1}", *self._ordered(name, f"key{at}"))
        ]
        return f"select * from ({' union all '.join(parts)}) order by {', '.join(order)}"

    def _level(self, down: Sequence[str], across: Sequence[str]) -> str:
        kept = [*down, *across]
        keys = [
            f"{quoted(name) if name in kept else 'null'} as key{at}"
            for at, name in enumerate((*self.pivot.rows, *self.pivot.columns))
        ]
        whole = self.periods <= set(kept)
        figures = [told(item) if whole or self.dataset.adds_up(item) else "null" for item in self.metrics]
        grouped = f" group by {', '.join(map(quoted, kept))}" if kept else ""
        selected = [f"{len(down)} as depth", f"{len(across)} as far", *keys, *figures]
        return f"(select {', '.join(selected)} from {{rows}}{grouped})"

    def _has(self, key: Key, metric: Metric) -> bool:
        """Whether a column of a level can hold a metric at all."""
        across = self.pivot.columns
        return self.dataset.adds_up(metric) or self.periods & set(across) <= set(across[: len(key)])

    def _across(self, source: Connection) -> list[Key]:
        """The keys of the columns in their order, each group closed by its subtotal."""
        if not self.pivot.columns:
            return [()]
        names = [quoted(name) for name in self.pivot.columns]
        keys = ", ".join(names)
        order = ", ".join(part for name in self.pivot.columns for part in self._ordered(name, quoted(name)))
        statement = f"select {keys} from {{rows}} group by {keys} order by {order} limit {MOST_COLUMNS + 1}"
        return list(_closed([tuple(row) for row in self.rows.read(source, statement)], 0, len(names)))

    def _shown(self, cells: list[tuple[Key, Metric]]) -> list[Shown]:
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
                figure_column((*_headings(key, height), *([metric.label] if named else [])), metric)
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
            held: Mapping[Key, tuple[Any, ...]] = {
                tuple(row[2 + down : 2 + down + row[1]]): row for row in group
            }
            figures = [held[at][places[metric.name]] if at in held else None for at, metric in cells]
            style: Style = "row" if depth == down else "subtotal" if depth else "total"
            yield style, [*_side(names, depth, down), *figures]

    def _ordered(self, name: str, key: str) -> list[str]:
        column, hidden = self.dataset.column(name), self.hidden.get(name)
        if not hidden:
            return [f"{ordered(column, key)} nulls last"]
        shown = (
            f"case when {key} in ({', '.join(map(_literal, sorted(hidden)))}) then '{MASK}' else {key} end"
        )
        return [f"{ordered(column, shown)} nulls last", f"md5({key})"]

    def as_seen(self, reader: Principal, source: Connection) -> CrossTable:
        """The same in the order of what its reader sees."""
        if not reader.is_narrowed:
            return self
        names = [name for name in (*self.pivot.rows, *self.pivot.columns) if self._is_text(name)]
        return replace(self, hidden={name: self._hidden(name, reader, source) for name in names})

    def _is_text(self, name: str) -> bool:
        return self.dataset.column(name).kind == "text"

    def _hidden(self, name: str, reader: Principal, source: Connection) -> frozenset[str]:
        found = self.rows.read(source, f"select distinct {quoted(name)} from {{rows}}")
        texts = [str(text) for (text,) in found if text is not None]
        seen = hide_numbers(reader, texts)
        return frozenset(text for text, shown in zip(texts, seen, strict=True) if text != shown)

    def _label(self, name: str) -> str:
        return self.dataset.column(name).label


def cross_table(asked: Asked, values: Mapping[str, Values]) -> CrossTable:
    """The asked pivot over the rows that the filters leave."""
    board, pivot = asked.board, asked.pivot
    dataset, free = board.dataset(pivot.dataset), lifted(board, pivot)
    filters = heeded(board, dataset, free)
    chosen = [(item, values[item.key]) for item in filters]
    rows = asked.listed.rows if asked.listed else rows_of(dataset, asked.role_id, chosen)
    return CrossTable(dataset, pivot, rows, filters, frozenset(free))


def _closed(found: list[Key], level: int, depth: int) -> Iterator[Key]:
    """Keys in order, and after those with a common beginning the beginning itself."""
    if level == depth:
        yield found[0]
        return
    for _, group in groupby(found, lambda key: key[level]):
        yield from _closed(list(group), level + 1, depth)
    yield found[0][:level] if found else ()


def _headings(key: Key, height: int) -> list[str]:
    if len(key) == height:
        return [_word(value) for value in key]
    closing = SUBTOTAL if key else TOTAL
    return [*map(_word, key), closing, *[""] * (height - len(key) - 1)]


def _side(names: Key, depth: int, down: int) -> list[Any]:
    known = [_word(value) for value in names[:depth]]
    if depth == down:
        return known
    return [*known, SUBTOTAL if depth else TOTAL, *[None] * (down - depth - 1)]


def _literal(text: str) -> str:
    # What is written as a place for the rows is none.
    return "'{}'".format(text.replace("'", "''").replace("{", "' || '{' || '"))


def _word(value: Any) -> str:
    if value is None or value == "":
        return NOTHING
    return value.isoformat() if isinstance(value, date) else unplaced(str(value))
