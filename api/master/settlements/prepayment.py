"""Prepayment (先款后货): advances must cover what is delivered of orders that are paid for before.

An advance is bound to the partner, not to an order. Advances pay first for earlier deliveries of such
orders that are still open; the rest covers the next one. An advance that covered a delivery can't be taken
back. A return that is to be replaced covers what is sent instead, as long as its credit is open.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import text

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, Document
from api.kit.declaration.fields import DerivedField, derived_field
from api.kit.declaration.posting import PartyType
from api.kit.errors import Refusal
from api.kit.storage.projection import can_see_all
from api.master.settings.business_types import PREPAID
from api.master.settlements.advances import IS_ADVANCE
from api.master.stock.replacements import REPLACED


@dataclass(frozen=True, slots=True)
class PrepaymentPolicy:
    """Prepayment rules of one side, sales or purchases.

    The partner, the tables of orders, deliveries and returns, the latter two's prefixes, and the screen of
    advances.
    """

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
    def remaining_sql(self) -> str:
        """SQL of the advances of `{{holder}}`'s partner that are left for more deliveries."""
        return f"""(
    select coalesce(sum(-l.open_amount) filter (where {IS_ADVANCE} or l.bill_type = '{self.back_prefix}' and exists (
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

    def shortfall(self, ctx: Context, doc: Document) -> str:
        """Describe by how much a delivery exceeds the advances; empty where it doesn't.

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
        left = self.read_remaining(ctx, doc.header.company_id, [partner])[partner]
        if wanted.amount <= left:
            return ""
        message = f"订单{wanted.orders}为先款后货，{self.label}的{self.advance}不足"
        if not self.is_visible_to(ctx):
            return message
        lacks = wanted.amount - left
        return f"{message}（本次须先付 {wanted.amount:,.2f} 元，可用 {left:,.2f} 元，还差 {lacks:,.2f} 元）"

    def read_remaining(self, ctx: Context, company: int, partners: Iterable[int]) -> dict[int, Decimal]:
        """Return the rest of each partner's advances, locked until the end of the transaction."""
        holders = {"company": company, "partners": sorted(set(partners))}
        ctx.conn.execute(text(_LOCK.format(self)), holders)
        rows = ctx.conn.execute(text(_LEFT.format(self, left=self.remaining_sql.format(holder="h"))), holders)
        return {row.partner: row.left_amount for row in rows}

    def forbid_uncovered(self, ctx: Context, company: int, before: dict[int, Decimal]) -> None:
        """Raise Refusal if a partner's rest of advances fell below zero, and below `before`."""
        for partner, left in self.read_remaining(ctx, company, before).items():
            if left >= 0 or left >= before[partner]:
                continue
            numbers: str = ctx.conn.execute(
                text(_UNPAID.format(self, PREPAID)), {"company": company, "partner": partner}
            ).scalar_one()
            lacks = f"，还差 {-left:,.2f} 元" if self.is_visible_to(ctx) else ""
            raise Refusal(
                f"{self.label}的{self.advance}已用于先款后货的{numbers}，不能减少{lacks}；"
                "请先补收款、核销或反审核这些单据"
            )

    def is_visible_to(self, ctx: Context) -> bool:
        """Return whether the principal sees the amounts of advances, and of what is ordered and delivered for
        them."""
        bills = [registry.get_resource(name) for name in (self.order, self.delivery)]
        priced = ((bill.blocks()[0].cls, "amount") for bill in bills)
        return can_see_all(ctx.principal, (registry.get_resource(self.screen), "left_amount"), *priced)

    def derived_columns(self) -> tuple[DerivedField, ...]:
        """Declare the columns of a prepaid order: what its rest requires, and the advances left for it."""
        rest = f"""(
    select sum(round(l.amount * greatest(l.quantity - l.executed_quantity, 0) / l.quantity, 2))
    from {self.order}_line l where l.bill_id = {{table}}.bill_id and {{table}}.delivery_method = {PREPAID}
)"""
        remaining = self.remaining_sql.format(holder="{table}")
        left = f"(case when {{table}}.delivery_method = {PREPAID} then {remaining} end)"
        marks = {"list": False, "export": False, "width": 120}
        return (
            derived_field("prepay_amount", "未发货须先付", "money", rest, **marks),
            derived_field("prepaid_left", f"可用{self.advance}", "money", left, **marks),
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

SALE = PrepaymentPolicy(
    *("customer", "客户", "预收款", "sales_order"),
    *("sales_outbound", "XSCK", "sales_return", "XSTH", "customer_advance"),
)
PURCHASE = PrepaymentPolicy(
    *("supplier", "供应商", "预付款", "purchase_order"),
    *("purchase_inbound", "CGRK", "purchase_return", "CGTH", "supplier_advance"),
)


class AdvanceConsumingBill(Bill):
    """A bill whose audit or reversal may take from customers' advances."""

    __abstract__ = True

    @classmethod
    def list_advance_customers(cls, doc: Document) -> set[int]:
        """Return the customers whose advances a bill is about; override."""
        customer = getattr(doc.header, "customer_id", None)
        return {customer} if customer else set()

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        super().check_transition(ctx, doc, action)
        taken = action != "auditorPass" or any(row.amount < 0 for row in doc.children.get("write_offs", ()))
        customers = cls.list_advance_customers(doc) if taken else set()
        before = SALE.read_remaining(ctx, doc.header.company_id, customers) if customers else {}
        ctx.lookup_cache["prepaid_left", doc.header.bill_id] = before

    @classmethod
    def after_transition(cls, ctx: Context, doc: Document, effect: str) -> None:
        super().after_transition(ctx, doc, effect)
        before = ctx.lookup_cache.pop(("prepaid_left", doc.header.bill_id), None)
        if before:
            SALE.forbid_uncovered(ctx, doc.header.company_id, before)
