"""GYFK 付款单: money leaves an account and settles payables; what is left over is a prepayment."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from api.kit import links
from tests.kit.desk import Books, Desk, Made
from tests.kit.state import broken


@pytest.fixture
def owed(desk: Desk) -> Made:
    """A payable of 100."""
    line = {"goods_id": desk.world.oil, "quantity": "10", "price": "10"}
    return desk.audited("purchase_inbound", line)


class TestPostings:
    def test_money_write_off_and_prepayment(self, desk: Desk, books: Books, owed: Made) -> None:
        world, item = desk.world, books.item(owed)
        bill = desk.audited("supplier_payment", {"settlement_id": item, "amount": "60.50"}, amount="100")
        assert books.money(bill) == [(world.mode, "-100.00")]
        assert books.settlements(owed)[0][3:5] == ("100.00", "39.50")
        assert books.settlements(bill) == [
            ("supplier", world.supplier, "advance", "-39.50", "-39.50", "2026-03-05")
        ]

    def test_unaudit_opens_the_payable_again(
        self, desk: Desk, books: Books, conn: Connection, owed: Made
    ) -> None:
        item = books.item(owed)
        bill = desk.audited("supplier_payment", {"settlement_id": item, "amount": "100"}, amount="100")
        assert books.settlements(owed)[0][4] == "0.00"
        assert desk.act("antiAuditor", bill).ok
        assert books.settlements(owed)[0][4] == "100.00"
        assert broken(conn) == {}


class TestOpenItems:
    def test_they_are_offered_oldest_due_first(self, desk: Desk, books: Books, owed: Made) -> None:
        world = desk.world
        answer = desk.caller.get(
            "v2/purchase/Payment/getOpenItems", company_id=world.company_a, supplier_id=world.supplier
        )
        assert answer.ok
        assert books.item(owed) in [row["settlement_id"] for row in answer.data["data"]]
        dues = [row["due_date"] for row in answer.data["data"]]
        assert dues == sorted(dues)

    def test_of_many_the_oldest_are_offered_and_it_is_told(
        self, desk: Desk, owed: Made, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        desk.audited("purchase_inbound", {"goods_id": desk.world.oil, "quantity": "1", "price": "5"})
        asked = {"company_id": desk.world.company_a, "supplier_id": desk.world.supplier}
        every = desk.caller.get("v2/purchase/Payment/getOpenItems", **asked).data
        assert every["more"] is False
        monkeypatch.setattr(links, "MOST_OPEN", len(every["data"]) - 1)
        found = desk.caller.get("v2/purchase/Payment/getOpenItems", **asked).data
        assert (found["more"], found["data"]) == (True, every["data"][:-1])

    def test_another_companys_are_not(self, desk: Desk) -> None:
        answer = Desk(desk.site, "clerk_a").caller.get(
            "v2/purchase/Payment/getOpenItems",
            company_id=desk.world.company_b,
            supplier_id=desk.world.supplier,
        )
        assert (answer.code, answer.msg) == (400, "公司不存在或无权访问")
