"""Opening stock (期初库存), QCKC: stock of a warehouse at the start of the books, valued net of tax."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.document import BillType, Block, Document, Rows, Values, declare_bill
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems
from api.master.stock.stock_lines import InboundLine, StockBill, build_inbound_moves, resolve_batches
from api.master.warehouses.warehouses import GOOD, GUARANTEE, warehouse_field


class OpeningStockLine(InboundLine):
    __tablename__ = "opening_stock_line"
    bill_table = "opening_stock"


class OpeningStock(StockBill):
    """期初库存"""

    __tablename__ = "opening_stock"
    declaration = declare_bill(
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

    warehouse_id: Mapped[int] = warehouse_field(GOOD, GUARANTEE, required=True)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        resolve_batches(ctx, children["lines"], problems, header["business_date"])

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=build_inbound_moves(doc))
