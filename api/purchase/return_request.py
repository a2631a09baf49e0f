"""Return request (采购退货申请), CGSQ: goods of inbound bills that a branch asks to give back to their supplier.

It posts nothing. What was received is never asked back twice: neither by two requests nor beside a direct return.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

from sqlalchemy import select
from sqlalchemy.orm import Mapped

from api.kit import orders
from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Link, declare
from api.kit.fields import Derived, derived, quantity, source_line
from api.kit.flow import ORDER
from api.kit.goods_bills import DrawnLine
from api.kit.posting import Postings
from api.kit.resource import BEYOND_SOURCE, Menu
from api.master.business_types import classified
from api.master.partners import supplier
from api.master.stock_lines import FromBatch, StockBill
from api.purchase.purchase_inbound import RETURNABLE, PurchaseInboundLine, of_receipt

ACCEPTED = {1: "待确认", 2: "全部确认", 3: "部分确认"}


class ReturnLine(FromBatch, DrawnLine, orders.OrderLine):
    """Goods of an inbound bill's line on their way back, with what came in and what went back already."""

    __abstract__ = True
    derived: ClassVar[tuple[Derived, ...]] = (
        of_receipt("source_no", "入库单号", "text", "b.bill_no", 190, bill=True),
        of_receipt("source_quantity", "入库数量", "quantity", "i.quantity", decides=True),
        of_receipt("returned_quantity", "已退数量", "quantity", "i.returned_quantity"),
    )

    source_line_id: Mapped[int | None] = source_line("purchase_inbound_line", "采购入库明细")


class ReturnRequestLine(ReturnLine):
    __tablename__ = "return_request_line"
    bill_table = "return_request"
    derived = (
        *ReturnLine.derived,
        of_receipt("returnable_quantity", "可退数量", "quantity", RETURNABLE.format(table="i"), decides=True),
    )

    executed_quantity: Mapped[Decimal] = quantity(
        "已确认数量", form=False, total=True, copied=False, width=100, sort=30
    )


class ReturnRequest(StockBill):
    """采购退货申请"""

    __tablename__ = "return_request"
    declaration = declare(
        "采购退货申请",
        "v2/purchase/ReturnRequest",
        transitions=ORDER,
        routes={
            "list": "/purchase/returnRequest",
            "add": "/purchase/returnRequestAdd",
            "see": "/purchase/returnRequestSee",
        },
        menu=Menu("采购管理", "采购业务", 24),
        allowances=(BEYOND_SOURCE,),
    )
    bill = BillType(
        "CGSQ",
        (Block("lines", "申请明细", ReturnRequestLine, drawn=True),),
        (
            Link(
                "source_line_id",
                "purchase_inbound",
                PurchaseInboundLine,
                "requested_quantity",
                ("company_id", "supplier_id", "warehouse_id"),
                required=True,
                rest="returnable_quantity",
                gives_back=True,
                capped=True,
                pool="returns",
            ),
        ),
        transitions=ORDER,
        detail=DetailPlace("退货申请明细", "/purchase/returnRequestDetail", Menu("采购管理", "明细查询", 24)),
    )
    derived = (
        derived(
            "accepted_status",
            "确认状态",
            "enum",
            orders.EXECUTION,
            options=tuple(ACCEPTED.items()),
            width=100,
        ),
    )

    supplier_id: Mapped[int] = supplier()
    purchase_return_reason_id: Mapped[int | None] = classified("purchase_return_reason", "退货原因", sort=-45)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        orders.refuse_executed(doc, action)


def receipts(ctx: Context, lines: list[dict[str, Any]], column: str, sources: type[ReturnLine]) -> None:
    """Give lines that execute others the receipt those were asked back from."""
    table, drawn = sources.table(), [line for line in lines if line.get(column)]
    wanted = table.c.line_id.in_({line[column] for line in drawn})
    rows = ctx.conn.execute(select(table.c.line_id, table.c.source_line_id).where(wanted))
    received = {row.line_id: row.source_line_id for row in rows}
    for line in drawn:
        line["source_line_id"] = received[line[column]]
