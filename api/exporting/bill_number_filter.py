"""Hidden numbers (不可见的单据号): a report's file names no bill that its reader may not open, as its page doesn't."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from api.exporting.query import CHUNK
from api.kit.database import engine
from api.kit.named_bills import hide_closed
from api.kit.scope import Principal

T = TypeVar("T")


def hide_numbers(reader: Principal, rows: Iterable[T], *, saying: bool = False) -> Iterator[T]:
    """What is written into a file without the numbers of bills that are hidden from its reader (`hide_closed`).

    A chunk at a time is asked of the core, in a transaction of its own.
    """
    waiting = iter(rows)
    if not reader.is_narrowed:
        yield from waiting
        return
    while part := list(islice(waiting, CHUNK)):
        with engine().connect() as conn:
            part = hide_closed(conn, reader, part, saying=saying)
        yield from part
