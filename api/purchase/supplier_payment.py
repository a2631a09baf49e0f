"""Supplier payment (付款单), GYFK: money leaves an account and settles payables; what is left over is a prepayment."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import BillType, Block, Document, Rows, Values, declare
from api.kit.posting import Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master.partners import supplier
from api.master.settlements import SettlingBill, WriteOffLine, inspect_write_offs, settling


class SupplierPaymentWriteOff(WriteOffLine):
    __tablename__ = "supplier_payment_write_off"
    bill_table = "supplier_payment"


class SupplierPayment(SettlingBill):
    """付款单"""

    __tablename__ = "supplier_payment"
    declaration = declare(
        "付款单",
        "v2/purchase/Payment",
        routes={
            "list": "/purchase/paymanage",
            "add": "/purchase/paymangeAdd",
            "see": "/purchase/paymanageSearch",
        },
        menu=Menu("采购管理", "付款业务", 40),
    )
    bill = BillType(
        "GYFK",
        (
            Block(
                "write_offs",
                "核销明细",
                SupplierPaymentWriteOff,
                required=False,
                source="v2/purchase/Payment/getOpenItems",
                source_by=("company_id", "supplier_id"),
            ),
        ),
    )

    supplier_id: Mapped[int] = supplier()

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        inspect_write_offs(ctx, header, children["write_offs"], "supplier", problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return settling(doc, "supplier", -1)
