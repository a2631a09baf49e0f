"""Recorder of the SQL statements of a piece of work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event


@contextmanager
def recorded_statements() -> Iterator[list[str]]:
    """Record what any engine executes within the block."""
    told: list[str] = []

    def note(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        # What wakes other processes runs beside the work.
        if not statement.startswith("notify"):
            told.append(statement.strip())

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield told
    finally:
        event.remove(Engine, "before_cursor_execute", note)
