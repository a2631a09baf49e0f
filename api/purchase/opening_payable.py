"""Opening payables (期初应付), QCYF: payables at the start of the books, each with its due date."""

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


class OpeningPayableLine(OpeningLine):
    __tablename__ = "opening_payable_line"
    bill_table = "opening_payable"

    supplier_id: Mapped[int] = reference_field(
        "supplier", "供应商", required=True, index=True, width=220, sort=-80
    )


class OpeningPayable(OpeningBill):
    """期初应付"""

    __tablename__ = "opening_payable"
    declaration = declare_bill(
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
        detail=DetailPlacement(
            "期初应付明细", "/system/supplierinitializationDetail", Menu("系统管理", "期初设置", 25)
        ),
        settles=True,
    )

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        validate_opening(header, children, problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return build_opening_postings(doc, "supplier")
