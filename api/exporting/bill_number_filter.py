"""Hidden bill numbers (不可见的单据号): a report's file names no bill that its reader may not open, as its
page doesn't."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from api.exporting.query import CHUNK
from api.kit.scope import Principal
from api.kit.storage.bill_visibility import mask_hidden_bills
from api.kit.storage.database import main_engine

T = TypeVar("T")


def hide_numbers(reader: Principal, rows: Iterable[T], *, saying: bool = False) -> Iterator[T]:
    """Yield rows without the numbers of bills that are hidden from their reader (`mask_hidden_bills`).

    The core is queried for a chunk at a time, in a transaction of its own.
    """
    waiting = iter(rows)
    if not reader.is_narrowed:
        yield from waiting
        return
    while part := list(islice(waiting, CHUNK)):
        with main_engine().connect() as conn:
            part = mask_hidden_bills(conn, reader, part, saying=saying)
        yield from part
