"""Location transfer (移库), TCYK: goods change their location inside a warehouse; quantity and cost stay."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.document import BillType, Block, Document, Rows, Values, declare_bill
from api.kit.declaration.fields import reference_field
from api.kit.declaration.posting import Landing, Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems
from api.master.stock.picking import picked_columns
from api.master.stock.stock_lines import MoveBill, RelocatedLine, build_outbound_moves, relocated_cost_column


class LocationTransferLine(RelocatedLine):
    __tablename__ = "location_move_line"
    bill_table = "location_move"
    takes_available = False
    derived = (relocated_cost_column("TCYK"), *picked_columns("TCYK"))

    to_allocation_id: Mapped[int] = reference_field(
        "allocation", "移入库位", target="allocation_id", required=True, within=("warehouse_id",), sort=-30
    )


class LocationTransfer(MoveBill):
    """移库"""

    __tablename__ = "location_move"
    declaration = declare_bill(
        "库位分配",
        "v2/inventory/PlaceAllot",
        routes={
            "list": "/inventory/placeallot",
            "add": "/inventory/placeallot/add",
            "see": "/inventory/placeallot/see",
        },
        menu=Menu("库存管理", "调拨移库", 20),
    )
    bill = BillType(
        "TCYK",
        (Block("lines", "移库明细", LocationTransferLine),),
        moves=True,
    )

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        for line in children["lines"]:
            if line["allocation_id"] == line["to_allocation_id"]:
                problems.place = f"第{line['line_no']}行"
                problems.add("移入库位与移出库位相同")
        problems.place = ""

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        def landing(line: object) -> Landing:
            return Landing(warehouse_id=doc.header.warehouse_id, allocation_id=line.to_allocation_id)  # type: ignore[attr-defined]

        return Postings(stock=build_outbound_moves(doc, lands=landing), as_it_lies=True)
