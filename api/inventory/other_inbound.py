"""Other inbound (其他入库), QTRK: stock comes in at the given price, or at the average when none is given."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Rows, Values, declare
from api.kit.fields import text
from api.kit.posting import Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master.business_types import classified
from api.master.stock_lines import InboundLine, StockBill, inbound, settle_batches


class OtherInboundLine(InboundLine):
    __tablename__ = "other_inbound_line"
    bill_table = "other_inbound"


class OtherInbound(StockBill):
    """其他入库"""

    __tablename__ = "other_inbound"
    declaration = declare(
        "其他入库",
        "v2/inventory/OtherInStorage",
        routes={
            "list": "/inventory/otheninstorage",
            "add": "/inventory/otheninstorageAdd",
            "see": "/inventory/otheninstorageSee",
        },
        menu=Menu("库存管理", "出入库", 10),
    )
    bill = BillType(
        "QTRK",
        (Block("lines", "入库明细", OtherInboundLine),),
        detail=DetailPlace(
            "其他入库明细", "/inventory/otheninstoragedetail", Menu("库存管理", "明细查询", 10)
        ),
        moves=True,
    )

    inbound_type_id: Mapped[int | None] = classified("inbound_type", "入库类型", sort=-52)
    reason: Mapped[str] = text("入库原因", free=True, required=True, search=True, sort=-50)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        settle_batches(ctx, children["lines"], problems, header["business_date"])

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        moves = zip(inbound(doc), doc.lines, strict=True)
        return Postings(
            stock=tuple(
                move if line.price or line.is_gift else replace(move, amount=None) for move, line in moves
            )
        )
