"""Prepayment offset (预付冲应付), YFCD: what was paid a supplier in advance settles what is owed to him."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.document import BillType, Block, declare
from api.kit.resource import Menu
from api.master.partners import supplier
from api.master.settlements import OffsettingBill, WriteOffLine


class PrepaidOffsetWriteOff(WriteOffLine):
    __tablename__ = "prepaid_offset_write_off"
    bill_table = "prepaid_offset"


class PrepaidOffset(OffsettingBill):
    """预付冲应付"""

    __tablename__ = "prepaid_offset"
    declaration = declare(
        "预付冲应付",
        "v2/purchase/Prepaid",
        also_called={"getInfo": "get"},
        routes={
            "list": "/purchase/prepaidhandle",
            "add": "/purchase/prepaidhandleAdd",
            "see": "/purchase/prepaidhandleSearch",
        },
        menu=Menu("采购管理", "付款业务", 50),
    )
    bill = BillType(
        "YFCD",
        (
            Block(
                "write_offs",
                "冲抵明细",
                PrepaidOffsetWriteOff,
                source="v2/purchase/Prepaid/getOpenItems",
                source_by=("company_id", "supplier_id"),
            ),
        ),
        settles=True,
    )

    supplier_id: Mapped[int] = supplier(settles=True)
