"""数据快照：原生报表在最新发布的快照上读取；打开的连接读完它的快照，新快照只影响以后的连接。"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from sqlalchemy import Connection, text
from sqlalchemy.exc import ProgrammingError

from api.kit.errors import Refusal
from reports.snapshot import Snapshots, current_snapshot, snapshot_mark
from warehouse.shelf import version

# As microseconds: the engine needs a library of time zones to hand out a moment.
STAMP = text("select epoch_us(max(refreshed_at)) from refreshed_at")
PROJECT = text("select project from refreshed_at")
LACKING = ("Catalog Error", "Binder Error")
"""A table or a column is not there yet."""

_snapshots = Snapshots()
_log = logging.getLogger(__name__)


@contextmanager
def published() -> Iterator[Connection]:
    """A connection to the newest published snapshot. Refuses before the first one, and what the newest lacks while the
    first one of a new version is being built."""
    if not current_snapshot().is_file():
        raise Refusal("报表数据尚未发布，请稍后再查询")
    with _snapshots.newest().engine.connect() as conn:
        try:
            yield conn
        except ProgrammingError as error:
            if str(error.orig).startswith(LACKING) and _is_outdated(conn):
                _log.warning("快照里没有所问的表或列", exc_info=error)
                raise Refusal("报表数据正在按新版本重新计算，请稍后再查询") from error
            raise


def _is_outdated(conn: Connection) -> bool:
    """Whether a snapshot was built by other models than those that are here."""
    conn.rollback()
    try:
        return bool(conn.execute(PROJECT).scalar() != version())
    except ProgrammingError:
        # From before snapshots told.
        return True


def published_mark() -> str:
    """What tells the newest snapshot from all others."""
    return snapshot_mark(current_snapshot())


def refreshed_at() -> datetime | None:
    """When the newest snapshot was published; None before the first."""
    if not current_snapshot().is_file():
        return None
    with published() as conn:
        return stamp(conn)


def stamp(conn: Connection) -> datetime | None:
    """When the snapshot of a connection was published."""
    found = conn.execute(STAMP).scalar()
    return None if found is None else datetime.fromtimestamp(found / 1_000_000, UTC)
