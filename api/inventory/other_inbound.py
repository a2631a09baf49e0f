"""Other inbound (其他入库), QTRK: stock comes in at the given price, or at the average when none is given."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.document import (
    BillType,
    Block,
    DetailPlacement,
    Document,
    Rows,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import text_field
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems
from api.master.settings.business_types import code_list_field
from api.master.stock.stock_lines import InboundLine, StockBill, build_inbound_moves, resolve_batches


class OtherInboundLine(InboundLine):
    __tablename__ = "other_inbound_line"
    bill_table = "other_inbound"


class OtherInbound(StockBill):
    """其他入库"""

    __tablename__ = "other_inbound"
    declaration = declare_bill(
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
        detail=DetailPlacement(
            "其他入库明细", "/inventory/otheninstoragedetail", Menu("库存管理", "明细查询", 10)
        ),
        moves=True,
    )

    inbound_type_id: Mapped[int | None] = code_list_field("inbound_type", "入库类型", sort=-52)
    reason: Mapped[str] = text_field("入库原因", free=True, required=True, search=True, sort=-50)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        resolve_batches(ctx, children["lines"], problems, header["business_date"])

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        moves = zip(build_inbound_moves(doc), doc.lines, strict=True)
        return Postings(
            stock=tuple(
                move if line.price or line.is_gift else replace(move, amount=None) for move, line in moves
            )
        )
