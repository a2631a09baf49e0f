"""Calls of this domain beyond the declared ones (配送签收、批量开票)."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.database import TIME_ZONE
from api.kit.endpoints import action
from api.kit.errors import Forbidden
from api.kit.schemas import Keys
from api.master.invoices import Invoicing, invoice_bills
from api.sales import gifts, sales_delivery
from api.sales.sales_delivery import SalesDelivery
from api.sales.sales_invoice import SalesUninvoiced
from api.sales.sales_order import SalesOrder
from api.sales.sales_outbound import SalesOutbound

api = router()
GIVING = (SalesOrder, SalesOutbound)


def _local(value: datetime) -> datetime:
    """A time that names no zone is this country's."""
    return value.astimezone(TIME_ZONE) if value.tzinfo else value.replace(tzinfo=TIME_ZONE)


class Signing(Keys):
    """Deliveries, who signed for them and when."""

    signed_by: str = Field(min_length=1, max_length=50, description="签收人")
    signed_at: Annotated[datetime, AfterValidator(_local)] = Field(description="签收时间")


@action(api, SalesDelivery, "sign")
def sign(ctx: Context, body: Signing) -> Any:
    """配送签收"""
    return sales_delivery.sign(ctx, body.ids, body.signed_by, body.signed_at)


@action(api, SalesDelivery, "unsign")
def unsign(ctx: Context, body: Keys) -> Any:
    """取消签收"""
    return sales_delivery.unsign(ctx, body.ids)


@action(api, SalesUninvoiced, "invoice")
def invoice(ctx: Context, body: Invoicing) -> Any:
    """批量开票"""
    return invoice_bills(ctx, SalesUninvoiced, body)


@call(api, "POST", gifts.API, right=ANY_USER, returns=list[gifts.GiftLine])
def get_gifts(ctx: Context, payload: gifts.Purchase) -> Any:
    """应送赠品: the gift lines that a sales bill lacks, told to those who may write one."""
    if not any(ctx.principal.may(cls.right(step)) for cls in GIVING for step in ("add", "edit")):
        raise Forbidden()
    return gifts.gifts(ctx, payload)
