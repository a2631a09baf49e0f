"""Reservations: what orders claim, who may take it, and how it is given back."""

from __future__ import annotations

from decimal import Decimal

import pytest

from api.kit.declaration.posting import Reservation
from api.ledger import Policy, read_stock
from api.ledger.refusals import ReservationUsed, Shortage, StockUsed
from tests.support.ledger_builders import TYRE, WAREHOUSE, LedgerBench, build_move, read_balances


@pytest.fixture(autouse=True)
def stocked(books: LedgerBench) -> None:
    books.post("CGRK1", build_move(10, amount=1000))


def read_stock_figures(books: LedgerBench) -> tuple[int, int, int]:
    """Return stock on hand, reserved and available."""
    [stock] = read_stock(books.conn, [TYRE], [WAREHOUSE])
    return int(stock.stocks), int(stock.reserved), int(stock.available_stocks)


class TestClaim:
    def test_takes_from_what_is_available(self, books: LedgerBench) -> None:
        books.reserve("XSDD1", 11, 4)
        assert read_stock_figures(books) == (10, 4, 6)

    def test_is_cut_to_what_is_available(self, books: LedgerBench) -> None:
        books.reserve("XSDD1", 11, 8)
        books.reserve("XSDD2", 21, 8)
        books.reserve("XSDD3", 31, 8)
        assert read_stock_figures(books) == (10, 10, 0)
        assert books.rows("select order_line_id, quantity from reservation_ledger") == [
            (11, 8),
            (21, 2),
            (31, 0),
        ]

    def test_beyond_stock_when_the_policy_says_so(self, books: LedgerBench) -> None:
        books.reserve("XSDD1", 11, 15, Policy(reserve_beyond_stock=True))
        assert read_stock_figures(books) == (10, 15, -5)
        assert books.list_broken_checks() == []


class TestOutbound:
    def test_uses_up_its_own_reservation(self, books: LedgerBench) -> None:
        books.reserve("XSDD1", 11, 4)
        books.post("XSCK1", build_move(-3, order_line_id=11))
        assert read_stock_figures(books) == (7, 1, 6)
        books.post("XSCK2", build_move(-3, order_line_id=11))
        assert read_stock_figures(books) == (4, 0, 4)

    def test_may_not_take_what_others_reserved(self, books: LedgerBench) -> None:
        books.reserve("XSDD1", 11, 8)
        books.reserve("XSDD2", 21, 1)
        with pytest.raises(Shortage) as refusal:
            books.post("XSCK1", build_move(-2, line=1, order_line_id=21), build_move(-2, line=2))
        [row] = refusal.value.causes
        assert (row["line_id"], Decimal(row["missing"]), row["reserved"]) == (2, 2, True)
        assert "占用" in refusal.value.msg

    def test_fills_an_order_beyond_stock(self, books: LedgerBench) -> None:
        books.reserve("XSDD1", 11, 15, Policy(reserve_beyond_stock=True))
        books.post("XSCK1", build_move(-10, order_line_id=11))
        assert read_stock_figures(books) == (0, 5, -5)

    def test_may_not_take_frozen_goods(self, books: LedgerBench) -> None:
        books.conn.exec_driver_sql("update stock_total set frozen = 9")
        with pytest.raises(Shortage):
            books.post("XSCK1", build_move(-2))

    def test_its_reversal_claims_again(self, books: LedgerBench) -> None:
        books.reserve("XSDD1", 11, 4)
        before = read_balances(books.conn)
        books.post("XSCK1", build_move(-3, order_line_id=11))
        books.reverse("XSCK1")
        assert read_balances(books.conn) == before


class TestGivingBack:
    def test_close_releases_the_rest(self, books: LedgerBench) -> None:
        books.reserve("XSDD1", 11, 6)
        books.post("XSCK1", build_move(-2, order_line_id=11))
        books.reserve("XSDD1", 11, -6)
        assert read_stock_figures(books) == (8, 0, 8)

    def test_un_audit_and_audit_again(self, books: LedgerBench) -> None:
        books.reserve("XSDD1", 11, 6)
        books.reverse("XSDD1")
        assert read_stock_figures(books) == (10, 0, 10)
        books.reserve("XSDD1", 11, 3)
        assert read_stock_figures(books) == (10, 3, 7)
        books.reverse("XSDD1")
        assert read_stock_figures(books) == (10, 0, 10)

    def test_un_audit_is_refused_once_used(self, books: LedgerBench) -> None:
        books.reserve("XSDD1", 11, 6)
        books.post("XSCK1", build_move(-2, order_line_id=11))
        with pytest.raises(ReservationUsed) as refusal:
            books.reverse("XSDD1")
        assert [bill["bill_no"] for bill in refusal.value.causes["bills"]] == ["XSCK1"]

    def test_an_inbound_whose_goods_are_claimed_stays(self, books: LedgerBench) -> None:
        books.reserve("XSDD1", 11, 6)
        with pytest.raises(StockUsed) as refusal:
            books.reverse("CGRK1")
        assert [bill["bill_no"] for bill in refusal.value.causes["bills"]] == ["XSDD1"]
        assert refusal.value.causes["lines"][0]["reserved"]

    def test_a_line_of_other_goods_gives_nothing_back(self, books: LedgerBench) -> None:
        books.reserve("XSDD1", 11, 6)
        books.post("CGRK2", build_move(5, 101, amount=5))
        books.post("XSCK1", build_move(-2, 101, order_line_id=11))
        assert read_stock_figures(books) == (10, 6, 4)
        assert books.list_broken_checks() == []


def test_claims_of_one_bill_share_what_is_available(books: LedgerBench) -> None:
    claims = tuple(Reservation(line, WAREHOUSE, TYRE, Decimal(6)) for line in (11, 12))
    books.post("XSDD1", reservations=claims)
    assert books.rows("select order_line_id, quantity from reservation_ledger") == [(11, 6), (12, 4)]
