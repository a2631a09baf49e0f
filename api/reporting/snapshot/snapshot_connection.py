"""Connections to the published snapshot (数据快照): list reports read the newest one.

An open connection reads its snapshot to the end; a new snapshot only affects later connections.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from sqlalchemy import Connection, text
from sqlalchemy.exc import ProgrammingError

from api.kit.errors import Refusal
from reports.superset.snapshot import SnapshotCache, current_snapshot, snapshot_mark
from warehouse.compile_cache import project_digest

# As microseconds: the engine needs a library of time zones to hand out a moment.
REFRESHED_AT = text("select epoch_us(max(refreshed_at)) from refreshed_at")
PROJECT_DIGEST = text("select project from refreshed_at")
MISSING_ERRORS = ("Catalog Error", "Binder Error")
"""A table or a column is not there yet."""

_snapshots = SnapshotCache()
_log = logging.getLogger(__name__)


@contextmanager
def open_snapshot() -> Iterator[Connection]:
    """A connection to the newest published snapshot.

    Raises Refusal before the first one, and for tables or columns that the newest lacks while the first
    one of a new version is being built.
    """
    if not current_snapshot().is_file():
        raise Refusal("报表数据尚未发布，请稍后再查询")
    with _snapshots.newest().engine.connect() as conn:
        try:
            yield conn
        except ProgrammingError as error:
            if str(error.orig).startswith(MISSING_ERRORS) and _is_outdated(conn):
                _log.warning("快照里没有所问的表或列", exc_info=error)
                raise Refusal("报表数据正在按新版本重新计算，请稍后再查询") from error
            raise


def _is_outdated(conn: Connection) -> bool:
    """Return whether a snapshot was built by other models than those of this release."""
    conn.rollback()
    try:
        return bool(conn.execute(PROJECT_DIGEST).scalar() != project_digest())
    except ProgrammingError:
        # From before snapshots told.
        return True


def read_snapshot_mark() -> str:
    """Return a text that identifies the newest snapshot."""
    return snapshot_mark(current_snapshot())


def find_refreshed_at() -> datetime | None:
    """Return when the newest snapshot was published; None before the first."""
    if not current_snapshot().is_file():
        return None
    with open_snapshot() as conn:
        return read_refreshed_at(conn)


def read_refreshed_at(conn: Connection) -> datetime | None:
    """Return when the snapshot of a connection was published."""
    found = conn.execute(REFRESHED_AT).scalar()
    return None if found is None else datetime.fromtimestamp(found / 1_000_000, UTC)
