"""Purchase invoice (采购发票), CGFP: inbounds and returns of a supplier under one number, and what is uninvoiced."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillType, Block, DetailPlacement, SourceLink, declare_bill
from api.kit.declaration.fields import key_field, reference_field, source_line_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL
from api.master.partners.partners import supplier_field
from api.master.settlements.invoices import (
    Invoice,
    InvoiceLine,
    UninvoicedBill,
    source_number_column,
    uninvoiced_bills_sql,
)
from api.purchase.purchase_inbound import PurchaseInboundLine
from api.purchase.purchase_return import PurchaseReturnLine

_SHARED = ("company_id", "supplier_id")
_BOUGHT = SourceLink(
    "inbound_line_id",
    "purchase_inbound",
    PurchaseInboundLine,
    "invoiced_amount",
    _SHARED,
    required=True,
    measure="amount",
)
_RETURNED = SourceLink(
    "return_line_id",
    "purchase_return",
    PurchaseReturnLine,
    "invoiced_amount",
    _SHARED,
    required=True,
    measure="amount",
    sign=-1,
)


class PurchaseInvoiceLine(InvoiceLine):
    __tablename__ = "purchase_invoice_line"
    bill_table = "purchase_invoice"
    derived = (source_number_column(_BOUGHT, _RETURNED),)

    inbound_line_id: Mapped[int | None] = source_line_field("purchase_inbound_line", "采购入库明细")
    return_line_id: Mapped[int | None] = source_line_field("purchase_return_line", "采购退货明细")


class PurchaseInvoice(Invoice):
    """采购发票"""

    __tablename__ = "purchase_invoice"
    declaration = declare_bill(
        "采购发票",
        "v2/purchase/PurchaseInvoice",
        also_called={"getInfo": "get"},
        routes={
            "list": "/purchase/purchaseInvoice",
            "add": "/purchase/purchaseInvoice/add",
            "see": "/purchase/purchaseInvoice/see",
        },
        menu=Menu("采购管理", "采购业务", 50),
    )
    bill = BillType(
        "CGFP",
        (Block("lines", "发票明细", PurchaseInvoiceLine, pick_from_sources=True),),
        (_BOUGHT, _RETURNED),
        detail=DetailPlacement(
            "采购发票明细", "/purchase/purchaseInvoiceDetail", Menu("采购管理", "明细查询", 50)
        ),
    )

    issued_by = "supplier_id"
    supplier_id: Mapped[int] = supplier_field(for_settlement=True)


class PurchaseUninvoiced(UninvoicedBill):
    """采购未开票单据"""

    __tablename__ = "purchase_uninvoiced"
    keyword_reference = "supplier_id"
    declaration = Declaration(
        "采购未开票单据",
        "v2/purchase/PurchaseUninvoiced",
        "bill_no",
        routes={"list": "/purchase/purchaseUninvoiced"},
        menu=Menu("采购管理", "采购业务", 55),
        actions=("list", "invoice", "export"),
        order_by=("business_date", "asc"),
        drill=BILL,
        asks={"invoice": ("invoice_kind", "invoice_no", "invoice_date")},
    )

    invoice = PurchaseInvoice
    partner = "supplier_id"
    purchase_uninvoiced_id: Mapped[int] = key_field()
    supplier_id: Mapped[int] = reference_field("supplier", "供应商", search=True, width=200, sort=-67)

    rows = uninvoiced_bills_sql(
        "purchase_uninvoiced", "supplier_id", (("CGRK", _BOUGHT), ("CGTH", _RETURNED))
    )
