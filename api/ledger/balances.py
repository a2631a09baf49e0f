"""Balances (库存查询): stock on hand, reserved and available, its places and its unit costs.

Quantities are in the goods' stock unit, unit costs in yuan. Rows that were never touched are absent.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from sqlalchemy import Connection


class Stock(NamedTuple):
    """Stock of goods in one warehouse (库存 / 占用 / 冻结 / 可用库存)."""

    warehouse_id: int
    goods_id: int
    stocks: Decimal
    reserved: Decimal
    frozen: Decimal
    available_stocks: Decimal


class StockAtLocation(NamedTuple):
    """Stock of goods at one location and batch."""

    warehouse_id: int
    goods_id: int
    allocation_id: int
    batch_id: int
    quantity: Decimal
    first_date: dt.date
    production_date: dt.date | None


_STOCK = """
select t.warehouse_id, t.goods_id, t.quantity, t.reserved, t.frozen, t.quantity - t.reserved - t.frozen
from stock_total t
where t.goods_id = any (%s::bigint[]) and (%s::bigint[] is null or t.warehouse_id = any (%s::bigint[]))
order by t.warehouse_id, t.goods_id
"""
_PLACES = """
select b.warehouse_id, b.goods_id, b.allocation_id, b.batch_id, b.quantity, b.first_date, b.production_date
from stock_balance b
where b.warehouse_id = any (%s::bigint[]) and b.goods_id = any (%s::bigint[]) and b.quantity <> 0
order by
    b.warehouse_id, b.goods_id, coalesce(b.production_date, b.first_date), b.first_date, b.allocation_id, b.batch_id
"""
_COSTS = """
select c.goods_id, case when c.quantity > 0 then round(c.amount / c.quantity, 6) else c.last_unit_cost end
from cost_balance c
where c.company_id = %s and c.pool_id = 0 and c.goods_id = any (%s::bigint[])
"""


def read_stock(
    conn: Connection, goods_ids: Sequence[int], warehouse_ids: Sequence[int] | None = None
) -> list[Stock]:
    """Return the stock per warehouse and goods; of every warehouse when none is named."""
    warehouses = None if warehouse_ids is None else list(warehouse_ids)
    rows = conn.exec_driver_sql(_STOCK, (list(goods_ids), warehouses, warehouses))
    return [Stock._make(row) for row in rows]


def read_stock_places(
    conn: Connection, goods_ids: Sequence[int], warehouse_ids: Sequence[int]
) -> list[StockAtLocation]:
    """Return the places of goods, in the order in which an outbound without a batch picks them."""
    rows = conn.exec_driver_sql(_PLACES, (list(warehouse_ids), list(goods_ids)))
    return [StockAtLocation._make(row) for row in rows]


def read_unit_costs(conn: Connection, company_id: int, goods_ids: Sequence[int]) -> dict[int, Decimal]:
    """Return the present average of each goods, or its last inbound's unit cost when there is no stock; else
    absent."""
    rows = conn.exec_driver_sql(_COSTS, (company_id, list(goods_ids)))
    return {row[0]: row[1] for row in rows if row[1] is not None}
