"""Supplier's consent to a return (供应商退货确认), CGQR: what of a request he takes back, and at which price.

It posts nothing; purchase returns are drawn from it.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit import orders
from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Link, Rows, Values, declare
from api.kit.fields import day, derived, quantity, source_line, text
from api.kit.flow import ORDER
from api.kit.posting import Postings
from api.kit.resource import BEYOND_SOURCE, Menu
from api.kit.validation import Problems
from api.master.business_types import classified
from api.master.partners import supplier
from api.master.stock_lines import StockBill
from api.purchase.return_request import ReturnLine, ReturnRequestLine, receipts

RETURNED = {1: "未退货", 2: "全部退货", 3: "部分退货"}


class RefundRequestLine(ReturnLine):
    __tablename__ = "refund_request_line"
    bill_table = "refund_request"

    request_line_id: Mapped[int | None] = source_line("return_request_line", "退货申请明细")
    executed_quantity: Mapped[Decimal] = quantity(
        "本次已退数量", form=False, total=True, copied=False, width=110, sort=30
    )


class RefundRequest(StockBill):
    """供应商退货确认"""

    __tablename__ = "refund_request"
    declaration = declare(
        "供应商退货确认",
        "v2/purchase/RefundRequest",
        transitions=ORDER,
        routes={
            "list": "/purchase/refundRequest",
            "add": "/purchase/refundRequestAdd",
            "see": "/purchase/refundRequestSee",
        },
        menu=Menu("采购管理", "采购业务", 26),
        allowances=(BEYOND_SOURCE,),
    )
    bill = BillType(
        "CGQR",
        (Block("lines", "确认明细", RefundRequestLine, drawn=True),),
        (
            Link(
                "request_line_id",
                "return_request",
                ReturnRequestLine,
                "executed_quantity",
                ("company_id", "supplier_id", "warehouse_id"),
                required=True,
                gives_back=True,
                capped=True,
            ),
        ),
        transitions=ORDER,
        detail=DetailPlace("退货确认明细", "/purchase/refundRequestDetail", Menu("采购管理", "明细查询", 26)),
    )
    derived = (
        derived(
            "returned_status",
            "退货状态",
            "enum",
            orders.EXECUTION,
            options=tuple(RETURNED.items()),
            width=100,
        ),
    )

    supplier_id: Mapped[int] = supplier()
    agreement_no: Mapped[str | None] = text("供应商确认单号", max_length=60, search=True, width=150, sort=-55)
    agreed_until: Mapped[date | None] = day("退货期限", since="business_date", width=110, sort=-54)
    purchase_return_reason_id: Mapped[int | None] = classified("purchase_return_reason", "退货原因", sort=-45)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        receipts(ctx, children["lines"], "request_line_id", ReturnRequestLine)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def guard(cls, ctx: Context, doc: Document, action: str) -> None:
        orders.refuse_executed(doc, action)
