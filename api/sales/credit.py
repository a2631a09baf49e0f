"""Credit check (信用): a customer's exposure against his limit, under a lock on the customer.

Exposure is his open items, advances negative, plus the unshipped part of audited orders (`domain.md` 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import Row, text

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Document
from api.kit.storage.database import today
from api.kit.storage.projection import can_see_all
from api.master.partners.partners import Customer

LIMIT = """
c.credit_limit + coalesce((
    select sum(t.amount) from customer_credit t
    where t.customer_id = c.customer_id and t.kind = 2 and t.status = 2 and :today between t.starts_on and t.ends_on
), 0.00)
"""
"""SQL of the credit limit of customer `c` on the day `:today`; null means no control."""

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


def describe_order_excess(ctx: Context, doc: Document) -> str:
    """Describe by how much the exposure exceeds the limit with this order; empty if it doesn't.

    The order counts already, since its status is changed before.
    """
    return _describe_excess(ctx, doc, Decimal(0), ())


def describe_outbound_excess(ctx: Context, doc: Document) -> str:
    """Describe by how much the exposure exceeds the limit once this outbound is a receivable, no longer an
    order."""
    shipped = [line for line in doc.lines if getattr(line, "order_line_id", None)]
    return _describe_excess(ctx, doc, doc.header.total_amount, shipped)


def _describe_excess(ctx: Context, doc: Document, amount: Decimal, shipped: Sequence[Row[Any]]) -> str:
    """Compare exposure and limit under the customer's lock, so that concurrent audits count each other."""
    given = {"customer": doc.header.customer_id, "today": today()}
    limit = ctx.conn.execute(_LIMIT, given).scalar()
    if limit is None:
        return ""
    given |= {
        "lines": [line.order_line_id for line in shipped],
        "quantities": [line.quantity for line in shipped],
    }
    exposure = amount + ctx.conn.execute(_EXPOSURE, given).scalar_one()
    if exposure <= limit:
        return ""
    places = ((Customer, "credit_limit"), (registry.get_resource("credit_use"), "exposure"))
    message, beyond = "客户已超信用额度", exposure - limit
    if not can_see_all(ctx.principal, *places):
        return message
    return (
        f"{message}（额度 {limit:,.2f} 元，欠款与未出库订单将达 {exposure:,.2f} 元，超出 {beyond:,.2f} 元）"
    )
