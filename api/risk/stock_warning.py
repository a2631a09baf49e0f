"""Stock warnings before the audit (库存预警检查): the answer that auditing bills, or saving lines, would get."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from sqlalchemy import select

from api.kit.bills import transitions
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.flow import UNAUDITED
from api.kit.declaration.posting import Postings
from api.kit.errors import NotFound, Refusal
from api.kit.scope import scope_condition
from api.master.warehouses import safety_stock
from api.master.warehouses.safety_stock import Wanted
from api.master.warehouses.warehouses import Warehouse

StockEffect = Callable[[Postings], dict[tuple[int, int], Decimal]]


def check_bills(ctx: Context, bill_type: str, keys: list[int]) -> dict[str, Any]:
    """Return the answer of auditing bills together: code 362 or 363, or no shortage."""
    return _build_answer(ctx, bill_type, _sum_bills(ctx, bill_type, keys, safety_stock.sum_outgoing))


def check_orders(ctx: Context, bill_type: str, keys: list[int]) -> dict[str, Any]:
    """Return the same for orders, whose claims are checked against available stock."""
    return _build_answer(
        ctx, bill_type, _sum_bills(ctx, bill_type, keys, safety_stock.sum_reserved), available=True
    )


def check_lines(
    ctx: Context, bill_type: str, warehouse_id: int, lines: list[tuple[int, Decimal]]
) -> dict[str, Any]:
    """Return the same for lines that aren't saved yet."""
    table = Warehouse.table()
    mine = select(table.c.warehouse_id).where(
        table.c.warehouse_id == warehouse_id, scope_condition(table, ctx.principal)
    )
    if ctx.conn.execute(mine).first() is None:
        raise NotFound(Warehouse.declaration.label)
    wanted: dict[tuple[int, int], Decimal] = defaultdict(Decimal)
    for goods_id, quantity in lines:
        wanted[warehouse_id, goods_id] -= quantity
    return _build_answer(ctx, bill_type, wanted)


def _build_answer(ctx: Context, bill_type: str, wanted: Wanted, *, available: bool = False) -> dict[str, Any]:
    short = safety_stock.list_below_limits(ctx.conn, bill_type, wanted, available=available)
    safety_stock.raise_stock_warning(short, confirmed=ctx.confirmed)
    return safety_stock.build_warning_answer(short)


def _sum_bills(ctx: Context, bill_type: str, keys: list[int], effect: StockEffect) -> Wanted:
    cls = registry.map_prefixes().get(bill_type)
    if cls is None or not issubclass(cls, Bill):
        raise Refusal("单据类型不正确")
    ctx.require_right(cls.right("list"))
    table = cls.table()
    mine = (table.c.bill_id.in_(keys), table.c.status == UNAUDITED, scope_condition(table, ctx.principal))
    wanted: dict[tuple[int, int], Decimal] = defaultdict(Decimal)
    for header in ctx.conn.execute(select(table).where(*mine)).all():
        for place, change in effect(cls.postings(transitions.read_document(ctx.conn, cls, header))).items():
            wanted[place] += change
    return wanted
