"""Prepayment (先款后货): whether what a partner advanced covers what is delivered of orders that are paid for before.

An advance is bound to the partner, not to an order. What is left of his advances pays first for earlier deliveries of
such orders that are still open; the rest covers the next one.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import text

from api.kit.context import Context
from api.kit.document import Document
from api.kit.fields import Derived, derived
from api.kit.posting import PartyType
from api.master.advances import ADVANCED
from api.master.business_types import PREPAID


@dataclass(frozen=True, slots=True)
class Trade:
    """With whom, the tables of orders and deliveries, the deliveries' prefix, and the screen that tells advances."""

    party: PartyType
    label: str
    advance: str
    order: str
    delivery: str
    prefix: str
    screen: str

    @property
    def left(self) -> str:
        """What of the advances of `{{holder}}`'s partner is left for more deliveries."""
        return f"""(
    select coalesce(sum(-l.open_amount) filter (where {ADVANCED}), 0.00) - coalesce(sum(least(l.open_amount, (
        select coalesce(sum(d.amount), 0.00) from {self.delivery}_line d
        join {self.order}_line ol on ol.line_id = d.order_line_id
        join {self.order} o on o.bill_id = ol.bill_id and o.delivery_method = {PREPAID}
        where d.bill_id = l.bill_id
    ))) filter (where l.bill_type = '{self.prefix}' and l.open_amount > 0), 0.00)
    from settlement_item l
    where l.party_type = '{self.party}' and l.party_id = {{holder}}.{self.party}_id
        and l.company_id = {{holder}}.company_id and l.open_amount <> 0
)"""

    def lacking(self, ctx: Context, doc: Document) -> str:
        """By how much a delivery passes what was advanced; nothing where it doesn't.

        The partner's lock makes deliveries that are audited at the same time count each other.
        """
        lines = [line for line in doc.lines if line.order_line_id]
        if not lines:
            return ""
        given = {
            "lines": [line.order_line_id for line in lines],
            "amounts": [line.amount for line in lines],
        }
        wanted = ctx.conn.execute(text(_WANTED.format(self, PREPAID)), given).one()
        if not wanted.amount:
            return ""
        holder = {
            "partner": getattr(doc.header, f"{self.party}_id"),
            "company": doc.header.company_id,
        }
        ctx.conn.execute(text(_LOCK.format(self)), holder)
        left: Decimal = ctx.conn.execute(
            text(_LEFT.format(self, left=self.left.format(holder="h"))), holder
        ).scalar_one()
        if wanted.amount <= left:
            return ""
        msg = f"订单{wanted.orders}为先款后货"
        if not ctx.principal.sees(self.screen, "left_amount", None):
            return f"{msg}，{self.label}的{self.advance}不足"
        return (
            f"{msg}，本次须先付 {wanted.amount:.2f} 元，{self.label}可用{self.advance} {left:.2f} 元，"
            f"还差 {wanted.amount - left:.2f} 元"
        )

    def shown(self) -> tuple[Derived, ...]:
        """What an order that is paid for before tells of it: what its rest asks for, what is left for it."""
        rest = f"""(
    select sum(round(l.amount * greatest(l.quantity - l.executed_quantity, 0) / l.quantity, 2))
    from {self.order}_line l where l.bill_id = {{table}}.bill_id and {{table}}.delivery_method = {PREPAID}
)"""
        left = (
            f"(case when {{table}}.delivery_method = {PREPAID} then {self.left.format(holder='{table}')} end)"
        )
        marks = {"list": False, "export": False, "width": 120}
        return (
            derived("prepay_amount", "未发货须先付", "money", rest, **marks),
            derived("prepaid_left", f"可用{self.advance}", "money", left, **marks),
        )


_WANTED = """
select coalesce(sum(d.amount), 0.00) as amount, string_agg(distinct o.bill_no, '、') as orders
from unnest(cast(:lines as bigint[]), cast(:amounts as numeric[])) as d (line_id, amount)
join {0.order}_line l using (line_id)
join {0.order} o on o.bill_id = l.bill_id and o.delivery_method = {1}
"""
_LOCK = "select from {0.party} where {0.party}_id = :partner for no key update"
_LEFT = "select {left} from (select :partner as {0.party}_id, :company as company_id) h"

SALE = Trade("customer", "客户", "预收款", "sales_order", "sales_outbound", "XSCK", "customer_advance")
PURCHASE = Trade(
    "supplier", "供应商", "预付款", "purchase_order", "purchase_inbound", "CGRK", "supplier_advance"
)
