"""Statement messages (发送对账单): customer statements sent to the customer's mobile by a template."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, func, select

from api.customers.customer_statement import CustomerStatement, summarize_statement
from api.kit.context import Context
from api.kit.declaration.flow import UNAUDITED
from api.kit.declaration.resource import ACTION_LABELS
from api.kit.errors import Refusal
from api.kit.http import consequences
from api.kit.http.consequences import Fact
from api.kit.storage import business_log, records
from api.kit.storage.business_log import BusinessLog
from api.kit.storage.database import TIME_ZONE
from api.master.organization.companies import Company
from api.master.partners.partners import Customer
from api.messaging import sms_jobs
from api.messaging.tables import SmsTemplate

TEMPLATE = "客户对账单"
"""Name of the template; its placeholders are the statement's fields, `company` and `customer`."""
AGAIN_AFTER = timedelta(minutes=1)
SEND = "send"


@consequences.register_facts(CustomerStatement, SEND)
def _find_consequences(ctx: Context, rows: Sequence[Row[Any]]) -> tuple[list[Fact], list[str]]:
    """Return the customers, balances and warnings to confirm before statements are sent."""
    customers = Customer.table()
    query = select(customers.c.customer_id, customers.c.customer_name, customers.c.customer_mobile)
    found = ctx.conn.execute(query.where(customers.c.customer_id.in_({row.customer_id for row in rows})))
    to = {row.customer_id: row for row in found}
    shown = ctx.principal.can_see(CustomerStatement.name(), "closing_amount", None)
    facts = []
    for row in rows[: consequences.MAX_NAMES]:
        one = to[row.customer_id]
        closing = f"，期末欠款 {row.closing_amount:,.2f} 元" if shown else ""
        description = f"{one.customer_mobile or '没有手机号'}，{row.starts_on} 至 {row.ends_on}{closing}"
        facts.append(Fact(label=f"发给 {one.customer_name}", value=description))
    if len(rows) > consequences.MAX_NAMES:
        facts.append(Fact(label="其余", value=f"{len(rows) - consequences.MAX_NAMES} 张"))
    unaudited = [row.bill_no for row in rows if row.status == UNAUDITED]
    mute = [to[row.customer_id].customer_name for row in rows if not to[row.customer_id].customer_mobile]
    warnings = [f"未审核的对账单：{'、'.join(unaudited)}，数字可能还会改"] if unaudited else []
    if mute:
        warnings.append(f"没有手机号，不会发出：{'、'.join(dict.fromkeys(mute))}")
    return facts, warnings


def send_statements(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Send statements to their customers; one is not sent twice within a minute."""
    table = SmsTemplate.table()
    named = select(table.c.sms_template_id).where(table.c.template_name == TEMPLATE, table.c.enabled)
    template = ctx.conn.execute(named).scalar()
    if template is None:
        raise Refusal(f"请先在短信模板中新增或启用“{TEMPLATE}”")
    return records.apply_to_each(
        ctx, CustomerStatement, keys, ACTION_LABELS[SEND], lambda row: _send_statement(ctx, row, template)
    )


def _send_statement(ctx: Context, row: Row[Any], template: int) -> None:
    summary = summarize_statement(ctx, row)
    log = BusinessLog.__table__.c
    mine = (log.resource == CustomerStatement.name(), log.record_id == row.bill_id, log.action == SEND)
    since = datetime.now(TIME_ZONE) - AGAIN_AFTER
    if ctx.conn.execute(select(func.count()).where(*mine, log.at > since)).scalar_one():
        raise Refusal(f"对账单{row.bill_no}一分钟内已发送过，请稍后再试")
    customers, companies = Customer.table(), Company.table()
    query = select(
        customers.c.customer_name, customers.c.customer_mobile, companies.c.company_name
    ).join_from(customers, companies, companies.c.company_id == row.company_id)
    to = ctx.conn.execute(query.where(customers.c.customer_id == row.customer_id)).one()
    if not to.customer_mobile:
        raise Refusal(f"{to.customer_name}没有手机号，请先在客户资料中填写")
    summary |= {"customer": to.customer_name, "company": to.company_name}
    sms = sms_jobs.enqueue_sms(ctx, to.customer_mobile, template, summary)
    business_log.log_action(
        ctx.conn,
        ctx.principal,
        CustomerStatement.name(),
        row.bill_id,
        SEND,
        bill_no=row.bill_no,
        company_id=row.company_id,
        after={"mobile": to.customer_mobile, "sms_bill_id": sms},
    )
