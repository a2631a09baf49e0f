"""Purchase return (采购退货), CGTH: stock leaves at the present average, the supplier is owed less by the gross total.

What the supplier credits and what the goods cost may differ; the difference is the purchase return variance.
What the supplier is to send again (补货) opens its order again.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Link, Rows, Values, declare
from api.kit.fields import source_line
from api.kit.goods_bills import DrawnLine
from api.kit.orders import refuse_followed
from api.kit.posting import Outside, Postings, SettlementOpen
from api.kit.resource import BEYOND_SOURCE, Menu
from api.kit.validation import Problems
from api.master import earned_gifts, rebate_bases, replacements, returned_batches, settings
from api.master.business_types import classified
from api.master.invoices import INVOICE_STATUS, invoiced
from api.master.partners import supplier
from api.master.picks import picked
from api.master.settlements import FallsDue
from api.master.stock_lines import OutboundLine, StockBill, cost_of_line, outbound
from api.purchase.purchase_inbound import PurchaseInboundLine
from api.purchase.purchase_order import PurchaseOrderLine
from api.purchase.refund_request import RefundRequestLine
from api.purchase.return_request import receipts


class PurchaseReturnLine(DrawnLine, OutboundLine):
    __tablename__ = "purchase_return_line"
    bill_table = "purchase_return"
    derived = (cost_of_line("CGTH"), *picked("CGTH"))

    source_line_id: Mapped[int | None] = source_line("purchase_inbound_line", "采购入库明细")
    order_line_id: Mapped[int | None] = replacements.reopened_line("purchase_order_line")
    refund_line_id: Mapped[int | None] = source_line("refund_request_line", "供应商退货确认明细")
    invoiced_amount: Mapped[Decimal] = invoiced()


class PurchaseReturn(FallsDue, StockBill):
    """采购退货"""

    __tablename__ = "purchase_return"
    declaration = declare(
        "采购退货",
        "v2/purchase/Refund",
        also_called={"getInfo": "get"},
        routes={"list": "/purchase/refund", "add": "/purchase/refundAdd", "see": "/purchase/refundSee"},
        menu=Menu("采购管理", "采购业务", 30),
        allowances=(BEYOND_SOURCE,),
    )
    bill = BillType(
        "CGTH",
        (Block("lines", "退货明细", PurchaseReturnLine),),
        (
            Link(
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
            Link(
                "refund_line_id",
                "refund_request",
                RefundRequestLine,
                "executed_quantity",
                ("company_id", "supplier_id", "warehouse_id"),
                capped=True,
            ),
            replacements.reopening_link("purchase_order", PurchaseOrderLine, ("company_id", "supplier_id")),
        ),
        detail=DetailPlace("退货商品明细", "/purchase/refundgoods", Menu("采购管理", "明细查询", 30)),
        moves=True,
        settles=True,
    )

    derived = (INVOICE_STATUS,)

    supplier_id: Mapped[int] = supplier()
    remedy: Mapped[int] = replacements.remedy_field("补货")
    purchase_return_reason_id: Mapped[int | None] = classified("purchase_return_reason", "退货原因", sort=-45)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        cls.fall_due(ctx, header)
        receipts(ctx, children["lines"], "refund_line_id", RefundRequestLine)
        replacements.name_orders(ctx, header, children["lines"], PurchaseInboundLine)
        returned_batches.name_batches(ctx, cls, children["lines"])

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        credited = SettlementOpen("supplier", header.supplier_id, -header.total_amount, header.due_date)
        return Postings(
            stock=outbound(doc, pieces_of=_received),
            settlements=(credited,),
            outside=Outside("supplier", header.supplier_id),
        )

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        refuse_followed(doc, action)
        told = (rebate_bases.describe_bought(ctx, doc), earned_gifts.PURCHASE.describe_kept(ctx, doc, action))
        settings.refuse_or_ask(ctx, cls, doc, [(settings.ASKS, msg) for msg in told])

    @classmethod
    def follow(cls, ctx: Context, doc: Document, effect: str) -> None:
        super().follow(ctx, doc, effect)
        if effect == "post":
            returned_batches.refuse_others(ctx, cls, doc)


def _received(line: Any) -> tuple[str, int] | None:
    """The line whose pieces go back."""
    return ("CGRK", line.source_line_id) if line.source_line_id else None
