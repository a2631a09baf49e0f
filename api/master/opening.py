"""Opening balances (期初往来): lines of what partners owed, or were owed, when the books were opened."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.document import Child, Document, Rows, Values
from api.kit.fields import day, money, text
from api.kit.posting import PartyType, Postings, SettlementOpen
from api.kit.validation import Problems
from api.master.prepayment import TakesAdvances


class OpeningLine(Child):
    """One partner's balance of one old bill, with the day that it falls due; what was paid in advance is negative."""

    __abstract__ = True

    source_no: Mapped[str | None] = text("原单据号", max_length=60, width=160, sort=10)
    due_date: Mapped[date] = day("到期日", required=True, width=120, sort=11)
    amount: Mapped[Decimal] = money("期初余额", required=True, total=True, width=130, sort=12)
    remark: Mapped[str | None] = text("备注", free=True, max_length=200, width=160, sort=70)


class OpeningBill(TakesAdvances):
    """A bill of opening balances."""

    __abstract__ = True

    total_amount: Mapped[Decimal] = money("期初余额合计", form=False, total=True, width=140, sort=-65)


def inspect_opening(header: Values, children: Rows, problems: Problems) -> None:
    """No line without an amount; the header carries their sum."""
    for row in children["lines"]:
        if not row["amount"]:
            problems.place = f"第{row['line_no']}行"
            problems.add("期初余额不能为零")
    problems.place = ""
    header["total_amount"] = sum((row["amount"] for row in children["lines"]), Decimal(0))


def opening(doc: Document, party: PartyType) -> Postings:
    """Each line opens an item of its own."""
    return Postings(
        settlements=tuple(
            SettlementOpen(party, getattr(line, f"{party}_id"), line.amount, line.due_date, kind="opening")
            for line in doc.lines
        )
    )
