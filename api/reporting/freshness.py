"""报表数据的新鲜度：刷新进程留下的状态与周期记录，以及读者该知道的：数据为何停在原处，哪里还会变。

Of the worker only small files are read: nobody waits for it, and its state is told as well when Postgres is gone.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from api.kit.database import TIME_ZONE
from api.kit.scope import Principal
from api.kit.settings import settings
from api.money import cost_recalculation
from api.reporting.snapshot import refreshed_at
from warehouse import cycles, status
from warehouse.files import Files

PATIENCE = timedelta(minutes=1)
"""What fails no longer than this mends itself before a reader would do anything about it."""
SILENCE = timedelta(minutes=5)


def state() -> dict[str, Any]:
    """The refresh worker's status; its times are moments."""
    shown = status.read(_files().status)
    return {name: _moment(value) if name in _TIMES else value for name, value in shown.items()}


def record() -> cycles.Record:
    """The last cycles, and the totals of all."""
    return cycles.read(_files().cycles)


def silent(shown: dict[str, Any]) -> bool:
    """Whether a worker that once ran has not looked for news for long."""
    checked, done = shown["checked_at"], shown["last_ok"]
    return checked is not None and datetime.now(UTC) - max(checked, done or checked) > SILENCE


def warning() -> str | None:
    """Why the newest published figures are not those of now, for readers of reports; None while all is well."""
    shown = state()
    if shown["failed_tests"]:
        failed = "、".join(test["label"] for test in shown["failed_tests"])
        return f"数据校验未通过（{failed}），{_stand()}"
    if shown["failing_since"] and datetime.now(UTC) - shown["failing_since"] > PATIENCE:
        return f"数据刷新失败，系统正在重试，{_stand()}"
    if silent(shown):
        return f"数据刷新进程没有运行，{_stand()}"
    return None


def notices(conn: Connection, principal: Principal, *, costs: bool) -> list[str]:
    """What a reader of published figures should know of them, in words; `costs`: whether he sees any of costs."""
    stands = warning()
    return [*([stands] if stands else []), *(cost_recalculation.notices(conn, principal) if costs else [])]


def _stand() -> str:
    at = refreshed_at()
    return f"显示的是 {at.astimezone(TIME_ZONE):%Y-%m-%d %H:%M:%S} 的数据" if at else "数据尚未发布"


_TIMES = {"checked_at", "last_ok", "last_error", "failing_since", "waiting_since", "proved_at"}


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _files() -> Files:
    return Files(settings().warehouse_dir)
