"""Scenario of a month: bills one after another by short names, as a branch would enter them."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from typing import Any

from tests.support.bill_client import BillClient, PostingReader, SavedBill


class MonthScenario:
    """The bills of one month by name; lines name the bill that they execute."""

    def __init__(self, desk: BillClient, books: PostingReader, month: str, **usual: Any) -> None:
        self.desk, self.books, self.month, self.usual = desk, books, month, usual
        self.bills: dict[str, SavedBill] = {}

    def line(
        self, goods: int, quantity: str, price: str = "0", of: str | None = None, by: str = "", at: int = 0
    ) -> dict[str, Any]:
        """Goods at a price with 13 % tax in it; `of` names the source bill, `by` the column, `at` its line."""
        found: dict[str, Any] = {"goods_id": goods, "quantity": quantity, "price": price, "tax_rate": "13"}
        return found | ({by: self.desk.line_ids(self.bills[of])[at]} if of else {})

    def write_off(self, bill: str, amount: str, at: int = 0) -> dict[str, Any]:
        """So much written off of what a bill opened; `at` where it opened more than one item."""
        [*items] = self.books.rows(
            "select settlement_id from settlement_item where bill_no = %s order by settlement_id",
            self.bills[bill].no,
        )
        return {"settlement_id": items[at][0], "amount": amount}

    def draft(self, resource: str, day: int, *rows: dict[str, Any], **header: Any) -> SavedBill:
        names = self.desk.build_header(resource)
        known = {name: key for name, key in self.usual.items() if name in names}
        given = {"business_date": f"{self.month}-{day:02}", **known, **header}
        return self.desk.draft(resource, *rows, **given)

    def post(self, name: str, resource: str, day: int, *rows: dict[str, Any], **header: Any) -> SavedBill:
        made = self.bills[name] = self.draft(resource, day, *rows, **header)
        answer = self.desk.apply_action("auditorPass", made)
        assert answer.ok, (name, answer)
        return made

    def open_amounts(self, *names: str) -> dict[str, list[str]]:
        """Return the open amounts of the items that bills opened."""
        return {name: [row[4] for row in self.books.settlements(self.bills[name])] for name in names}

    def statement(self, customer_id: int) -> dict[str, Any]:
        """The month's account statement for a customer, audited on the second day after it."""
        year, month = map(int, self.month.split("-"))
        first = date(year, month, 1)
        last = first.replace(day=monthrange(year, month)[1])
        days = {"starts_on": first, "ends_on": last, "business_date": last + timedelta(days=2)}
        given = {name: day.isoformat() for name, day in days.items()}
        return self.desk.read_bill(
            self.desk.add_audited("account_statement", customer_id=customer_id, **given)
        )
