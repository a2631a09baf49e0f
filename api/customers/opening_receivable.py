"""Opening receivables (期初应收), QCYS: receivables at the start of the books, each with its due date."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.document import (
    BillType,
    Block,
    DetailPlacement,
    Document,
    Rows,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import reference_field
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems
from api.master.settlements.opening_balances import (
    OpeningBill,
    OpeningLine,
    build_opening_postings,
    validate_opening,
)


class OpeningReceivableLine(OpeningLine):
    __tablename__ = "opening_receivable_line"
    bill_table = "opening_receivable"

    customer_id: Mapped[int] = reference_field(
        "customer", "客户", required=True, within=("company_id",), index=True, width=220, sort=-80
    )


class OpeningReceivable(OpeningBill):
    """期初应收"""

    __tablename__ = "opening_receivable"
    declaration = declare_bill(
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
        detail=DetailPlacement(
            "期初应收明细", "/system/customerinitializationDetail", Menu("系统管理", "期初设置", 15)
        ),
        settles=True,
    )

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        validate_opening(header, children, problems)

    @classmethod
    def list_advance_customers(cls, doc: Document) -> set[int]:
        return {line.customer_id for line in doc.lines if line.amount < 0}

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return build_opening_postings(doc, "customer")
