"""Other outbound (其他出库), QTCK: stock leaves at the present average for a reason that is no sale."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.document import BillType, Block, DetailPlace, Document, declare
from api.kit.fields import text
from api.kit.posting import Postings
from api.kit.resource import Menu
from api.master.business_types import classified
from api.master.picks import picked
from api.master.stock_lines import OutboundLine, StockBill, cost_of_line, outbound


class OtherOutboundLine(OutboundLine):
    __tablename__ = "other_outbound_line"
    bill_table = "other_outbound"
    derived = (cost_of_line("QTCK"), *picked("QTCK"))


class OtherOutbound(StockBill):
    """其他出库"""

    __tablename__ = "other_outbound"
    declaration = declare(
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
        detail=DetailPlace("其他出库明细", "/inventory/otherStockDetail", Menu("库存管理", "明细查询", 20)),
        moves=True,
    )

    outbound_type_id: Mapped[int | None] = classified("outbound_type", "出库类型", sort=-52)
    reason: Mapped[str] = text("出库原因", free=True, required=True, search=True, sort=-50)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=outbound(doc))
