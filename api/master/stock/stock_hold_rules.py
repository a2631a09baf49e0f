"""Conflicts of stock holds (盘点冻结): one stocktake may not freeze what another has frozen."""

from __future__ import annotations

from typing import Any

from api.kit.context import Context
from api.ledger.refusals import StockFrozen
from api.master.goods.goods import read_goods_names


def forbid_frozen_goods(ctx: Context, holds: list[Any]) -> None:
    """Raise StockFrozen if there are holds, naming their stocktakes."""
    if not holds:
        return
    bills = {
        row.bill_no: {"bill_type": "KCPD", "bill_id": row.bill_id, "bill_no": row.bill_no} for row in holds
    }
    lines = [{"goods_id": row.goods_id} for row in holds]
    refusal = StockFrozen({"lines": lines, "bills": list(bills.values())})
    raise refusal.name_goods(read_goods_names(ctx.conn, refusal.goods_ids()))
