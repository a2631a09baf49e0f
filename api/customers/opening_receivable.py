"""Opening receivables (期初应收), QCYS: what customers owed when the books were opened, due on their own days."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import BillType, Block, DetailPlace, Document, Rows, Values, declare
from api.kit.fields import ref
from api.kit.posting import Postings
from api.kit.resource import Menu
from api.kit.validation import Problems
from api.master.opening import OpeningBill, OpeningLine, inspect_opening, opening


class OpeningReceivableLine(OpeningLine):
    __tablename__ = "opening_receivable_line"
    bill_table = "opening_receivable"

    customer_id: Mapped[int] = ref(
        "customer", "客户", required=True, within=("company_id",), index=True, width=220, sort=-80
    )


class OpeningReceivable(OpeningBill):
    """期初应收"""

    __tablename__ = "opening_receivable"
    declaration = declare(
        "期初应收",
        "v2/custom/OpeningReceivable",
        routes={
            "list": "/system/customerinitialization",
            "add": "/system/customerinitialization/add",
            "see": "/system/customerinitialization/see",
        },
        menu=Menu("系统管理", "期初设置", 10),
    )
    bill = BillType(
        "QCYS",
        (Block("lines", "期初明细", OpeningReceivableLine),),
        detail=DetailPlace(
            "期初应收明细", "/system/customerinitializationDetail", Menu("系统管理", "期初设置", 15)
        ),
        settles=True,
    )

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        inspect_opening(header, children, problems)

    @classmethod
    def advancers(cls, doc: Document) -> set[int]:
        return {line.customer_id for line in doc.lines if line.amount < 0}

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return opening(doc, "customer")
