"""Warranty inbound (三包入库), TBRK: claimed goods come in, at the appraised price or at nothing.

A warranty warehouse has averages of its own, so its low values dilute no other stock's cost.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.bills.orders import forbid_reversal_with_successors, returned_quantity_field
from api.kit.context import Context
from api.kit.declaration.document import BillType, Block, Document, Rows, Values, declare_bill
from api.kit.declaration.fields import reference_field, text_field
from api.kit.declaration.posting import Outside, Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems
from api.master.stock.stock_lines import InboundLine, StockBill, build_inbound_moves, resolve_batches
from api.master.warehouses.warehouses import GUARANTEE, warehouse_field


class WarrantyInboundLine(InboundLine):
    __tablename__ = "three_inbound_line"
    bill_table = "three_inbound"

    returned_quantity: Mapped[Decimal] = returned_quantity_field()


class WarrantyInbound(StockBill):
    """三包入库"""

    __tablename__ = "three_inbound"
    declaration = declare_bill(
        "三包入库",
        "v2/inventory/ThreeInStorage",
        routes={
            "list": "/inventory/threeinstorage",
            "add": "/inventory/threeinstorageAdd",
            "see": "/inventory/threeinstorageSee",
        },
        menu=Menu("库存管理", "三包业务", 10),
    )
    bill = BillType(
        "TBRK",
        (Block("lines", "入库明细", WarrantyInboundLine),),
        moves=True,
    )

    warehouse_id: Mapped[int] = warehouse_field(GUARANTEE, required=True)
    customer_id: Mapped[int | None] = reference_field(
        "customer", "客户", within=("company_id",), search=True, index=True, width=200, sort=-70
    )
    reason: Mapped[str | None] = text_field("三包原因", free=True, search=True, sort=-50)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        resolve_batches(ctx, children["lines"], problems, header["business_date"])

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=build_inbound_moves(doc), outside=Outside("customer", doc.header.customer_id))

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        forbid_reversal_with_successors(doc, action)
