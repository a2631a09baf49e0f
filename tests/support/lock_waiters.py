"""Waiters: calls that wait for what another transaction holds."""

from __future__ import annotations

import time

from sqlalchemy import Connection


def await_waiters(conn: Connection, wanted: int = 1) -> None:
    """Wait until so many backends wait for a lock; what a transaction has seen of them is forgotten each time."""
    deadline = time.monotonic() + 10
    waiting = 0
    while time.monotonic() < deadline:
        conn.exec_driver_sql("select pg_stat_clear_snapshot()")
        waiting = conn.exec_driver_sql(
            "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
        ).scalar_one()
        if waiting >= wanted:
            return
        time.sleep(0.02)
    raise AssertionError(f"{waiting} of {wanted} calls came to wait")
