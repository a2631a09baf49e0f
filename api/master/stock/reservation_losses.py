"""Reservation losses (占用减少): orders whose reserved goods a stocktake found missing; noted and logged."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from api.kit.context import Context
from api.kit.declaration.posting import BillRef
from api.kit.storage import business_log

ACTION = "reservationCut"
SHOWN = 20
_CUT = """
select d.bill_id, d.bill_no, d.company_id, g.goods_num, g.goods_name, trim_scale(-sum(r.quantity)) as quantity
from reservation_ledger r
join order_demand d using (order_line_id)
join goods g on g.goods_id = r.goods_id
where r.bill_type = %s and r.bill_id = %s and r.quantity < 0 and r.reverses is null
    and not exists (select from reservation_ledger b where b.reverses = r.entry_id)
group by d.bill_id, d.bill_no, d.company_id, g.goods_id
order by d.bill_no, g.goods_num
"""
OPEN_CUTS = """
select d.bill_id, r.posted_at
from reservation_ledger r
join order_demand d using (order_line_id)
where r.bill_type = 'PKCK' and r.quantity < 0 and r.reverses is null
    and not exists (select from reservation_ledger b where b.reverses = r.entry_id)
    and d.wanted > (select sum(h.quantity) from reservation_ledger h where h.order_line_id = d.order_line_id)
"""
"""The orders that a stocktake took from and that are still short of it, with when it did."""


def report_reservation_losses(ctx: Context, bill: BillRef) -> None:
    """Note in the response, and log on each order, what a posted loss took from orders."""
    rows = ctx.conn.exec_driver_sql(_CUT, (bill.bill_type, bill.bill_id)).all()
    if not rows:
        return
    found = [list(lines) for _, lines in groupby(rows, lambda row: row.bill_id)]
    losses = [f"{lines[0].bill_no}（{_format_losses(lines)}）" for lines in found]
    more = f"等{len(losses)}张" if len(losses) > SHOWN else ""
    ctx.notes.append(f"盘亏后以下销售订单占用不足：{'；'.join(losses[:SHOWN])}{more}")
    business_log.log_actions(
        ctx.conn,
        ctx.principal,
        "sales_order",
        ACTION,
        [
            (
                lines[0].bill_id,
                lines[0].bill_no,
                lines[0].company_id,
                {"盘亏单据": bill.bill_no, "占用减少": _format_losses(lines)},
            )
            for lines in found
        ],
    )


def _format_losses(lines: list[Any]) -> str:
    return "、".join(f"{line.goods_name}减少 {line.quantity}" for line in lines)
