"""Orders and deliveries (订单、出入库单): lines that count what later bills executed of them."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import Document
from api.kit.declaration.fields import DerivedField, derived_field, quantity_field
from api.kit.declaration.goods_bills import GoodsLine
from api.kit.errors import Refusal

RECEIVING = {1: "待收货", 2: "全部收货", 3: "部分收货"}
"""spec/2-routes.md 4."""

_PROGRESS = """(
    select case when sum(l.{counter}) > 0 and bool_and(l.{counter} >= l.{measure}) then 2
                when sum(l.{counter}) > 0 then 3 else 1 end
    from {table}_line l where l.bill_id = {table}.bill_id)"""
EXECUTION = _PROGRESS.format(counter="executed_quantity", measure="quantity", table="{table}")
"""SQL of how far a bill's lines were executed: 1 not at all, 2 wholly, 3 in part."""

receiving_status = derived_field(
    "receiving_status", "收货状态", "enum", EXECUTION, options=tuple(RECEIVING.items()), width=100
)
"""The receiving status of an order, from its lines."""


class OrderLine(GoodsLine):
    """A line that later bills execute."""

    __abstract__ = True

    executed_quantity: Mapped[Decimal] = quantity_field(
        "已执行数量", form=False, total=True, copied=False, width=100, sort=30
    )


def forbid_reversal_if_executed(doc: Document, action: str) -> None:
    """Refuse to un-audit or void an order that later bills executed; it can be closed."""
    if action in ("antiAuditor", "invalid") and any(line.executed_quantity for line in doc.lines):
        raise Refusal("订单已有后续单据执行，不能反审核或作废，请先处理后续单据或关闭订单")


def fulfilment_status(
    name: str, label: str, counter: str, states: tuple[str, str, str], measure: str = "quantity"
) -> DerivedField:
    """Declare a fulfilment status: none, all or part of a bill's lines were executed by later bills."""
    sql = _PROGRESS.format(counter=counter, measure=measure, table="{table}")
    return derived_field(name, label, "enum", sql, options=tuple(enumerate(states, 1)), width=100)


SUCCESSOR_COUNTERS = {
    "returned_quantity": ("退货", "退货单"),
    "delivered_quantity": ("配送", "配送单"),
    "invoiced_amount": ("开票", "发票"),
    "requested_quantity": ("退货申请", "退货申请单"),
    "allotted_quantity": ("到货分配", "到货分配单"),
}
"""Counters of a delivery's lines: what was done with it, and the bills that did it."""


def forbid_reversal_with_successors(doc: Document, action: str) -> None:
    """Refuse to un-audit or void a delivery that later bills refer to."""
    if action not in ("antiAuditor", "invalid"):
        return
    for counter, (done, bill) in SUCCESSOR_COUNTERS.items():
        if any(getattr(line, counter, 0) for line in doc.lines):
            raise Refusal(f"该单据已有{done}，不能反审核或作废，请先处理{bill}")


def returned_quantity_field() -> Mapped[Decimal]:
    """Declare the counter of a delivery's line: how much of it came back."""
    return quantity_field("已退数量", form=False, copied=False, list=False, sort=31)


def requested_quantity_field() -> Mapped[Decimal]:
    """Declare the counter of a received line: how much of it was requested to be taken back."""
    return quantity_field("已申请退货数量", form=False, copied=False, list=False, sort=32)


def allotted_quantity_field() -> Mapped[Decimal]:
    """Declare the counter of a received line: how much of it was allotted to other warehouses."""
    return quantity_field("已分配数量", form=False, copied=False, list=False, sort=33)


def delivered_quantity_field() -> Mapped[Decimal]:
    """Declare the counter of a shipped line: how much of it was brought to the customer."""
    return quantity_field("已配送数量", form=False, copied=False, list=False, sort=32)
