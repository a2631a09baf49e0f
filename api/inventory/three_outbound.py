"""Three-guarantee outbound (三包出库), TBCK: three-guarantee stock leaves for a customer at its warehouse's average."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.document import BillType, Block, DetailPlace, Document, declare
from api.kit.fields import ref, text
from api.kit.posting import Outside, Postings
from api.kit.resource import Menu
from api.master.picks import picked
from api.master.stock_lines import IssueLine, MoveBill, cost_of_line, outbound
from api.master.warehouses import GUARANTEE, warehouse


class ThreeOutboundLine(IssueLine):
    __tablename__ = "three_outbound_line"
    bill_table = "three_outbound"
    derived = (cost_of_line("TBCK"), *picked("TBCK"))


class ThreeOutbound(MoveBill):
    """三包出库"""

    __tablename__ = "three_outbound"
    declaration = declare(
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
        (Block("lines", "出库明细", ThreeOutboundLine),),
        detail=DetailPlace(
            "三包出库明细", "/inventory/getThreeOutStorageDetail", Menu("库存管理", "明细查询", 30)
        ),
        moves=True,
    )

    warehouse_id: Mapped[int] = warehouse(GUARANTEE, required=True)
    customer_id: Mapped[int | None] = ref(
        "customer", "客户", within=("company_id",), search=True, index=True, width=200, sort=-70
    )
    reason: Mapped[str | None] = text("三包原因", free=True, search=True, sort=-50)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(stock=outbound(doc), outside=Outside("customer", doc.header.customer_id))
