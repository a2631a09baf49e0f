"""Stock in the past: a bill that is dated before others leaves every day since with what it had."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest

from api.kit.declaration.posting import Landing
from api.ledger.refusals import PastShortage, PastStockUsed, Shortage
from tests.support.ledger_builders import DAY, NEGATIVE, TUBE, TYRE, LedgerBench, build_move

OTHER = 11


def day_after(after: int) -> date:
    return DAY + timedelta(days=after)


def list_causes(refusal: PastShortage | PastStockUsed) -> list[tuple[int, str, Decimal]]:
    return [(row["goods_id"], row["day"], Decimal(row["missing"])) for row in refusal.causes["lines"]]


class TestIssue:
    def test_before_its_receipt_is_refused(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount=1000), day=day_after(1))
        with pytest.raises(PastShortage) as refusal:
            books.post("XSCK1", build_move(-5), day=day_after(0))
        assert refusal.value.msg == f"库存不足：商品 {TYRE} 在 2026-01-15 结存不足，缺 5"
        assert list_causes(refusal.value) == [(TYRE, "2026-01-15", Decimal(5))]

    def test_on_the_day_of_its_receipt_passes(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount=1000), day=day_after(1))
        books.post("XSCK1", build_move(-10), day=day_after(1))
        assert books.list_broken_checks() == []

    def test_names_the_worst_day_that_follows(self, books: LedgerBench) -> None:
        """10 of day 0 are down to 2 by day 2 and to 4 by day 3, until more comes on day 4."""
        books.post("CGRK1", build_move(10, amount=1000), day=day_after(0))
        books.post("XSCK1", build_move(-8), day=day_after(2))
        books.post("CGRK2", build_move(2, amount=200), day=day_after(3))
        books.post("CGRK3", build_move(20, amount=2000), day=day_after(4))
        books.post("XSCK2", build_move(-2), day=day_after(1))
        with pytest.raises(PastShortage) as refusal:
            books.post("XSCK3", build_move(-3), day=day_after(0))
        assert list_causes(refusal.value) == [(TYRE, "2026-01-17", Decimal(3))]

    def test_may_go_negative_where_that_is_allowed(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount=1000), day=day_after(1))
        books.post("XSCK1", build_move(-5), day=day_after(0), policy=NEGATIVE)

    def test_what_is_short_now_is_told_first(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount=1000), day=day_after(1))
        with pytest.raises(Shortage):
            books.post("XSCK1", build_move(-11), day=day_after(0))

    def test_picks_what_lay_there_before_what_came_later(self, books: LedgerBench) -> None:
        """The older tyres came in later: on their own day they are the first to go, before it they can't be."""
        old, new = date(2024, 1, 1), date(2025, 6, 2)
        books.post("CGRK1", build_move(4, amount=400, batch_id=2, production_date=new), day=day_after(0))
        books.post("CGRK2", build_move(4, amount=400, batch_id=1, production_date=old), day=day_after(5))
        books.post("XSCK1", build_move(-3), day=day_after(1))
        books.post("XSCK2", build_move(-3), day=day_after(5))
        taken = (
            "select bill_no, batch_id, quantity::int from stock_ledger where quantity < 0 order by ledger_id"
        )
        assert books.rows(taken) == [("XSCK1", 2, -3), ("XSCK2", 1, -3)]
        with pytest.raises(PastShortage) as refusal:
            books.post("XSCK3", build_move(-2), day=day_after(1))
        assert list_causes(refusal.value) == [(TYRE, "2026-01-16", Decimal(1))]

    def test_goods_that_no_later_day_knows_are_left_alone(self, books: LedgerBench) -> None:
        books.post(
            "CGRK1", build_move(10, amount=1000), build_move(10, TUBE, line=2, amount=100), day=day_after(0)
        )
        books.post("CGRK2", build_move(1, TUBE, amount=10), day=day_after(9))
        books.post("XSCK1", build_move(-10), build_move(-10, TUBE, line=2), day=day_after(0))
        assert books.list_broken_checks() == []


class TestLanding:
    def test_a_move_before_its_receipt_is_refused(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount=1000), day=day_after(1))
        with pytest.raises(PastShortage):
            books.post("DBCK1", build_move(-5, lands=Landing(warehouse_id=OTHER)), day=day_after(0))

    def test_what_landed_later_is_not_there_before(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount=1000), day=day_after(0))
        books.post("DBCK1", build_move(-5, lands=Landing(warehouse_id=OTHER)), day=day_after(2))
        with pytest.raises(PastShortage):
            books.post("XSCK1", build_move(-1, warehouse_id=OTHER), day=day_after(1))

    def test_what_lived_on_it_keeps_it_there(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount=1000), day=day_after(0))
        books.post("DBCK1", build_move(-5, lands=Landing(warehouse_id=OTHER)), day=day_after(2))
        books.post("XSCK1", build_move(-1, warehouse_id=OTHER), day=day_after(3))
        books.post("CGRK2", build_move(9, warehouse_id=OTHER, amount=900), day=day_after(5))
        with pytest.raises(PastStockUsed) as refusal:
            books.reverse("DBCK1", day=day_after(2))
        assert list_causes(refusal.value) == [(TYRE, "2026-01-18", Decimal(1))]


class TestReversal:
    def test_of_a_receipt_that_earlier_issues_lived_on_is_refused(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount=1000), day=day_after(0))
        books.post("XSCK1", build_move(-6), day=day_after(1))
        books.post("CGRK2", build_move(10, amount=1000), day=day_after(2))
        with pytest.raises(PastStockUsed) as refusal:
            books.reverse("CGRK1", day=day_after(0))
        assert list_causes(refusal.value) == [(TYRE, "2026-01-16", Decimal(6))]
        assert "缺 6（相关单据：XSCK1）" in refusal.value.msg

    def test_of_a_receipt_that_is_covered_passes(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount=1000), day=day_after(0))
        books.post("CGRK2", build_move(10, amount=1000), day=day_after(0))
        books.post("XSCK1", build_move(-6), day=day_after(1))
        books.reverse("CGRK1", day=day_after(0))
        assert books.average() == ("4", "400.00")
        assert books.list_broken_checks() == []

    def test_of_an_issue_needs_no_day(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount=1000), day=day_after(0))
        books.post("XSCK1", build_move(-6), day=day_after(1))
        books.post("XSCK2", build_move(-4), day=day_after(2))
        books.reverse("XSCK1", day=day_after(1))
        assert books.average() == ("6", "600.00")
