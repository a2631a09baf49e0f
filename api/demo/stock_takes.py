"""Stocktakes of a demo company (演示盘点与调价): one location a month, and cost adjustments."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import text

from api.demo.company_simulator import CompanySimulator
from api.demo.goods import DemoGoods
from api.inventory.cost_adjustment import CostAdjustmentBill
from api.inventory.stock_take import StockTake
from api.kit.bills import drafts, transitions
from api.kit.context import Context

FOUND, MISSING = 1, -1
DIFFERENCES = (MISSING, FOUND, MISSING)
"""What a count finds of some goods of its shelf: pieces beyond the book, or less of them."""
REASONS = ("供应商补价差", "运费补分摊", "厂家降价补偿")
_LOCATION_STOCK = text("""
select b.goods_id, k.batch, b.quantity
from stock_balance b
left join goods_batch k on k.batch_id = b.batch_id
where b.warehouse_id = :warehouse and b.allocation_id = :shelf and b.quantity <> 0
order by b.goods_id, b.quantity desc, b.batch_id
""")


class StockTaker:
    """Stock taker who counts the locations one after the other, and adjusts costs."""

    def __init__(self, desk: CompanySimulator) -> None:
        self.desk = desk

    def take_stock(self) -> None:
        """Count all of a location at a month's end; a few pieces are too many or too few."""
        desk = self.desk
        houses = desk.branch.warehouses
        warehouse = houses[desk.day.month % len(houses)]
        shelf = desk.chance.choice(desk.branch.allocations[warehouse])
        there = [
            item
            for item in self._goods_in_stock(warehouse)
            if desk.location_of(warehouse, item.goods_id) == shelf
        ]
        chosen = desk.chance.sample(there, min(len(DIFFERENCES), len(there)))
        found = {item.goods_id: sign for item, sign in zip(chosen, DIFFERENCES, strict=False)}
        for goods, sign in found.items():
            desk.stock[warehouse, goods] += sign
        header = {
            "company_id": desk.branch.company_id,
            "business_date": desk.day,
            "warehouse_id": warehouse,
            "allocation_id": shelf,
            **desk.choose_worker(desk.branch.keepers),
        }
        desk.portion.last_steps.append(lambda ctx: _audit_stock_take(ctx, header, found))

    def adjust_costs(self) -> None:
        """Adjust the cost of some goods for refunds of suppliers or later freight."""
        desk = self.desk
        warehouse = desk.branch.warehouses[0]
        goods = self._goods_in_stock(warehouse)
        chosen = desk.chance.sample(goods, min(2, len(goods)))
        rows = [
            {"goods_id": item.goods_id, "amount": self._choose_change(warehouse, item)} for item in chosen
        ]
        header = {
            "warehouse_id": warehouse,
            "reason": desk.chance.choice(REASONS),
            **desk.choose_worker(desk.branch.keepers),
        }
        if rows:
            desk.enter_bill(CostAdjustmentBill, header, rows)

    def _goods_in_stock(self, warehouse: int) -> list[DemoGoods]:
        stock = self.desk.stock
        return [item for item in self.desk.range[warehouse] if stock[warehouse, item.goods_id] > 4]

    def _choose_change(self, warehouse: int, item: DemoGoods) -> Decimal:
        worth = item.cost * self.desk.stock[warehouse, item.goods_id]
        change = worth * Decimal(self.desk.chance.choice((-3, -2, -1, 1, 2))) / 100
        return change.quantize(Decimal(1)) or Decimal(1)


def _audit_stock_take(ctx: Context, header: dict[str, Any], found: dict[int, int]) -> None:
    """Enter and audit a location's stocktake; differences are of the batch with the largest stock."""
    left = dict(found)
    place = {"warehouse": header["warehouse_id"], "shelf": header["allocation_id"]}
    lines = [
        {
            "goods_id": row.goods_id,
            "allocation_id": header["allocation_id"],
            "batch": row.batch,
            "counted_quantity": row.quantity + left.pop(row.goods_id, 0),
        }
        for row in ctx.conn.execute(_LOCATION_STOCK, place)
    ]
    if lines:
        key: int = drafts.add_draft(ctx, StockTake, {**header, "lines": lines})["id"]
        transitions.apply_transition(ctx, StockTake, "auditorPass", key)
