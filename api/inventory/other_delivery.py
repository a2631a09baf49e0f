"""Other delivery (其他发货), QTFH: stock leaves for a consignee without a sale (samples, loans)."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.document import BillType, Block, DetailPlace, Document, declare
from api.kit.fields import text
from api.kit.posting import Postings
from api.kit.resource import Menu, Place
from api.master.geography import street_address
from api.master.picks import picked
from api.master.stock_lines import IssueLine, MoveBill, cost_of_line, outbound
from api.master.warehouses import GOOD, warehouse


class OtherDeliveryLine(IssueLine):
    __tablename__ = "other_delivery_line"
    bill_table = "other_delivery"
    derived = (cost_of_line("QTFH"), *picked("QTFH"))


class OtherDelivery(MoveBill):
    """其他发货"""

    __tablename__ = "other_delivery"
    declaration = declare(
        "其他发货",
        "v2/inventory/OtherDelivery",
        routes={
            "list": "/inventory/otherdelivery",
            "add": "/inventory/otherdeliveryAdd",
            "see": "/inventory/otherdeliverySee",
        },
        menu=Menu("库存管理", "出入库", 30),
        also=(Place({"see": "/inventory/otherDeliveryDetailSee"}),),
    )
    bill = BillType(
        "QTFH",
        (Block("lines", "发货明细", OtherDeliveryLine),),
        detail=DetailPlace(
            "其他发货明细",
            "/inventory/otherdeliveryinfo",
            Menu("库存管理", "明细查询", 50),
            see="/inventory/otherDeliveryDetailSee",
        ),
        moves=True,
    )

    warehouse_id: Mapped[int] = warehouse(GOOD, required=True)
    consignee: Mapped[str] = text("收货人", required=True, max_length=50, search=True, sort=-50)
    consignee_mobile: Mapped[str | None] = text(
        "联系电话", rule="phone", max_length=20, search=True, sort=-49
    )
    address: Mapped[str | None] = street_address("收货地址", sort=-48)
    logistics: Mapped[str | None] = text("物流公司", max_length=50, search=True, sort=-47)
    waybill_no: Mapped[str | None] = text("物流单号", max_length=50, search=True, sort=-46)
    reason: Mapped[str] = text("发货原因", free=True, required=True, search=True, sort=-45)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=outbound(doc))
