"""Other delivery (其他发货), QTFH: stock leaves for a consignee without a sale (samples, loans)."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillType, Block, DetailPlacement, Document, declare_bill
from api.kit.declaration.fields import text_field
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Menu, ScreenPlacement
from api.master.organization.geography import address_field
from api.master.stock.picking import picked_columns
from api.master.stock.stock_lines import IssueLine, MoveBill, build_outbound_moves, line_cost_column
from api.master.warehouses.warehouses import GOOD, warehouse_field


class OtherDeliveryLine(IssueLine):
    __tablename__ = "other_delivery_line"
    bill_table = "other_delivery"
    derived = (line_cost_column("QTFH"), *picked_columns("QTFH"))


class OtherDelivery(MoveBill):
    """其他发货"""

    __tablename__ = "other_delivery"
    declaration = declare_bill(
        "其他发货",
        "v2/inventory/OtherDelivery",
        routes={
            "list": "/inventory/otherdelivery",
            "add": "/inventory/otherdeliveryAdd",
            "see": "/inventory/otherdeliverySee",
        },
        menu=Menu("库存管理", "出入库", 30),
        also=(ScreenPlacement({"see": "/inventory/otherDeliveryDetailSee"}),),
    )
    bill = BillType(
        "QTFH",
        (Block("lines", "发货明细", OtherDeliveryLine),),
        detail=DetailPlacement(
            "其他发货明细",
            "/inventory/otherdeliveryinfo",
            Menu("库存管理", "明细查询", 50),
            see="/inventory/otherDeliveryDetailSee",
        ),
        moves=True,
    )

    warehouse_id: Mapped[int] = warehouse_field(GOOD, required=True)
    consignee: Mapped[str] = text_field("收货人", required=True, max_length=50, search=True, sort=-50)
    consignee_mobile: Mapped[str | None] = text_field(
        "联系电话", rule="phone", max_length=20, search=True, sort=-49
    )
    address: Mapped[str | None] = address_field("收货地址", sort=-48)
    logistics: Mapped[str | None] = text_field("物流公司", max_length=50, search=True, sort=-47)
    waybill_no: Mapped[str | None] = text_field("物流单号", max_length=50, search=True, sort=-46)
    reason: Mapped[str] = text_field("发货原因", free=True, required=True, search=True, sort=-45)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=build_outbound_moves(doc))
