"""Supplier return confirmation (供应商退货确认), CGQR: the part of a return request that the supplier accepts, and
its price.

It posts nothing; purchase returns are drawn from it.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.bills import orders
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
from api.kit.declaration.fields import (
    date_field,
    derived_field,
    quantity_field,
    source_line_field,
    text_field,
)
from api.kit.declaration.flow import ORDER
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import BEYOND_SOURCE, Menu
from api.kit.storage.validation import Problems
from api.master.partners.partners import supplier_field
from api.master.settings.business_types import code_list_field
from api.master.stock.stock_lines import StockBill
from api.purchase.purchase_return_request import PurchaseReturnRequestLine, ReturnLine, fill_receipts

RETURNED = {1: "未退货", 2: "全部退货", 3: "部分退货"}


class SupplierReturnConfirmationLine(ReturnLine):
    __tablename__ = "refund_request_line"
    bill_table = "refund_request"

    request_line_id: Mapped[int | None] = source_line_field("return_request_line", "退货申请明细")
    executed_quantity: Mapped[Decimal] = quantity_field(
        "本次已退数量", form=False, total=True, copied=False, width=110, sort=30
    )


class SupplierReturnConfirmation(StockBill):
    """供应商退货确认"""

    __tablename__ = "refund_request"
    declaration = declare_bill(
        "供应商退货确认",
        "v2/purchase/RefundRequest",
        transitions=ORDER,
        routes={
            "list": "/purchase/refundRequest",
            "add": "/purchase/refundRequestAdd",
            "see": "/purchase/refundRequestSee",
        },
        menu=Menu("采购管理", "采购业务", 26),
        override_rights=(BEYOND_SOURCE,),
    )
    bill = BillType(
        "CGQR",
        (Block("lines", "确认明细", SupplierReturnConfirmationLine, pick_from_sources=True),),
        (
            SourceLink(
                "request_line_id",
                "return_request",
                PurchaseReturnRequestLine,
                "executed_quantity",
                ("company_id", "supplier_id", "warehouse_id"),
                required=True,
                gives_back=True,
                capped=True,
            ),
        ),
        transitions=ORDER,
        detail=DetailPlacement(
            "退货确认明细", "/purchase/refundRequestDetail", Menu("采购管理", "明细查询", 26)
        ),
    )
    derived = (
        derived_field(
            "returned_status",
            "退货状态",
            "enum",
            orders.EXECUTION,
            options=tuple(RETURNED.items()),
            width=100,
        ),
    )

    supplier_id: Mapped[int] = supplier_field()
    agreement_no: Mapped[str | None] = text_field(
        "供应商确认单号", max_length=60, search=True, width=150, sort=-55
    )
    agreed_until: Mapped[date | None] = date_field("退货期限", since="business_date", width=110, sort=-54)
    purchase_return_reason_id: Mapped[int | None] = code_list_field(
        "purchase_return_reason", "退货原因", sort=-45
    )

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        fill_receipts(ctx, children["lines"], "request_line_id", PurchaseReturnRequestLine)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        orders.forbid_reversal_if_executed(doc, action)
