"""Freshness of report data (报表数据的新鲜度): the refresh worker's state and history, and notices for
readers.

Only small files of the worker are read: nobody waits for it, and its state is known even when Postgres is
down.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from api.kit.scope import Principal
from api.kit.settings import read_settings
from api.kit.storage.database import TIME_ZONE
from api.money import cost_recalculation
from api.reporting.snapshot.snapshot_connection import find_refreshed_at
from warehouse import refresh_history, status
from warehouse.files import Files

FAILURE_GRACE = timedelta(minutes=1)
"""What fails no longer than this mends itself before a reader would do anything about it."""
SILENCE_LIMIT = timedelta(minutes=5)


def read_state() -> dict[str, Any]:
    """Return the refresh worker's status, with its times as datetimes."""
    shown = status.read_status(_locate_files().status)
    return {name: _parse_moment(value) if name in _TIMES else value for name, value in shown.items()}


def read_history() -> refresh_history.RefreshHistory:
    """Return the last refresh runs, and the totals of all."""
    return refresh_history.read_history(_locate_files().cycles)


def is_silent(shown: dict[str, Any]) -> bool:
    """Return whether a worker that once ran has not checked for changes for long."""
    checked, done = shown["checked_at"], shown["last_ok"]
    return checked is not None and datetime.now(UTC) - max(checked, done or checked) > SILENCE_LIMIT


def describe_staleness() -> str | None:
    """Return why the newest published figures are not current, in words for readers; None while all is well."""
    shown = read_state()
    if shown["failed_tests"]:
        failed = "、".join(test["label"] for test in shown["failed_tests"])
        return f"数据校验未通过（{failed}），{_describe_data_time()}"
    if shown["failing_since"] and datetime.now(UTC) - shown["failing_since"] > FAILURE_GRACE:
        return f"数据刷新失败，系统正在重试，{_describe_data_time()}"
    if is_silent(shown):
        return f"数据刷新进程没有运行，{_describe_data_time()}"
    return None


def list_notices(conn: Connection, principal: Principal, *, costs: bool) -> list[str]:
    """Return what a reader should know of the published figures, in words; `costs` if any cost is shown to
    them."""
    stands = describe_staleness()
    return [
        *([stands] if stands else []),
        *(cost_recalculation.list_notices(conn, principal) if costs else []),
    ]


def _describe_data_time() -> str:
    at = find_refreshed_at()
    return f"显示的是 {at.astimezone(TIME_ZONE):%Y-%m-%d %H:%M:%S} 的数据" if at else "数据尚未发布"


_TIMES = {"checked_at", "last_ok", "last_error", "failing_since", "waiting_since", "proved_at"}


def _parse_moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _locate_files() -> Files:
    return Files(read_settings().warehouse_dir)
