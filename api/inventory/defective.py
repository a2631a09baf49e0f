"""Defective goods (残次品), CCPD: defective goods go into a defective warehouse, frozen there, and out of it.

Out of it they return to good stock, or are scrapped when no warehouse is named.
"""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Rows, Values, declare
from api.kit.fields import enum, text
from api.kit.posting import Landing, Outside, Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master.picks import picked
from api.master.stock_lines import MoveBill, RelocatedLine, outbound, value_travelled
from api.master.warehouses import DEFECTIVE, GOOD, WAREHOUSE_TYPES, type_of, warehouse

INTO, OUT_OF = 1, 2
KINDS = {OUT_OF: "残次品转出", INTO: "残次品转入"}


class DefectiveLine(RelocatedLine):
    __tablename__ = "defective_line"
    bill_table = "defective"
    takes_available = False
    lands_when = "h.to_warehouse_id is not null"
    derived = (value_travelled("CCPD"), *picked("CCPD"))


class Defective(MoveBill):
    """残次品单"""

    __tablename__ = "defective"
    declaration = declare(
        "残次品单",
        "v2/inventory/Incomplete",
        routes={
            "list": "/inventory/Incomplete",
            "add": "/inventory/IncompleteNew",
            "see": "/inventory/IncompleteSee",
        },
        menu=Menu("库存管理", "出入库", 50),
    )
    bill = BillType(
        "CCPD",
        (Block("lines", "残次品明细", DefectiveLine),),
        detail=DetailPlace("残次品明细", "/inventory/ScheduleIncomplete", Menu("库存管理", "明细查询", 60)),
        moves=True,
    )

    kind: Mapped[int] = enum("方向", KINDS, default=INTO, search=True, sort=-65)
    warehouse_id: Mapped[int] = warehouse(GOOD, DEFECTIVE, required=True)
    to_warehouse_id: Mapped[int | None] = warehouse(
        GOOD, DEFECTIVE, label="转入仓库", target="warehouse_id", sort=-59
    )
    reason: Mapped[str] = text("原因", free=True, required=True, search=True, sort=-50)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        into = header["kind"] == INTO
        if into and not header.get("to_warehouse_id"):
            problems.add("请选择转入仓库（残次品仓）")
            return
        from_type, to_type = (GOOD, DEFECTIVE) if into else (DEFECTIVE, GOOD)
        for column, wanted in (("warehouse_id", from_type), ("to_warehouse_id", to_type)):
            if header.get(column) and type_of(ctx, header[column]) != wanted:
                problems.add(f"请选择{WAREHOUSE_TYPES[wanted]}")

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header, into = doc.header, doc.header.kind == INTO
        target = header.to_warehouse_id
        landing = Landing(warehouse_id=target, frozen=into) if target else None
        lands = (lambda line: landing) if landing else None
        return Postings(stock=outbound(doc, frozen=not into, lands=lands), outside=Outside("scrapped"))
