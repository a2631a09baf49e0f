"""Opening stock (期初库存), QCKC: what lay in a warehouse when the books were opened, at its value net of tax."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import BillType, Block, Document, Rows, Values, declare
from api.kit.posting import Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master.stock_lines import InboundLine, StockBill, inbound, settle_batches
from api.master.warehouses import GOOD, GUARANTEE, warehouse


class OpeningStockLine(InboundLine):
    __tablename__ = "opening_stock_line"
    bill_table = "opening_stock"


class OpeningStock(StockBill):
    """期初库存"""

    __tablename__ = "opening_stock"
    declaration = declare(
        "期初库存",
        "v2/inventory/OpeningStock",
        routes={
            "list": "/system/stockinitialization",
            "add": "/system/stockinitialization/add",
            "see": "/system/stockinitialization/see",
        },
        menu=Menu("系统管理", "期初设置", 30),
    )
    bill = BillType(
        "QCKC",
        (Block("lines", "期初明细", OpeningStockLine),),
        moves=True,
    )

    warehouse_id: Mapped[int] = warehouse(GOOD, GUARANTEE, required=True)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        settle_batches(ctx, children["lines"], problems, header["business_date"])

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=inbound(doc))
