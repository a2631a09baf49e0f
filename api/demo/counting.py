"""Counting of a demo company (演示盘点与调价): a shelf a month, and what its stock is worth set right."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import text

from api.demo.assortment import Item
from api.demo.desk import Desk
from api.inventory.cost_adjustment import CostAdjustmentBill
from api.inventory.stock_take import StockTake
from api.kit import drafts, transitions
from api.kit.context import Context

FOUND, MISSING = 1, -1
DIFFERENCES = (MISSING, FOUND, MISSING)
"""What a count finds of some goods of its shelf: pieces beyond the book, or less of them."""
REASONS = ("供应商补价差", "运费补分摊", "厂家降价补偿")
_SHELF = text("""
select b.goods_id, k.batch, b.quantity
from stock_balance b
left join goods_batch k on k.batch_id = b.batch_id
where b.warehouse_id = :warehouse and b.allocation_id = :shelf and b.quantity <> 0
order by b.goods_id, b.quantity desc, b.batch_id
""")


class Counter:
    """Counts the shelves one after the other, and adjusts costs."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def count(self) -> None:
        """At a month's end: all of a shelf is counted, a few pieces are too many or too few."""
        desk = self.desk
        houses = desk.branch.warehouses
        warehouse = houses[desk.day.month % len(houses)]
        shelf = desk.chance.choice(desk.branch.allocations[warehouse])
        there = [item for item in self._stocked(warehouse) if desk.shelf(warehouse, item.goods_id) == shelf]
        chosen = desk.chance.sample(there, min(len(DIFFERENCES), len(there)))
        found = {item.goods_id: sign for item, sign in zip(chosen, DIFFERENCES, strict=False)}
        for goods, sign in found.items():
            desk.stock[warehouse, goods] += sign
        header = {
            "company_id": desk.branch.company_id,
            "business_date": desk.day,
            "warehouse_id": warehouse,
            "allocation_id": shelf,
            **desk.worker(desk.branch.keepers),
        }
        desk.portion.finally_.append(lambda ctx: _count(ctx, header, found))

    def adjust(self) -> None:
        """What suppliers made good or carriers charged afterwards changes what some goods are worth."""
        desk = self.desk
        warehouse = desk.branch.warehouses[0]
        goods = self._stocked(warehouse)
        chosen = desk.chance.sample(goods, min(2, len(goods)))
        rows = [{"goods_id": item.goods_id, "amount": self._change(warehouse, item)} for item in chosen]
        header = {
            "warehouse_id": warehouse,
            "reason": desk.chance.choice(REASONS),
            **desk.worker(desk.branch.keepers),
        }
        if rows:
            desk.enter(CostAdjustmentBill, header, rows)

    def _stocked(self, warehouse: int) -> list[Item]:
        stock = self.desk.stock
        return [item for item in self.desk.range[warehouse] if stock[warehouse, item.goods_id] > 4]

    def _change(self, warehouse: int, item: Item) -> Decimal:
        worth = item.cost * self.desk.stock[warehouse, item.goods_id]
        change = worth * Decimal(self.desk.chance.choice((-3, -2, -1, 1, 2))) / 100
        return change.quantize(Decimal(1)) or Decimal(1)


def _count(ctx: Context, header: dict[str, Any], found: dict[int, int]) -> None:
    """Write a shelf's count down and audit it; what differs does so of the batch that there is most of."""
    left = dict(found)
    place = {"warehouse": header["warehouse_id"], "shelf": header["allocation_id"]}
    lines = [
        {
            "goods_id": row.goods_id,
            "allocation_id": header["allocation_id"],
            "batch": row.batch,
            "counted_quantity": row.quantity + left.pop(row.goods_id, 0),
        }
        for row in ctx.conn.execute(_SHELF, place)
    ]
    if lines:
        key: int = drafts.add(ctx, StockTake, {**header, "lines": lines})["id"]
        transitions.move(ctx, StockTake, "auditorPass", key)
