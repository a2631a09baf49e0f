"""Old-tyre return (旧胎退回), TBTH: claimed goods go back to the factory; the claim settles them."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Mapped

from api.inventory.three_inbound import ThreeInboundLine
from api.kit.context import Context
from api.kit.document import BillType, Block, Document, Link, Rows, Values, declare
from api.kit.fields import source_line, text
from api.kit.posting import Outside, Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master import returned_batches
from api.master.partners import supplier
from api.master.picks import picked
from api.master.stock_lines import IssueLine, MoveBill, cost_of_line, outbound
from api.master.warehouses import GUARANTEE, warehouse


class TireBackLine(IssueLine):
    __tablename__ = "tire_back_line"
    bill_table = "tire_back"
    derived = (cost_of_line("TBTH"), *picked("TBTH"))

    source_line_id: Mapped[int | None] = source_line("three_inbound_line", "三包入库明细")


class TireBack(MoveBill):
    """旧胎退回"""

    __tablename__ = "tire_back"
    declaration = declare(
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
        (Block("lines", "退回明细", TireBackLine),),
        (
            Link(
                "source_line_id",
                "three_inbound",
                ThreeInboundLine,
                "returned_quantity",
                ("company_id", "warehouse_id"),
                returns=True,
            ),
        ),
        moves=True,
    )

    warehouse_id: Mapped[int] = warehouse(GUARANTEE, required=True)
    supplier_id: Mapped[int] = supplier()
    claim_no: Mapped[str | None] = text("理赔单号", max_length=50, search=True, sort=-50)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        returned_batches.name_batches(ctx, cls, children["lines"])

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        stock = outbound(doc, pieces_of=_claimed)
        return Postings(stock=stock, outside=Outside("supplier", doc.header.supplier_id))

    @classmethod
    def follow(cls, ctx: Context, doc: Document, effect: str) -> None:
        if effect == "post":
            returned_batches.refuse_others(ctx, cls, doc)


def _claimed(line: Any) -> tuple[str, int] | None:
    """The line whose pieces go back."""
    return ("TBRK", line.source_line_id) if line.source_line_id else None
