"""Prepaid offset (预付冲应付), YFCD: prepayments to a supplier settle his payables."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillType, Block, declare_bill
from api.kit.declaration.resource import Menu
from api.master.partners.partners import supplier_field
from api.master.settlements.settlements import OffsettingBill, WriteOffLine


class PrepaidOffsetWriteOff(WriteOffLine):
    __tablename__ = "prepaid_offset_write_off"
    bill_table = "prepaid_offset"


class PrepaidOffset(OffsettingBill):
    """预付冲应付"""

    __tablename__ = "prepaid_offset"
    declaration = declare_bill(
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

    supplier_id: Mapped[int] = supplier_field(for_settlement=True)
