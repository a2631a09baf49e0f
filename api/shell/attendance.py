"""Attendance (值守): who works on a task holds a lock of the database, which falls with a killed worker."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, text

from api.kit.database import engine

_KEY = "hashtextextended(:kind || ':' || cast(:id as text), 0)"
_TRY = text(f"select pg_try_advisory_lock({_KEY})")
_LEAVE = text(f"select pg_advisory_unlock({_KEY})")
_FREE = text(f"select pg_try_advisory_xact_lock({_KEY})")


@contextmanager
def attended(kind: str, task_id: int) -> Iterator[bool]:
    """Attend to a task for the length of the block; False when somebody else does already."""
    values = {"kind": kind, "id": task_id}
    with engine().connect().execution_options(isolation_level="AUTOCOMMIT") as guard:
        mine = bool(guard.execute(_TRY, values).scalar())
        try:
            yield mine
        finally:
            if mine:
                guard.execute(_LEAVE, values)


def is_unattended(conn: Connection, kind: str, task_id: int) -> bool:
    """Whether nobody works on a task; the answer holds until the transaction of `conn` ends."""
    return bool(conn.execute(_FREE, {"kind": kind, "id": task_id}).scalar())
