"""Sales order (销售订单), XSDD: its audit reserves available stock for a customer, closing gives the rest back."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.customers.customer_addresses import Sent, send_to_default
from api.customers.customer_salesmen import hand_to_salesman
from api.kit import orders
from api.kit.context import Context
from api.kit.document import (
    BillType,
    Block,
    DetailPlace,
    Document,
    DrawnLine,
    Link,
    Rows,
    Values,
    declare,
)
from api.kit.fields import day, source_line
from api.kit.flow import ORDER
from api.kit.posting import Postings, Reservation
from api.kit.resource import Menu, Place
from api.kit.validation import Problems
from api.master import earned_gifts, prepayment, replacements, settings
from api.master.business_types import Delivered, classified
from api.master.partners import customer
from api.master.stock_lines import StockBill
from api.sales import credit, gifts
from api.sales.sales_quote import SalesQuoteLine, refuse_expired


class SalesOrderLine(DrawnLine, orders.OrderLine):
    __tablename__ = "sales_order_line"
    bill_table = "sales_order"

    quote_line_id: Mapped[int | None] = source_line("sales_quote_line", "销售报价明细")


class SalesOrder(Sent, Delivered, StockBill):
    """销售订单"""

    __tablename__ = "sales_order"
    declaration = declare(
        "销售订单",
        "v2/sales/SalesOrder",
        transitions=ORDER,
        routes={"list": "/sales/salesorder", "add": "/sales/salesorderAdd", "see": "/sales/salesorderSee"},
        menu=Menu("销售管理", "销售业务", 10),
        also=(Place({"see": "/sales/customreSee"}),),
        allowances=(settings.OVER_CREDIT, settings.BELOW_LOWEST),
    )
    bill = BillType(
        "XSDD",
        (Block("lines", "订单明细", SalesOrderLine, proposals=(gifts.PROPOSAL,)),),
        (
            Link(
                "quote_line_id",
                "sales_quote",
                SalesQuoteLine,
                "executed_quantity",
                ("company_id", "customer_id"),
            ),
        ),
        transitions=ORDER,
        detail=DetailPlace(
            "销售订单明细", "/sales/salesfind", Menu("销售管理", "明细查询", 10), see="/sales/customreSee"
        ),
    )
    derived = (orders.receiving_status, *prepayment.SALE.shown())

    customer_id: Mapped[int] = customer()
    delivery_date: Mapped[date | None] = day("交货日期", since="business_date", sort=-40)
    sales_type_id: Mapped[int | None] = classified("sales_type", "销售类型", sort=-45)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        send_to_default(ctx, header)
        hand_to_salesman(ctx, header)
        refuse_expired(ctx, header, children["lines"], problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return _reserving(doc, Decimal(1))

    @classmethod
    def closing(cls, doc: Document) -> Postings:
        return _reserving(doc, Decimal(-1))

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        orders.refuse_executed(doc, action)
        replacements.refuse_delivered(ctx, doc, action, "sales_outbound")
        if action == "close":
            settings.ask(ctx, cls, doc, [(settings.ASKS, earned_gifts.SALE.owed(ctx, doc))])
        if action == "auditorPass":
            settings.ask(ctx, cls, doc, earned_gifts.QUOTED.asked(ctx, doc))
        settings.hold(ctx, cls, doc, action, credit.of_order)


def _reserving(doc: Document, sign: Decimal) -> Postings:
    warehouse = doc.header.warehouse_id
    rest = ((line, line.quantity - line.executed_quantity) for line in doc.lines)
    return Postings(
        reservations=tuple(
            Reservation(line.line_id, warehouse, line.goods_id, sign * left) for line, left in rest if left
        )
    )
