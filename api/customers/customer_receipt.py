"""Customer receipt (收款单), KHSK: money enters an account and settles receivables; what is left over is an advance."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import BillType, Block, Document, Rows, Values, declare
from api.kit.posting import Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master.partners import customer
from api.master.settlements import SettlingBill, WriteOffLine, inspect_write_offs, settling


class CustomerReceiptWriteOff(WriteOffLine):
    __tablename__ = "customer_receipt_write_off"
    bill_table = "customer_receipt"


class CustomerReceipt(SettlingBill):
    """收款单"""

    __tablename__ = "customer_receipt"
    declaration = declare(
        "收款单",
        "v2/custom/CustomerReceipt",
        routes={
            "list": "/custom/receiptmanage",
            "add": "/custom/receiptmanage_add",
            "see": "/custom/receiptmanage_search",
        },
        menu=Menu("客户管理", "收款业务", 20),
    )
    bill = BillType(
        "KHSK",
        (
            Block(
                "write_offs",
                "核销明细",
                CustomerReceiptWriteOff,
                required=False,
                source="v2/custom/CustomerReceipt/getOpenItems",
                source_by=("company_id", "customer_id"),
            ),
        ),
    )

    customer_id: Mapped[int] = customer()

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        inspect_write_offs(ctx, header, children["write_offs"], "customer", problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return settling(doc, "customer", 1)
