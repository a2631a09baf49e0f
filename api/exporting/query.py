"""Queries of exports (导出查询): rows as a subquery, over which statements are run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

CHUNK = 5000


@dataclass(frozen=True)
class RowQuery:
    """A dataset's rows as a subquery in parentheses, with the values of its `$1` and so on."""

    sql: str
    values: tuple[Any, ...]

    def read(self, source: Connection, statement: str) -> Iterator[tuple[Any, ...]]:
        """Run a statement over the rows (`{rows}` in it) and yield its lines; a chunk is in memory at a time."""
        result = source.exec_driver_sql(statement.replace("{rows}", self.sql), self.values)
        while chunk := result.cursor.fetchmany(CHUNK):
            yield from chunk

    def one(self, source: Connection, statement: str) -> tuple[Any, ...]:
        return next(self.read(source, statement))


def quote_identifier(name: str) -> str:
    return f'"{name}"'
