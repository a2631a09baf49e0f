"""Stocktakes in each other's way (盘点冻结): one may not hold what another holds, and is told which one it is."""

from __future__ import annotations

from typing import Any

from api.kit.context import Context
from api.ledger.refusals import StockHeld
from api.master.goods import names_of


def refuse_held(ctx: Context, held: list[Any]) -> None:
    """Refuse when there are holds, naming their stocktakes."""
    if not held:
        return
    bills = {
        row.bill_no: {"bill_type": "KCPD", "bill_id": row.bill_id, "bill_no": row.bill_no} for row in held
    }
    lines = [{"goods_id": row.goods_id} for row in held]
    refusal = StockHeld({"lines": lines, "bills": list(bills.values())})
    raise refusal.name(names_of(ctx.conn, refusal.goods_ids()))
