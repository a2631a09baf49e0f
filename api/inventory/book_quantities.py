"""Book quantities of a count (盘点账面): stock per location and batch at the end of a day, as the ledger knew it.

The ledger is append-only: the id of its last row identifies the state of the book that was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from api.kit.context import Context
from api.ledger import stock_holds

Spot = tuple[int, int, int]
"""Goods, location and batch within a warehouse."""

_BOOK = """
select b.goods_id, b.allocation_id, b.batch_id, b.quantity - coalesce(m.quantity, 0) as quantity
from stock_balance b
left join (
    select l.goods_id, l.allocation_id, l.batch_id, sum(l.quantity) as quantity
    from stock_ledger l
    where l.warehouse_id = %(warehouse)s and l.goods_id = any (%(goods)s::bigint[]) and l.business_date > %(day)s
    group by l.goods_id, l.allocation_id, l.batch_id
) m using (goods_id, allocation_id, batch_id)
where b.warehouse_id = %(warehouse)s and b.goods_id = any (%(goods)s::bigint[])
"""
_SINCE = """
select t.goods_id, t.allocation_id, t.batch_id, sum(l.quantity) as quantity
from unnest(%(goods)s::bigint[], %(places)s::bigint[], %(batches)s::bigint[], %(upto)s::bigint[])
    as t (goods_id, allocation_id, batch_id, upto)
join stock_ledger l using (goods_id, allocation_id, batch_id)
where l.warehouse_id = %(warehouse)s and l.business_date <= %(day)s and l.ledger_id > t.upto
group by 1, 2, 3
"""


def spot_of(row: Any) -> Spot:
    """Return the spot (goods, location, batch) of a line's values."""
    return row["goods_id"], row.get("allocation_id") or 0, row.get("batch_id") or 0


def lock_goods(ctx: Context, company_id: int, lines: Iterable[Mapping[str, Any]]) -> None:
    """Lock the stock of the lines' goods: waits for postings in progress, blocks later ones."""
    stock_holds.lock_goods(ctx.conn, company_id, {line["goods_id"] for line in lines})


def read_ledger_position(ctx: Context) -> tuple[datetime, int]:
    """Read the time and the last ledger id; later postings of locked goods have greater ids."""
    query = (
        "select clock_timestamp() as now, coalesce((select max(l.ledger_id) from stock_ledger l), 0) as upto"
    )
    row = ctx.conn.exec_driver_sql(query).one()
    return row.now, row.upto


def read_book_quantities(
    ctx: Context, warehouse_id: int, day: date, goods: Iterable[int]
) -> dict[Spot, Decimal]:
    """Read the book quantities of a warehouse's goods at the end of a day, by spot, in one statement."""
    values = {"warehouse": warehouse_id, "day": day, "goods": sorted(set(goods))}
    return {
        (row.goods_id, row.allocation_id, row.batch_id): row.quantity
        for row in ctx.conn.exec_driver_sql(_BOOK, values)
    }


def recompute_book_quantities(
    ctx: Context, warehouse_id: int, day: date, lines: Mapping[Spot, Mapping[str, Any]]
) -> dict[Spot, dict[str, Any]]:
    """Return counted lines with the book of another day, as the ledger knew it when each count was entered."""
    now = read_book_quantities(ctx, warehouse_id, day, (goods for goods, _, _ in lines))
    columns = [list(column) for column in zip(*lines, strict=True)] or [[], [], []]
    values = {
        "warehouse": warehouse_id,
        "day": day,
        "goods": columns[0],
        "places": columns[1],
        "batches": columns[2],
        "upto": [line["counted_upto"] for line in lines.values()],
    }
    since = {
        (row.goods_id, row.allocation_id, row.batch_id): row.quantity
        for row in ctx.conn.exec_driver_sql(_SINCE, values)
    }
    nothing = Decimal(0)
    return {
        spot: {
            **line,
            "snapshot_quantity": now.get(spot, nothing),
            "book_quantity": now.get(spot, nothing) - since.get(spot, nothing),
        }
        for spot, line in lines.items()
    }
