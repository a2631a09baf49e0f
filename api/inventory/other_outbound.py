"""Other outbound (其他出库), QTCK: stock leaves at the present average for a reason that is no sale."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillType, Block, DetailPlacement, Document, declare_bill
from api.kit.declaration.fields import text_field
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Menu
from api.master.settings.business_types import code_list_field
from api.master.stock.picking import picked_columns
from api.master.stock.stock_lines import OutboundLine, StockBill, build_outbound_moves, line_cost_column


class OtherOutboundLine(OutboundLine):
    __tablename__ = "other_outbound_line"
    bill_table = "other_outbound"
    derived = (line_cost_column("QTCK"), *picked_columns("QTCK"))


class OtherOutbound(StockBill):
    """其他出库"""

    __tablename__ = "other_outbound"
    declaration = declare_bill(
        "其他出库",
        "v2/inventory/OtherStorage",
        routes={
            "list": "/inventory/othenoutstorage",
            "add": "/inventory/othenoutstorageAdd",
            "see": "/inventory/othenoutstorageSee",
        },
        menu=Menu("库存管理", "出入库", 20),
        also_at=("v2/inventory/OtherStock",),
    )
    bill = BillType(
        "QTCK",
        (Block("lines", "出库明细", OtherOutboundLine),),
        detail=DetailPlacement(
            "其他出库明细", "/inventory/otherStockDetail", Menu("库存管理", "明细查询", 20)
        ),
        moves=True,
    )

    outbound_type_id: Mapped[int | None] = code_list_field("outbound_type", "出库类型", sort=-52)
    reason: Mapped[str] = text_field("出库原因", free=True, required=True, search=True, sort=-50)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=build_outbound_moves(doc))
