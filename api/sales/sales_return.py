"""Sales return (销售退货), XSTH: stock comes back at its issue cost, or the average when not linked; AR falls.

What is to be replaced (补发) opens its order again, and takes what stock is available for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from sqlalchemy import Row
from sqlalchemy.orm import Mapped

from api.customers.customer_salesmen import hand_to_salesman
from api.kit import transitions
from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Link, Parts, Rows, Values, declare
from api.kit.fields import COST, price, source_line
from api.kit.flow import AUDITED
from api.kit.goods_bills import DrawnLine
from api.kit.orders import refuse_followed
from api.kit.posting import Outside, Postings, Reservation, SettlementOpen
from api.kit.resource import BEYOND_SOURCE, Menu
from api.kit.validation import Problems
from api.master import earned_gifts, prepayment, rebate_bases, replacements, returned_batches, settings
from api.master.business_types import classified
from api.master.invoices import INVOICE_STATUS, invoiced
from api.master.partners import customer
from api.master.settlements import FallsDue
from api.master.stock_lines import (
    InboundLine,
    StockBill,
    cost_of_line,
    inbound,
    settle_batches,
    taken_batches,
)
from api.sales.sales_order import SalesOrderLine
from api.sales.sales_outbound import SalesOutboundLine, refuse_undeliverable

_UNHELD = """
select l.line_id, h.warehouse_id, l.goods_id, l.quantity - l.executed_quantity - coalesce(r.quantity, 0) as quantity
from sales_order_line l
join sales_order h using (bill_id)
left join lateral (
    select sum(r.quantity) as quantity from reservation_ledger r where r.order_line_id = l.line_id
) r on true
where l.line_id = any(%s) and l.quantity - l.executed_quantity > coalesce(r.quantity, 0)
order by l.line_id
"""


def _claims(ctx: Context, lines: Sequence[int]) -> tuple[Reservation, ...]:
    """What orders' lines that are open again have still to claim, each in its order's warehouse."""
    rows = ctx.conn.exec_driver_sql(_UNHELD, (sorted(set(lines)),))
    return tuple(Reservation(row.line_id, row.warehouse_id, row.goods_id, row.quantity) for row in rows)


class SalesReturnLine(DrawnLine, InboundLine):
    __tablename__ = "sales_return_line"
    bill_table = "sales_return"
    derived = (cost_of_line("XSTH", sign=""),)

    source_line_id: Mapped[int | None] = source_line("sales_outbound_line", "销售出库明细")
    unit_cost: Mapped[Decimal | None] = price(
        "单位成本",
        default=None,
        rule="Positive",
        permission=COST,
        copied=False,
        optional=True,
        width=110,
        sort=21,
    )
    """What a piece is worth that came back without its sale, where neither an average nor a receipt tells."""
    order_line_id: Mapped[int | None] = replacements.reopened_line("sales_order_line")
    invoiced_amount: Mapped[Decimal] = invoiced()


class SalesReturn(prepayment.TakesAdvances, FallsDue, StockBill):
    """销售退货"""

    __tablename__ = "sales_return"
    declaration = declare(
        "销售退货",
        "v2/sales/SalesReturn",
        routes={"list": "/sales/salesrefund", "add": "/sales/salesReturnAdd", "see": "/sales/salesReturnSee"},
        menu=Menu("销售管理", "销售业务", 30),
        allowances=(BEYOND_SOURCE,),
    )
    bill = BillType(
        "XSTH",
        (Block("lines", "退货明细", SalesReturnLine),),
        (
            Link(
                "source_line_id",
                "sales_outbound",
                SalesOutboundLine,
                "returned_quantity",
                ("company_id", "customer_id"),
                capped=True,
                returns=True,
            ),
            replacements.reopening_link("sales_order", SalesOrderLine, ("company_id", "customer_id")),
        ),
        detail=DetailPlace("销售退货明细", "/sales/salesdetailed", Menu("销售管理", "明细查询", 30)),
        moves=True,
        settles=True,
    )

    derived = (INVOICE_STATUS,)

    customer_id: Mapped[int] = customer()
    remedy: Mapped[int] = replacements.remedy_field("补发")
    sales_return_reason_id: Mapped[int | None] = classified("sales_return_reason", "退货原因", sort=-45)

    @classmethod
    def parts(cls, ctx: Context, link: Link, rows: Sequence[Row[Any]]) -> Mapping[int, Parts]:
        """Goods come back under the batches that they went out of, also those that nobody named."""
        return taken_batches(ctx.conn, "XSCK", {row.line_id: link.left(row) for row in rows})

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        hand_to_salesman(ctx, header)
        returned_batches.name_batches(ctx, cls, children["lines"], "batch")
        settle_batches(ctx, children["lines"], problems, header["business_date"])
        cls.fall_due(ctx, header)
        replacements.name_orders(ctx, header, children["lines"], SalesOutboundLine)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        credited = SettlementOpen("customer", header.customer_id, -header.total_amount, header.due_date)
        moves = zip(inbound(doc, priced=False, origin="XSCK", came_back=True), doc.lines, strict=True)
        return Postings(
            stock=tuple(replace(move, fallback_unit_cost=line.unit_cost) for move, line in moves),
            settlements=(credited,),
            outside=Outside("customer", header.customer_id),
        )

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        super().guard(ctx, doc, action)
        refuse_followed(doc, action)
        told = (rebate_bases.describe_sold(ctx, doc), earned_gifts.SALE.describe_kept(ctx, doc, action))
        settings.refuse_or_ask(ctx, cls, doc, [(settings.ASKS, msg) for msg in told])

    @classmethod
    def follow(cls, ctx: Context, doc: Document, effect: str) -> None:
        super().follow(ctx, doc, effect)
        if effect == "post":
            returned_batches.refuse_others(ctx, cls, doc)
        if effect == "post" and doc.header.remedy == replacements.REPLACED:
            claims = _claims(ctx, [line.order_line_id for line in doc.lines])
            if claims:
                transitions.ledgers().post(ctx, cls.reference(doc.header), Postings(reservations=claims))

    @classmethod
    def arrange(cls, ctx: Context, key: int, status: int | None) -> None:
        if status == AUDITED:
            msg = "销售出库{}退回的数量在退货日期以后才配送，请核对退货日期和配送单"
            refuse_undeliverable(ctx, SalesReturnLine, key, msg)
