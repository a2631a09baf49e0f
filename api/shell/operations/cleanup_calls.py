"""Cleanup calls (数据清理接口): counts of each kind, and its deletion after a typed confirmation."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field
from sqlalchemy import insert, text

from api.kit.context import Context
from api.kit.errors import Refusal
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Key
from api.kit.storage import business_log
from api.shell.operations import refresh_notifier, trial_data
from api.shell.operations.cleanup import KINDS, CleanupCriteria
from api.shell.operations.cleanup_run import CleanupRun
from api.shell.operations.initialisation import DONE_STATE, STATE_SQL, STATES, require_company

api = build_router()
TRIAL, TRIAL_LABEL = "trial", "试用数据"
CONFIRMATION = "确认清理"
_TRIAL_COMPANIES = text(f"""
select c.company_id, c.company_name, {STATE_SQL} as state
from company c
left join initialisation i on i.company_id = c.company_id
where c.enabled and {STATE_SQL} < :done
order by c.company_id
""")
NAMES = (*(kind.name for kind in KINDS), TRIAL)

Days = Annotated[int, Query(ge=1, le=3650)]
Months = Annotated[int, Query(ge=3, le=120)]


class KindRow(BaseModel):
    kind: str
    label: str
    note: str
    count: int
    allowed: bool = Field(description="该类数据现在能不能清理")


class TrialCompany(BaseModel):
    company_id: int
    company_name: str
    state_name: str


class CleanupPreview(BaseModel):
    kinds: list[KindRow]
    companies: list[TrialCompany]
    confirmation: str = Field(description="清理时须原样录入")


class Cleanup(BaseModel):
    kinds: list[str] = Field(min_length=1, max_length=20)
    days: int = Field(30, ge=1, le=3650)
    months: int = Field(12, ge=3, le=120)
    company_id: int = Field(0, ge=0, le=2**62)
    confirm: str = Field(max_length=20)


class Cleaned(BaseModel):
    kind: str
    label: str
    count: int


@call(
    api,
    "GET",
    "v2/system/DbClear/getPreview",
    right=CleanupRun.right("clear"),
    returns=CleanupPreview,
)
def get_preview(ctx: Context, days: Days = 30, months: Months = 12, company_id: Key = 0) -> Any:
    """清理预览: how many of each kind would go."""
    ctx.require_full_scope("清理数据")
    criteria = CleanupCriteria(days, months, require_company(ctx, company_id) if company_id else 0)
    rows = [
        {
            "kind": kind.name,
            "label": kind.label,
            "note": kind.note,
            "count": kind.count(ctx.conn, criteria),
            "allowed": True,
        }
        for kind in KINDS
    ]
    trial = {
        "kind": TRIAL,
        "label": TRIAL_LABEL,
        "note": "尚未完成初始化的公司的全部单据和账簿，清理后从上传商品重新开始；资料保留",
        "count": trial_data.count_trial_bills(ctx.conn, criteria.company_id),
        "allowed": trial_data.is_trial(ctx.conn, criteria.company_id),
    }
    return {"kinds": [*rows, trial], "companies": _list_trial_companies(ctx), "confirmation": CONFIRMATION}


@declare_action(api, CleanupRun, "clear", list[Cleaned])
def clear_data(ctx: Context, payload: Cleanup) -> Any:
    """清理: all chosen kinds, or none."""
    ctx.require_full_scope("清理数据")
    if payload.confirm.strip() != CONFIRMATION:
        raise Refusal(f"请录入“{CONFIRMATION}”以确认")
    unknown = [name for name in payload.kinds if name not in NAMES]
    if unknown:
        raise Refusal("清理内容不正确，请刷新后重试")
    if TRIAL in payload.kinds and not payload.company_id:
        raise Refusal("请选择要清理试用数据的公司")
    criteria = CleanupCriteria(payload.days, payload.months, payload.company_id)
    done = [
        _record_cleanup(
            ctx, kind.name, kind.label, f"{payload.days}天/{payload.months}个月", kind.clear(ctx, criteria)
        )
        for kind in KINDS
        if kind.name in payload.kinds
    ]
    if TRIAL in payload.kinds:
        company = require_company(ctx, payload.company_id)
        name: str = ctx.conn.execute(
            text("select company_name from company where company_id = :id"), {"id": company}
        ).scalar_one()
        done.append(
            _record_cleanup(ctx, TRIAL, TRIAL_LABEL, name, trial_data.wipe_trial_data(ctx.conn, company))
        )
        ctx.after_commit.append(refresh_notifier.notify_refresh_worker)
    return done


def _record_cleanup(ctx: Context, kind: str, label: str, scope: str, count: int) -> dict[str, Any]:
    """Record a cleaned kind in the list of cleanups and in the business log."""
    values = {
        "label": label,
        "scope": scope,
        "rows_removed": min(count, 2**31 - 1),
        "asked_by": ctx.principal.user_id,
    }
    table = CleanupRun.table()
    key: int = ctx.conn.execute(insert(table).values(values).returning(table.c.cleanup_run_id)).scalar_one()
    business_log.log_action(
        ctx.conn,
        ctx.principal,
        CleanupRun.name(),
        key,
        "clear",
        company_id=ctx.principal.company_id,
        after={"label": label, "scope": scope, "count": count},
    )
    return {"kind": kind, "label": label, "count": count}


def _list_trial_companies(ctx: Context) -> list[dict[str, Any]]:
    rows = ctx.conn.execute(_TRIAL_COMPANIES, {"done": DONE_STATE})
    return [
        {"company_id": row.company_id, "company_name": row.company_name, "state_name": STATES[row.state]}
        for row in rows
    ]
