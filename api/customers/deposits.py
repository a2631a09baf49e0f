"""Deposits (预收冲应收), YSCK: a customer's advances settle what he owes."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.document import BillType, Block, declare
from api.kit.resource import Menu
from api.master.partners import customer
from api.master.settlements import OffsettingBill, WriteOffLine


class DepositWriteOff(WriteOffLine):
    __tablename__ = "deposit_write_off"
    bill_table = "deposit"


class Deposit(OffsettingBill):
    """预收冲应收"""

    __tablename__ = "deposit"
    declaration = declare(
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
                DepositWriteOff,
                source="v2/custom/Deposits/getOpenItems",
                source_by=("company_id", "customer_id"),
            ),
        ),
        settles=True,
    )

    customer_id: Mapped[int] = customer(settles=True)
