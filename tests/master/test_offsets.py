"""Offsets: advances settle what is owed, of customers and of suppliers, and the queries that show it."""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import fingerprint_tables

_names = itertools.count(1)


@dataclass(frozen=True)
class OffsetSide:
    """One kind of partner: the bills that owe, pay and offset, and the queries."""

    party: str
    owing: str
    paying: str
    offset: str
    accounts: str
    items: str
    write_offs: str


SIDES = (
    OffsetSide(
        "customer",
        "sales_outbound",
        "customer_receipt",
        "deposit",
        "v2/custom/CustomerDeposits",
        "v2/custom/CustomerDepositsDetail",
        "v2/custom/CustomerReceiptDetail",
    ),
    OffsetSide(
        "supplier",
        "purchase_inbound",
        "supplier_payment",
        "prepaid_offset",
        "v2/purchase/FactoryPrepaid",
        "v2/purchase/FactoryPrepaidDetail",
        "v2/purchase/PaymentDetail",
    ),
)


@pytest.fixture(params=SIDES, ids=lambda side: side.party)
def side(request: pytest.FixtureRequest) -> OffsetSide:
    found: OffsetSide = request.param
    return found


@dataclass(frozen=True)
class AdvanceOffsetPartner:
    """A new partner who owes or is owed 500 by one bill, and advanced 300 by another."""

    side: OffsetSide
    desk: BillClient
    id: int
    owed: SavedBill
    advanced: SavedBill

    @property
    def partner_key(self) -> dict[str, int]:
        return {f"{self.side.party}_id": self.id}

    def add_offset(self, owed: str, advanced: str, books: PostingReader) -> Answer:
        rows = (
            {"settlement_id": books.item(self.owed), "amount": owed},
            {"settlement_id": books.item(self.advanced), "amount": advanced},
        )
        return self.desk.add(self.side.offset, *rows, **self.partner_key)

    def audit_offset(self, amount: str, books: PostingReader) -> SavedBill:
        answer = self.add_offset(amount, f"-{amount}", books)
        assert answer.ok, answer
        return SavedBill(self.side.offset, answer.data["id"], answer.data["bill_no"])


@pytest.fixture
def partner(side: OffsetSide, desk: BillClient) -> AdvanceOffsetPartner:
    key = desk.partner(side.party, f"冲抵往来{next(_names)}", payment_days=0)
    desk.stock_in(desk.world.spares[31], 5)
    named = {f"{side.party}_id": key}
    owed = desk.add_audited(
        side.owing, {"goods_id": desk.world.spares[31], "quantity": "5", "price": "100"}, **named
    )
    advanced = desk.add_audited(side.paying, amount="300", **named)
    return AdvanceOffsetPartner(side, desk, key, owed, advanced)


def list_open_amounts(books: PostingReader, *bills: SavedBill) -> list[str]:
    return [row[4] for bill in bills for row in books.settlements(bill)]


class TestOffset:
    def test_its_audit_settles_both_and_moves_no_money(
        self, partner: AdvanceOffsetPartner, books: PostingReader
    ) -> None:
        bill = partner.audit_offset("300", books)
        assert list_open_amounts(books, partner.owed, partner.advanced) == ["500.00", "-300.00"]
        assert partner.desk.apply_action("auditorPass", bill).ok
        assert partner.desk.read_bill(bill)["amount"] == "300.00"
        assert list_open_amounts(books, partner.owed, partner.advanced) == ["200.00", "0.00"]
        assert books.money(bill) == []

    def test_un_audit_opens_both_again(self, partner: AdvanceOffsetPartner, books: PostingReader) -> None:
        bill = partner.audit_offset("120.50", books)
        assert partner.desk.apply_action("auditorPass", bill).ok
        assert partner.desk.apply_action("antiAuditor", bill).ok
        assert list_open_amounts(books, partner.owed, partner.advanced) == ["500.00", "-300.00"]

    def test_the_two_sides_are_equal(
        self, partner: AdvanceOffsetPartner, books: PostingReader, conn: Connection
    ) -> None:
        before = fingerprint_tables(conn)
        conn.rollback()
        answer = partner.add_offset("200", "-199.99", books)
        told = "冲抵的两边须相等：应收应付 200.00 元，预收预付 199.99 元"
        assert (answer.code, answer.msg) == (400, told)
        assert fingerprint_tables(conn) == before

    def test_no_more_than_is_open(self, partner: AdvanceOffsetPartner, books: PostingReader) -> None:
        answer = partner.add_offset("300.01", "-300.01", books)
        assert (answer.code, answer.msg) == (400, "第2行：核销金额超过未核销金额 -300.00 元")

    def test_an_advance_that_settled_is_not_taken_back(
        self, partner: AdvanceOffsetPartner, books: PostingReader
    ) -> None:
        assert partner.desk.apply_action("auditorPass", partner.audit_offset("300", books)).ok
        answer = partner.desk.apply_action("antiAuditor", partner.advanced)
        assert answer.code == 400
        assert partner.advanced.no in answer.msg or "核销" in answer.msg

    def test_two_at_once_use_an_advance_once(
        self, partner: AdvanceOffsetPartner, books: PostingReader
    ) -> None:
        bills = [partner.audit_offset("300", books) for _ in range(2)]
        answers: list[Answer] = []
        start = threading.Barrier(2)

        def audit(bill: SavedBill) -> None:
            desk = BillClient(partner.desk.site)
            start.wait()
            answers.append(desk.apply_action("auditorPass", bill))

        threads = [threading.Thread(target=audit, args=(bill,)) for bill in bills]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer.code for answer in answers) == [200, 400]
        assert list_open_amounts(books, partner.owed, partner.advanced) == ["200.00", "0.00"]


class TestQueries:
    def test_an_account_shows_what_is_left_and_leads_to_the_advances(
        self, partner: AdvanceOffsetPartner, books: PostingReader
    ) -> None:
        side, caller = partner.side, partner.desk.caller
        partner.desk.add_audited(side.paying, amount="50", **partner.partner_key)
        gone = partner.desk.add_audited(side.paying, amount="7", **partner.partner_key)
        assert partner.desk.apply_action("antiAuditor", gone).ok
        assert partner.desk.apply_action("auditorPass", partner.audit_offset("100", books)).ok

        [account] = caller.get(f"{side.accounts}/getList", **partner.partner_key).data["data"]
        items = caller.get(f"{side.items}/getList", **partner.partner_key).data["data"]

        figures = ("amount", "used_amount", "left_amount")
        assert [account[name] for name in figures] == ["350.00", "100.00", "250.00"]
        assert sorted([item[name] for name in figures] for item in items) == [
            ["300.00", "100.00", "200.00"],
            ["50.00", "0.00", "50.00"],
        ]
        assert {item["bill_no"] for item in items} >= {partner.advanced.no}

    def test_a_write_off_names_both_bills(self, partner: AdvanceOffsetPartner, books: PostingReader) -> None:
        bill = partner.audit_offset("100", books)
        assert partner.desk.apply_action("auditorPass", bill).ok
        rows = partner.desk.caller.get(f"{partner.side.write_offs}/getList", **partner.partner_key).data[
            "data"
        ]
        assert sorted(
            (row["bill_no"], row["item_no"], row["amount"], row["open_amount"]) for row in rows
        ) == sorted(
            [
                (bill.no, partner.owed.no, "100.00", "400.00"),
                (bill.no, partner.advanced.no, "-100.00", "-200.00"),
            ]
        )
        assert all(row["route"].endswith(f"?id={bill.id}") for row in rows)

    def test_a_write_off_that_was_taken_back_is_gone(
        self, partner: AdvanceOffsetPartner, books: PostingReader
    ) -> None:
        bill = partner.audit_offset("100", books)
        assert partner.desk.apply_action("auditorPass", bill).ok
        assert partner.desk.apply_action("antiAuditor", bill).ok
        found = partner.desk.caller.get(f"{partner.side.write_offs}/getList", **partner.partner_key).data
        assert found["total"] == 0
