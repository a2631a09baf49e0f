"""Sales outbound (销售出库), XSCK: stock leaves at the present average, the customer owes the gross total."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.customers.customer_addresses import Sent, send_to_default
from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Link, Rows, Values, declare
from api.kit.fields import source_line
from api.kit.orders import delivered, progress, refuse_followed, returned
from api.kit.posting import Outside, Postings, SettlementOpen
from api.kit.resource import Menu, Place
from api.kit.validation import Problems
from api.master import settings
from api.master.business_types import classified
from api.master.invoices import INVOICE_STATUS, invoiced
from api.master.partners import customer
from api.master.settlements import due, due_date
from api.master.stock_lines import OutboundLine, StockBill, cost_of_line, outbound
from api.sales import credit
from api.sales.sales_order import SalesOrderLine


class SalesOutboundLine(OutboundLine):
    __tablename__ = "sales_outbound_line"
    bill_table = "sales_outbound"
    derived = (cost_of_line("XSCK"),)

    order_line_id: Mapped[int | None] = source_line("sales_order_line", "销售订单明细")
    returned_quantity: Mapped[Decimal] = returned()
    delivered_quantity: Mapped[Decimal] = delivered()
    invoiced_amount: Mapped[Decimal] = invoiced()


class SalesOutbound(Sent, StockBill):
    """销售出库"""

    __tablename__ = "sales_outbound"
    declaration = declare(
        "销售出库",
        "v2/sales/SalesOutstock",
        routes={
            "list": "/sales/salesout",
            "add": "/sales/salesoutAdd",
            "edit": "/sales/salesoutModify",
            "see": "/sales/salesamend",
        },
        menu=Menu("销售管理", "销售业务", 20),
        also=(
            Place(
                {
                    "list": "/inventory/salesoutstorage",
                    "add": "/inventory/instroageSalesoutAdd",
                    "edit": "/inventory/salesoutModify",
                    "see": "/inventory/salesoutSee",
                },
                Menu("库存管理", "出入库", 2),
            ),
        ),
        allowances=(settings.OVER_CREDIT, settings.BELOW_LOWEST),
    )
    bill = BillType(
        "XSCK",
        (Block("lines", "出库明细", SalesOutboundLine),),
        (
            Link(
                "order_line_id",
                "sales_order",
                SalesOrderLine,
                "executed_quantity",
                ("company_id", "customer_id"),
            ),
        ),
        detail=DetailPlace("销售出库明细", "/sales/outstockgoodsdetail", Menu("销售管理", "明细查询", 20)),
    )

    derived = (
        progress("delivery_status", "配送状态", "delivered_quantity", ("未配送", "全部配送", "部分配送")),
        INVOICE_STATUS,
    )

    customer_id: Mapped[int] = customer()
    due_date: Mapped[date | None] = due()
    sales_type_id: Mapped[int | None] = classified("sales_type", "销售类型", sort=-45)
    delivery_mode_id: Mapped[int | None] = classified("delivery_mode", "配送方式", sort=-39)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        header["due_date"] = due_date(ctx, header, "customer")
        send_to_default(ctx, header)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        owed = SettlementOpen("customer", header.customer_id, header.total_amount, header.due_date)
        return Postings(
            stock=outbound(doc, orders=True),
            settlements=(owed,),
            outside=Outside("customer", header.customer_id),
        )

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        refuse_followed(doc, action)
        settings.hold(ctx, cls, doc, action, settings.SALES, credit.of_outbound)
