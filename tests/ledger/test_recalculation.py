"""Cost recalculation: what a backdated bill changes, by figures that were worked out by hand."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest

from api.kit.declaration.posting import CostAdjustment, Landing
from api.ledger import Policy, close_period
from api.ledger.recalculation import ReplayResult, recalculate_costs
from api.ledger.refusals import PeriodClosed
from tests.support.ledger_builders import (
    COMPANY,
    DAY,
    NEGATIVE,
    TUBE,
    TYRE,
    WAREHOUSE,
    LedgerBench,
    build_move,
)

FIRST = date(2026, 1, 1)
SOON, LATER, LATE = (DAY + timedelta(days=days) for days in (1, 2, 5))
EARLY = DAY - timedelta(days=7)


def recalculate_all(books: LedgerBench, first: date = FIRST, goods: int = TYRE) -> ReplayResult:
    found = recalculate_costs(books.conn, COMPANY, first, [goods])
    again = recalculate_costs(books.conn, COMPANY, first, [goods])
    assert again.differences == 0, "a second run finds nothing"
    assert books.list_broken_checks() == []
    return found


def read_bill_value(books: LedgerBench, bill_no: str) -> str:
    return str(books.value(f"select sum(amount) from stock_ledger where bill_no = '{bill_no}'"))


class TestReplay:
    def test_what_was_posted_in_order_stays(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(3, amount="100"))
        books.post("XSCK1", build_move(-2), day=SOON)
        books.post("XSTH1", build_move(1, origin=("XSCK", 1)), day=SOON)
        books.post("XSTH2", build_move(1, line=5), day=SOON)
        books.post("CGRK2", build_move(7, amount="200"), day=LATER)
        books.post("XSCK2", build_move(-3), build_move(-7, line=2), day=LATE)
        assert recalculate_all(books).differences == 0

    def test_a_backdated_purchase_changes_later_issues(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount="1000"))
        books.post("XSCK1", build_move(-4), day=LATER)
        books.post("CGRK2", build_move(10, amount="1200"), day=SOON)
        books.post("XSCK2", build_move(-4, line=3), day=LATE)
        assert (read_bill_value(books, "XSCK1"), read_bill_value(books, "XSCK2")) == ("-400.00", "-450.00")
        found = recalculate_all(books)
        # 2200 / 20 = 110 a piece for both.
        assert (read_bill_value(books, "XSCK1"), read_bill_value(books, "XSCK2")) == ("-440.00", "-440.00")
        assert (found.differences, found.cents) == (2, 5000)
        assert books.average() == ("12", "1320.00")

    def test_the_difference_carries_the_issues_own_bill_line_and_date(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount="1000"))
        books.post("XSCK1", build_move(-4, line=77), day=LATER)
        books.post("CGRK2", build_move(10, amount="1200"), day=SOON)
        recalculate_all(books)
        [row] = books.rows(
            "select bill_type, bill_id, line_id, business_date, quantity, amount from stock_ledger where corrects is not null"
        )
        assert row == ("XSCK", 1, 77, LATER, 0, Decimal("-40.00"))

    def test_an_un_audit_takes_the_differences_along(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount="1000"))
        books.post("XSCK1", build_move(-4), day=LATER)
        books.post("CGRK2", build_move(10, amount="1200"), day=SOON)
        recalculate_all(books)
        books.reverse("XSCK1")
        assert read_bill_value(books, "XSCK1") == "0.00"
        assert books.average() == ("20", "2200.00")
        assert recalculate_all(books).differences == 0

    def test_a_reversed_purchase_is_skipped(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount="1000"))
        books.post("CGRK2", build_move(10, amount="1200"))
        books.post("XSCK1", build_move(-4), day=SOON)
        books.reverse("CGRK2")
        assert read_bill_value(books, "XSCK1") == "-440.00"
        recalculate_all(books)
        assert read_bill_value(books, "XSCK1") == "-400.00"
        assert books.average() == ("6", "600.00")

    def test_the_last_unit_takes_the_last_cent(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(2, amount="10"))
        books.post("XSCK1", build_move(-1), day=LATER)
        books.post("CGRK2", build_move(1, amount="0.01"), day=SOON)
        books.post("XSCK2", build_move(-2, line=3), day=LATE)
        recalculate_all(books)
        # 10.01 over three: 3.34, then the whole rest.
        assert (read_bill_value(books, "XSCK1"), read_bill_value(books, "XSCK2")) == ("-3.34", "-6.67")
        assert books.average() == ("0", "0.00")

    def test_only_the_asked_goods_and_days(self, books: LedgerBench) -> None:
        for goods in (TYRE, TUBE):
            books.post(f"CGRK{goods}", build_move(10, goods, amount="1000"))
            books.post(f"XSCK{goods}", build_move(-4, goods, line=goods), day=LATER)
            books.post(f"CGRK{goods}9", build_move(10, goods, amount="1200"), day=SOON)
        assert recalculate_all(books, date(2026, 2, 1)).differences == 0
        recalculate_all(books)
        assert (read_bill_value(books, f"XSCK{TYRE}"), read_bill_value(books, f"XSCK{TUBE}")) == (
            "-440.00",
            "-400.00",
        )

    def test_months_before_are_where_it_starts(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount="1000"), day=date(2025, 12, 20))
        books.post("XSCK1", build_move(-5), day=date(2025, 12, 30))
        books.post("XSCK2", build_move(-1, line=2), day=LATER)
        books.post("CGRK2", build_move(5, amount="600"), day=EARLY)
        recalculate_all(books)
        assert read_bill_value(books, "XSCK2") == "-110.00"


class TestOtherMoves:
    def test_a_linked_return_follows_its_issue(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount="1000"))
        books.post("XSCK1", build_move(-4, line=11), day=LATER)
        books.post("XSTH1", build_move(1, line=21, origin=("XSCK", 11)), day=LATE)
        books.post("XSTH2", build_move(2, line=22, origin=("XSCK", 11)), day=LATE)
        books.post("CGRK2", build_move(10, amount="1200"), day=SOON)
        recalculate_all(books)
        assert (read_bill_value(books, "XSTH1"), read_bill_value(books, "XSTH2")) == ("110.00", "220.00")
        books.post("XSTH3", build_move(1, line=23, origin=("XSCK", 11)), day=LATE)
        assert read_bill_value(books, "XSTH3") == "110.00"

    def test_a_return_of_a_month_before_comes_back_at_what_left_then(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(3, amount="100"), day=date(2025, 12, 1))
        books.post("XSCK1", build_move(-3, line=11), day=date(2025, 12, 2))
        books.post("CGRK2", build_move(1, amount="50"), day=LATER)
        books.post("XSTH1", build_move(1, line=21, origin=("XSCK", 11)), day=LATE)
        books.post("CGRK3", build_move(1, amount="10"), day=SOON)
        recalculate_all(books)
        assert read_bill_value(books, "XSTH1") == "33.33"

    def test_goods_that_come_back_unlinked_take_the_average_of_their_day(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount="1000"))
        books.post("XSTH1", build_move(2, line=21), day=LATER)
        books.post("CGRK2", build_move(10, amount="1200"), day=SOON)
        recalculate_all(books)
        assert read_bill_value(books, "XSTH1") == "220.00"

    def test_what_landed_elsewhere_keeps_its_freight(self, books: LedgerBench) -> None:
        policy = Policy(own_cost_warehouses=frozenset({20}))
        books.post("CGRK1", build_move(10, amount="1000"))
        lands = Landing(warehouse_id=20, extra_amount=Decimal("8"))
        books.post("DBCK1", build_move(-4, line=3, lands=lands), day=LATER, policy=policy)
        books.post("XSCK1", build_move(-1, line=4, warehouse_id=20), day=LATE, policy=policy)
        books.post("CGRK2", build_move(10, amount="1200"), day=SOON)
        assert read_bill_value(books, "XSCK1") == "-102.00"
        recalculate_all(books)
        # 4 pieces leave at 110 and arrive with 8 of freight: 448 / 4.
        assert read_bill_value(books, "XSCK1") == "-112.00"
        assert books.rows("select pool_id, quantity, amount from cost_balance order by 1") == [
            (0, 16, Decimal("1760.00")),
            (20, 3, Decimal("336.00")),
        ]

    def test_a_warehouse_of_its_own_average_is_not_touched_by_others(self, books: LedgerBench) -> None:
        policy = Policy(own_cost_warehouses=frozenset({20}))
        books.post("QTRK1", build_move(2, warehouse_id=20, amount="10"), policy=policy)
        books.post("XSCK1", build_move(-1, line=4, warehouse_id=20), day=LATER, policy=policy)
        books.post("CGRK2", build_move(10, amount="1200"), day=SOON)
        books.post("QTRK2", build_move(2, warehouse_id=20, amount="30"), day=SOON, policy=policy)
        recalculate_all(books)
        assert read_bill_value(books, "XSCK1") == "-10.00"

    def test_another_companys_receipt_takes_what_left_once_it_is_recalculated(
        self, books: LedgerBench
    ) -> None:
        books.post("CGRK1", build_move(10, amount="1000"))
        lands = Landing(warehouse_id=50, company_id=2)
        books.post("XSDB1", build_move(-3, line=3, lands=lands), day=LATER)
        books.post("CGRK2", build_move(10, amount="1300"), day=SOON)
        recalculate_all(books)
        inbound = "select sum(amount) from stock_ledger where company_id = 2"
        assert books.value(inbound) == Decimal("300.00")
        assert recalculate_costs(books.conn, 2, FIRST, [TYRE]).differences == 1
        assert recalculate_costs(books.conn, 2, FIRST, [TYRE]).differences == 0
        assert books.value(inbound) == Decimal("345.00")
        assert books.list_broken_checks() == []

    def test_an_adjustment_stays_while_there_is_stock(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount="1000"))
        adjustment = CostAdjustment(line_id=9, warehouse_id=WAREHOUSE, goods_id=TYRE, amount=Decimal("-100"))
        books.post("CBTZ1", adjustments=(adjustment,), day=SOON)
        books.post("XSCK1", build_move(-5), day=LATE)
        books.post("XSCK2", build_move(-1, line=2), day=EARLY, policy=NEGATIVE)
        books.post("CGRK2", build_move(2, amount="300"), day=EARLY)
        recalculate_all(books)
        # -1 at the cost it was posted at until 2 for 300 came: 150 stays; then 1150 for 11, 1050 after the adjustment.
        assert read_bill_value(books, "CBTZ1") == "-100.00"
        assert books.average()[0] == "6"


class TestSoldShort:
    def test_what_was_sold_before_it_came_takes_its_cost_then(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount="1000"))
        books.post("XSCK1", build_move(-4), day=EARLY, policy=NEGATIVE)
        recalculate_all(books)
        assert books.average() == ("6", "600.00")
        assert read_bill_value(books, "XSCK1") == "-400.00"

    def test_with_other_receipts_after(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(4, amount="400"))
        books.post("CGRK2", build_move(4, amount="800"), day=SOON)
        books.post("XSCK1", build_move(-4), day=EARLY, policy=NEGATIVE)
        # Sold short at the 150 of its posting; the first four that come cost 400 and settle it.
        recalculate_all(books)
        assert books.average() == ("4", "800.00")

    def test_posted_short_in_order_stays(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(2, amount="50"))
        books.post("XSCK1", build_move(-5), day=SOON, policy=NEGATIVE)
        books.post("CGRK2", build_move(10, amount="300"), day=LATER, policy=NEGATIVE)
        books.post("XSCK2", build_move(-9, line=2), day=LATE, policy=NEGATIVE)
        books.post("CGRK3", build_move(1, amount="31"), day=LATE, policy=NEGATIVE)
        assert recalculate_all(books).differences == 0


class TestPeriods:
    def test_a_closed_month_is_refused_and_kept(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount="1000"))
        books.post("XSCK1", build_move(-4), day=LATER)
        books.post("CGRK2", build_move(10, amount="1200"), day=SOON)
        close_period(books.conn, COMPANY, "2026-01")
        with pytest.raises(PeriodClosed), books.conn.begin_nested():
            recalculate_costs(books.conn, COMPANY, FIRST, [TYRE])
        assert read_bill_value(books, "XSCK1") == "-400.00"

    def test_so_is_a_later_one_that_would_change(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount="1000"))
        books.post("XSCK1", build_move(-4), day=date(2026, 2, 3))
        books.post("CGRK2", build_move(10, amount="1200"), day=SOON)
        close_period(books.conn, COMPANY, "2026-02")
        with pytest.raises(PeriodClosed), books.conn.begin_nested():
            recalculate_costs(books.conn, COMPANY, FIRST, [TYRE])

    def test_it_goes_on_from_the_closed_one(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount="1000"), day=date(2025, 12, 1))
        books.post("XSCK1", build_move(-4), day=date(2025, 12, 20))
        close_period(books.conn, COMPANY, "2025-12")
        books.post("XSCK2", build_move(-1, line=2), day=LATER)
        books.post("CGRK2", build_move(6, amount="1200"), day=SOON)
        recalculate_all(books)
        assert (read_bill_value(books, "XSCK1"), read_bill_value(books, "XSCK2")) == ("-400.00", "-150.00")
