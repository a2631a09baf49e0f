"""Statements sent (发送对账单): what a customer owed is told to his mobile, by the template of that name."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, func, select

from api.customers.account_statement import AccountStatement, summary
from api.kit import business_log, records
from api.kit.business_log import BusinessLog
from api.kit.context import Context
from api.kit.database import TIME_ZONE
from api.kit.errors import Refusal
from api.kit.resource import ACTION_LABELS
from api.master.organisation import Company
from api.master.partners import Customer
from api.messaging import sending
from api.messaging.tables import SmsTemplate

TEMPLATE = "客户对账单"
"""The template that a statement is sent with; its placeholders are the statement's fields, `company` and `customer`."""
AGAIN_AFTER = timedelta(minutes=1)
SEND = "send"


def send(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Send statements to their customers; one is not sent twice within a minute."""
    table = SmsTemplate.table()
    named = select(table.c.sms_template_id).where(table.c.template_name == TEMPLATE, table.c.enabled)
    template = ctx.conn.execute(named).scalar()
    if template is None:
        raise Refusal(f"请先在短信模板中新增或启用“{TEMPLATE}”")
    return records.each(
        ctx, AccountStatement, keys, ACTION_LABELS[SEND], lambda row: _send(ctx, row, template)
    )


def _send(ctx: Context, row: Row[Any], template: int) -> None:
    said = summary(ctx, row)
    log = BusinessLog.__table__.c
    mine = (log.resource == AccountStatement.name(), log.record_id == row.bill_id, log.action == SEND)
    since = datetime.now(TIME_ZONE) - AGAIN_AFTER
    if ctx.conn.execute(select(func.count()).where(*mine, log.at > since)).scalar_one():
        raise Refusal(f"对账单{row.bill_no}一分钟内已发送过，请稍后再试")
    customers, companies = Customer.table(), Company.table()
    asked = select(
        customers.c.customer_name, customers.c.customer_mobile, companies.c.company_name
    ).join_from(customers, companies, companies.c.company_id == row.company_id)
    to = ctx.conn.execute(asked.where(customers.c.customer_id == row.customer_id)).one()
    if not to.customer_mobile:
        raise Refusal(f"{to.customer_name}没有手机号，请先在客户资料中填写")
    said |= {"customer": to.customer_name, "company": to.company_name}
    sms = sending.ask(ctx, to.customer_mobile, template, said)
    business_log.write(
        ctx.conn,
        ctx.principal,
        AccountStatement.name(),
        row.bill_id,
        SEND,
        bill_no=row.bill_no,
        company_id=row.company_id,
        after={"mobile": to.customer_mobile, "sms_bill_id": sms},
    )
