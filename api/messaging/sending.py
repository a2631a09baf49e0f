"""Sending (短信发送): asked for by a call, sent by the job worker, tried again when the channel can't now."""

from __future__ import annotations

import logging
import re
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, text, update

from api.kit.context import Context
from api.kit.database import TIME_ZONE, transact
from api.kit.errors import Invalid, NotFound, Refusal
from api.kit.rules import text_problem
from api.messaging import channels
from api.messaging.channels import Later, Message, Rejected
from api.messaging.tables import FAILED, SENT, WAITING, SmsBill, SmsChannel, SmsTemplate
from api.shell import jobs

LIMITS = ((60, 1, "一分钟"), (3600, 5, "一小时"), (86400, 10, "一天"))
"""So many messages to one number within so many seconds."""
WAITS = (60, 300, 1800)
"""Seconds until the next try, after the first, second and third."""
LONGEST = 500
log = logging.getLogger(__name__)
_PLACE = re.compile(r"\{(\w+)\}")
_BILL, _CHANNEL, _TEMPLATE = SmsBill.table(), SmsChannel.table(), SmsTemplate.table()


def ask(ctx: Context, mobile: str, template_id: int, values: dict[str, str]) -> int:
    """Record a message to be sent; refuses numbers and texts that can't be, and too many to one number."""
    problem = text_problem(mobile, "mobile")
    if problem:
        raise Invalid(problem)
    template = ctx.conn.execute(
        select(_TEMPLATE).where(_TEMPLATE.c.sms_template_id == template_id, _TEMPLATE.c.enabled)
    ).first()
    if template is None:
        raise NotFound("短信模板")
    channel = _channel_for(ctx.conn, template)
    _hold_to_limits(ctx.conn, mobile)
    row = {
        "mobile": mobile,
        "sms_template_id": template_id,
        "sms_channel_id": channel.sms_channel_id,
        "content": _content(template.content, values),
        "company_id": ctx.principal.company_id,
        "user_id": ctx.principal.user_id,
        "next_at": datetime.now(TIME_ZONE),
    }
    made = insert(_BILL).values(row).returning(_BILL.c.sms_bill_id)
    key: int = ctx.conn.execute(made).scalar_one()
    jobs.defer_with(ctx.conn, "send_sms", sms_bill_id=key)
    return key


def _channel_for(conn: Connection, template: Row[Any]) -> Row[Any]:
    wanted = _CHANNEL.c.is_default
    if template.sms_channel_id is not None:
        wanted = _CHANNEL.c.sms_channel_id == template.sms_channel_id
    channel = conn.execute(select(_CHANNEL).where(wanted, _CHANNEL.c.enabled)).first()
    if channel is None:
        raise Refusal("没有可用的短信平台，请在短信平台中启用一个并设为默认")
    return channel


def _content(pattern: str, values: dict[str, str]) -> str:
    missing = [name for name in _PLACE.findall(pattern) if not values.get(name, "").strip()]
    if missing:
        raise Invalid(f"请输入短信内容中的“{missing[0]}”")
    content = _PLACE.sub(lambda place: values[place[1]].strip(), pattern)
    if len(content) > LONGEST:
        raise Invalid(f"短信内容不能超过{LONGEST}字")
    return content


def _hold_to_limits(conn: Connection, mobile: str) -> None:
    """Requests for one number wait for each other, so that none slips past the count."""
    conn.execute(text("select pg_advisory_xact_lock(hashtextextended(:mobile, 7461))"), {"mobile": mobile})
    for seconds, most, told in LIMITS:
        since = datetime.now(TIME_ZONE) - timedelta(seconds=seconds)
        counted = select(func.count()).where(_BILL.c.mobile == mobile, _BILL.c.asked_at > since)
        if conn.execute(counted).scalar_one() >= most:
            raise Refusal(f"同一手机号{told}内最多发送{most}条短信，请稍后再试")


@jobs.app.task(name="send_sms", pass_context=False)
def send_sms(sms_bill_id: int) -> None:
    """Send one message, unless another worker does or it is settled. What nobody foresaw makes it alone wait."""
    try:
        transact(lambda conn: _try(conn, sms_bill_id))
    except Exception:
        log.exception("SMS %s was not sent", sms_bill_id)
        transact(lambda conn: _settle(conn, _held(conn, sms_bill_id), Later("发送时出错，原因见日志")))


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="send_waiting_sms", queue=jobs.QUEUE, pass_context=False)
def send_waiting_sms(timestamp: int) -> None:
    """Try again what is due, and what a killed worker or a lost job left."""
    due = select(_BILL.c.sms_bill_id).where(
        _BILL.c.state == WAITING, _BILL.c.next_at <= datetime.now(TIME_ZONE)
    )
    longest = due.order_by(_BILL.c.next_at, _BILL.c.sms_bill_id).limit(200)
    keys: list[int] = transact(lambda conn: list(conn.execute(longest).scalars()))
    for key in keys:
        send_sms(key)


def _try(conn: Connection, key: int) -> None:
    bill = _held(conn, key)
    if bill is None:
        return
    channel = conn.execute(select(_CHANNEL).where(_CHANNEL.c.sms_channel_id == bill.sms_channel_id)).one()
    template = conn.execute(
        select(_TEMPLATE).where(_TEMPLATE.c.sms_template_id == bill.sms_template_id)
    ).one()
    message = Message(key, bill.mobile, bill.content, template.code or "", channel.signature or "")
    try:
        channels.send(channel, message)
    except (Rejected, Later) as error:
        _settle(conn, bill, error)
    else:
        _settle(conn, bill)


def _held(conn: Connection, key: int) -> Row[Any] | None:
    """A message that waits. Its row is held while the channel is called: nobody else sends it meanwhile."""
    waiting = select(_BILL).where(_BILL.c.sms_bill_id == key, _BILL.c.state == WAITING)
    return conn.execute(waiting.with_for_update(skip_locked=True)).first()


def _settle(conn: Connection, bill: Row[Any] | None, error: Rejected | Later | None = None) -> None:
    if bill is None:
        return
    sent = {"state": SENT, "sent_at": datetime.now(TIME_ZONE), "failure": None, "next_at": None}
    outcome = failed(error, bill.tries) if error else sent
    mine = _BILL.c.sms_bill_id == bill.sms_bill_id
    conn.execute(update(_BILL).where(mine).values(**outcome, tries=bill.tries + 1))


def failed(error: Rejected | Later, tries: int) -> dict[str, Any]:
    """What becomes of a message that was not taken: tried again later, so many times, or given up."""
    again = isinstance(error, Later) and tries < len(WAITS)
    return {
        "state": WAITING if again else FAILED,
        "failure": str(error)[:300],
        "next_at": datetime.now(TIME_ZONE) + timedelta(seconds=WAITS[tries]) if again else None,
    }
