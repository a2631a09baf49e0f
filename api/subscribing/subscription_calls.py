"""Subscription calls (订阅接口): a user's own subscriptions: add, change, pause, run at once and delete."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import Row, delete, func, insert, select, text, update

from api.exporting.calls import ReportTask
from api.identity import sessions
from api.kit.context import Context
from api.kit.declaration import menu
from api.kit.errors import NotFound, Refusal
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Key, Payload, Saved
from api.kit.storage.database import TIME_ZONE
from api.messaging.tables import STATES, WAITING
from api.shell.files.export_tasks import DONE
from api.shell.workspace.preferences import register_scheme_guard
from api.subscribing.delivery_jobs import read_schedule, start_run
from api.subscribing.schedule import Rhythm, Schedule
from api.subscribing.subscription_content import (
    ReportSelection,
    filter_scope_key,
    require_email,
    resolve_export_request,
)
from api.subscribing.tables import SENT_FORMS, WAYS, DeliveryWay, ReportDelivery, ReportSubscription, SentForm

api = build_router()
PREFIX = "v2/report/Subscription"
MOST = 50
"""Most subscriptions of a user."""
MAX_NAMED = 5


class LastRun(BaseModel):
    """`export_id` is the file's task while it can be downloaded; it is `waiting` until it is sent or given up."""

    at: str
    state: str
    waiting: bool
    rows: int | None
    failure: str | None
    export_id: int | None
    file_name: str


class Subscription(BaseModel):
    """`route` is missing where the user may not see the report any more; `pause_reason` where he paused it himself.
    `kept_as` is under which name his filters of the report are kept."""

    subscription_id: int
    code: str
    tab: str
    title: str
    route: str | None
    kept_as: str
    scheme: str | None
    rhythm: Rhythm
    day: int | None
    hour: int
    schedule: str
    way: DeliveryWay
    way_name: str
    form: SentForm
    form_name: str
    paused: bool
    pause_reason: str | None
    next_at: str | None
    last: LastRun | None


class Subscriptions(BaseModel):
    """One's own, newest first; `mail_problem` says why none can be had by mail."""

    data: list[Subscription]
    mail_address: str | None
    mail_problem: str | None


class DeliverySettings(Payload):
    """`day` is 1 to 7 of a week, 1 to 31 of a month; `scheme` names a kept filter set of the tab."""

    scheme: Annotated[str, Described(max_length=100)] | None = None
    rhythm: Rhythm
    day: int | None = None
    hour: int
    way: DeliveryWay
    form: SentForm = "detail"

    def to_schedule(self) -> Schedule:
        """Return the validated schedule.

        Raises: Invalid.
        """
        found = Schedule(self.rhythm, None if self.rhythm == "day" else self.day, self.hour)
        found.validate()
        return found


class WantedReport(DeliverySettings):
    code: Annotated[str, Described(max_length=100)]
    tab: Annotated[str, Described(max_length=50)]


class ChangedSubscription(DeliverySettings):
    subscription_id: Key


class One(Payload):
    subscription_id: Key


class Pausing(One):
    paused: bool


_MINE = text("""
select s.*, d.at, d.state, coalesce(d.failure, t.failure) as failure, t.rows, t.status, t.export_id, t.file_name
from report_subscription s
left join lateral (
    select * from report_delivery d where d.subscription_id = s.subscription_id order by delivery_id desc limit 1
) d on true
left join export_task t on t.export_id = d.export_id
where s.user_id = :me
order by s.subscription_id desc
""")


@call(api, "GET", f"{PREFIX}/getMine", right=ANY_USER, returns=Subscriptions)
def get_mine(ctx: Context) -> Any:
    """我的订阅: with what became of the last run, which was of all that the user sees."""
    try:
        mail: dict[str, str | None] = {"mail_address": require_email(ctx), "mail_problem": None}
    except Refusal as refusal:
        mail = {"mail_address": None, "mail_problem": refusal.msg}
    rows = ctx.conn.execute(_MINE, {"me": ctx.principal.user_id})
    narrowed = sessions.has_narrowed_scope(ctx.conn, ctx.principal)
    return {"data": [_build_subscription(ctx, row, narrowed=narrowed) for row in rows], **mail}


def _require_full_scope(ctx: Context) -> None:
    """Raise Forbidden where a simulated login sees less than the user, whose rights a subscription uses."""
    sessions.require_full_scope(ctx.conn, ctx.principal, "设置订阅")


def _build_subscription(ctx: Context, row: Row[Any], *, narrowed: bool) -> dict[str, Any]:
    report = menu.find_report(row.code)
    last = {
        "at": row.at,
        "state": STATES.get(row.state),
        "waiting": row.state == WAITING,
        "rows": row.rows,
        "failure": row.failure,
        "export_id": row.export_id if row.status == DONE else None,
        "file_name": row.file_name,
    }
    return {
        "subscription_id": row.subscription_id,
        "code": row.code,
        "tab": row.tab,
        "title": ReportSelection.from_source(row).title,
        "route": report.route if report and ctx.principal.has_right(report.right) else None,
        "kept_as": filter_scope_key(row.code, row.tab),
        "scheme": row.scheme,
        "rhythm": row.rhythm,
        "day": row.day,
        "hour": row.hour,
        "schedule": read_schedule(row).label,
        "way": row.way,
        "way_name": WAYS[row.way],
        "form": row.form,
        "form_name": SENT_FORMS[row.form],
        "paused": row.paused,
        "pause_reason": row.pause_reason,
        "next_at": None if row.paused else row.next_at,
        "last": last if row.at and not narrowed else None,
    }


@call(api, "POST", f"{PREFIX}/add", right=ANY_USER, returns=Saved, write=True)
def add_subscription(ctx: Context, payload: WantedReport) -> Any:
    """订阅报表: one that the user may export."""
    _require_full_scope(ctx)
    schedule = payload.to_schedule()
    resolve_export_request(ctx, ReportSelection.from_source(payload))
    mine = select(func.count()).where(ReportSubscription.user_id == ctx.principal.user_id)
    if ctx.conn.execute(mine).scalar_one() >= MOST:
        raise Refusal(f"最多订阅{MOST}个，请先在我的订阅中删除不用的")
    values = {
        **payload.model_dump(),
        "user_id": ctx.principal.user_id,
        "day": schedule.day,
        "next_at": schedule.next_run(datetime.now(TIME_ZONE)),
    }
    made = insert(ReportSubscription).values(values).returning(ReportSubscription.subscription_id)
    return {"id": ctx.conn.execute(made).scalar_one()}


@call(api, "POST", f"{PREFIX}/edit", right=ANY_USER, returns=Saved, write=True)
def edit_subscription(ctx: Context, payload: ChangedSubscription) -> Any:
    """修改订阅: checked anew, so that one that paused itself goes on; one that the user paused stays so."""
    _require_full_scope(ctx)
    row, schedule = _require_own(ctx, payload.subscription_id), payload.to_schedule()
    resolve_export_request(
        ctx,
        replace(ReportSelection.from_source(row), scheme=payload.scheme, way=payload.way, form=payload.form),
    )
    values = {
        **payload.model_dump(exclude={"subscription_id"}),
        "day": schedule.day,
        "next_at": schedule.next_run(datetime.now(TIME_ZONE)),
        "paused": row.paused and row.pause_reason is None,
        "pause_reason": None,
    }
    this = ReportSubscription.subscription_id == row.subscription_id
    ctx.conn.execute(update(ReportSubscription).where(this).values(values))
    return {"id": row.subscription_id}


@call(api, "POST", f"{PREFIX}/setPaused", right=ANY_USER, returns=None, write=True)
def set_paused(ctx: Context, payload: Pausing) -> Any:
    """暂停、恢复: resumed only while the user may have the report."""
    _require_full_scope(ctx)
    row = _require_own(ctx, payload.subscription_id)
    values: dict[str, Any] = {"paused": payload.paused, "pause_reason": None}
    if not payload.paused:
        resolve_export_request(ctx, ReportSelection.from_source(row))
        values["next_at"] = read_schedule(row).next_run(datetime.now(TIME_ZONE))
    this = ReportSubscription.subscription_id == row.subscription_id
    ctx.conn.execute(update(ReportSubscription).where(this).values(values))
    return None


@call(api, "POST", f"{PREFIX}/run", right=ANY_USER, returns=ReportTask, write=True)
def run_now(ctx: Context, payload: One) -> Any:
    """立即运行: beside its schedule, one at a time."""
    _require_full_scope(ctx)
    row = _require_own(ctx, payload.subscription_id)
    if row.paused:
        raise Refusal("订阅已暂停，请先恢复")
    unsent = ReportDelivery.subscription_id == row.subscription_id, ReportDelivery.state == WAITING
    if ctx.conn.execute(select(ReportDelivery.delivery_id).where(*unsent).limit(1)).first():
        raise Refusal("上一次还在处理，请稍后再试")
    return start_run(ctx, row)


@call(api, "POST", f"{PREFIX}/del", right=ANY_USER, returns=None, write=True)
def delete_subscription(ctx: Context, payload: One) -> Any:
    """删除订阅: what is not sent yet will not be."""
    _require_full_scope(ctx)
    row = _require_own(ctx, payload.subscription_id)
    this = ReportSubscription.subscription_id == row.subscription_id
    ctx.conn.execute(delete(ReportSubscription).where(this))
    return None


@register_scheme_guard
def forbid_deleting_used_scheme(ctx: Context, screen: str, name: str) -> None:
    """Raise Refusal for a query scheme that the user's subscriptions use, paused ones too."""
    mine = ReportSubscription.user_id == ctx.principal.user_id, ReportSubscription.scheme == name
    rows = ctx.conn.execute(select(ReportSubscription.__table__).where(*mine)).all()
    used = [row for row in rows if filter_scope_key(row.code, row.tab) == screen]
    if not used:
        return
    names = "、".join(
        f"{ReportSelection.from_source(row).title}（{read_schedule(row).label}）" for row in used[:MAX_NAMED]
    )
    count = f"等{len(used)}个" if len(used) > MAX_NAMED else ""
    raise Refusal(f"“{name}”正用于订阅：{names}{count}，请先在“我的订阅”中为它们另选筛选或删除订阅")


def _require_own(ctx: Context, key: int) -> Row[Any]:
    """Return and lock a subscription of the user.

    Raises: NotFound.
    """
    table = ReportSubscription.__table__
    mine = table.c.subscription_id == key, table.c.user_id == ctx.principal.user_id
    row = ctx.conn.execute(select(table).where(*mine).with_for_update()).first()
    if row is None:
        raise NotFound("订阅")
    return row
