"""Opening payables (期初应付), QCYF: what suppliers were owed when the books were opened, due on their own days."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Rows, Values, declare
from api.kit.fields import ref
from api.kit.posting import Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master.opening import OpeningBill, OpeningLine, inspect_opening, opening


class OpeningPayableLine(OpeningLine):
    __tablename__ = "opening_payable_line"
    bill_table = "opening_payable"

    supplier_id: Mapped[int] = ref("supplier", "供应商", required=True, index=True, width=220, sort=-80)


class OpeningPayable(OpeningBill):
    """期初应付"""

    __tablename__ = "opening_payable"
    declaration = declare(
        "期初应付",
        "v2/purchase/OpeningPayable",
        routes={
            "list": "/system/supplierinitialization",
            "add": "/system/supplierinitialization/add",
            "see": "/system/supplierinitialization/see",
        },
        menu=Menu("系统管理", "期初设置", 20),
    )
    bill = BillType(
        "QCYF",
        (Block("lines", "期初明细", OpeningPayableLine),),
        detail=DetailPlace(
            "期初应付明细", "/system/supplierinitializationDetail", Menu("系统管理", "期初设置", 25)
        ),
        settles=True,
    )

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        inspect_opening(header, children, problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return opening(doc, "supplier")
