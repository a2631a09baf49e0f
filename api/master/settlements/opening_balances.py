"""Opening balances (期初往来): lines of receivables and payables from before the ledgers begin."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.document import BillLine, Document, Rows, Values
from api.kit.declaration.fields import date_field, money_field, text_field
from api.kit.declaration.posting import PartyType, Postings, SettlementOpen
from api.kit.storage.validation import Problems
from api.master.settlements.prepayment import AdvanceConsumingBill


class OpeningLine(BillLine):
    """One partner's balance of one old bill, with the day that it falls due; what was paid in advance is negative."""

    __abstract__ = True

    source_no: Mapped[str | None] = text_field("原单据号", max_length=60, width=160, sort=10)
    due_date: Mapped[date] = date_field("到期日", required=True, width=120, sort=11)
    amount: Mapped[Decimal] = money_field("期初余额", required=True, total=True, width=130, sort=12)
    remark: Mapped[str | None] = text_field("备注", free=True, max_length=200, width=160, sort=70)


class OpeningBill(AdvanceConsumingBill):
    """A bill of opening balances."""

    __abstract__ = True

    total_amount: Mapped[Decimal] = money_field("期初余额合计", form=False, total=True, width=140, sort=-65)


def validate_opening(header: Values, children: Rows, problems: Problems) -> None:
    """Add a problem for each line without an amount, and set the header's sum."""
    for row in children["lines"]:
        if not row["amount"]:
            problems.place = f"第{row['line_no']}行"
            problems.add("期初余额不能为零")
    problems.place = ""
    header["total_amount"] = sum((row["amount"] for row in children["lines"]), Decimal(0))


def build_opening_postings(doc: Document, party: PartyType) -> Postings:
    """Build the postings of opening balances: one item a line."""
    return Postings(
        settlements=tuple(
            SettlementOpen(party, getattr(line, f"{party}_id"), line.amount, line.due_date, kind="opening")
            for line in doc.lines
        )
    )
