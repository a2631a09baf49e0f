"""Credit (信用): what a customer owes and has ordered against what he may, asked under his lock.

Exposure is his open items, advances negative, and what audited orders have still to ship (`domain.md` 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import Row, text

from api.kit import registry
from api.kit.context import Context
from api.kit.database import today
from api.kit.document import Document
from api.kit.projection import sees_all
from api.master.partners import Customer

LIMIT = """
c.credit_limit + coalesce((
    select sum(t.amount) from customer_credit t
    where t.customer_id = c.customer_id and t.kind = 2 and t.status = 2 and :today between t.starts_on and t.ends_on
), 0.00)
"""
"""What customer `c` may owe on the day `:today`; null is not controlled."""

_LIMIT = text(f"""
select {LIMIT} from customer c
where c.customer_id = :customer and c.credit_limit is not null
for no key update of c
""")
_EXPOSURE = text("""
select (
    select coalesce(sum(open_amount), 0) from settlement_item
    where party_type = 'customer' and party_id = :customer and open_amount <> 0
) + (
    select coalesce(sum(round(l.amount * greatest(l.quantity - l.executed_quantity - coalesce(s.quantity, 0), 0)
        / l.quantity, 2)), 0)
    from sales_order h
    join sales_order_line l using (bill_id)
    left join (
        select line_id, sum(quantity) as quantity
        from unnest(cast(:lines as bigint[]), cast(:quantities as numeric[])) as shipped (line_id, quantity)
        group by line_id
    ) s using (line_id)
    where h.customer_id = :customer and h.status = 2 and l.executed_quantity < l.quantity
)
""")


def of_order(ctx: Context, doc: Document) -> str:
    """By how much a customer's exposure passes his limit with this order; nothing where it doesn't.

    The order counts already, since its status is moved before.
    """
    return _beyond(ctx, doc, Decimal(0), ())


def of_outbound(ctx: Context, doc: Document) -> str:
    """By how much a customer's exposure passes his limit once this outbound is owed and no longer ordered."""
    shipped = [line for line in doc.lines if getattr(line, "order_line_id", None)]
    return _beyond(ctx, doc, doc.header.total_amount, shipped)


def _beyond(ctx: Context, doc: Document, owed: Decimal, shipped: Sequence[Row[Any]]) -> str:
    """The customer's lock makes bills that are audited at the same time count each other."""
    given = {"customer": doc.header.customer_id, "today": today()}
    limit = ctx.conn.execute(_LIMIT, given).scalar()
    if limit is None:
        return ""
    given |= {
        "lines": [line.order_line_id for line in shipped],
        "quantities": [line.quantity for line in shipped],
    }
    exposure = owed + ctx.conn.execute(_EXPOSURE, given).scalar_one()
    if exposure <= limit:
        return ""
    places = ((Customer, "credit_limit"), (registry.get("credit_use"), "exposure"))
    told, beyond = "客户已超信用额度", exposure - limit
    if not sees_all(ctx.principal, *places):
        return told
    return f"{told}（额度 {limit:,.2f} 元，欠款与未出库订单将达 {exposure:,.2f} 元，超出 {beyond:,.2f} 元）"
