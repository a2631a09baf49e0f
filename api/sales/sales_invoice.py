"""Sales invoice (销售发票), XSFP: outbounds and returns of a customer under one number, and uninvoiced bills."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillType, Block, DetailPlacement, SourceLink, declare_bill
from api.kit.declaration.fields import key_field, reference_field, source_line_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL
from api.master.partners.partners import customer_field
from api.master.settlements.invoices import (
    Invoice,
    InvoiceLine,
    UninvoicedBill,
    source_number_column,
    uninvoiced_bills_sql,
)
from api.sales.sales_outbound import SalesOutboundLine
from api.sales.sales_return import SalesReturnLine

_SHARED = ("company_id", "customer_id")
_SOLD = SourceLink(
    "outbound_line_id",
    "sales_outbound",
    SalesOutboundLine,
    "invoiced_amount",
    _SHARED,
    required=True,
    measure="amount",
)
_RETURNED = SourceLink(
    "return_line_id",
    "sales_return",
    SalesReturnLine,
    "invoiced_amount",
    _SHARED,
    required=True,
    measure="amount",
    sign=-1,
)


class SalesInvoiceLine(InvoiceLine):
    __tablename__ = "sales_invoice_line"
    bill_table = "sales_invoice"
    derived = (source_number_column(_SOLD, _RETURNED),)

    outbound_line_id: Mapped[int | None] = source_line_field("sales_outbound_line", "销售出库明细")
    return_line_id: Mapped[int | None] = source_line_field("sales_return_line", "销售退货明细")


class SalesInvoice(Invoice):
    """销售发票"""

    __tablename__ = "sales_invoice"
    declaration = declare_bill(
        "销售发票",
        "v2/sales/SalesInvoice",
        routes={
            "list": "/sales/salesInvoice",
            "add": "/sales/salesInvoice/add",
            "see": "/sales/salesInvoice/see",
        },
        menu=Menu("销售管理", "销售业务", 50),
    )
    bill = BillType(
        "XSFP",
        (Block("lines", "开票明细", SalesInvoiceLine, pick_from_sources=True),),
        (_SOLD, _RETURNED),
        detail=DetailPlacement("销售发票明细", "/sales/salesInvoiceDetail", Menu("销售管理", "明细查询", 50)),
    )

    issued_by = "company_id"
    customer_id: Mapped[int] = customer_field(for_settlement=True)


class SalesUninvoiced(UninvoicedBill):
    """销售未开票单据"""

    __tablename__ = "sales_uninvoiced"
    keyword_reference = "customer_id"
    declaration = Declaration(
        "销售未开票单据",
        "v2/sales/SalesUninvoiced",
        "bill_no",
        routes={"list": "/sales/salesUninvoiced"},
        menu=Menu("销售管理", "销售业务", 55),
        actions=("list", "invoice", "export"),
        order_by=("business_date", "asc"),
        drill=BILL,
        asks={"invoice": ("invoice_kind", "invoice_no", "invoice_date")},
    )

    invoice = SalesInvoice
    partner = "customer_id"
    sales_uninvoiced_id: Mapped[int] = key_field()
    customer_id: Mapped[int] = reference_field(
        "customer", "客户", within=("company_id",), search=True, width=200, sort=-67
    )

    rows = uninvoiced_bills_sql("sales_uninvoiced", "customer_id", (("XSCK", _SOLD), ("XSTH", _RETURNED)))
