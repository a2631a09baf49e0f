"""Move between locations (移库), TCYK: goods change their location inside a warehouse; quantity and cost stay."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import BillType, Block, Document, Rows, Values, declare
from api.kit.fields import ref
from api.kit.posting import Landing, Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master.picks import picked
from api.master.stock_lines import MoveBill, RelocatedLine, outbound, value_travelled


class LocationMoveLine(RelocatedLine):
    __tablename__ = "location_move_line"
    bill_table = "location_move"
    takes_available = False
    derived = (value_travelled("TCYK"), *picked("TCYK"))

    to_allocation_id: Mapped[int] = ref(
        "allocation", "移入库位", target="allocation_id", required=True, within=("warehouse_id",), sort=-30
    )


class LocationMove(MoveBill):
    """移库"""

    __tablename__ = "location_move"
    declaration = declare(
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
        (Block("lines", "移库明细", LocationMoveLine),),
        moves=True,
    )

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        for line in children["lines"]:
            if line["allocation_id"] == line["to_allocation_id"]:
                problems.place = f"第{line['line_no']}行"
                problems.add("移入库位与移出库位相同")
        problems.place = ""

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        def landing(line: object) -> Landing:
            return Landing(warehouse_id=doc.header.warehouse_id, allocation_id=line.to_allocation_id)  # type: ignore[attr-defined]

        return Postings(stock=outbound(doc, lands=landing), as_it_lies=True)
