"""Stock holds (盘点冻结): goods of a warehouse that nothing may move while a stocktake counts them.

What was available when a hold began is frozen in the warehouse's total, so that nobody is offered it; when
it ends, it is given back. Beginning and ending take the goods' locks, which every posting takes: none
slips between.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Connection, Index, Text
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.storage.database import Base
from api.ledger.tables import QUANTITY

WarehouseGoods = tuple[int, int]
"""Warehouse and goods."""


class StockHold(Base):
    """A goods of a warehouse frozen by a stocktake; `quantity` is what it froze of it."""

    __tablename__ = "stock_hold"
    __table_args__ = (
        Index("ix_stock_hold_bill_id", "bill_id"),
        CheckConstraint("quantity >= 0", name="quantity"),
    )

    warehouse_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    goods_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    company_id: Mapped[int] = mapped_column(BigInteger)
    bill_id: Mapped[int] = mapped_column(BigInteger)
    bill_no: Mapped[str] = mapped_column(Text)
    quantity: Mapped[Decimal] = mapped_column(QUANTITY)


_LOCK = """
select erp_lock_goods(
    array_fill(%(company)s::bigint, array[cardinality(%(goods)s::bigint[])]), %(goods)s::bigint[],
    array_fill(0::bigint, array[cardinality(%(goods)s::bigint[])])
)
"""
_END_HOLDS = """
with ended as (
    delete from stock_hold h where h.bill_id = %(bill)s and not h.goods_id = any (%(goods)s::bigint[])
    returning h.warehouse_id, h.goods_id, h.quantity
)
update stock_total t set frozen = t.frozen - e.quantity
from ended e
where t.warehouse_id = e.warehouse_id and t.goods_id = e.goods_id
"""
_BEGIN_HOLDS = """
with begun as (
    insert into stock_hold (warehouse_id, goods_id, company_id, bill_id, bill_no, quantity)
    select
        %(warehouse)s, g.goods_id, %(company)s, %(bill)s, %(no)s,
        coalesce(greatest(t.quantity - t.reserved - t.frozen, 0), 0)
    from unnest(%(goods)s::bigint[]) as g (goods_id)
    left join stock_total t on t.warehouse_id = %(warehouse)s and t.goods_id = g.goods_id
    on conflict (warehouse_id, goods_id) do nothing
    returning warehouse_id, goods_id, quantity
)
update stock_total t set frozen = t.frozen + b.quantity
from begun b
where t.warehouse_id = b.warehouse_id and t.goods_id = b.goods_id and b.quantity > 0
"""
_FILL = """
select erp_fill_orders(
    null::erp_bill, array_fill(%(warehouse)s::bigint, array[cardinality(%(ended)s::bigint[])]), %(ended)s::bigint[],
    false
)
"""
_ACTIVE_HOLDS = """
select h.goods_id, h.bill_id, h.bill_no
from stock_hold h
where (h.warehouse_id, h.goods_id) in (select * from unnest(%s::bigint[], %s::bigint[]))
order by h.bill_no, h.goods_id
"""
_GOODS_OF_BILL = "select h.goods_id from stock_hold h where h.bill_id = %s"


def lock_goods(conn: Connection, company_id: int, goods: Collection[int]) -> None:
    """Take the locks of a company's goods, as a posting does: what is read afterwards stands still."""
    if goods:
        conn.exec_driver_sql(_LOCK, {"company": company_id, "goods": sorted(goods)})


def sync_stock_holds(
    conn: Connection, company_id: int, warehouse_id: int, bill: tuple[int, str], goods: Collection[int]
) -> None:
    """Set the goods of a warehouse that a stocktake (id, number) freezes, and no others.

    Goods that another one has frozen stay with it: read `list_active_holds` first.
    """
    before: set[int] = set(conn.exec_driver_sql(_GOODS_OF_BILL, (bill[0],)).scalars())
    if before == set(goods):
        return
    lock_goods(conn, company_id, before | set(goods))
    values = {
        "company": company_id,
        "warehouse": warehouse_id,
        "bill": bill[0],
        "no": bill[1],
        "goods": sorted(goods),
    }
    conn.exec_driver_sql(_END_HOLDS, values)
    if ended := sorted(before - set(goods)):
        # Orders that were short of what it froze wait no longer.
        conn.exec_driver_sql(_FILL, {"warehouse": warehouse_id, "ended": ended})
    conn.exec_driver_sql(_BEGIN_HOLDS, values)


def list_active_holds(conn: Connection, places: Iterable[WarehouseGoods]) -> list[Any]:
    """Return the holds on these places: rows of goods_id, bill_id, bill_no."""
    wanted = sorted(set(places))
    if not wanted:
        return []
    return list(
        conn.exec_driver_sql(_ACTIVE_HOLDS, ([place[0] for place in wanted], [place[1] for place in wanted]))
    )
