"""Purchase invoice (采购发票), CGFP: inbounds and returns of a supplier under one number, and what is uninvoiced."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.document import BillType, Block, DetailPlace, Link, declare
from api.kit.fields import key, ref, source_line
from api.kit.resource import Declaration, Menu
from api.kit.view import BILL
from api.master.invoices import Invoice, InvoiceLine, Uninvoiced, source_no, uninvoiced
from api.master.partners import supplier
from api.purchase.purchase_inbound import PurchaseInboundLine
from api.purchase.purchase_return import PurchaseReturnLine

_SHARED = ("company_id", "supplier_id")
_BOUGHT = Link(
    "inbound_line_id",
    "purchase_inbound",
    PurchaseInboundLine,
    "invoiced_amount",
    _SHARED,
    required=True,
    measure="amount",
)
_RETURNED = Link(
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
    derived = (source_no(_BOUGHT, _RETURNED),)

    inbound_line_id: Mapped[int | None] = source_line("purchase_inbound_line", "采购入库明细")
    return_line_id: Mapped[int | None] = source_line("purchase_return_line", "采购退货明细")


class PurchaseInvoice(Invoice):
    """采购发票"""

    __tablename__ = "purchase_invoice"
    declaration = declare(
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
        (Block("lines", "发票明细", PurchaseInvoiceLine, drawn=True),),
        (_BOUGHT, _RETURNED),
        detail=DetailPlace(
            "采购发票明细", "/purchase/purchaseInvoiceDetail", Menu("采购管理", "明细查询", 50)
        ),
    )

    issued_by = "supplier_id"
    supplier_id: Mapped[int] = supplier(settles=True)


class PurchaseUninvoiced(Uninvoiced):
    """采购未开票单据"""

    __tablename__ = "purchase_uninvoiced"
    found_by = "supplier_id"
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
    purchase_uninvoiced_id: Mapped[int] = key()
    supplier_id: Mapped[int] = ref("supplier", "供应商", search=True, width=200, sort=-67)

    rows = uninvoiced("purchase_uninvoiced", "supplier_id", (("CGRK", _BOUGHT), ("CGTH", _RETURNED)))
