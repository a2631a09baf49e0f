"""Alert calls (指标预警接口): create, change, pause and delete one's own alerts, and list figures to watch."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import Row, delete, func, insert, select, text, update

from api.exporting import report_access
from api.exporting.export_request import ExportRequestBody
from api.figures.figure_watch import WatchedFigure, resolve_watched
from api.figures.report_figures import ReportFigure, list_figures
from api.figures.tables import AlertNotice, FigureAlert
from api.identity import sessions
from api.kit.context import Context
from api.kit.errors import InvalidInput, NotFound, Refusal
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Key, Payload, Saved
from api.messaging.tables import STATES, WAITING
from api.shell.workspace.preferences import register_scheme_guard
from api.subscribing.subscription_calls import MAX_NAMED
from api.subscribing.subscription_content import ReportSelection, filter_scope_key, require_email
from api.subscribing.tables import WAYS, DeliveryWay

api = build_router()
PREFIX = "v2/report/FigureAlert"
MOST = 50
"""The most alerts that a user may have."""


class FigureChoice(BaseModel):
    """A figure that may be watched; `share` means a ratio that is displayed as a percentage."""

    key: str
    label: str
    chart: str
    share: bool


class PresentValue(BaseModel):
    """Present value of a figure, as a number and as text, and its filters."""

    value: float | None
    told: str
    filters: str


class LastNotice(BaseModel):
    at: str
    words: str
    url: str
    state: str
    failure: str | None


class Alert(BaseModel):
    """`figure_label` is missing where the user may not see the figure any more, then `url` is too."""

    alert_id: int
    code: str
    tab: str
    title: str
    figure: str
    figure_label: str | None
    share: bool
    url: str | None
    kept_as: str
    scheme: str | None
    low: Decimal | None
    high: Decimal | None
    bounds: str
    way: DeliveryWay
    way_name: str
    paused: bool
    pause_reason: str | None
    out: bool
    value: str | None
    checked_at: str | None
    last: LastNotice | None


class Alerts(BaseModel):
    """One's own, newest first; `mail_problem` says why none can be had by mail."""

    data: list[Alert]
    mail_address: str | None
    mail_problem: str | None


Bound = Annotated[Decimal, Described(max_digits=18, decimal_places=6)]


class AlertSettings(Payload):
    """Bounds and channel of an alert: notifies below `low` or above `high`, one of which may be missing."""

    figure: Annotated[str, Described(max_length=200)]
    scheme: Annotated[str, Described(max_length=100)] | None = None
    low: Bound | None = None
    high: Bound | None = None
    way: DeliveryWay

    def validate_bounds(self) -> None:
        """Raise Invalid if both bounds are missing or in the wrong order."""
        if self.low is None and self.high is None:
            raise InvalidInput("请填写下限或上限")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InvalidInput("下限不能大于上限")


class WantedAlert(AlertSettings):
    code: Annotated[str, Described(max_length=100)]
    tab: Annotated[str, Described(max_length=50)]


class ChangedAlert(AlertSettings):
    alert_id: Key


class OneAlert(Payload):
    alert_id: Key


class PausedAlert(OneAlert):
    paused: bool


_MINE = text("""
select a.*, n.at as told_at, n.words, n.url, n.state, n.failure
from figure_alert a
left join lateral (
    select * from alert_notice n where n.alert_id = a.alert_id order by notice_id desc limit 1
) n on true
where a.user_id = :me
order by a.alert_id desc
""")


@call(api, "GET", f"{PREFIX}/getMine", right=ANY_USER, returns=Alerts)
def get_mine(ctx: Context) -> Any:
    """我的预警: with what each figure came to, and when it was told last."""
    try:
        mail: dict[str, str | None] = {"mail_address": require_email(ctx), "mail_problem": None}
    except Refusal as refusal:
        mail = {"mail_address": None, "mail_problem": refusal.msg}
    rows = ctx.conn.execute(_MINE, {"me": ctx.principal.user_id})
    hidden = sessions.has_narrowed_scope(ctx.conn, ctx.principal)
    return {"data": [{**_build_alert(ctx, row), **(_HIDDEN_STATE if hidden else {})} for row in rows], **mail}


_HIDDEN_STATE: dict[str, Any] = {"out": False, "value": None, "checked_at": None, "last": None}
"""Values computed with the user's own rights, blanked for impersonators who see less."""


def _build_alert(ctx: Context, row: Row[Any]) -> dict[str, Any]:
    seen = _find_watched(ctx, row)
    figure = seen.figure if seen else None
    last = {"at": row.told_at, "words": row.words, "url": row.url, "failure": row.failure}
    return {
        **{
            name: getattr(row, name)
            for name in ("alert_id", "code", "tab", "figure", "scheme", "low", "high")
        },
        **{name: getattr(row, name) for name in ("way", "paused", "pause_reason", "out", "checked_at")},
        "title": ReportSelection.from_source(row).title,
        "figure_label": figure.label if figure else None,
        "share": bool(figure and figure.is_share),
        "url": seen.build_url() if seen else None,
        "kept_as": filter_scope_key(row.code, row.tab),
        "bounds": _describe_bounds(figure, row) if figure else "",
        "way_name": WAYS[row.way],
        "value": figure.describe_value(row.value) if figure and row.checked_at else None,
        "last": {**last, "state": STATES[row.state]} if row.told_at and figure else None,
    }


def _find_watched(ctx: Context, row: Row[Any]) -> WatchedFigure | None:
    """Resolve the watched figure if the user may see it; a missing mail address does not matter."""
    try:
        return resolve_watched(ctx, replace(ReportSelection.from_source(row), way="message"), row.figure)
    except Refusal:
        return None


def _describe_bounds(figure: ReportFigure, row: Row[Any]) -> str:
    bounds = {"不低于": row.low, "不高于": row.high}
    return "，".join(
        f"{word} {figure.describe_value(bound)}" for word, bound in bounds.items() if bound is not None
    )


@call(api, "GET", f"{PREFIX}/getFigures", right=ANY_USER, returns=list[FigureChoice])
def get_figures(
    ctx: Context,
    code: Annotated[str, Query(max_length=100)],
    tab: Annotated[str, Query(max_length=50)],
) -> Any:
    """可预警的数字: of a report's tab or list that the session is shown."""
    board = report_access.parse_view_request(ctx, ExportRequestBody(code=code, tab=tab, form="detail")).board
    return [
        {"key": one.key, "label": one.label, "chart": one.chart.title, "share": one.is_share}
        for one in list_figures(board)
    ]


@call(api, "GET", f"{PREFIX}/getValue", right=ANY_USER, returns=PresentValue)
def get_value(
    ctx: Context,
    code: Annotated[str, Query(max_length=100)],
    tab: Annotated[str, Query(max_length=50)],
    figure: Annotated[str, Query(max_length=200)],
    scheme: Annotated[str, Query(max_length=100)] = "",
) -> Any:
    """数字现值: what a figure comes to under kept filters, by which its bounds are chosen."""
    seen = resolve_watched(ctx, ReportSelection(code, tab, scheme or None, "message"), figure)
    with seen.open_source(ctx) as source:
        value = seen.read_value(source)
        return {
            "value": value,
            "told": seen.figure.describe_value(value),
            "filters": seen.describe_filters(source),
        }


@call(api, "POST", f"{PREFIX}/add", right=ANY_USER, returns=Saved, write=True)
def add_alert(ctx: Context, payload: WantedAlert) -> Any:
    """新增预警: on a figure that the user sees; it is looked at with the next figures."""
    _require_full_scope(ctx)
    payload.validate_bounds()
    resolve_watched(ctx, ReportSelection.from_source(payload), payload.figure)
    mine = select(func.count()).where(FigureAlert.user_id == ctx.principal.user_id)
    if ctx.conn.execute(mine).scalar_one() >= MOST:
        raise Refusal(f"最多设置{MOST}个预警，请先在我的预警中删除不用的")
    values = {**payload.model_dump(), "user_id": ctx.principal.user_id}
    made = insert(FigureAlert).values(values).returning(FigureAlert.alert_id)
    return {"id": ctx.conn.execute(made).scalar_one()}


@call(api, "POST", f"{PREFIX}/edit", right=ANY_USER, returns=Saved, write=True)
def edit_alert(ctx: Context, payload: ChangedAlert) -> Any:
    """修改预警: it begins anew; one that paused itself goes on, one that the user paused stays so. What waits
    is not sent."""
    _require_full_scope(ctx)
    payload.validate_bounds()
    row = _lock_own_alert(ctx, payload.alert_id)
    resolve_watched(
        ctx, replace(ReportSelection.from_source(row), scheme=payload.scheme, way=payload.way), payload.figure
    )
    _update_alert(
        ctx,
        row,
        **payload.model_dump(exclude={"alert_id"}),
        **_RESET_STATE,
        paused=row.paused and row.pause_reason is None,
        pause_reason=None,
    )
    return {"id": row.alert_id}


@call(api, "POST", f"{PREFIX}/setPaused", right=ANY_USER, returns=None, write=True)
def set_paused(ctx: Context, payload: PausedAlert) -> Any:
    """暂停、恢复预警: resumed only while the user may see the figure; it begins anew then. What waits is not sent."""
    _require_full_scope(ctx)
    row = _lock_own_alert(ctx, payload.alert_id)
    if not payload.paused:
        resolve_watched(ctx, ReportSelection.from_source(row), row.figure)
    _update_alert(
        ctx, row, paused=payload.paused, pause_reason=None, **({} if payload.paused else _RESET_STATE)
    )
    return None


@call(api, "POST", f"{PREFIX}/del", right=ANY_USER, returns=None, write=True)
def delete_alert(ctx: Context, payload: OneAlert) -> Any:
    """删除预警: what is not sent yet will not be."""
    _require_full_scope(ctx)
    row = _lock_own_alert(ctx, payload.alert_id)
    ctx.conn.execute(delete(FigureAlert).where(FigureAlert.alert_id == row.alert_id))
    return None


def _require_full_scope(ctx: Context) -> None:
    """Raise Forbidden for impersonators with less scope: alerts are checked with the user's own rights."""
    sessions.require_full_scope(ctx.conn, ctx.principal, "设置预警")


_RESET_STATE: dict[str, Any] = {"out": False, "value": None, "checked_mark": None, "checked_at": None}


@register_scheme_guard
def forbid_deleting_scheme(ctx: Context, screen: str, name: str) -> None:
    """Raise Refusal if filters to be deleted are used by the user's alerts, paused ones included."""
    mine = FigureAlert.user_id == ctx.principal.user_id, FigureAlert.scheme == name
    rows = ctx.conn.execute(select(FigureAlert.__table__).where(*mine)).all()
    used = [
        ReportSelection.from_source(row).title
        for row in rows
        if filter_scope_key(row.code, row.tab) == screen
    ]
    if used:
        more = f"等{len(used)}个" if len(used) > MAX_NAMED else ""
        names = "、".join(used[:MAX_NAMED])
        raise Refusal(f"“{name}”正用于预警：{names}{more}，请先在“我的预警”中为它们另选筛选或删除预警")


def _update_alert(ctx: Context, row: Row[Any], **values: Any) -> None:
    """Update an alert and delete its unsent notices."""
    waits = AlertNotice.alert_id == row.alert_id, AlertNotice.state == WAITING
    ctx.conn.execute(delete(AlertNotice).where(*waits))
    ctx.conn.execute(update(FigureAlert).where(FigureAlert.alert_id == row.alert_id).values(values))


def _lock_own_alert(ctx: Context, key: int) -> Row[Any]:
    """Lock and return an alert of the user's own."""
    table = FigureAlert.__table__
    mine = table.c.alert_id == key, table.c.user_id == ctx.principal.user_id
    row = ctx.conn.execute(select(table).where(*mine).with_for_update()).first()
    if row is None:
        raise NotFound("预警")
    return row
