"""Calls of this domain beyond the declared ones (配送签收、批量开票)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field
from sqlalchemy import select, text

from api.kit.context import Context
from api.kit.declaration.field_sources import PLAIN, from_fields
from api.kit.declaration.flow import POSTED, STATUSES, UNAUDITED
from api.kit.errors import NotFound
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Key, Keys
from api.kit.scope import any_of, scope_condition
from api.kit.storage.database import TIME_ZONE
from api.master.settlements.invoices import Invoicing, invoice_bills
from api.sales import gifts, sales_delivery
from api.sales.sales_delivery import SalesDelivery
from api.sales.sales_invoice import SalesUninvoiced
from api.sales.sales_order import SalesOrder
from api.sales.sales_outbound import SalesOutbound
from api.sales.sales_return import SalesReturn

api = build_router()
WRITES_GIFTS = any_of(*SalesOrder.form_rights(), *SalesOutbound.form_rights())
PENDING, DONE, REFUSED = 0, 1, 2


def _with_local_zone(value: datetime) -> datetime:
    """Return a time with this country's zone where it names none."""
    return value.astimezone(TIME_ZONE) if value.tzinfo else value.replace(tzinfo=TIME_ZONE)


class Signing(Keys):
    """Deliveries, with the name of the person who signed and the time."""

    signed_by: str = Field(min_length=1, max_length=50, description="签收人")
    signed_at: Annotated[datetime, AfterValidator(_with_local_zone)] = Field(description="签收时间")


class ProgressStep(BaseModel):
    """A step of a return; `state` 0 pending, 1 done, 2 rejected for the `reason`."""

    name: Annotated[str, PLAIN]
    state: Annotated[int, from_fields("sales_return.status")]
    user_name: Annotated[str | None, from_fields("sales_return.maker_id", "sales_return.auditor_id")] = None
    at: Annotated[datetime | None, from_fields("sales_return.made_at", "sales_return.audited_at")] = None
    reason: Annotated[str | None, from_fields("sales_return.reject_reason")] = None


class AuditProgress(BaseModel):
    id: int
    bill_no: Annotated[str, from_fields("sales_return.bill_no")]
    status: Annotated[int, from_fields("sales_return.status")]
    status_name: Annotated[str, from_fields("sales_return.status")]
    steps: list[ProgressStep]


@call(
    api,
    "GET",
    "v2/sales/SalesReturn/getAuditorProgress",
    right=SalesReturn.right("list"),
    returns=AuditProgress,
)
def get_auditor_progress(ctx: Context, id: Key) -> Any:
    """退货审核进度: entered, audited, and what it gives back to the customer settled."""
    table = SalesReturn.table()
    if (
        ctx.conn.execute(
            select(table.c.bill_id).where(table.c.bill_id == id, scope_condition(table, ctx.principal))
        ).first()
        is None
    ):
        raise NotFound(SalesReturn.declaration.label)
    row = ctx.conn.execute(_PROGRESS, {"id": id, "type": SalesReturn.bill.prefix}).one()
    sent_back = row.status == UNAUDITED and row.reject_reason is not None
    audited = row.status in POSTED
    return {
        "id": id,
        "bill_no": row.bill_no,
        "status": row.status,
        "status_name": STATUSES[row.status],
        "steps": [
            {"name": "录入", "state": DONE, "user_name": row.maker_name, "at": row.made_at},
            {
                "name": "审核",
                "state": REFUSED if sent_back else DONE if audited else PENDING,
                "user_name": row.auditor_name,
                "at": row.audited_at,
                "reason": row.reject_reason if sent_back else None,
            },
            {"name": "退款核销", "state": DONE if audited and row.settled else PENDING},
        ],
    }


_PROGRESS = text("""
select r.bill_no, r.status, r.reject_reason, r.made_at, r.audited_at,
    m.realname as maker_name, a.realname as auditor_name,
    not exists (
        select from settlement_item s where s.bill_type = :type and s.bill_id = r.bill_id and s.open_amount <> 0
    ) as settled
from sales_return r
left join user_account m on m.user_id = r.maker_id
left join user_account a on a.user_id = r.auditor_id
where r.bill_id = :id
""")


@declare_action(api, SalesDelivery, "sign")
def sign_deliveries(ctx: Context, body: Signing) -> Any:
    """配送签收"""
    return sales_delivery.sign_deliveries(ctx, body.ids, body.signed_by, body.signed_at)


@declare_action(api, SalesDelivery, "unsign")
def unsign_deliveries(ctx: Context, body: Keys) -> Any:
    """取消签收"""
    return sales_delivery.unsign_deliveries(ctx, body.ids)


@declare_action(api, SalesUninvoiced, "invoice")
def invoice_sales(ctx: Context, body: Invoicing) -> Any:
    """批量开票"""
    return invoice_bills(ctx, SalesUninvoiced, body)


@call(api, "POST", gifts.API, right=WRITES_GIFTS, returns=list[gifts.GiftLine])
def get_gifts(ctx: Context, payload: gifts.GiftRequest) -> Any:
    """应送赠品: the gift lines that a sales bill lacks, told to those who may write one."""
    return gifts.list_missing_gifts(ctx, payload)
