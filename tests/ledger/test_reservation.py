"""Reservations: what orders claim, who may take it, and how it is given back."""

from __future__ import annotations

from decimal import Decimal

import pytest

from api.kit.posting import Reservation
from api.ledger import Policy, stock_of
from api.ledger.refusals import ReservationUsed, Shortage, StockUsed
from tests.ledger.words import TYRE, WAREHOUSE, Bench, balances, move


@pytest.fixture(autouse=True)
def stocked(books: Bench) -> None:
    books.post("CGRK1", move(10, amount=1000))


def left(books: Bench) -> tuple[int, int, int]:
    """On hand, reserved, available."""
    [stock] = stock_of(books.conn, [TYRE], [WAREHOUSE])
    return int(stock.stocks), int(stock.reserved), int(stock.available_stocks)


class TestClaim:
    def test_takes_from_what_is_available(self, books: Bench) -> None:
        books.reserve("XSDD1", 11, 4)
        assert left(books) == (10, 4, 6)

    def test_is_cut_to_what_is_available(self, books: Bench) -> None:
        books.reserve("XSDD1", 11, 8)
        books.reserve("XSDD2", 21, 8)
        books.reserve("XSDD3", 31, 8)
        assert left(books) == (10, 10, 0)
        assert books.rows("select order_line_id, quantity from reservation_ledger") == [
            (11, 8),
            (21, 2),
            (31, 0),
        ]

    def test_beyond_stock_when_the_policy_says_so(self, books: Bench) -> None:
        books.reserve("XSDD1", 11, 15, Policy(reserve_beyond_stock=True))
        assert left(books) == (10, 15, -5)
        assert books.broken() == []


class TestOutbound:
    def test_uses_up_its_own_reservation(self, books: Bench) -> None:
        books.reserve("XSDD1", 11, 4)
        books.post("XSCK1", move(-3, order_line_id=11))
        assert left(books) == (7, 1, 6)
        books.post("XSCK2", move(-3, order_line_id=11))
        assert left(books) == (4, 0, 4)

    def test_may_not_take_what_others_reserved(self, books: Bench) -> None:
        books.reserve("XSDD1", 11, 8)
        books.reserve("XSDD2", 21, 1)
        with pytest.raises(Shortage) as refusal:
            books.post("XSCK1", move(-2, line=1, order_line_id=21), move(-2, line=2))
        [row] = refusal.value.causes
        assert (row["line_id"], Decimal(row["missing"]), row["reserved"]) == (2, 2, True)
        assert "占用" in refusal.value.msg

    def test_fills_an_order_beyond_stock(self, books: Bench) -> None:
        books.reserve("XSDD1", 11, 15, Policy(reserve_beyond_stock=True))
        books.post("XSCK1", move(-10, order_line_id=11))
        assert left(books) == (0, 5, -5)

    def test_may_not_take_frozen_goods(self, books: Bench) -> None:
        books.conn.exec_driver_sql("update stock_total set frozen = 9")
        with pytest.raises(Shortage):
            books.post("XSCK1", move(-2))

    def test_its_reversal_claims_again(self, books: Bench) -> None:
        books.reserve("XSDD1", 11, 4)
        before = balances(books.conn)
        books.post("XSCK1", move(-3, order_line_id=11))
        books.reverse("XSCK1")
        assert balances(books.conn) == before


class TestGivingBack:
    def test_close_releases_the_rest(self, books: Bench) -> None:
        books.reserve("XSDD1", 11, 6)
        books.post("XSCK1", move(-2, order_line_id=11))
        books.reserve("XSDD1", 11, -6)
        assert left(books) == (8, 0, 8)

    def test_un_audit_and_audit_again(self, books: Bench) -> None:
        books.reserve("XSDD1", 11, 6)
        books.reverse("XSDD1")
        assert left(books) == (10, 0, 10)
        books.reserve("XSDD1", 11, 3)
        assert left(books) == (10, 3, 7)
        books.reverse("XSDD1")
        assert left(books) == (10, 0, 10)

    def test_un_audit_is_refused_once_used(self, books: Bench) -> None:
        books.reserve("XSDD1", 11, 6)
        books.post("XSCK1", move(-2, order_line_id=11))
        with pytest.raises(ReservationUsed) as refusal:
            books.reverse("XSDD1")
        assert [bill["bill_no"] for bill in refusal.value.causes["bills"]] == ["XSCK1"]

    def test_an_inbound_whose_goods_are_claimed_stays(self, books: Bench) -> None:
        books.reserve("XSDD1", 11, 6)
        with pytest.raises(StockUsed) as refusal:
            books.reverse("CGRK1")
        assert [bill["bill_no"] for bill in refusal.value.causes["bills"]] == ["XSDD1"]
        assert refusal.value.causes["lines"][0]["reserved"]

    def test_a_line_of_other_goods_gives_nothing_back(self, books: Bench) -> None:
        books.reserve("XSDD1", 11, 6)
        books.post("CGRK2", move(5, 101, amount=5))
        books.post("XSCK1", move(-2, 101, order_line_id=11))
        assert left(books) == (10, 6, 4)
        assert books.broken() == []


def test_claims_of_one_bill_share_what_is_available(books: Bench) -> None:
    claims = tuple(Reservation(line, WAREHOUSE, TYRE, Decimal(6)) for line in (11, 12))
    books.post("XSDD1", reservations=claims)
    assert books.rows("select order_line_id, quantity from reservation_ledger") == [(11, 6), (12, 4)]
