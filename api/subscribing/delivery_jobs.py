"""Delivery jobs (订阅运行): queue the runs of subscriptions and send their files.

A run is queued once, in the transaction that sets the next one. The export job builds the file
under the recipient's rights of that moment, which are checked again before it is sent: a file of
another scope is written anew; a subscription without its right pauses itself and reminds the user
why. A message is there exactly once; a letter is sent again with the same number if its worker is
killed before the server's acceptance is recorded.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, update

from api.exporting.calls import enqueue_export
from api.identity.sessions import read_principal
from api.identity.tables import UserAccount
from api.kit.context import Context
from api.kit.errors import Refusal
from api.kit.storage.database import TIME_ZONE, run_transaction
from api.messaging.sms_channels import PermanentError, TemporaryError
from api.messaging.sms_jobs import build_failure_outcome
from api.messaging.tables import SENT, WAITING
from api.shell import jobs
from api.shell.files.export_job import export_path
from api.shell.files.export_tasks import DONE, EXPIRED, FAILED, SCOPE_CHANGED, ExportTask
from api.shell.workspace.reminders import add_reminder
from api.subscribing.mail import build_letter, build_mailer
from api.subscribing.schedule import Schedule
from api.subscribing.subscription_content import (
    ReportSelection,
    require_email,
    require_export_right,
    resolve_export_request,
)
from api.subscribing.tables import MESSAGE, ReportDelivery, ReportSubscription

PAGE = "/mySubscriptions"
BATCH_SIZE = 500
"""Most subscriptions and deliveries queued in a minute; the others follow in the next."""
_SUBSCRIPTION, _DELIVERY = ReportSubscription.__table__, ReportDelivery.__table__
_TASK = ExportTask.__table__
_DUE = ~_SUBSCRIPTION.c.paused, _SUBSCRIPTION.c.next_at <= func.now()
_SENDABLE = (
    _DELIVERY.c.state == WAITING,
    _DELIVERY.c.next_at <= func.now(),
    _TASK.c.status.in_((DONE, FAILED, EXPIRED)),
)
_WRITTEN = _DELIVERY.join(_TASK, _TASK.c.export_id == _DELIVERY.c.export_id)


def read_schedule(row: Row[Any]) -> Schedule:
    return Schedule(row.rhythm, row.day, row.hour)


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="look_for_subscriptions", queue=jobs.QUEUE, pass_context=False)
def queue_due_subscriptions(timestamp: int) -> None:
    """Queue the subscriptions that are due and the files that are written, a killed worker's too."""
    due = select(_SUBSCRIPTION.c.subscription_id).where(*_DUE).order_by(_SUBSCRIPTION.c.next_at)
    written = select(_DELIVERY.c.delivery_id).select_from(_WRITTEN).where(*_SENDABLE)
    for task, name, query in (
        ("run_subscription", "subscription_id", due),
        ("deliver_report", "delivery_id", written),
    ):
        for key in run_transaction(partial(_select_keys, query)):
            jobs.defer_once(task, f"{task}:{key}", **{name: key})


def _select_keys(query: Select[Any], conn: Connection) -> list[int]:
    return list(conn.execute(query.limit(BATCH_SIZE)).scalars())


@jobs.app.task(name="run_subscription", pass_context=False)
def run_subscription(subscription_id: int) -> None:
    """Run one due subscription, unless another worker does."""
    run_transaction(lambda conn: _run_due(conn, subscription_id))


@jobs.app.task(name="deliver_report", pass_context=False)
def deliver_report(delivery_id: int) -> None:
    """Send one written file, unless another worker does."""
    run_transaction(lambda conn: _send_delivery(conn, delivery_id))


def start_run(ctx: Context, subscription: Row[Any]) -> dict[str, Any]:
    """Queue the export of a run and its delivery; return the task."""
    body, request = resolve_export_request(ctx, ReportSelection.from_source(subscription))
    task = enqueue_export(ctx, request, body)
    values = {
        "subscription_id": subscription.subscription_id,
        "export_id": task["export_id"],
        "way": subscription.way,
    }
    ctx.conn.execute(insert(ReportDelivery).values(values))
    return task


def _run_due(conn: Connection, key: int) -> None:
    mine = _SUBSCRIPTION.c.subscription_id == key
    found = conn.execute(select(_SUBSCRIPTION).where(mine, *_DUE).with_for_update(skip_locked=True)).first()
    if found is None:
        return
    try:
        start_run(Context(conn, read_principal(conn, found.user_id)), found)
    except Refusal as refusal:
        _pause_subscription(conn, found, refusal.msg)
        return
    # From now, not from when it was due: after a day out of order one file is sent, not several.
    following = read_schedule(found).next_run(datetime.now(TIME_ZONE))
    conn.execute(update(ReportSubscription).where(mine).values(next_at=following))


def _send_delivery(conn: Connection, key: int) -> None:
    """Send a delivery, locked so that no other worker sends it meanwhile, and store the outcome."""
    sendable = (
        select(
            _DELIVERY,
            *(_TASK.c.status, _TASK.c.rows, _TASK.c.file_name, _TASK.c.reach),
            _TASK.c.failure.label("unwritten"),
        )
        .select_from(_WRITTEN)
        .where(_DELIVERY.c.delivery_id == key, *_SENDABLE)
        .with_for_update(of=_DELIVERY, skip_locked=True)
    )
    delivery = conn.execute(sendable).first()
    if delivery is None:
        return
    mine = _SUBSCRIPTION.c.subscription_id == delivery.subscription_id
    subscription = conn.execute(select(_SUBSCRIPTION).where(mine)).one()
    outcome: dict[str, Any] = {
        "state": SENT,
        "failure": None,
        "next_at": None,
        "sent_at": datetime.now(TIME_ZONE),
    }
    try:
        _send_report(conn, subscription, delivery)
    except Refusal as refusal:
        outcome = build_failure_outcome(PermanentError(refusal.msg), delivery.tries)
        _pause_subscription(conn, subscription, refusal.msg)
    except (PermanentError, TemporaryError) as error:
        outcome = build_failure_outcome(error, delivery.tries)
    this = _DELIVERY.c.delivery_id == key
    conn.execute(update(ReportDelivery).where(this).values(**outcome, tries=delivery.tries + 1))


def _send_report(conn: Connection, subscription: Row[Any], delivery: Row[Any]) -> None:
    """Send a delivery's file or its message.

    Raises: Refusal where the recipient may not have the file any more, PermanentError, TemporaryError.
    """
    ctx = Context(conn, read_principal(conn, subscription.user_id))
    require_export_right(ctx, subscription.code)
    if delivery.status != DONE:
        raise PermanentError(delivery.unwritten or "文件已过期")
    if delivery.reach != ctx.principal.scope_hash:
        start_run(ctx, subscription)
        raise PermanentError(f"{SCOPE_CHANGED}，已按新的权限重新生成")
    title = ReportSelection.from_source(subscription).title
    if delivery.way == MESSAGE:
        _notify_subscriber(
            conn, subscription, f"您订阅的“{title}”已生成，共 {delivery.rows:,} 行，请在导出任务中下载"
        )
        return
    to, post = require_email(ctx), build_mailer()
    assert post is not None
    number = f"report-{delivery.delivery_id}-{delivery.at:%Y%m%d%H%M%S}"
    words = (
        f"{ctx.principal.realname}，您好：\n\n附件是您订阅的“{title}”"
        f"（{read_schedule(subscription).label}），共 {delivery.rows:,} 行，按您当前的权限生成。\n"
        "如不再需要，请登录系统在“我的订阅”中暂停或删除。\n"
    )
    file = export_path(delivery.export_id, Path(delivery.file_name).suffix)
    if not file.is_file():
        raise PermanentError("文件已不存在，请重新运行")
    post.send(build_letter(number, to, f"报表订阅：{title}", words, file, delivery.file_name), to)


def _pause_subscription(conn: Connection, subscription: Row[Any], reason: str) -> None:
    mine = _SUBSCRIPTION.c.subscription_id == subscription.subscription_id
    conn.execute(update(ReportSubscription).where(mine).values(paused=True, pause_reason=reason))
    _notify_subscriber(
        conn, subscription, f"您订阅的“{ReportSelection.from_source(subscription).title}”已暂停：{reason}"
    )


def _notify_subscriber(conn: Connection, subscription: Row[Any], words: str) -> None:
    remind_user(conn, subscription.user_id, words, PAGE)


def remind_user(conn: Connection, user_id: int, words: str, url: str) -> None:
    """Add a reminder for one user; `url` is where it leads to."""
    column = UserAccount.table().c
    company: int = conn.execute(select(column.company_id).where(column.user_id == user_id)).scalar_one()
    add_reminder(conn, company, words, user_id=user_id, url=url)
