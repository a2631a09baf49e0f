"""Stock warnings before the audit (库存预警检查): the answer that auditing bills, or saving lines, would meet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from sqlalchemy import select

from api.kit import registry, transitions
from api.kit.context import Context
from api.kit.document import Bill
from api.kit.errors import NotFound, Refusal
from api.kit.flow import UNAUDITED
from api.kit.posting import Postings
from api.kit.scope import within
from api.master import safety_stock
from api.master.safety_stock import Wanted
from api.master.warehouses import Warehouse

Taken = Callable[[Postings], dict[tuple[int, int], Decimal]]


def check_bills(ctx: Context, bill_type: str, keys: list[int]) -> dict[str, Any]:
    """What auditing bills together would answer: 362, 363, or that nothing falls short."""
    return _told(ctx, bill_type, _of_bills(ctx, bill_type, keys, safety_stock.leaving))


def check_orders(ctx: Context, bill_type: str, keys: list[int]) -> dict[str, Any]:
    """The same for orders, whose claims are held against what is available."""
    return _told(ctx, bill_type, _of_bills(ctx, bill_type, keys, safety_stock.claiming), available=True)


def check_lines(
    ctx: Context, bill_type: str, warehouse_id: int, lines: list[tuple[int, Decimal]]
) -> dict[str, Any]:
    """The same for lines that aren't saved yet."""
    table = Warehouse.table()
    mine = select(table.c.warehouse_id).where(
        table.c.warehouse_id == warehouse_id, within(table, ctx.principal)
    )
    if ctx.conn.execute(mine).first() is None:
        raise NotFound(Warehouse.declaration.label)
    wanted: dict[tuple[int, int], Decimal] = defaultdict(Decimal)
    for goods_id, quantity in lines:
        wanted[warehouse_id, goods_id] -= quantity
    return _told(ctx, bill_type, wanted)


def _told(ctx: Context, bill_type: str, wanted: Wanted, *, available: bool = False) -> dict[str, Any]:
    short = safety_stock.below(ctx.conn, bill_type, wanted, available=available)
    safety_stock.refuse(short, confirmed=ctx.confirmed)
    return safety_stock.answer(short)


def _of_bills(ctx: Context, bill_type: str, keys: list[int], taken: Taken) -> Wanted:
    cls = registry.prefixes().get(bill_type)
    if cls is None or not issubclass(cls, Bill):
        raise Refusal("单据类型不正确")
    ctx.require(cls.right("list"))
    table = cls.table()
    mine = (table.c.bill_id.in_(keys), table.c.status == UNAUDITED, within(table, ctx.principal))
    wanted: dict[tuple[int, int], Decimal] = defaultdict(Decimal)
    for header in ctx.conn.execute(select(table).where(*mine)).all():
        for place, change in taken(cls.postings(transitions.read(ctx.conn, cls, header))).items():
            wanted[place] += change
    return wanted
