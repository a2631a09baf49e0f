"""Purchase return (采购退货), CGTH: stock leaves at the moving average, the payable falls by the gross total.

The supplier's credit and the cost of the goods may differ; the difference is the purchase return variance.
Goods to be sent again (补货) reopen their order.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy.orm import Mapped

from api.kit.bills.orders import forbid_reversal_with_successors
from api.kit.context import Context
from api.kit.declaration.document import (
    BillType,
    Block,
    DetailPlacement,
    Document,
    Rows,
    SourceLink,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import source_line_field
from api.kit.declaration.goods_bills import DrawnLine
from api.kit.declaration.posting import Outside, Postings, SettlementOpen
from api.kit.declaration.resource import BEYOND_SOURCE, Menu
from api.kit.storage.validation import Problems
from api.master.partners.partners import supplier_field
from api.master.pricing import gift_rules
from api.master.rebates import rebate_checks
from api.master.settings import settings
from api.master.settings.business_types import code_list_field
from api.master.settlements.invoices import INVOICE_STATUS, invoiced_amount_field
from api.master.settlements.settlements import DueDateMixin
from api.master.stock import replacements, return_batches
from api.master.stock.picking import picked_columns
from api.master.stock.stock_lines import OutboundLine, StockBill, build_outbound_moves, line_cost_column
from api.purchase.purchase_inbound import PurchaseInboundLine
from api.purchase.purchase_order import PurchaseOrderLine
from api.purchase.purchase_return_request import fill_receipts
from api.purchase.supplier_return_confirmation import SupplierReturnConfirmationLine


class PurchaseReturnLine(DrawnLine, OutboundLine):
    __tablename__ = "purchase_return_line"
    bill_table = "purchase_return"
    derived = (line_cost_column("CGTH"), *picked_columns("CGTH"))

    source_line_id: Mapped[int | None] = source_line_field("purchase_inbound_line", "采购入库明细")
    order_line_id: Mapped[int | None] = replacements.reopened_line_field("purchase_order_line")
    refund_line_id: Mapped[int | None] = source_line_field("refund_request_line", "供应商退货确认明细")
    invoiced_amount: Mapped[Decimal] = invoiced_amount_field()


class PurchaseReturn(DueDateMixin, StockBill):
    """采购退货"""

    __tablename__ = "purchase_return"
    declaration = declare_bill(
        "采购退货",
        "v2/purchase/Refund",
        also_called={"getInfo": "get"},
        routes={"list": "/purchase/refund", "add": "/purchase/refundAdd", "see": "/purchase/refundSee"},
        menu=Menu("采购管理", "采购业务", 30),
        override_rights=(BEYOND_SOURCE,),
    )
    bill = BillType(
        "CGTH",
        (Block("lines", "退货明细", PurchaseReturnLine),),
        (
            SourceLink(
                "source_line_id",
                "purchase_inbound",
                PurchaseInboundLine,
                "returned_quantity",
                ("company_id", "supplier_id"),
                rest="returnable_quantity",
                capped=True,
                pool="returns",
                superseded_by="refund_line_id",
                returns=True,
            ),
            SourceLink(
                "refund_line_id",
                "refund_request",
                SupplierReturnConfirmationLine,
                "executed_quantity",
                ("company_id", "supplier_id", "warehouse_id"),
                capped=True,
            ),
            replacements.build_reopening_link(
                "purchase_order", PurchaseOrderLine, ("company_id", "supplier_id")
            ),
        ),
        detail=DetailPlacement("退货商品明细", "/purchase/refundgoods", Menu("采购管理", "明细查询", 30)),
        moves=True,
        settles=True,
    )

    derived = (INVOICE_STATUS,)

    supplier_id: Mapped[int] = supplier_field()
    remedy: Mapped[int] = replacements.remedy_field("补货")
    purchase_return_reason_id: Mapped[int | None] = code_list_field(
        "purchase_return_reason", "退货原因", sort=-45
    )

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        cls.fill_due_date(ctx, header)
        fill_receipts(ctx, children["lines"], "refund_line_id", SupplierReturnConfirmationLine)
        replacements.fill_order_lines(ctx, header, children["lines"], PurchaseInboundLine)
        return_batches.fill_batches(ctx, cls, children["lines"])

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        credited = SettlementOpen("supplier", header.supplier_id, -header.total_amount, header.due_date)
        return Postings(
            stock=build_outbound_moves(doc, pieces_of=_find_piece_source),
            settlements=(credited,),
            outside=Outside("supplier", header.supplier_id),
        )

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        forbid_reversal_with_successors(doc, action)
        messages = (
            rebate_checks.describe_supplier_rebates(ctx, doc),
            gift_rules.PURCHASE.describe_unreturned(ctx, doc, action),
        )
        settings.refuse_or_confirm(ctx, cls, doc, [(settings.ASKS, msg) for msg in messages])

    @classmethod
    def after_transition(cls, ctx: Context, doc: Document, effect: str) -> None:
        super().after_transition(ctx, doc, effect)
        if effect == "post":
            return_batches.forbid_other_batches(ctx, cls, doc)


def _find_piece_source(line: Any) -> tuple[str, int] | None:
    """Return (prefix, line id) of the inbound line whose pieces go back."""
    return ("CGRK", line.source_line_id) if line.source_line_id else None
