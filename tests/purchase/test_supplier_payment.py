"""GYFK 付款单: money leaves an account and settles payables; what is left over is a prepayment."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from api.kit.bills import source_links
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks


@pytest.fixture
def payable(desk: BillClient) -> SavedBill:
    """A payable of 100."""
    line = {"goods_id": desk.world.oil, "quantity": "10", "price": "10"}
    return desk.add_audited("purchase_inbound", line)


class TestPostings:
    def test_money_write_off_and_prepayment(
        self, desk: BillClient, books: PostingReader, payable: SavedBill
    ) -> None:
        world, item = desk.world, books.item(payable)
        bill = desk.add_audited("supplier_payment", {"settlement_id": item, "amount": "60.50"}, amount="100")
        assert books.money(bill) == [(world.mode, "-100.00")]
        assert books.settlements(payable)[0][3:5] == ("100.00", "39.50")
        assert books.settlements(bill) == [
            ("supplier", world.supplier, "advance", "-39.50", "-39.50", "2026-03-05")
        ]

    def test_unaudit_opens_the_payable_again(
        self, desk: BillClient, books: PostingReader, conn: Connection, payable: SavedBill
    ) -> None:
        item = books.item(payable)
        bill = desk.add_audited("supplier_payment", {"settlement_id": item, "amount": "100"}, amount="100")
        assert books.settlements(payable)[0][4] == "0.00"
        assert desk.apply_action("antiAuditor", bill).ok
        assert books.settlements(payable)[0][4] == "100.00"
        assert find_broken_checks(conn) == {}


class TestOpenItems:
    def test_they_are_offered_oldest_due_first(
        self, desk: BillClient, books: PostingReader, payable: SavedBill
    ) -> None:
        world = desk.world
        answer = desk.caller.get(
            "v2/purchase/Payment/getOpenItems", company_id=world.company_a, supplier_id=world.supplier
        )
        assert answer.ok
        assert books.item(payable) in [row["settlement_id"] for row in answer.data["data"]]
        dues = [row["due_date"] for row in answer.data["data"]]
        assert dues == sorted(dues)

    def test_of_many_the_oldest_are_offered_and_it_is_told(
        self, desk: BillClient, payable: SavedBill, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        desk.add_audited("purchase_inbound", {"goods_id": desk.world.oil, "quantity": "1", "price": "5"})
        asked = {"company_id": desk.world.company_a, "supplier_id": desk.world.supplier}
        every = desk.caller.get("v2/purchase/Payment/getOpenItems", **asked).data
        assert every["more"] is False
        monkeypatch.setattr(source_links, "MOST_OPEN", len(every["data"]) - 1)
        found = desk.caller.get("v2/purchase/Payment/getOpenItems", **asked).data
        assert (found["more"], found["data"]) == (True, every["data"][:-1])

    def test_another_companys_are_not(self, desk: BillClient) -> None:
        answer = BillClient(desk.site, "clerk_a").caller.get(
            "v2/purchase/Payment/getOpenItems",
            company_id=desk.world.company_b,
            supplier_id=desk.world.supplier,
        )
        assert (answer.code, answer.msg) == (400, "公司不存在或无权访问")
