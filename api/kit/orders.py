"""Orders (订单): lines that count what was executed, the receiving status that follows, and what close gives back."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.document import Document, GoodsLine
from api.kit.errors import Refusal
from api.kit.fields import derived, quantity

RECEIVING = {1: "待收货", 2: "全部收货", 3: "部分收货"}
"""spec/2-routes.md 4."""

EXECUTION = """(
    select case when sum(l.executed_quantity) > 0 and bool_and(l.executed_quantity >= l.quantity) then 2
                when sum(l.executed_quantity) > 0 then 3 else 1 end
    from {table}_line l where l.bill_id = {table}.bill_id)"""
"""How far a bill's lines were executed: 1 not at all, 2 wholly, 3 in part."""

receiving_status = derived(
    "receiving_status", "收货状态", "enum", EXECUTION, options=tuple(RECEIVING.items()), width=100
)
"""The receiving status of an order, from its lines."""


class OrderLine(GoodsLine):
    """A line that later bills execute."""

    __abstract__ = True

    executed_quantity: Mapped[Decimal] = quantity(
        "已执行数量", form=False, total=True, copied=False, width=100, sort=30
    )


def refuse_executed(doc: Document, action: str) -> None:
    """An order that later bills executed can be closed, not taken back."""
    if action in ("antiAuditor", "invalid") and any(line.executed_quantity for line in doc.lines):
        raise Refusal("订单已有后续单据执行，不能反审核或作废，请先处理后续单据或关闭订单")


def refuse_returned(doc: Document, action: str) -> None:
    """A delivery that linked returns stand on is not taken back."""
    if action in ("antiAuditor", "invalid") and any(line.returned_quantity for line in doc.lines):
        raise Refusal("该单据已有退货，不能反审核或作废，请先处理退货单")


def returned() -> Mapped[Decimal]:
    """The counter of a delivery's line: how much of it came back."""
    return quantity("已退数量", form=False, copied=False, list=False, sort=31)
