"""Checks of alerts (预警检查): every alert is checked once after each publication of the marts, or after the last
of several in quick succession.

It is checked with its owner's present rights and scope. The owner is notified when the figure leaves the
bounds, and again only after it was back within; an empty figure is neither. An alert whose figure the
owner may not see any more is paused with a message. Messages are stored exactly once; mails are retried as
those of subscriptions.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, or_, select, update

from api.figures.figure_watch import WatchedFigure, resolve_watched
from api.figures.tables import AlertNotice, FigureAlert
from api.identity.sessions import read_principal
from api.kit.context import Context
from api.kit.errors import Refusal
from api.kit.storage.database import TIME_ZONE, run_transaction
from api.messaging.sms_channels import PermanentError, TemporaryError
from api.messaging.sms_jobs import build_failure_outcome
from api.messaging.tables import SENT, WAITING
from api.reporting.snapshot.snapshot_connection import read_snapshot_mark
from api.shell import jobs
from api.subscribing.delivery_jobs import remind_user
from api.subscribing.mail import build_letter, build_mailer
from api.subscribing.subscription_content import ReportSelection, require_email
from api.subscribing.tables import MESSAGE

log = logging.getLogger(__name__)
PAGE = "/myAlerts"
MIN_INTERVAL = timedelta(minutes=5)
"""Shortest time between two checks of an alert, however often figures are published."""
_ALERT, _NOTICE = FigureAlert.__table__, AlertNotice.__table__
_SENDABLE = (_NOTICE.c.state == WAITING, _NOTICE.c.next_at <= func.now())


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="look_for_alerts", queue=jobs.QUEUE, pass_context=False)
def defer_due_alerts(timestamp: int) -> None:
    """Defer checks missed since the last publication, and unsent notices: recovers lost jobs."""
    if run_transaction(partial(_select_keys, _build_unchecked_query(read_snapshot_mark()).limit(1))):
        jobs.defer_alert_check()
    for key in run_transaction(
        partial(_select_keys, select(_NOTICE.c.notice_id).where(*_SENDABLE).limit(500))
    ):
        jobs.defer_once("send_alert", f"send_alert:{key}", notice_id=key)


@jobs.app.task(name=jobs.ALERT_CHECK, pass_context=False)
def check_alerts() -> None:
    """Check every alert not checked since the last publication; an error in one leaves the others alone."""
    mark = read_snapshot_mark()
    for key in run_transaction(partial(_select_keys, _build_unchecked_query(mark))):
        try:
            run_transaction(partial(_check_alert, key, mark))
        except Exception:
            log.exception("alert %s was not looked at", key)


@jobs.app.task(name="send_alert", pass_context=False)
def send_alert(notice_id: int) -> None:
    """Send one notice, unless another worker does."""
    run_transaction(partial(_send_notice, notice_id))


def _select_keys(query: Select[Any], conn: Connection) -> list[int]:
    return list(conn.execute(query).scalars())


def _build_unchecked_query(mark: str) -> Select[Any]:
    unseen = _ALERT.c.checked_mark.is_distinct_from(mark)
    rested = or_(_ALERT.c.checked_at.is_(None), _ALERT.c.checked_at < func.now() - MIN_INTERVAL)
    return select(_ALERT.c.alert_id).where(~_ALERT.c.paused, unseen, rested).order_by(_ALERT.c.alert_id)


def _check_alert(key: int, mark: str, conn: Connection) -> None:
    mine = _ALERT.c.alert_id == key
    due = _ALERT.c.checked_mark.is_distinct_from(mark), ~_ALERT.c.paused
    found = conn.execute(select(_ALERT).where(mine, *due).with_for_update(skip_locked=True)).first()
    if found is None:
        return
    try:
        ctx = Context(conn, read_principal(conn, found.user_id))
        seen = resolve_watched(ctx, ReportSelection.from_source(found), found.figure)
    except Refusal as refusal:
        _pause_alert(conn, found, refusal.msg)
        return
    try:
        with seen.open_source(ctx) as source:
            value, filters = seen.read_value(source), seen.describe_filters(source)
    except Refusal as refusal:
        # He may have it, but it can't be read now: it is looked at again.
        log.warning("alert %s was not looked at: %s", key, refusal.msg)
        return
    crossed = find_crossed_bound(value, found.low, found.high)
    if crossed and not found.out:
        _notify_owner(conn, found, seen, _describe_crossing(seen, value, crossed, filters, found))
    # An empty figure is neither in its bounds nor out of them.
    out = found.out if value is None else bool(crossed)
    now = {"value": value, "out": out, "checked_mark": mark, "checked_at": datetime.now(TIME_ZONE)}
    conn.execute(update(FigureAlert).where(mine).values(now))


def find_crossed_bound(value: float | None, low: Decimal | None, high: Decimal | None) -> str:
    """Return the crossed bound, `low` or `high`; empty if within bounds or without a value."""
    if value is not None and low is not None and value < float(low):
        return "low"
    if value is not None and high is not None and value > float(high):
        return "high"
    return ""


def _describe_crossing(
    seen: WatchedFigure, value: float | None, crossed: str, filters: str, alert: Row[Any]
) -> str:
    figure, bound = seen.figure, getattr(alert, crossed)
    beyond = (
        f"低于下限 {figure.describe_value(bound)}"
        if crossed == "low"
        else f"高于上限 {figure.describe_value(bound)}"
    )
    now = f"“{seen.selection.title}”的{figure.label}为 {figure.describe_value(value)}"
    return f"{now}，{beyond}（筛选：{filters}）{seen.lack()}"


def _notify_owner(conn: Connection, alert: Row[Any], seen: WatchedFigure, words: str) -> None:
    notice: dict[str, Any] = {
        "alert_id": alert.alert_id,
        "words": words,
        "url": seen.build_url(),
        "way": alert.way,
    }
    if alert.way == MESSAGE:
        remind_user(conn, alert.user_id, f"指标预警：{words}", notice["url"])
        notice |= {"state": SENT, "tries": 1, "next_at": None, "sent_at": datetime.now(TIME_ZONE)}
    key = conn.execute(insert(AlertNotice).values(notice).returning(AlertNotice.notice_id)).scalar_one()
    if alert.way != MESSAGE:
        jobs.defer_in_transaction(conn, "send_alert", notice_id=key)


def _send_notice(key: int, conn: Connection) -> None:
    """Send a notice under a row lock, so that no other worker sends it."""
    sendable = select(_NOTICE).where(_NOTICE.c.notice_id == key, *_SENDABLE)
    notice = conn.execute(sendable.with_for_update(skip_locked=True)).first()
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
        outcome["words"] = _send_letter(conn, alert, notice)
    except Refusal as refusal:
        outcome = build_failure_outcome(PermanentError(refusal.msg), notice.tries)
        _pause_alert(conn, alert, refusal.msg)
    except (PermanentError, TemporaryError) as error:
        outcome = build_failure_outcome(error, notice.tries)
    mine = _NOTICE.c.notice_id == key
    conn.execute(update(AlertNotice).where(mine).values(**outcome, tries=notice.tries + 1))


def _send_letter(conn: Connection, alert: Row[Any], notice: Row[Any]) -> str:
    """Send the mail of a notice.

    Raises Refusal if the owner may not have the figure any more, Rejected and Later if it can't be sent.
    """
    ctx = Context(conn, read_principal(conn, alert.user_id))
    seen = resolve_watched(ctx, ReportSelection.from_source(alert), alert.figure)
    to, post = require_email(ctx), build_mailer()
    assert post is not None
    current_words = _words_now(ctx, seen, alert)
    number = f"alert-{notice.notice_id}-{notice.at:%Y%m%d%H%M%S}"
    words = (
        f"{ctx.principal.realname}，您好：\n\n{current_words}\n\n"
        f"请登录系统，在“我的预警”中打开这张报表，按同样的筛选查看：{notice.url}\n"
        "回到范围之内以前不再提醒。如不再需要，请在“我的预警”中暂停或删除。\n"
    )
    post.send(build_letter(number, to, f"指标预警：{seen.selection.title} {seen.figure.label}", words), to)
    return current_words


def _words_now(ctx: Context, seen: WatchedFigure, alert: Row[Any]) -> str:
    """Raises Rejected where there is nothing to tell any more, Later where the figure can't be read now."""
    try:
        with seen.open_source(ctx) as source:
            value, filters = seen.read_value(source), seen.describe_filters(source)
    except Refusal as refusal:
        raise TemporaryError(refusal.msg) from None
    crossed = find_crossed_bound(value, alert.low, alert.high)
    if not crossed:
        raise PermanentError("发出之前数字已不在预警范围之外，没有发送")
    return _describe_crossing(seen, value, crossed, filters, alert)


def _pause_alert(conn: Connection, alert: Row[Any], reason: str) -> None:
    """Pause an alert and notify its owner, unless it is paused already."""
    if alert.paused:
        return
    mine = _ALERT.c.alert_id == alert.alert_id
    conn.execute(update(FigureAlert).where(mine).values(paused=True, pause_reason=reason))
    words = f"您对“{ReportSelection.from_source(alert).title}”的预警已暂停：{reason}"
    remind_user(conn, alert.user_id, words, PAGE)
