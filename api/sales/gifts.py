"""Gifts (买赠): goods that promotions of a bill's day add to its customer's purchase."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, Field
from sqlalchemy import text

from api.kit.context import Context
from api.kit.declaration.document import MAX_LINES, Proposal
from api.kit.declaration.field_sources import from_fields
from api.kit.errors import NotFound
from api.kit.http.schemas import Key
from api.master.goods.proposals import ProposedGoods
from api.master.pricing import price_rules

API = "v2/sales/PromotionPolicy/getGifts"
PROPOSAL = Proposal(
    "添加赠品", API, ("company_id", "customer_id", "business_date"), ("goods_id", "quantity", "is_gift")
)
"""Button of a sales bill that adds the missing gifts."""


class BoughtLine(BaseModel):
    goods_id: Key | None = None
    quantity: Annotated[Decimal, Field(ge=0, le=10**11, allow_inf_nan=False)] | None = None
    is_gift: bool = False


class GiftRequest(BaseModel):
    """A sales bill as entered so far."""

    company_id: Key
    customer_id: Key
    business_date: date
    lines: Annotated[list[BoughtLine], Field(max_length=MAX_LINES)]


class GiftLine(ProposedGoods):
    """Goods that come with a purchase, beyond those that the bill has already."""

    goods_id: Annotated[int, from_fields("sales_outbound_line.goods_id", "sales_order_line.goods_id")]
    quantity: Annotated[str, from_fields("sales_outbound_line.quantity", "sales_order_line.quantity")]
    price: Annotated[str, from_fields("sales_outbound_line.price", "sales_order_line.price")]
    tax_rate: Annotated[str, from_fields("sales_outbound_line.tax_rate", "sales_order_line.tax_rate")]
    is_gift: bool


_GIFTS = text(f"""
with given as ({price_rules.GIFTS_OF_PURCHASE}),
already as (
    select goods_id, sum(quantity) as quantity
    from unnest(cast(:gifts as bigint[]), cast(:gift_quantities as numeric[])) as one (goods_id, quantity)
    group by goods_id
)
select g.goods_id, g.goods_name, g.goods_num, g.specification_type, g.pattern, u.unit_name,
    given.quantity - coalesce(already.quantity, 0) as quantity, 0 as price, g.tax_rate, true as is_gift
from given
join goods g using (goods_id)
left join unit u using (unit_id)
left join already using (goods_id)
where given.quantity > coalesce(already.quantity, 0)
order by g.goods_num
""")


def list_missing_gifts(ctx: Context, request: GiftRequest) -> list[dict[str, Any]]:
    """List the gift lines that a sales bill lacks for the goods that its lines buy."""
    if not ctx.principal.covers_company(request.company_id):
        raise NotFound("公司")
    lines = [line for line in request.lines if line.goods_id and line.quantity]
    bought, given = ([line for line in lines if line.is_gift is gift] for gift in (False, True))
    values = {
        "company_id": request.company_id,
        "customer_id": request.customer_id,
        "priced_on": request.business_date,
        "goods": [line.goods_id for line in bought],
        "quantities": [line.quantity for line in bought],
        "gifts": [line.goods_id for line in given],
        "gift_quantities": [line.quantity for line in given],
    }
    return [dict(row._mapping) for row in ctx.conn.execute(_GIFTS, values)]
