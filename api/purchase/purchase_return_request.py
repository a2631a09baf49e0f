"""Purchase return request (采购退货申请), CGSQ: received goods that a branch wants to return to the supplier.

It posts nothing. Received goods are never asked back twice, by two requests or beside a direct return.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

from sqlalchemy import select
from sqlalchemy.orm import Mapped

from api.kit.bills import orders
from api.kit.context import Context
from api.kit.declaration.document import BillType, Block, DetailPlacement, Document, SourceLink, declare_bill
from api.kit.declaration.fields import DerivedField, derived_field, quantity_field, source_line_field
from api.kit.declaration.flow import ORDER
from api.kit.declaration.goods_bills import DrawnLine
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import BEYOND_SOURCE, Menu
from api.master.partners.partners import supplier_field
from api.master.settings.business_types import code_list_field
from api.master.stock.stock_lines import OutboundBatchMixin, StockBill
from api.purchase.purchase_inbound import RETURNABLE, PurchaseInboundLine, build_receipt_field

ACCEPTED = {1: "待确认", 2: "全部确认", 3: "部分确认"}


class ReturnLine(OutboundBatchMixin, DrawnLine, orders.OrderLine):
    """Line of a return, with the received quantity and the quantity returned already."""

    __abstract__ = True
    derived: ClassVar[tuple[DerivedField, ...]] = (
        build_receipt_field("source_no", "入库单号", "text", "b.bill_no", 190, bill=True),
        build_receipt_field("source_quantity", "入库数量", "quantity", "i.quantity", decides=True),
        build_receipt_field("returned_quantity", "已退数量", "quantity", "i.returned_quantity"),
    )

    source_line_id: Mapped[int | None] = source_line_field("purchase_inbound_line", "采购入库明细")


class PurchaseReturnRequestLine(ReturnLine):
    __tablename__ = "return_request_line"
    bill_table = "return_request"
    derived = (
        *ReturnLine.derived,
        build_receipt_field(
            "returnable_quantity", "可退数量", "quantity", RETURNABLE.format(table="i"), decides=True
        ),
    )

    executed_quantity: Mapped[Decimal] = quantity_field(
        "已确认数量", form=False, total=True, copied=False, width=100, sort=30
    )


class PurchaseReturnRequest(StockBill):
    """采购退货申请"""

    __tablename__ = "return_request"
    declaration = declare_bill(
        "采购退货申请",
        "v2/purchase/ReturnRequest",
        transitions=ORDER,
        routes={
            "list": "/purchase/returnRequest",
            "add": "/purchase/returnRequestAdd",
            "see": "/purchase/returnRequestSee",
        },
        menu=Menu("采购管理", "采购业务", 24),
        override_rights=(BEYOND_SOURCE,),
    )
    bill = BillType(
        "CGSQ",
        (Block("lines", "申请明细", PurchaseReturnRequestLine, pick_from_sources=True),),
        (
            SourceLink(
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
        detail=DetailPlacement(
            "退货申请明细", "/purchase/returnRequestDetail", Menu("采购管理", "明细查询", 24)
        ),
    )
    derived = (
        derived_field(
            "accepted_status",
            "确认状态",
            "enum",
            orders.EXECUTION,
            options=tuple(ACCEPTED.items()),
            width=100,
        ),
    )

    supplier_id: Mapped[int] = supplier_field()
    purchase_return_reason_id: Mapped[int | None] = code_list_field(
        "purchase_return_reason", "退货原因", sort=-45
    )

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        orders.forbid_reversal_if_executed(doc, action)


def fill_receipts(ctx: Context, lines: list[dict[str, Any]], column: str, sources: type[ReturnLine]) -> None:
    """Fill the receipt line in lines that execute others, from those others."""
    table, drawn = sources.table(), [line for line in lines if line.get(column)]
    wanted = table.c.line_id.in_({line[column] for line in drawn})
    rows = ctx.conn.execute(select(table.c.line_id, table.c.source_line_id).where(wanted))
    received = {row.line_id: row.source_line_id for row in rows}
    for line in drawn:
        line["source_line_id"] = received[line[column]]
