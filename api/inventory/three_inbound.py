"""Three-guarantee inbound (三包入库), TBRK: claimed goods come in, at the appraised price or at nothing.

A three-guarantee warehouse has averages of its own, so what is worth little there thins no other stock's cost.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import BillType, Block, Document, Rows, Values, declare
from api.kit.fields import ref, text
from api.kit.orders import refuse_followed, returned
from api.kit.posting import Outside, Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master.stock_lines import InboundLine, StockBill, inbound, settle_batches
from api.master.warehouses import GUARANTEE, warehouse


class ThreeInboundLine(InboundLine):
    __tablename__ = "three_inbound_line"
    bill_table = "three_inbound"

    returned_quantity: Mapped[Decimal] = returned()


class ThreeInbound(StockBill):
    """三包入库"""

    __tablename__ = "three_inbound"
    declaration = declare(
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
        (Block("lines", "入库明细", ThreeInboundLine),),
        moves=True,
    )

    warehouse_id: Mapped[int] = warehouse(GUARANTEE, required=True)
    customer_id: Mapped[int | None] = ref(
        "customer", "客户", within=("company_id",), search=True, index=True, width=200, sort=-70
    )
    reason: Mapped[str | None] = text("三包原因", free=True, search=True, sort=-50)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        settle_batches(ctx, children["lines"], problems, header["business_date"])

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=inbound(doc), outside=Outside("customer", doc.header.customer_id))

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        refuse_followed(doc, action)
