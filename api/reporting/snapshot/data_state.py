"""State of report data (报表数据状态): activity and lag of the refresh worker, durations and failures of
its last runs.

Failures name tables and sums of the whole group, so it is for users who see every company and warehouse.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from math import ceil
from typing import Any

from pydantic import BaseModel
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.fields import (
    datetime_field,
    enum_field,
    integer_field,
    key_field,
    quantity_field,
    textarea_field,
)
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.http.routing import build_router, call
from api.kit.scope import Principal
from api.kit.storage.database import dump_json
from api.reporting.snapshot import data_freshness
from api.reporting.snapshot.snapshot_connection import find_refreshed_at

api = build_router()

CHART_POINTS = 120
TESTED, PATCHED, REPLACED, REBUILT = 0, 1, 2, 3
MODES = {TESTED: "核对", PATCHED: "增量", REPLACED: "替换", REBUILT: "重建"}
UNCHANGED, PUBLISHED, FAILED = 0, 1, 2
RESULTS = {UNCHANGED: "无变化", PUBLISHED: "已发布", FAILED: "失败"}

_CYCLES = f"""
select
    c.number as data_state_id, c.ended_at, c.started_at, c.snapshot, c.rows, c.seconds, c.test_seconds, c.lag, c.times,
    case c.mode when 'patch' then {PATCHED} when 'replace' then {REPLACED} when 'rebuild' then {REBUILT}
        else {TESTED} end as mode,
    case when c.error is not null then {FAILED} when c.snapshot is not null then {PUBLISHED}
        else {UNCHANGED} end as result,
    c.error, c.mended
from jsonb_to_recordset(cast(:cycles as jsonb)) as c (
    number bigint, ended_at timestamptz, started_at timestamptz, mode text, snapshot bigint, rows bigint,
    seconds numeric, test_seconds numeric, lag numeric, error text, mended text, times bigint
)
"""


class DataState(View):
    """Last runs of the refresh worker (报表数据状态), newest first."""

    __tablename__ = "data_state"
    declaration = Declaration(
        "报表数据状态",
        "v2/report/DataState",
        "data_state_id",
        routes={"list": "/system/datastate"},
        menu=Menu("系统管理", "数据维护", 30),
        actions=READ_ONLY,
        order_by=("data_state_id", "desc"),
    )

    data_state_id: Mapped[int] = key_field()
    ended_at: Mapped[datetime | None] = datetime_field("结束时间", search=True)
    result: Mapped[int] = enum_field("结果", RESULTS, default=UNCHANGED, search=True, width=90)
    mode: Mapped[int] = enum_field("方式", MODES, default=TESTED, search=True, width=90)
    rows: Mapped[int | None] = integer_field("读取行数", default=None, width=100)
    seconds: Mapped[Decimal | None] = quantity_field("用时(秒)", default=None, width=90)
    test_seconds: Mapped[Decimal | None] = quantity_field("其中校验(秒)", default=None, width=110)
    lag: Mapped[Decimal | None] = quantity_field("滞后(秒)", default=None, width=90)
    snapshot: Mapped[int | None] = integer_field("快照", default=None, width=80)
    times: Mapped[int | None] = integer_field("次数", default=None, width=70)
    error: Mapped[str | None] = textarea_field("失败原因", max_length=2000, width=420)
    mended: Mapped[str | None] = textarea_field("已纠正", max_length=2000, width=420)
    started_at: Mapped[datetime | None] = datetime_field("开始时间")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        shown = data_freshness.read_history()["cycles"] if principal.is_unrestricted else []
        return _CYCLES, {"cycles": dump_json(shown).decode()}


class FailedTest(BaseModel):
    """A failed data test, which keeps the built figures from being published."""

    name: str
    label: str
    rows: int


class CyclePoint(BaseModel):
    """A refresh run in the chart."""

    ended_at: datetime
    seconds: float
    lag: float | None
    rows: int
    failed: bool


class WorkerState(BaseModel):
    """The refresh worker now, and statistics of its last runs. Seconds as numbers; `lag` runs from the commit
    of the oldest change of the last publication until readers found it, `waiting` is the age of the oldest
    change that is read and unpublished."""

    state: str
    refreshed_at: datetime | None
    snapshot: int | None
    last_ok: datetime | None
    checked_at: datetime | None
    lag: float | None
    waiting: float
    failures: int
    failing_since: datetime | None
    error: str | None
    proved_at: datetime | None
    tests: int
    failed_tests: list[FailedTest]
    p50: float | None
    p95: float | None
    lag_p95: float | None
    kept: int
    kept_since: datetime | None
    kept_rows: int
    kept_failures: int
    points: list[CyclePoint]


@call(api, "GET", "v2/report/DataState/getState", right=DataState.right("list"), returns=WorkerState)
def get_state(ctx: Context) -> Any:
    """刷新进程的状态."""
    ctx.require_full_scope("查看报表数据状态")
    shown, kept = data_freshness.read_state(), data_freshness.read_history()["cycles"]
    published = [cycle for cycle in kept if cycle["snapshot"] is not None]
    seconds = [cycle["seconds"] for cycle in published]
    lags = [cycle["lag"] for cycle in published if cycle["lag"] is not None]
    waiting = shown["waiting_since"]
    return {
        **{name: shown[name] for name in WorkerState.model_fields if name in shown},
        "state": "silent"
        if data_freshness.is_silent(shown)
        else "failed"
        if shown["error"]
        else shown["state"],
        "refreshed_at": find_refreshed_at(),
        "waiting": (datetime.now(UTC) - waiting).total_seconds() if waiting else 0,
        "p50": _find_percentile(seconds, 0.5),
        "p95": _find_percentile(seconds, 0.95),
        "lag_p95": _find_percentile(lags, 0.95),
        "kept": len(kept),
        "kept_since": datetime.fromisoformat(kept[0]["started_at"]) if kept else None,
        "kept_rows": sum(cycle["rows"] for cycle in kept),
        "kept_failures": sum(cycle["times"] for cycle in kept if cycle["error"] is not None),
        "points": [
            {
                **{name: cycle[name] for name in ("seconds", "lag", "rows")},  # type: ignore[literal-required]
                "ended_at": datetime.fromisoformat(cycle["ended_at"]),
                "failed": cycle["error"] is not None,
            }
            for cycle in kept[-CHART_POINTS:]
        ],
    }


def _find_percentile(values: list[float], share: float) -> float | None:
    """Return the smallest value that `share` of the values do not exceed."""
    return sorted(values)[ceil(share * len(values)) - 1] if values else None
