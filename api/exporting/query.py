"""Queries of exports (导出查询): rows as SQL in parentheses, which statements are run over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

CHUNK = 5000


@dataclass(frozen=True)
class Rows:
    """A dataset's rows as a query in parentheses, with the values of its `$1` and so on."""

    sql: str
    values: tuple[Any, ...]

    def read(self, source: Connection, statement: str) -> Iterator[tuple[Any, ...]]:
        """Run a statement over the rows, which stand in it as `{rows}`; a chunk is in memory at a time."""
        result = source.exec_driver_sql(statement.replace("{rows}", self.sql), self.values)
        while chunk := result.cursor.fetchmany(CHUNK):
            yield from chunk

    def one(self, source: Connection, statement: str) -> tuple[Any, ...]:
        return next(self.read(source, statement))


def quoted(name: str) -> str:
    return f'"{name}"'
