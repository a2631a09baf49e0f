"""Used tyre return (旧胎退回), TBTH: claimed goods go back to the factory; the claim settles them."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Mapped

from api.inventory.warranty_inbound import WarrantyInboundLine
from api.kit.context import Context
from api.kit.declaration.document import BillType, Block, Document, Rows, SourceLink, Values, declare_bill
from api.kit.declaration.fields import source_line_field, text_field
from api.kit.declaration.posting import Outside, Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems
from api.master.partners.partners import supplier_field
from api.master.stock import return_batches
from api.master.stock.picking import picked_columns
from api.master.stock.stock_lines import IssueLine, MoveBill, build_outbound_moves, line_cost_column
from api.master.warehouses.warehouses import GUARANTEE, warehouse_field


class UsedTyreReturnLine(IssueLine):
    __tablename__ = "tire_back_line"
    bill_table = "tire_back"
    derived = (line_cost_column("TBTH"), *picked_columns("TBTH"))

    source_line_id: Mapped[int | None] = source_line_field("three_inbound_line", "三包入库明细")


class UsedTyreReturn(MoveBill):
    """旧胎退回"""

    __tablename__ = "tire_back"
    declaration = declare_bill(
        "旧胎退回",
        "v2/inventory/TireBack",
        routes={
            "list": "/inventory/tireback",
            "add": "/inventory/tirebackAdd",
            "see": "/inventory/tirebackSee",
        },
        menu=Menu("库存管理", "三包业务", 30),
        also_at=("aftersale/TireBack",),
    )
    bill = BillType(
        "TBTH",
        (Block("lines", "退回明细", UsedTyreReturnLine),),
        (
            SourceLink(
                "source_line_id",
                "three_inbound",
                WarrantyInboundLine,
                "returned_quantity",
                ("company_id", "warehouse_id"),
                returns=True,
            ),
        ),
        moves=True,
    )

    warehouse_id: Mapped[int] = warehouse_field(GUARANTEE, required=True)
    supplier_id: Mapped[int] = supplier_field()
    claim_no: Mapped[str | None] = text_field("理赔单号", max_length=50, search=True, sort=-50)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        return_batches.fill_batches(ctx, cls, children["lines"])

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        stock = build_outbound_moves(doc, pieces_of=_find_piece_source)
        return Postings(stock=stock, outside=Outside("supplier", doc.header.supplier_id))

    @classmethod
    def after_transition(cls, ctx: Context, doc: Document, effect: str) -> None:
        if effect == "post":
            return_batches.forbid_other_batches(ctx, cls, doc)


def _find_piece_source(line: Any) -> tuple[str, int] | None:
    """Return (prefix, line id) of the inbound line whose pieces go back."""
    return ("TBRK", line.source_line_id) if line.source_line_id else None
