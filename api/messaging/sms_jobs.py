"""SMS sending (短信发送): queued by a call, sent by the job worker, tried again when the channel fails."""

from __future__ import annotations

import logging
import re
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, text, update

from api.kit.context import Context
from api.kit.declaration.validation_rules import describe_text_problem
from api.kit.errors import InvalidInput, NotFound, Refusal
from api.kit.storage.database import TIME_ZONE, run_transaction
from api.messaging import sms_channels
from api.messaging.sms_channels import PermanentError, SmsMessage, TemporaryError
from api.messaging.tables import FAILED, SENT, WAITING, SmsBill, SmsChannel, SmsTemplate
from api.shell import jobs

LIMITS = ((60, 1, "一分钟"), (3600, 5, "一小时"), (86400, 10, "一天"))
"""Seconds, the most messages to one number within them, and their label."""
RETRY_SECONDS = (60, 300, 1800)
"""Seconds until the next try, after the first, second and third."""
MAX_LENGTH = 500
log = logging.getLogger(__name__)
_PLACE = re.compile(r"\{(\w+)\}")
_BILL, _CHANNEL, _TEMPLATE = SmsBill.table(), SmsChannel.table(), SmsTemplate.table()


def enqueue_sms(ctx: Context, mobile: str, template_id: int, values: dict[str, str]) -> int:
    """Insert a message and queue it; return its key.

    Raises: Invalid, NotFound, Refusal for a wrong number or text, and for too many to one number.
    """
    problem = describe_text_problem(mobile, "mobile")
    if problem:
        raise InvalidInput(problem)
    template = ctx.conn.execute(
        select(_TEMPLATE).where(_TEMPLATE.c.sms_template_id == template_id, _TEMPLATE.c.enabled)
    ).first()
    if template is None:
        raise NotFound("短信模板")
    channel = _find_channel(ctx.conn, template)
    _enforce_limits(ctx.conn, mobile)
    row = {
        "mobile": mobile,
        "sms_template_id": template_id,
        "sms_channel_id": channel.sms_channel_id,
        "content": _format_content(template.content, values),
        "company_id": ctx.principal.company_id,
        "user_id": ctx.principal.user_id,
        "next_at": datetime.now(TIME_ZONE),
    }
    made = insert(_BILL).values(row).returning(_BILL.c.sms_bill_id)
    key: int = ctx.conn.execute(made).scalar_one()
    jobs.defer_in_transaction(ctx.conn, "send_sms", sms_bill_id=key)
    return key


def _find_channel(conn: Connection, template: Row[Any]) -> Row[Any]:
    wanted = _CHANNEL.c.is_default
    if template.sms_channel_id is not None:
        wanted = _CHANNEL.c.sms_channel_id == template.sms_channel_id
    channel = conn.execute(select(_CHANNEL).where(wanted, _CHANNEL.c.enabled)).first()
    if channel is None:
        raise Refusal("没有可用的短信平台，请在短信平台中启用一个并设为默认")
    return channel


def _format_content(pattern: str, values: dict[str, str]) -> str:
    missing = [name for name in _PLACE.findall(pattern) if not values.get(name, "").strip()]
    if missing:
        raise InvalidInput(f"请输入短信内容中的“{missing[0]}”")
    content = _PLACE.sub(lambda place: values[place[1]].strip(), pattern)
    if len(content) > MAX_LENGTH:
        raise InvalidInput(f"短信内容不能超过{MAX_LENGTH}字")
    return content


def _enforce_limits(conn: Connection, mobile: str) -> None:
    """Raise Refusal for too many messages to one number; requests for one number are serialized."""
    conn.execute(text("select pg_advisory_xact_lock(hashtextextended(:mobile, 7461))"), {"mobile": mobile})
    for seconds, most, label in LIMITS:
        since = datetime.now(TIME_ZONE) - timedelta(seconds=seconds)
        counted = select(func.count()).where(_BILL.c.mobile == mobile, _BILL.c.asked_at > since)
        if conn.execute(counted).scalar_one() >= most:
            raise Refusal(f"同一手机号{label}内最多发送{most}条短信，请稍后再试")


@jobs.app.task(name="send_sms", pass_context=False)
def send_sms(sms_bill_id: int) -> None:
    """Send one message, unless another worker does or it is finished.

    An unexpected error delays this message alone.
    """
    try:
        run_transaction(lambda conn: _try_sending(conn, sms_bill_id))
    except Exception:
        log.exception("SMS %s was not sent", sms_bill_id)
        run_transaction(
            lambda conn: _record_outcome(
                conn, _lock_waiting_bill(conn, sms_bill_id), TemporaryError("发送时出错，原因见日志")
            )
        )


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="send_waiting_sms", queue=jobs.QUEUE, pass_context=False)
def send_waiting_sms(timestamp: int) -> None:
    """Send the messages that are due, and those that a killed worker or a lost job left."""
    due = select(_BILL.c.sms_bill_id).where(
        _BILL.c.state == WAITING, _BILL.c.next_at <= datetime.now(TIME_ZONE)
    )
    longest = due.order_by(_BILL.c.next_at, _BILL.c.sms_bill_id).limit(200)
    keys: list[int] = run_transaction(lambda conn: list(conn.execute(longest).scalars()))
    for key in keys:
        send_sms(key)


def _try_sending(conn: Connection, key: int) -> None:
    bill = _lock_waiting_bill(conn, key)
    if bill is None:
        return
    channel = conn.execute(select(_CHANNEL).where(_CHANNEL.c.sms_channel_id == bill.sms_channel_id)).one()
    template = conn.execute(
        select(_TEMPLATE).where(_TEMPLATE.c.sms_template_id == bill.sms_template_id)
    ).one()
    message = SmsMessage(key, bill.mobile, bill.content, template.code or "", channel.signature or "")
    try:
        sms_channels.send_message(channel, message)
    except (PermanentError, TemporaryError) as error:
        _record_outcome(conn, bill, error)
    else:
        _record_outcome(conn, bill)


def _lock_waiting_bill(conn: Connection, key: int) -> Row[Any] | None:
    """Lock and return a waiting message, else None: no other worker sends it meanwhile."""
    waiting = select(_BILL).where(_BILL.c.sms_bill_id == key, _BILL.c.state == WAITING)
    return conn.execute(waiting.with_for_update(skip_locked=True)).first()


def _record_outcome(
    conn: Connection, bill: Row[Any] | None, error: PermanentError | TemporaryError | None = None
) -> None:
    if bill is None:
        return
    sent = {"state": SENT, "sent_at": datetime.now(TIME_ZONE), "failure": None, "next_at": None}
    outcome = build_failure_outcome(error, bill.tries) if error else sent
    mine = _BILL.c.sms_bill_id == bill.sms_bill_id
    conn.execute(update(_BILL).where(mine).values(**outcome, tries=bill.tries + 1))


def build_failure_outcome(error: PermanentError | TemporaryError, tries: int) -> dict[str, Any]:
    """Return the column values of a failed message: retried later, or given up after the last retry."""
    again = isinstance(error, TemporaryError) and tries < len(RETRY_SECONDS)
    return {
        "state": WAITING if again else FAILED,
        "failure": str(error)[:300],
        "next_at": datetime.now(TIME_ZONE) + timedelta(seconds=RETRY_SECONDS[tries]) if again else None,
    }
