"""Task lock (任务锁): a Postgres advisory lock held while a worker processes a task.

The server releases it when the worker dies.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, text

from api.kit.storage.database import main_engine

_KEY = "hashtextextended(:kind || ':' || cast(:id as text), 0)"
_TRY_LOCK = text(f"select pg_try_advisory_lock({_KEY})")
_UNLOCK = text(f"select pg_advisory_unlock({_KEY})")
_TRY_LOCK_IN_TRANSACTION = text(f"select pg_try_advisory_xact_lock({_KEY})")


@contextmanager
def lock_task(kind: str, task_id: int) -> Iterator[bool]:
    """Lock a task for the length of the block; yield False where another worker has the lock."""
    values = {"kind": kind, "id": task_id}
    with main_engine().connect().execution_options(isolation_level="AUTOCOMMIT") as guard:
        mine = bool(guard.execute(_TRY_LOCK, values).scalar())
        try:
            yield mine
        finally:
            if mine:
                guard.execute(_UNLOCK, values)


def is_task_abandoned(conn: Connection, kind: str, task_id: int) -> bool:
    """Return whether no worker has the task's lock; nobody takes it until the transaction of `conn` ends."""
    return bool(conn.execute(_TRY_LOCK_IN_TRANSACTION, {"kind": kind, "id": task_id}).scalar())
