"""Statements sent (发送对账单): what a customer owed is told to his mobile, by the template of that name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, func, select

from api.customers.account_statement import AccountStatement, summary
from api.kit import business_log, consequences, records
from api.kit.business_log import BusinessLog
from api.kit.consequences import Fact
from api.kit.context import Context
from api.kit.database import TIME_ZONE
from api.kit.errors import Refusal
from api.kit.flow import UNAUDITED
from api.kit.resource import ACTION_LABELS
from api.master.organisation import Company
from api.master.partners import Customer
from api.messaging import sending
from api.messaging.tables import SmsTemplate

TEMPLATE = "客户对账单"
"""The template that a statement is sent with; its placeholders are the statement's fields, `company` and `customer`."""
AGAIN_AFTER = timedelta(minutes=1)
SEND = "send"


@consequences.finds(AccountStatement, SEND)
def _find(ctx: Context, rows: Sequence[Row[Any]]) -> tuple[list[Fact], list[str]]:
    """To whom statements go, with what balance; who has no mobile, and what is not agreed on yet."""
    customers = Customer.table()
    asked = select(customers.c.customer_id, customers.c.customer_name, customers.c.customer_mobile)
    found = ctx.conn.execute(asked.where(customers.c.customer_id.in_({row.customer_id for row in rows})))
    to = {row.customer_id: row for row in found}
    shown = ctx.principal.sees(AccountStatement.name(), "closing_amount", None)
    facts = []
    for row in rows[: consequences.SHOWN]:
        one = to[row.customer_id]
        owed = f"，期末欠款 {row.closing_amount:,.2f} 元" if shown else ""
        said = f"{one.customer_mobile or '没有手机号'}，{row.starts_on} 至 {row.ends_on}{owed}"
        facts.append(Fact(label=f"发给 {one.customer_name}", value=said))
    if len(rows) > consequences.SHOWN:
        facts.append(Fact(label="其余", value=f"{len(rows) - consequences.SHOWN} 张"))
    unaudited = [row.bill_no for row in rows if row.status == UNAUDITED]
    mute = [to[row.customer_id].customer_name for row in rows if not to[row.customer_id].customer_mobile]
    warnings = [f"未审核的对账单：{'、'.join(unaudited)}，数字可能还会改"] if unaudited else []
    if mute:
        warnings.append(f"没有手机号，不会发出：{'、'.join(dict.fromkeys(mute))}")
    return facts, warnings


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
