"""Warranty outbound (三包出库), TBCK: warranty stock leaves for a customer at its warehouse's average."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillType, Block, DetailPlacement, Document, declare_bill
from api.kit.declaration.fields import reference_field, text_field
from api.kit.declaration.posting import Outside, Postings
from api.kit.declaration.resource import Menu
from api.master.stock.picking import picked_columns
from api.master.stock.stock_lines import IssueLine, MoveBill, build_outbound_moves, line_cost_column
from api.master.warehouses.warehouses import GUARANTEE, warehouse_field


class WarrantyOutboundLine(IssueLine):
    __tablename__ = "three_outbound_line"
    bill_table = "three_outbound"
    derived = (line_cost_column("TBCK"), *picked_columns("TBCK"))


class WarrantyOutbound(MoveBill):
    """三包出库"""

    __tablename__ = "three_outbound"
    declaration = declare_bill(
        "三包出库",
        "v2/inventory/ThreeOutStorage",
        routes={
            "list": "/inventory/threeoutstorage",
            "add": "/inventory/threeoutstorageAdd",
            "edit": "/inventory/threeoutstorageModify",
            "see": "/inventory/threeoutstorageSee",
        },
        menu=Menu("库存管理", "三包业务", 20),
    )
    bill = BillType(
        "TBCK",
        (Block("lines", "出库明细", WarrantyOutboundLine),),
        detail=DetailPlacement(
            "三包出库明细", "/inventory/getThreeOutStorageDetail", Menu("库存管理", "明细查询", 30)
        ),
        moves=True,
    )

    warehouse_id: Mapped[int] = warehouse_field(GUARANTEE, required=True)
    customer_id: Mapped[int | None] = reference_field(
        "customer", "客户", within=("company_id",), search=True, index=True, width=200, sort=-70
    )
    reason: Mapped[str | None] = text_field("三包原因", free=True, search=True, sort=-50)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=build_outbound_moves(doc), outside=Outside("customer", doc.header.customer_id))
