"""Fund transfer (资金调拨), ZJDB: money goes from one account to another, less the bank's fee."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.document import Bill, BillType, Document, Rows, Values, declare_bill
from api.kit.declaration.fields import money_field, reference_field, text_field
from api.kit.declaration.posting import MoneyEntry, Postings
from api.kit.declaration.resource import Menu
from api.kit.storage.validation import Problems


class FundTransfer(Bill):
    """资金调拨"""

    __tablename__ = "fund_transfer"
    declaration = declare_bill(
        "资金调拨",
        "v2/money/FundTransfer",
        routes={
            "list": "/MoneyManagement/fundTransfer",
            "add": "/MoneyManagement/fundTransfer/add",
            "see": "/MoneyManagement/fundTransfer/see",
        },
        menu=Menu("资金管理", "资金业务", 10),
    )
    bill = BillType("ZJDB")

    from_mode_id: Mapped[int] = reference_field(
        "receivables_mode", "转出账户", target="receivables_mode_id", required=True, search=True, sort=-60
    )
    to_mode_id: Mapped[int] = reference_field(
        "receivables_mode", "转入账户", target="receivables_mode_id", required=True, search=True, sort=-59
    )
    amount: Mapped[Decimal] = money_field(
        "转出金额", required=True, rule="positive", total=True, width=130, sort=-50
    )
    fee: Mapped[Decimal] = money_field("手续费", rule="Positive", total=True, sort=-49)
    voucher_no: Mapped[str | None] = text_field("银行流水号", max_length=60, search=True, sort=-48)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        if header["from_mode_id"] == header["to_mode_id"]:
            problems.add("转出账户和转入账户不能相同")
        if header["fee"] >= header["amount"]:
            problems.add("手续费须小于转出金额")

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        return Postings(
            money=(
                MoneyEntry(header.from_mode_id, -header.amount),
                MoneyEntry(header.to_mode_id, header.amount - header.fee),
            )
        )
