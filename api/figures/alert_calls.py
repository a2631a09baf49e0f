"""Alert calls (指标预警接口): a user's own alerts, to make, change, pause and delete, and what may be watched."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import Row, delete, func, insert, select, text, update

from api.exporting import reports
from api.exporting.asked import ReportExport
from api.figures.found import Figure, figures_of
from api.figures.tables import AlertNotice, FigureAlert
from api.figures.watches import Watched, watched
from api.identity import sessions
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.errors import Invalid, NotFound, Refusal
from api.kit.schemas import Key, Payload, Saved
from api.messaging.tables import STATES, WAITING
from api.shell.preferences import guards_schemes
from api.subscribing.calls import TOLD
from api.subscribing.tables import WAYS, Way
from api.subscribing.wishes import Wish, address, screen_of

api = router()
PREFIX = "v2/report/FigureAlert"
MOST = 50
"""How many a user may have."""


class FigureChoice(BaseModel):
    """A figure that may be watched; `share` says that its values are of one, where people think of a hundred."""

    key: str
    label: str
    chart: str
    share: bool


class PresentValue(BaseModel):
    """What a figure comes to now, as a number and as it reads, under which filters."""

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
    way: Way
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


class Bounds(Payload):
    """Told when the figure is below `low` or above `high`, one of which may be missing."""

    figure: Annotated[str, Described(max_length=200)]
    scheme: Annotated[str, Described(max_length=100)] | None = None
    low: Bound | None = None
    high: Bound | None = None
    way: Way

    def check_bounds(self) -> None:
        """Raises Invalid for what bounds nothing."""
        if self.low is None and self.high is None:
            raise Invalid("请填写下限或上限")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise Invalid("下限不能大于上限")


class WantedAlert(Bounds):
    code: Annotated[str, Described(max_length=100)]
    tab: Annotated[str, Described(max_length=50)]


class ChangedAlert(Bounds):
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
        mail: dict[str, str | None] = {"mail_address": address(ctx), "mail_problem": None}
    except Refusal as refusal:
        mail = {"mail_address": None, "mail_problem": refusal.msg}
    rows = ctx.conn.execute(_MINE, {"me": ctx.principal.user_id})
    hidden = sessions.is_narrowed(ctx.conn, ctx.principal)
    return {"data": [{**_shown(ctx, row), **(_UNTOLD if hidden else {})} for row in rows], **mail}


_UNTOLD: dict[str, Any] = {"out": False, "value": None, "checked_at": None, "last": None}
"""What is worked out with the user's own rights, for who sees less."""


def _shown(ctx: Context, row: Row[Any]) -> dict[str, Any]:
    seen = _seen(ctx, row)
    figure = seen.figure if seen else None
    last = {"at": row.told_at, "words": row.words, "url": row.url, "failure": row.failure}
    return {
        **{
            name: getattr(row, name)
            for name in ("alert_id", "code", "tab", "figure", "scheme", "low", "high")
        },
        **{name: getattr(row, name) for name in ("way", "paused", "pause_reason", "out", "checked_at")},
        "title": Wish.of(row).title,
        "figure_label": figure.label if figure else None,
        "share": bool(figure and figure.is_share),
        "url": seen.url() if seen else None,
        "kept_as": screen_of(row.code, row.tab),
        "bounds": _bounds(figure, row) if figure else "",
        "way_name": WAYS[row.way],
        "value": figure.told(row.value) if figure and row.checked_at else None,
        "last": {**last, "state": STATES[row.state]} if row.told_at and figure else None,
    }


def _seen(ctx: Context, row: Row[Any]) -> Watched | None:
    """What is watched, as long as the user may see it. An address for letters doesn't matter to that."""
    try:
        return watched(ctx, replace(Wish.of(row), way="message"), row.figure)
    except Refusal:
        return None


def _bounds(figure: Figure, row: Row[Any]) -> str:
    told = {"不低于": row.low, "不高于": row.high}
    return "，".join(f"{word} {figure.told(bound)}" for word, bound in told.items() if bound is not None)


@call(api, "GET", f"{PREFIX}/getFigures", right=ANY_USER, returns=list[FigureChoice])
def get_figures(
    ctx: Context,
    code: Annotated[str, Query(max_length=100)],
    tab: Annotated[str, Query(max_length=50)],
) -> Any:
    """可预警的数字: of a report's tab or list that the session is shown."""
    board = reports.shown(ctx, ReportExport(code=code, tab=tab, form="detail")).board
    return [
        {"key": one.key, "label": one.label, "chart": one.chart.title, "share": one.is_share}
        for one in figures_of(board)
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
    seen = watched(ctx, Wish(code, tab, scheme or None, "message"), figure)
    with seen.opened(ctx) as source:
        value = seen.value(source)
        return {"value": value, "told": seen.figure.told(value), "filters": seen.filters(source)}


@call(api, "POST", f"{PREFIX}/add", right=ANY_USER, returns=Saved, write=True)
def add(ctx: Context, payload: WantedAlert) -> Any:
    """新增预警: on a figure that the user sees; it is looked at with the next figures."""
    _refuse_narrowed(ctx)
    payload.check_bounds()
    watched(ctx, Wish.of(payload), payload.figure)
    mine = select(func.count()).where(FigureAlert.user_id == ctx.principal.user_id)
    if ctx.conn.execute(mine).scalar_one() >= MOST:
        raise Refusal(f"最多设置{MOST}个预警，请先在我的预警中删除不用的")
    values = {**payload.model_dump(), "user_id": ctx.principal.user_id}
    made = insert(FigureAlert).values(values).returning(FigureAlert.alert_id)
    return {"id": ctx.conn.execute(made).scalar_one()}


@call(api, "POST", f"{PREFIX}/edit", right=ANY_USER, returns=Saved, write=True)
def edit(ctx: Context, payload: ChangedAlert) -> Any:
    """修改预警: it begins anew; one that paused itself goes on, one that the user paused stays so. What waits
    is not sent."""
    _refuse_narrowed(ctx)
    payload.check_bounds()
    row = _own(ctx, payload.alert_id)
    watched(ctx, replace(Wish.of(row), scheme=payload.scheme, way=payload.way), payload.figure)
    _change(
        ctx,
        row,
        **payload.model_dump(exclude={"alert_id"}),
        **_ANEW,
        paused=row.paused and row.pause_reason is None,
        pause_reason=None,
    )
    return {"id": row.alert_id}


@call(api, "POST", f"{PREFIX}/setPaused", right=ANY_USER, returns=None, write=True)
def set_paused(ctx: Context, payload: PausedAlert) -> Any:
    """暂停、恢复预警: resumed only while the user may see the figure; it begins anew then. What waits is not sent."""
    _refuse_narrowed(ctx)
    row = _own(ctx, payload.alert_id)
    if not payload.paused:
        watched(ctx, Wish.of(row), row.figure)
    _change(ctx, row, paused=payload.paused, pause_reason=None, **({} if payload.paused else _ANEW))
    return None


@call(api, "POST", f"{PREFIX}/del", right=ANY_USER, returns=None, write=True)
def remove(ctx: Context, payload: OneAlert) -> Any:
    """删除预警: what is not sent yet will not be."""
    _refuse_narrowed(ctx)
    row = _own(ctx, payload.alert_id)
    ctx.conn.execute(delete(FigureAlert).where(FigureAlert.alert_id == row.alert_id))
    return None


def _refuse_narrowed(ctx: Context) -> None:
    """An alert is looked at with the user's own rights."""
    sessions.refuse_narrowed(ctx.conn, ctx.principal, "设置预警")


_ANEW: dict[str, Any] = {"out": False, "value": None, "checked_mark": None, "checked_at": None}


@guards_schemes
def keep_watched(ctx: Context, screen: str, name: str) -> None:
    """Refuse to delete filters that one's alerts go by, paused ones too: they would stop."""
    mine = FigureAlert.user_id == ctx.principal.user_id, FigureAlert.scheme == name
    rows = ctx.conn.execute(select(FigureAlert.__table__).where(*mine)).all()
    used = [Wish.of(row).title for row in rows if screen_of(row.code, row.tab) == screen]
    if used:
        more = f"等{len(used)}个" if len(used) > TOLD else ""
        told = "、".join(used[:TOLD])
        raise Refusal(f"“{name}”正用于预警：{told}{more}，请先在“我的预警”中为它们另选筛选或删除预警")


def _change(ctx: Context, row: Row[Any], **values: Any) -> None:
    """A letter that waits says what was: it is dropped."""
    waits = AlertNotice.alert_id == row.alert_id, AlertNotice.state == WAITING
    ctx.conn.execute(delete(AlertNotice).where(*waits))
    ctx.conn.execute(update(FigureAlert).where(FigureAlert.alert_id == row.alert_id).values(values))


def _own(ctx: Context, key: int) -> Row[Any]:
    """An alert of the user's, held until the call ends."""
    table = FigureAlert.__table__
    mine = table.c.alert_id == key, table.c.user_id == ctx.principal.user_id
    row = ctx.conn.execute(select(table).where(*mine).with_for_update()).first()
    if row is None:
        raise NotFound("预警")
    return row
