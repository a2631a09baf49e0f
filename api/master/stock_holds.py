"""Stocktakes in the way (盘点冻结): a bill that moves what a stocktake holds is refused, and told which one it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import select

from api.kit.context import Context
from api.kit.errors import Refusal
from api.kit.posting import BillRef, Postings
from api.ledger import holds
from api.ledger.holds import Place
from api.master.goods import Goods

SHOWN = 5


def places(postings: Postings) -> set[Place]:
    """Where a posting moves stock, landings included."""
    found = {(move.warehouse_id, move.goods_id) for move in postings.stock}
    found |= {(move.lands.warehouse_id, move.goods_id) for move in postings.stock if move.lands is not None}
    return found


def refuse(ctx: Context, touched: Iterable[Place]) -> None:
    """Refuse to move what stocktakes hold."""
    refuse_held(ctx, holds.standing(ctx.conn, touched))


def refuse_reversal(ctx: Context, bill: BillRef) -> None:
    """Refuse to take back a bill over goods that stocktakes hold."""
    refuse_held(ctx, holds.touched(ctx.conn, bill.bill_type, bill.bill_id))


def refuse_held(ctx: Context, held: list[Any]) -> None:
    """Refuse when there are holds, naming their stocktakes."""
    if not held:
        return
    numbers = "、".join(dict.fromkeys(row.bill_no for row in held))
    table = Goods.table()
    keys = [row.goods_id for row in held][:SHOWN]
    query = select(table.c.goods_name).where(table.c.goods_id.in_(keys)).order_by(table.c.goods_num)
    goods = "、".join(ctx.conn.execute(query).scalars()) + ("等" if len(held) > SHOWN else "")
    causes = [{"bill_type": "KCPD", "bill_id": row.bill_id, "bill_no": row.bill_no} for row in held[:SHOWN]]
    raise Refusal(
        f"盘点单{numbers}正在盘点并冻结出入库：{goods}，请等盘点审核、作废或取消冻结后再操作",
        data={"kind": "stock_held", "causes": {"bills": causes}},
    )
