"""Defective goods (残次品), CCPD: moves defective goods into a defective warehouse, where they are frozen, and
out.

Out of it they return to good stock, or are scrapped when no warehouse is named.
"""

from __future__ import annotations

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
from api.kit.declaration.fields import enum_field, text_field
from api.kit.declaration.posting import Landing, Outside, Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems
from api.master.stock.picking import picked_columns
from api.master.stock.stock_lines import MoveBill, RelocatedLine, build_outbound_moves, relocated_cost_column
from api.master.warehouses.warehouses import (
    DEFECTIVE,
    GOOD,
    WAREHOUSE_TYPES,
    read_warehouse_type,
    warehouse_field,
)

INTO, OUT_OF = 1, 2
KINDS = {OUT_OF: "残次品转出", INTO: "残次品转入"}


class DefectiveLine(RelocatedLine):
    __tablename__ = "defective_line"
    bill_table = "defective"
    takes_available = False
    landing_condition = "h.to_warehouse_id is not null"
    derived = (relocated_cost_column("CCPD"), *picked_columns("CCPD"))


class Defective(MoveBill):
    """残次品单"""

    __tablename__ = "defective"
    declaration = declare_bill(
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
        detail=DetailPlacement(
            "残次品明细", "/inventory/ScheduleIncomplete", Menu("库存管理", "明细查询", 60)
        ),
        moves=True,
    )

    kind: Mapped[int] = enum_field("方向", KINDS, default=INTO, search=True, sort=-65)
    warehouse_id: Mapped[int] = warehouse_field(GOOD, DEFECTIVE, required=True)
    to_warehouse_id: Mapped[int | None] = warehouse_field(
        GOOD, DEFECTIVE, label="转入仓库", target="warehouse_id", sort=-59
    )
    reason: Mapped[str] = text_field("原因", free=True, required=True, search=True, sort=-50)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        into = header["kind"] == INTO
        if into and not header.get("to_warehouse_id"):
            problems.add("请选择转入仓库（残次品仓）")
            return
        from_type, to_type = (GOOD, DEFECTIVE) if into else (DEFECTIVE, GOOD)
        for column, wanted in (("warehouse_id", from_type), ("to_warehouse_id", to_type)):
            if header.get(column) and read_warehouse_type(ctx, header[column]) != wanted:
                problems.add(f"请选择{WAREHOUSE_TYPES[wanted]}")

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header, into = doc.header, doc.header.kind == INTO
        target = header.to_warehouse_id
        landing = Landing(warehouse_id=target, frozen=into) if target else None
        lands = (lambda line: landing) if landing else None
        return Postings(
            stock=build_outbound_moves(doc, frozen=not into, lands=lands), outside=Outside("scrapped")
        )
