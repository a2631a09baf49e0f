"""Purchase inbound (采购入库), CGRK: stock comes in at its net price, the supplier is owed the gross total."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Link, Rows, Values, declare
from api.kit.fields import source_line
from api.kit.orders import refuse_returned, returned
from api.kit.posting import Outside, Postings, SettlementOpen
from api.kit.resource import Menu, Place
from api.kit.validation import Problems
from api.master import settings
from api.master.partners import supplier
from api.master.settlements import due, due_date
from api.master.stock_lines import InboundLine, StockBill, inbound, settle_batches
from api.purchase.purchase_order import PurchaseOrderLine


class PurchaseInboundLine(InboundLine):
    __tablename__ = "purchase_inbound_line"
    bill_table = "purchase_inbound"

    order_line_id: Mapped[int | None] = source_line("purchase_order_line", "采购订单明细")
    returned_quantity: Mapped[Decimal] = returned()


class PurchaseInbound(StockBill):
    """采购入库"""

    __tablename__ = "purchase_inbound"
    declaration = declare(
        "采购入库",
        "v2/purchase/InStorage",
        routes={
            "list": "/purchase/instorage",
            "add": "/purchase/instorageAdd",
            "see": "/purchase/instorageSee",
        },
        menu=Menu("采购管理", "采购业务", 20),
        also=(
            Place(
                {
                    "list": "/inventory/purchaseinstorage",
                    "add": "/inventory/purchaseinstorageAdd",
                    "see": "/inventory/purchaseinstorageSee",
                },
                Menu("库存管理", "出入库", 1),
            ),
        ),
    )
    bill = BillType(
        "CGRK",
        (Block("lines", "入库明细", PurchaseInboundLine),),
        (
            Link(
                "order_line_id",
                "purchase_order",
                PurchaseOrderLine,
                "executed_quantity",
                ("company_id", "supplier_id"),
            ),
        ),
        detail=DetailPlace("采购入库明细", "/purchase/InStorageDetail", Menu("采购管理", "明细查询", 20)),
    )

    supplier_id: Mapped[int] = supplier()
    due_date: Mapped[date | None] = due()

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        settle_batches(ctx, children["lines"], problems)
        header["due_date"] = due_date(ctx, header, "supplier")

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        owed = SettlementOpen("supplier", header.supplier_id, header.total_amount, header.due_date)
        return Postings(
            stock=inbound(doc),
            settlements=(owed,),
            outside=Outside("supplier", header.supplier_id),
        )

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        refuse_returned(doc, action)
        settings.hold(ctx, cls, doc, action, settings.PURCHASE)
