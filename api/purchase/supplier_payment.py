"""Supplier payment (付款单), GYFK: money leaves an account and settles payables; the remainder is a prepayment."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillType, Block, declare_bill
from api.kit.declaration.resource import Menu
from api.master.partners.partners import supplier_field
from api.master.settlements.settlements import WAIVE, SettlingBill, WriteOffLine


class SupplierPaymentWriteOff(WriteOffLine):
    __tablename__ = "supplier_payment_write_off"
    bill_table = "supplier_payment"


class SupplierPayment(SettlingBill):
    """付款单"""

    __tablename__ = "supplier_payment"
    party = "supplier"
    declaration = declare_bill(
        "付款单",
        "v2/purchase/Payment",
        also_called={"getInfo": "get"},
        routes={
            "list": "/purchase/paymanage",
            "add": "/purchase/paymangeAdd",
            "see": "/purchase/paymanageSearch",
        },
        menu=Menu("采购管理", "付款业务", 40),
        override_rights=(WAIVE,),
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
        settles=True,
    )

    supplier_id: Mapped[int] = supplier_field(for_settlement=True)
