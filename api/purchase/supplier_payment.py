"""Supplier payment (付款单), GYFK: money leaves an account and settles payables; what is left over is a prepayment."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.document import BillType, Block, declare
from api.kit.resource import Menu
from api.master.partners import supplier
from api.master.settlements import WAIVE, SettlingBill, WriteOffLine


class SupplierPaymentWriteOff(WriteOffLine):
    __tablename__ = "supplier_payment_write_off"
    bill_table = "supplier_payment"


class SupplierPayment(SettlingBill):
    """付款单"""

    __tablename__ = "supplier_payment"
    party = "supplier"
    declaration = declare(
        "付款单",
        "v2/purchase/Payment",
        also_called={"getInfo": "get"},
        routes={
            "list": "/purchase/paymanage",
            "add": "/purchase/paymangeAdd",
            "see": "/purchase/paymanageSearch",
        },
        menu=Menu("采购管理", "付款业务", 40),
        allowances=(WAIVE,),
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

    supplier_id: Mapped[int] = supplier(settles=True)
