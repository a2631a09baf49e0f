"""Transfer in (调拨入库), DBRK: what a transfer sent is received, in parts if need be, with its value and the freight.

It takes the very pieces that its line sent; freight adds to their value by quantity, and its carrier is owed it.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.inventory.transfer_out import TransferOutLine
from api.kit.context import Context
from api.kit.document import BillType, Block, Document, Link, QuantityLine, Rows, Values, declare
from api.kit.fields import money, ref, source_line
from api.kit.posting import Landing, Postings, StockMove
from api.kit.proration import allocate_by_weight
from api.kit.validation import Problems
from api.master.carriers import Carried, freight_owed, settle_freight
from api.master.stock_lines import MoveBill, value_travelled
from api.master.tire_numbers import Numbered, stored
from api.master.warehouses import TRANSIT, system_warehouse


class TransferInLine(Numbered, QuantityLine):
    __tablename__ = "transfer_in_line"
    bill_table = "transfer_in"
    moves = "through"
    derived = (value_travelled("DBRK"),)

    allocation_id: Mapped[int | None] = ref("allocation", "库位", within=("warehouse_id",), sort=-40)
    source_line_id: Mapped[int | None] = source_line("transfer_out_line", "调拨明细")


class TransferIn(Carried, MoveBill):
    """调拨入库"""

    __tablename__ = "transfer_in"
    declaration = declare(
        "调拨入库",
        "v2/inventory/TransferInStorage",
        routes={
            "list": "/inventory/transferware/receipts",
            "add": "/inventory/transferware/receiptAdd",
            "see": "/inventory/transferware/receiptSee",
        },
    )
    bill = BillType(
        "DBRK",
        (Block("lines", "收货明细", TransferInLine),),
        (
            Link(
                "source_line_id",
                "transfer_out",
                TransferOutLine,
                "executed_quantity",
                ("company_id", ("warehouse_id", "to_warehouse_id")),
                required=True,
            ),
        ),
        moves=True,
    )

    transit_warehouse_id: Mapped[int] = ref(
        "warehouse", "在途仓", target="warehouse_id", required=True, form=False, list=False, sort=-58
    )
    freight_amount: Mapped[Decimal] = money("运费（未税）", rule="Positive", total=True, sort=-50)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        header["transit_warehouse_id"] = system_warehouse(ctx, header["company_id"], TRANSIT)
        settle_freight(ctx, header, problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        shares = allocate_by_weight(header.freight_amount, [line.quantity for line in doc.lines])
        return Postings(
            stock=tuple(
                StockMove(
                    line_id=line.line_id,
                    warehouse_id=header.transit_warehouse_id,
                    goods_id=line.goods_id,
                    quantity=-line.quantity,
                    origin=("DBCK", line.source_line_id),
                    frozen=True,
                    tire_numbers=stored(line),
                    lands=Landing(
                        warehouse_id=header.warehouse_id,
                        allocation_id=line.allocation_id,
                        extra_amount=share,
                    ),
                )
                for line, share in zip(doc.lines, shares, strict=True)
            ),
            settlements=freight_owed(header),
        )
