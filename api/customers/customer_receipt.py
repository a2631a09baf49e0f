"""Customer receipt (收款单), KHSK: money enters an account and settles receivables; the remainder is an advance."""

from __future__ import annotations

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.context import Context
from api.kit.declaration.document import BillType, Block, Document, declare_bill
from api.kit.declaration.fields import derived_field
from api.kit.declaration.flow import POSTED
from api.kit.declaration.resource import Menu
from api.kit.errors import Refusal
from api.master.partners.partners import customer_field
from api.master.settlements.settlements import WAIVE, SettlingBill, WriteOffLine

_COLLECTION = "(select c.bill_no from offline_collection c where c.bill_id = {table}.collection_id)"
_COLLECTED = "select bill_no, status from offline_collection where bill_id = %s"


class CustomerReceiptWriteOff(WriteOffLine):
    __tablename__ = "customer_receipt_write_off"
    bill_table = "customer_receipt"


class CustomerReceipt(SettlingBill):
    """收款单"""

    __tablename__ = "customer_receipt"
    party = "customer"
    declaration = declare_bill(
        "收款单",
        "v2/custom/CustomerReceipt",
        routes={
            "list": "/custom/receiptmanage",
            "add": "/custom/receiptmanage_add",
            "see": "/custom/receiptmanage_search",
        },
        menu=Menu("客户管理", "收款业务", 20),
        override_rights=(WAIVE,),
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
        settles=True,
    )

    derived = (derived_field("collection_no", "线下收款单号", "text", _COLLECTION, width=190, bill=True),)

    customer_id: Mapped[int] = customer_field(for_settlement=True)
    collection_id: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("offline_collection.bill_id"), index=True, sort_order=-49
    )
    """The offline collection whose audit created this receipt."""

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        """Forbid the reversal of a receipt while its offline collection is in force."""
        super().check_transition(ctx, doc, action)
        if action == "auditorPass" or not doc.header.collection_id:
            return
        collected = ctx.conn.exec_driver_sql(_COLLECTED, (doc.header.collection_id,)).one()
        if collected.status in POSTED:
            raise Refusal(f"该收款单由线下收款{collected.bill_no}生成，请反审核或作废线下收款")
