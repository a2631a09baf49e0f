"""Checks of alerts (预警检查): each publication of the marts has every alert looked at, once; of those close upon each
other the last one.

It is looked at under its owner's rights and scope of that moment, and once more when a letter is sent. It is told when
its figure leaves the bounds, and again only after it was back within; an empty figure is neither. One that its owner
may not have any more pauses itself and tells him why. A message is there exactly once; a letter is tried again as those
of subscriptions are.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, or_, select, update

from api.figures.tables import AlertNotice, FigureAlert
from api.figures.watches import Watched, watched
from api.identity.sessions import principal_of
from api.kit.context import Context
from api.kit.database import TIME_ZONE, transact
from api.kit.errors import Refusal
from api.messaging.channels import Later, Rejected
from api.messaging.sending import failed
from api.messaging.tables import SENT, WAITING
from api.reporting.snapshot import published_mark
from api.shell import jobs
from api.subscribing.mail import letter, mailer
from api.subscribing.running import remind_user
from api.subscribing.tables import MESSAGE
from api.subscribing.wishes import Wish, address

log = logging.getLogger(__name__)
PAGE = "/myAlerts"
REST = timedelta(minutes=5)
"""Between two looks at an alert, however often figures are published."""
_ALERT, _NOTICE = FigureAlert.__table__, AlertNotice.__table__
_SENDABLE = (_NOTICE.c.state == WAITING, _NOTICE.c.next_at <= func.now())


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="look_for_alerts", queue=jobs.QUEUE, pass_context=False)
def look_for_alerts(timestamp: int) -> None:
    """Have looked at what nobody did since the newest figures, and sent what waits: a lost word is found again."""
    if transact(partial(_keys, _unchecked(published_mark()).limit(1))):
        jobs.look_at_figures()
    for key in transact(partial(_keys, select(_NOTICE.c.notice_id).where(*_SENDABLE).limit(500))):
        jobs.defer_once("send_alert", f"send_alert:{key}", notice_id=key)


@jobs.app.task(name=jobs.LOOK_AT_FIGURES, pass_context=False)
def check_alerts() -> None:
    """Look at every alert that the newest figures were not looked at for; one that breaks leaves the others alone."""
    mark = published_mark()
    for key in transact(partial(_keys, _unchecked(mark))):
        try:
            transact(partial(_check, key, mark))
        except Exception:
            log.exception("alert %s was not looked at", key)


@jobs.app.task(name="send_alert", pass_context=False)
def send_alert(notice_id: int) -> None:
    """Send one letter, unless another worker does."""
    transact(partial(_send, notice_id))


def _keys(query: Select[Any], conn: Connection) -> list[int]:
    return list(conn.execute(query).scalars())


def _unchecked(mark: str) -> Select[Any]:
    unseen = _ALERT.c.checked_mark.is_distinct_from(mark)
    rested = or_(_ALERT.c.checked_at.is_(None), _ALERT.c.checked_at < func.now() - REST)
    return select(_ALERT.c.alert_id).where(~_ALERT.c.paused, unseen, rested).order_by(_ALERT.c.alert_id)


def _check(key: int, mark: str, conn: Connection) -> None:
    mine = _ALERT.c.alert_id == key
    due = _ALERT.c.checked_mark.is_distinct_from(mark), ~_ALERT.c.paused
    found = conn.execute(select(_ALERT).where(mine, *due).with_for_update(skip_locked=True)).first()
    if found is None:
        return
    try:
        ctx = Context(conn, principal_of(conn, found.user_id))
        seen = watched(ctx, Wish.of(found), found.figure)
    except Refusal as refusal:
        _pause(conn, found, refusal.msg)
        return
    try:
        with seen.opened(ctx) as source:
            value, filters = seen.value(source), seen.filters(source)
    except Refusal as refusal:
        # He may have it, but it can't be read now: it is looked at again.
        log.warning("alert %s was not looked at: %s", key, refusal.msg)
        return
    crossed = crossing(value, found.low, found.high)
    if crossed and not found.out:
        _tell(conn, found, seen, _words(seen, value, crossed, filters, found))
    # An empty figure is neither in its bounds nor out of them.
    out = found.out if value is None else bool(crossed)
    now = {"value": value, "out": out, "checked_mark": mark, "checked_at": datetime.now(TIME_ZONE)}
    conn.execute(update(FigureAlert).where(mine).values(now))


def crossing(value: float | None, low: Decimal | None, high: Decimal | None) -> str:
    """Which bound a figure is beyond; empty where it is within, or has no value."""
    if value is not None and low is not None and value < float(low):
        return "low"
    if value is not None and high is not None and value > float(high):
        return "high"
    return ""


def _words(seen: Watched, value: float | None, crossed: str, filters: str, alert: Row[Any]) -> str:
    figure, bound = seen.figure, getattr(alert, crossed)
    beyond = f"低于下限 {figure.told(bound)}" if crossed == "low" else f"高于上限 {figure.told(bound)}"
    return f"“{seen.wish.title}”的{figure.label}为 {figure.told(value)}，{beyond}（筛选：{filters}）{seen.lack()}"


def _tell(conn: Connection, alert: Row[Any], seen: Watched, words: str) -> None:
    notice: dict[str, Any] = {
        "alert_id": alert.alert_id,
        "words": words,
        "url": seen.url(),
        "way": alert.way,
    }
    if alert.way == MESSAGE:
        remind_user(conn, alert.user_id, f"指标预警：{words}", notice["url"])
        notice |= {"state": SENT, "tries": 1, "next_at": None, "sent_at": datetime.now(TIME_ZONE)}
    key = conn.execute(insert(AlertNotice).values(notice).returning(AlertNotice.notice_id)).scalar_one()
    if alert.way != MESSAGE:
        jobs.defer_with(conn, "send_alert", notice_id=key)


def _send(key: int, conn: Connection) -> None:
    """The notice is held while it is sent: nobody else sends it meanwhile."""
    held = select(_NOTICE).where(_NOTICE.c.notice_id == key, *_SENDABLE)
    notice = conn.execute(held.with_for_update(skip_locked=True)).first()
    if notice is None:
        return
    alert = conn.execute(select(_ALERT).where(_ALERT.c.alert_id == notice.alert_id)).one()
    outcome: dict[str, Any] = {
        "state": SENT,
        "failure": None,
        "next_at": None,
        "sent_at": datetime.now(TIME_ZONE),
    }
    try:
        outcome["words"] = _post(conn, alert, notice)
    except Refusal as refusal:
        outcome = failed(Rejected(refusal.msg), notice.tries)
        _pause(conn, alert, refusal.msg)
    except (Rejected, Later) as error:
        outcome = failed(error, notice.tries)
    mine = _NOTICE.c.notice_id == key
    conn.execute(update(AlertNotice).where(mine).values(**outcome, tries=notice.tries + 1))


def _post(conn: Connection, alert: Row[Any], notice: Row[Any]) -> str:
    """The words that were sent: of what the owner may see by now, which isn't what he might hours ago. Raises a Refusal
    when he may not have the figure any more, Rejected and Later when it can't be sent."""
    ctx = Context(conn, principal_of(conn, alert.user_id))
    seen = watched(ctx, Wish.of(alert), alert.figure)
    to, post = address(ctx), mailer()
    assert post is not None
    told = _words_now(ctx, seen, alert)
    number = f"alert-{notice.notice_id}-{notice.at:%Y%m%d%H%M%S}"
    words = (
        f"{ctx.principal.realname}，您好：\n\n{told}\n\n"
        f"请登录系统，在“我的预警”中打开这张报表，按同样的筛选查看：{notice.url}\n"
        "回到范围之内以前不再提醒。如不再需要，请在“我的预警”中暂停或删除。\n"
    )
    post.send(letter(number, to, f"指标预警：{seen.wish.title} {seen.figure.label}", words), to)
    return told


def _words_now(ctx: Context, seen: Watched, alert: Row[Any]) -> str:
    """Raises Rejected where there is nothing to tell any more, Later where the figure can't be read now."""
    try:
        with seen.opened(ctx) as source:
            value, filters = seen.value(source), seen.filters(source)
    except Refusal as refusal:
        raise Later(refusal.msg) from None
    crossed = crossing(value, alert.low, alert.high)
    if not crossed:
        raise Rejected("发出之前数字已不在预警范围之外，没有发送")
    return _words(seen, value, crossed, filters, alert)


def _pause(conn: Connection, alert: Row[Any], reason: str) -> None:
    """Of one that is paused already its owner has been told."""
    if alert.paused:
        return
    mine = _ALERT.c.alert_id == alert.alert_id
    conn.execute(update(FigureAlert).where(mine).values(paused=True, pause_reason=reason))
    words = f"您对“{Wish.of(alert).title}”的预警已暂停：{reason}"
    remind_user(conn, alert.user_id, words, PAGE)
