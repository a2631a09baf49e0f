"""Advance offset (预收冲应收), YSCK: a customer's advances settle his receivables."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillType, Block, declare_bill
from api.kit.declaration.resource import Menu
from api.master.partners.partners import customer_field
from api.master.settlements.settlements import OffsettingBill, WriteOffLine


class AdvanceOffsetWriteOff(WriteOffLine):
    __tablename__ = "deposit_write_off"
    bill_table = "deposit"


class AdvanceOffset(OffsettingBill):
    """预收冲应收"""

    __tablename__ = "deposit"
    declaration = declare_bill(
        "预收冲应收",
        "v2/custom/Deposits",
        routes={"list": "/custom/deposits", "add": "/custom/depositsAdd", "see": "/custom/depositsSearch"},
        menu=Menu("客户管理", "收款业务", 30),
    )
    bill = BillType(
        "YSCK",
        (
            Block(
                "write_offs",
                "冲抵明细",
                AdvanceOffsetWriteOff,
                source="v2/custom/Deposits/getOpenItems",
                source_by=("company_id", "customer_id"),
            ),
        ),
        settles=True,
    )

    customer_id: Mapped[int] = customer_field(for_settlement=True)
