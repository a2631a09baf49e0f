"""Runs of subscriptions (订阅运行): each is queued once, in the transaction that sets the next, and sent when written.

The file is built by the export job under the recipient's rights of that moment, which are asked for again before it is
sent: a file of other than he may see by now is written anew; a subscription that he may not have any more pauses itself
and tells him why. A message is there exactly once; a letter is sent again if its worker is killed before the server's
yes is noted, with the same number.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, update

from api.exporting.calls import enqueue
from api.identity.sessions import principal_of
from api.identity.tables import UserAccount
from api.kit.context import Context
from api.kit.database import TIME_ZONE, transact
from api.kit.errors import Refusal
from api.messaging.channels import Later, Rejected
from api.messaging.sending import failed
from api.messaging.tables import SENT, WAITING
from api.shell import jobs
from api.shell.export_job import file_of
from api.shell.export_tasks import CHANGED, DONE, EXPIRED, FAILED, ExportTask
from api.shell.popup_logs import remind
from api.subscribing.mail import letter, mailer
from api.subscribing.schedule import Schedule
from api.subscribing.tables import MESSAGE, ReportDelivery, ReportSubscription
from api.subscribing.wishes import Wish, address, entitled, understood

PAGE = "/mySubscriptions"
AT_ONCE = 500
"""So many are looked for in a minute; the others have their turn in the next."""
_SUBSCRIPTION, _DELIVERY = ReportSubscription.__table__, ReportDelivery.__table__
_TASK = ExportTask.__table__
_DUE = ~_SUBSCRIPTION.c.paused, _SUBSCRIPTION.c.next_at <= func.now()
_SENDABLE = (
    _DELIVERY.c.state == WAITING,
    _DELIVERY.c.next_at <= func.now(),
    _TASK.c.status.in_((DONE, FAILED, EXPIRED)),
)
_WRITTEN = _DELIVERY.join(_TASK, _TASK.c.export_id == _DELIVERY.c.export_id)


def schedule_of(row: Row[Any]) -> Schedule:
    return Schedule(row.rhythm, row.day, row.hour)


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="look_for_subscriptions", queue=jobs.QUEUE, pass_context=False)
def look_for_subscriptions(timestamp: int) -> None:
    """Have what is due run, and what is written sent; what a killed worker left is found again."""
    due = select(_SUBSCRIPTION.c.subscription_id).where(*_DUE).order_by(_SUBSCRIPTION.c.next_at)
    written = select(_DELIVERY.c.delivery_id).select_from(_WRITTEN).where(*_SENDABLE)
    for task, name, query in (
        ("run_subscription", "subscription_id", due),
        ("deliver_report", "delivery_id", written),
    ):
        for key in transact(partial(_keys, query)):
            jobs.defer_once(task, f"{task}:{key}", **{name: key})


def _keys(query: Select[Any], conn: Connection) -> list[int]:
    return list(conn.execute(query.limit(AT_ONCE)).scalars())


@jobs.app.task(name="run_subscription", pass_context=False)
def run_subscription(subscription_id: int) -> None:
    """Run one that is due, unless another worker does."""
    transact(lambda conn: _run(conn, subscription_id))


@jobs.app.task(name="deliver_report", pass_context=False)
def deliver_report(delivery_id: int) -> None:
    """Send one written file, unless another worker does."""
    transact(lambda conn: _deliver(conn, delivery_id))


def begin(ctx: Context, subscription: Row[Any]) -> dict[str, Any]:
    """Queue the export of a run, and its delivery; answers the task."""
    body, asked = understood(ctx, Wish.of(subscription))
    task = enqueue(ctx, asked, body)
    values = {
        "subscription_id": subscription.subscription_id,
        "export_id": task["export_id"],
        "way": subscription.way,
    }
    ctx.conn.execute(insert(ReportDelivery).values(values))
    return task


def _run(conn: Connection, key: int) -> None:
    mine = _SUBSCRIPTION.c.subscription_id == key
    found = conn.execute(select(_SUBSCRIPTION).where(mine, *_DUE).with_for_update(skip_locked=True)).first()
    if found is None:
        return
    try:
        begin(Context(conn, principal_of(conn, found.user_id)), found)
    except Refusal as refusal:
        _pause(conn, found, refusal.msg)
        return
    # From now, not from when it was due: after a day out of order one file is sent, not several.
    following = schedule_of(found).after(datetime.now(TIME_ZONE))
    conn.execute(update(ReportSubscription).where(mine).values(next_at=following))


def _deliver(conn: Connection, key: int) -> None:
    """The delivery is held while it is sent: nobody else sends it meanwhile."""
    held = (
        select(
            _DELIVERY,
            *(_TASK.c.status, _TASK.c.rows, _TASK.c.file_name, _TASK.c.reach),
            _TASK.c.failure.label("unwritten"),
        )
        .select_from(_WRITTEN)
        .where(_DELIVERY.c.delivery_id == key, *_SENDABLE)
        .with_for_update(of=_DELIVERY, skip_locked=True)
    )
    delivery = conn.execute(held).first()
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
        _hand_over(conn, subscription, delivery)
    except Refusal as refusal:
        outcome = failed(Rejected(refusal.msg), delivery.tries)
        _pause(conn, subscription, refusal.msg)
    except (Rejected, Later) as error:
        outcome = failed(error, delivery.tries)
    this = _DELIVERY.c.delivery_id == key
    conn.execute(update(ReportDelivery).where(this).values(**outcome, tries=delivery.tries + 1))


def _hand_over(conn: Connection, subscription: Row[Any], delivery: Row[Any]) -> None:
    """Raises a Refusal when the recipient may not have the file any more, Rejected and Later when it can't be sent."""
    ctx = Context(conn, principal_of(conn, subscription.user_id))
    entitled(ctx, subscription.code)
    if delivery.status != DONE:
        raise Rejected(delivery.unwritten or "文件已过期")
    if delivery.reach != ctx.principal.reach:
        begin(ctx, subscription)
        raise Rejected(f"{CHANGED}，已按新的权限重新生成")
    title = Wish.of(subscription).title
    if delivery.way == MESSAGE:
        _tell(conn, subscription, f"您订阅的“{title}”已生成，共 {delivery.rows:,} 行，请在导出任务中下载")
        return
    to, post = address(ctx), mailer()
    assert post is not None
    number = f"report-{delivery.delivery_id}-{delivery.at:%Y%m%d%H%M%S}"
    words = (
        f"{ctx.principal.realname}，您好：\n\n附件是您订阅的“{title}”"
        f"（{schedule_of(subscription).words}），共 {delivery.rows:,} 行，按您当前的权限生成。\n"
        "如不再需要，请登录系统在“我的订阅”中暂停或删除。\n"
    )
    file = file_of(delivery.export_id, Path(delivery.file_name).suffix)
    if not file.is_file():
        raise Rejected("文件已不存在，请重新运行")
    post.send(letter(number, to, f"报表订阅：{title}", words, file, delivery.file_name), to)


def _pause(conn: Connection, subscription: Row[Any], reason: str) -> None:
    mine = _SUBSCRIPTION.c.subscription_id == subscription.subscription_id
    conn.execute(update(ReportSubscription).where(mine).values(paused=True, pause_reason=reason))
    _tell(conn, subscription, f"您订阅的“{Wish.of(subscription).title}”已暂停：{reason}")


def _tell(conn: Connection, subscription: Row[Any], words: str) -> None:
    remind_user(conn, subscription.user_id, words, PAGE)


def remind_user(conn: Connection, user_id: int, words: str, url: str) -> None:
    """Remind a user of something of his own; `url` is where it leads to."""
    column = UserAccount.table().c
    company: int = conn.execute(select(column.company_id).where(column.user_id == user_id)).scalar_one()
    remind(conn, company, words, user_id=user_id, url=url)
