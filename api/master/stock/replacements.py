"""Replacements (补发、补货): returned goods are sent again on the order that they were delivered on.

The return is credited like any other; the order's line has that much less executed, so that it is open
again for it, and what is sent then is charged again. A return that is refunded leaves the order as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, select
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.context import Context
from api.kit.declaration.document import BillLine, Document, SourceLink, Values
from api.kit.declaration.fields import enum_field
from api.kit.declaration.flow import POSTED_SQL
from api.kit.errors import Refusal

REFUNDED, REPLACED = 1, 2

_DELIVERED = """
select h.bill_no from {delivery} h join {delivery}_line l using (bill_id)
where l.order_line_id = any(%s) and h.status in {posted}
order by h.bill_id limit 1
"""


def remedy_field(replaced: str) -> Mapped[int]:
    """Declare the remedy of a return: a refund or a replacement."""
    options = {REFUNDED: "退款", REPLACED: replaced}
    return enum_field("处理方式", options, default=REFUNDED, search=True, width=90, sort=-46)


def reopened_line_field(table: str) -> Mapped[int | None]:
    """Declare the order's line that a return opens again; null for what is refunded."""
    return mapped_column(BigInteger, ForeignKey(f"{table}.line_id"), index=True, sort_order=91)


def build_reopening_link(order: str, lines: type[BillLine], within: tuple[str, ...]) -> SourceLink:
    """Build the link by which a return opens its order again; it is never drawn from it."""
    return SourceLink(
        "order_line_id",
        order,
        lines,
        "executed_quantity",
        within,
        offered=False,
        price_already_approved=False,
        shares=False,
        reopens=True,
    )


def fill_order_lines(
    ctx: Context, header: Values, lines: Sequence[dict[str, Any]], delivered: type[BillLine]
) -> None:
    """Set on the lines of a return the order's lines that they open again, where it is to be replaced.

    A source that was not delivered on an order opens none: the goods are sent anew by a bill of their own.
    """
    for line in lines:
        line["order_line_id"] = None
    if header.get("remedy", REFUNDED) != REPLACED:
        return
    table = delivered.table()
    sources = [key for line in lines if isinstance(key := line.get("source_line_id"), int)]
    rows = ctx.conn.execute(
        select(table.c.line_id, table.c.order_line_id).where(table.c.line_id.in_(sorted(set(sources))))
    )
    ordered = {row.line_id: row.order_line_id for row in rows}
    for line in lines:
        line["order_line_id"] = ordered.get(line.get("source_line_id"))


def forbid_reversal_when_delivered(ctx: Context, doc: Document, action: str, delivery: str) -> None:
    """Raise Refusal for reversing an order that has deliveries, also where all that they brought is to be
    replaced."""
    if action not in ("antiAuditor", "invalid"):
        return
    lines = [line.line_id for line in doc.lines]
    sql = _DELIVERED.format(delivery=delivery, posted=POSTED_SQL)
    found = ctx.conn.exec_driver_sql(sql, (lines,)).scalar()
    if found is not None:
        raise Refusal(f"订单已由{found}执行，不能反审核或作废，请先处理后续单据或关闭订单")
