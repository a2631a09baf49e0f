"""SMS calls (短信接口): templates to choose from, a new template, a message (spec/3-rules.md 7.4)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field, StringConstraints
from sqlalchemy import select

from api.customers.customer_statement import CustomerStatement
from api.kit.context import Context
from api.kit.declaration.field_sources import from_fields
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Keys
from api.kit.storage import records
from api.kit.storage.pinyin_order import pinyin_sort_key
from api.messaging import sms_jobs, statement_messages
from api.messaging.tables import SmsBill, SmsTemplate

api = build_router()
Text = Annotated[str, StringConstraints(max_length=300)]
Name = Annotated[str, StringConstraints(max_length=40)]


class SmsTemplateChoice(BaseModel):
    sms_template_id: int
    template_name: Annotated[str, from_fields("sms_template.template_name")]
    content: Annotated[str, from_fields("sms_template.content")]


class NewSmsTemplate(BaseModel):
    template_name: Name
    content: Text
    code: Annotated[str, StringConstraints(max_length=60)] = ""
    sms_channel_id: Annotated[int | None, Field(ge=1, le=2**62)] = None


class NewSmsTemplateKey(BaseModel):
    sms_template_id: int


class SmsToSend(BaseModel):
    """A template's {placeholders} are filled from `values`."""

    mobile: Annotated[str, StringConstraints(strip_whitespace=True, max_length=20)]
    sms_template_id: Annotated[int, Field(ge=1, le=2**62)]
    values: Annotated[dict[Name, Annotated[str, StringConstraints(max_length=60)]], Field(max_length=20)] = {}


class SmsKey(BaseModel):
    sms_bill_id: int


@call(
    api, "GET", "v2/system/Sms/getSmsTemplate", right=SmsBill.right("send"), returns=list[SmsTemplateChoice]
)
def get_sms_template(ctx: Context) -> Any:
    """短信模板选择: those in use."""
    table = SmsTemplate.table()
    columns = (table.c.sms_template_id, table.c.template_name, table.c.content)
    rows = ctx.conn.execute(
        select(*columns).where(table.c.enabled).order_by(pinyin_sort_key(table.c.template_name))
    )
    return [dict(row._mapping) for row in rows]


@call(
    api,
    "POST",
    "v2/system/Sms/addSmsTemplate",
    right=SmsTemplate.right("add"),
    returns=NewSmsTemplateKey,
    write=True,
)
def add_sms_template(ctx: Context, payload: NewSmsTemplate) -> Any:
    """新增短信模板."""
    return {"sms_template_id": records.add_record(ctx, SmsTemplate, payload.model_dump())}


@call(api, "POST", "v2/system/Sms/sendSms", right=SmsBill.right("send"), returns=SmsKey, write=True)
def send_sms(ctx: Context, payload: SmsToSend) -> Any:
    """发送短信."""
    return {"sms_bill_id": sms_jobs.enqueue_sms(ctx, payload.mobile, payload.sms_template_id, payload.values)}


@declare_action(api, CustomerStatement, statement_messages.SEND)
def send_statements(ctx: Context, payload: Keys) -> Any:
    """发送对账单: to the mobile of each customer."""
    return statement_messages.send_statements(ctx, payload.ids)
