"""Prepayment (先款后货): whether what a partner advanced covers what is delivered of orders that are paid for before.

An advance is bound to the partner, not to an order. What is left of his advances pays first for earlier deliveries of
such orders that are still open; the rest covers the next one. What let a customer's goods leave can't be taken back.
What a return that is to be replaced was credited with pays for what is sent instead, as long as it is open.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import text

from api.kit import registry
from api.kit.context import Context
from api.kit.document import Bill, Document
from api.kit.errors import Refusal
from api.kit.fields import Derived, derived
from api.kit.posting import PartyType
from api.kit.projection import sees_all
from api.master.advances import ADVANCED
from api.master.business_types import PREPAID
from api.master.replacements import REPLACED


@dataclass(frozen=True, slots=True)
class Trade:
    """With whom, the tables of orders, deliveries and returns, the latter two's prefixes, and the advances' screen."""

    party: PartyType
    label: str
    advance: str
    order: str
    delivery: str
    prefix: str
    back: str
    back_prefix: str
    screen: str

    @property
    def left(self) -> str:
        """What of the advances of `{{holder}}`'s partner is left for more deliveries."""
        return f"""(
    select coalesce(sum(-l.open_amount) filter (where {ADVANCED} or l.bill_type = '{self.back_prefix}' and exists (
        select from {self.back} b where b.bill_id = l.bill_id and b.remedy = {REPLACED}
    )), 0.00) - coalesce(sum(least(l.open_amount, (
        select coalesce(sum(d.amount), 0.00) from {self.delivery}_line d
        join {self.order}_line ol on ol.line_id = d.order_line_id
        join {self.order} o on o.bill_id = ol.bill_id and o.delivery_method = {PREPAID}
        where d.bill_id = l.bill_id
    ))) filter (where l.bill_type = '{self.prefix}' and l.kind <> 'freight' and l.open_amount > 0), 0.00)
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
        partner = getattr(doc.header, f"{self.party}_id")
        left = self.left_of(ctx, doc.header.company_id, [partner])[partner]
        if wanted.amount <= left:
            return ""
        told = f"订单{wanted.orders}为先款后货，{self.label}的{self.advance}不足"
        if not self.seen(ctx):
            return told
        lacks = wanted.amount - left
        return f"{told}（本次须先付 {wanted.amount:,.2f} 元，可用 {left:,.2f} 元，还差 {lacks:,.2f} 元）"

    def left_of(self, ctx: Context, company: int, partners: Iterable[int]) -> dict[int, Decimal]:
        """What is left of each partner's advances; it stays so until the end of the transaction."""
        holders = {"company": company, "partners": sorted(set(partners))}
        ctx.conn.execute(text(_LOCK.format(self)), holders)
        rows = ctx.conn.execute(text(_LEFT.format(self, left=self.left.format(holder="h"))), holders)
        return {row.partner: row.left_amount for row in rows}

    def refuse_uncovered(self, ctx: Context, company: int, before: dict[int, Decimal]) -> None:
        """Refuse what takes from partners' advances, of which `before` was left, more than what left leaves of them."""
        for partner, left in self.left_of(ctx, company, before).items():
            if left >= 0 or left >= before[partner]:
                continue
            numbers: str = ctx.conn.execute(
                text(_UNPAID.format(self, PREPAID)), {"company": company, "partner": partner}
            ).scalar_one()
            lacks = f"，还差 {-left:,.2f} 元" if self.seen(ctx) else ""
            raise Refusal(
                f"{self.label}的{self.advance}已用于先款后货的{numbers}，不能减少{lacks}；"
                "请先补收款、核销或反审核这些单据"
            )

    def seen(self, ctx: Context) -> bool:
        """Whether the principal may be told figures of advances, and of what is ordered and delivered for them."""
        bills = [registry.get(name) for name in (self.order, self.delivery)]
        priced = ((bill.blocks()[0].cls, "amount") for bill in bills)
        return sees_all(ctx.principal, (registry.get(self.screen), "left_amount"), *priced)

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
_LOCK = "select from {0.party} where {0.party}_id = any(:partners) order by {0.party}_id for no key update"
_LEFT = """
select h.{0.party}_id as partner, {left} as left_amount
from (select {0.party}_id, cast(:company as bigint) as company_id from {0.party} where {0.party}_id = any(:partners)) h
"""
_UNPAID = """
select string_agg(l.bill_no, '、' order by l.bill_no) from settlement_item l
where l.company_id = :company and l.party_type = '{0.party}' and l.party_id = :partner
    and l.bill_type = '{0.prefix}' and l.kind <> 'freight' and l.open_amount > 0 and exists (
        select from {0.delivery}_line d
        join {0.order}_line ol on ol.line_id = d.order_line_id
        join {0.order} o on o.bill_id = ol.bill_id and o.delivery_method = {1}
        where d.bill_id = l.bill_id
    )
"""

SALE = Trade(
    *("customer", "客户", "预收款", "sales_order"),
    *("sales_outbound", "XSCK", "sales_return", "XSTH", "customer_advance"),
)
PURCHASE = Trade(
    *("supplier", "供应商", "预付款", "purchase_order"),
    *("purchase_inbound", "CGRK", "purchase_return", "CGTH", "supplier_advance"),
)


class TakesAdvances(Bill):
    """A bill whose audit or reversal may take from what customers advanced."""

    __abstract__ = True

    @classmethod
    def advancers(cls, doc: Document) -> set[int]:
        """The customers whose advances a bill is about."""
        customer = getattr(doc.header, "customer_id", None)
        return {customer} if customer else set()

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        super().guard(ctx, doc, action)
        taken = action != "auditorPass" or any(row.amount < 0 for row in doc.children.get("write_offs", ()))
        customers = cls.advancers(doc) if taken else set()
        before = SALE.left_of(ctx, doc.header.company_id, customers) if customers else {}
        ctx.known["prepaid_left", doc.header.bill_id] = before

    @classmethod
    def follow(cls, ctx: Context, doc: Document, effect: str) -> None:
        super().follow(ctx, doc, effect)
        before = ctx.known.pop(("prepaid_left", doc.header.bill_id), None)
        if before:
            SALE.refuse_uncovered(ctx, doc.header.company_id, before)
