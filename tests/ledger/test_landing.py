"""Goods that leave one place and land at another: value, batches, first receipt dates, frozen stock, other companies."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from api.kit.declaration.posting import CostAdjustment, Landing, Postings, SettlementOpen
from api.ledger import Policy, close_period, post_bill, reverse_bill
from api.ledger.refusals import BelowZeroValue, CostUsed, PeriodClosed, Shortage, StockUsed
from tests.support.ledger_builders import DUE, TUBE, TYRE, WAREHOUSE, LedgerBench, build_move, build_ref

TRANSIT, TARGET, OTHER = 90, 20, 30
OWN = Policy(own_cost_warehouses=frozenset({OTHER}))


def build_landing(warehouse_id: int, **more: Any) -> Landing:
    return Landing(warehouse_id=warehouse_id, **more)


def read_landed_rows(books: LedgerBench, bill_no: str) -> list[tuple[Any, ...]]:
    """Read (warehouse, batch, quantity, amount, first date) of what the bill brought somewhere."""
    return books.rows(
        "select warehouse_id, batch_id, quantity::int, amount::text, first_date from stock_ledger"
        f" where bill_no = '{bill_no}' and quantity > 0 and reverses is null order by ledger_id"
    )


class TestTransfer:
    def test_value_and_batches_travel_and_the_average_stays(self, books: LedgerBench) -> None:
        books.post(
            "CGRK1", build_move(3, amount=100, batch_id=1), build_move(4, line=2, amount=75, batch_id=2)
        )
        books.post("DBCK1", build_move(-5, lands=build_landing(TARGET, allocation_id=8)))
        assert books.average() == ("7", "175.00")
        assert [(row[0], row[1], row[2]) for row in read_landed_rows(books, "DBCK1")] == [
            (TARGET, 1, 3),
            (TARGET, 2, 2),
        ]
        assert sum(Decimal(amount) for amount in books.amounts("DBCK1")) == 0
        assert books.list_broken_checks() == []

    def test_the_first_receipt_date_is_kept_layer_by_layer(self, books: LedgerBench) -> None:
        for day, quantity in ((1, 4), (5, 3), (9, 2)):
            books.post(f"CGRK{day}", build_move(quantity, amount=10), day=date(2026, 1, day))
        books.post("XSCK1", build_move(-3))
        books.post("DBCK1", build_move(-3, line=11, lands=build_landing(TARGET)), day=date(2026, 2, 1))
        assert [(row[2], row[4]) for row in read_landed_rows(books, "DBCK1")] == [
            (1, date(2026, 1, 1)),
            (2, date(2026, 1, 5)),
        ]
        books.post(
            "DBCK2",
            build_move(-2, line=21, warehouse_id=TARGET, lands=build_landing(OTHER)),
            day=date(2026, 3, 1),
        )
        assert [(row[2], row[4]) for row in read_landed_rows(books, "DBCK2")] == [
            (1, date(2026, 1, 1)),
            (1, date(2026, 1, 5)),
        ]
        assert books.value(f"select first_date from stock_balance where warehouse_id = {OTHER}") == date(
            2026, 1, 1
        )

    def test_more_than_there_is_is_refused(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(3, amount=100))
        with pytest.raises(Shortage):
            books.post("DBCK1", build_move(-4, lands=build_landing(TARGET)))

    def test_what_was_moved_on_cannot_be_taken_back(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(3, amount=100))
        books.post("DBCK1", build_move(-3, lands=build_landing(TARGET)))
        books.post("XSCK1", build_move(-1, warehouse_id=TARGET))
        with pytest.raises(StockUsed):
            books.reverse("DBCK1")

    def test_freight_adds_to_the_value_to_the_cent(self, books: LedgerBench) -> None:
        books.post(
            "CGRK1", build_move(3, amount=100, batch_id=1), build_move(4, line=2, amount=75, batch_id=2)
        )
        books.post("DBCK1", build_move(-7, lands=build_landing(TARGET, extra_amount=Decimal("10.01"))))
        assert books.average() == ("7", "185.01")
        assert books.list_broken_checks() == []
        books.reverse("DBCK1")
        assert books.average() == ("7", "175.00")


class TestInTransit:
    @pytest.fixture
    def sent(self, books: LedgerBench) -> LedgerBench:
        books.post(
            "CGRK1", build_move(6, amount=60, batch_id=1), build_move(6, line=2, amount=60, batch_id=2)
        )
        books.post("DBCK1", build_move(-4, line=11, batch_id=2, lands=build_landing(TRANSIT, frozen=True)))
        books.post("DBCK2", build_move(-5, line=21, batch_id=1, lands=build_landing(TRANSIT, frozen=True)))
        return books

    def receive_goods(
        self, books: LedgerBench, bill_no: str, line: int, quantity: int, day: date = DUE
    ) -> None:
        taken = build_move(
            -quantity,
            line=900 + line,
            warehouse_id=TRANSIT,
            origin=(f"DBCK{line // 10}"[:4], line),
            frozen=True,
            lands=build_landing(TARGET),
        )
        books.post(bill_no, taken, day=day)

    def test_it_is_available_to_nobody(self, sent: LedgerBench) -> None:
        assert sent.rows(
            f"select quantity::int, frozen::int from stock_total where warehouse_id = {TRANSIT}"
        ) == [(9, 9)]
        with pytest.raises(Shortage):
            sent.post("XSCK1", build_move(-1, warehouse_id=TRANSIT))

    def test_parts_are_received_of_the_very_pieces_sent(self, sent: LedgerBench) -> None:
        self.receive_goods(sent, "DBRK1", 11, 3)
        self.receive_goods(sent, "DBRK2", 11, 1)
        assert read_landed_rows(sent, "DBRK1") == [(TARGET, 2, 3, "30.00", date(2026, 1, 15))]
        assert read_landed_rows(sent, "DBRK2") == [(TARGET, 2, 1, "10.00", date(2026, 1, 15))]
        assert sent.list_broken_checks() == []

    def test_more_than_was_sent_is_refused_though_others_are_on_the_way(self, sent: LedgerBench) -> None:
        with pytest.raises(Shortage):
            self.receive_goods(sent, "DBRK1", 11, 5)

    def test_a_receipt_can_be_taken_back(self, sent: LedgerBench) -> None:
        self.receive_goods(sent, "DBRK1", 11, 3)
        reverse_bill(sent.conn, build_ref("DBRK1", DUE))
        self.receive_goods(sent, "DBRK2", 11, 4)
        assert sent.list_broken_checks() == []


class TestAveragesOfTheirOwn:
    """A warehouse that is valued apart: its cheap goods don't thin the company's average."""

    def test_each_pool_has_its_average(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(2, amount=200), policy=OWN)
        books.post("TBRK1", build_move(2, amount=0, warehouse_id=OTHER), policy=OWN)
        books.post("XSCK1", build_move(-1), policy=OWN)
        books.post("TBCK1", build_move(-1, warehouse_id=OTHER), policy=OWN)
        assert (books.amounts("XSCK1"), books.amounts("TBCK1")) == (["-100.00"], ["0.00"])
        assert books.list_broken_checks() == []

    def test_value_travels_between_them(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(2, amount=200), policy=OWN)
        books.post("TBRK1", build_move(1, amount=0, warehouse_id=OTHER), policy=OWN)
        books.post("DBCK1", build_move(-1, lands=build_landing(OTHER)), policy=OWN)
        assert books.rows("select pool_id, quantity::int, amount::text from cost_balance order by 1") == [
            (0, 1, "100.00"),
            (OTHER, 2, "100.00"),
        ]
        books.reverse("DBCK1", policy=OWN)
        assert books.list_broken_checks() == []


class TestBetweenCompanies:
    """One bill, postings on both sides."""

    def transfer_goods(self, books: LedgerBench) -> None:
        owed = SettlementOpen("customer", 5, Decimal(300), DUE)
        owing = SettlementOpen("supplier", 6, Decimal(300), DUE, company_id=2)
        away = build_move(-2, lands=build_landing(TARGET, company_id=2))
        post_bill(books.conn, build_ref("XSDB1"), Postings(stock=(away,), settlements=(owed, owing)))

    def test_stock_cost_and_settlements_stand_on_both_sides(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(4, amount=400))
        self.transfer_goods(books)
        assert books.rows("select company_id, quantity::int, amount::text from cost_balance order by 1") == [
            (1, 2, "200.00"),
            (2, 2, "200.00"),
        ]
        assert books.rows("select company_id, party_type, amount::text from settlement_item order by 1") == [
            (1, "customer", "300.00"),
            (2, "supplier", "300.00"),
        ]
        assert books.list_broken_checks() == []
        books.reverse("XSDB1")
        assert books.list_broken_checks() == []
        assert books.value("select sum(open_amount) from settlement_item") == 0

    def test_the_other_sides_period_counts(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(4, amount=400))
        close_period(books.conn, 2, "2026-01")
        with pytest.raises(PeriodClosed):
            self.transfer_goods(books)

    def test_the_other_side_sold_short_takes_the_cost(self, books: LedgerBench) -> None:
        short = Policy(negative_warehouses=frozenset({TARGET}))
        books.post("CGRK1", build_move(4, amount=400))
        sale = build_move(-1, line=9, warehouse_id=TARGET, fallback_unit_cost=30)
        post_bill(books.conn, build_ref("XSCK9", company_id=2), Postings(stock=(sale,)), short)
        self.transfer_goods(books)
        [(quantity, amount)] = books.rows(
            "select quantity::int, amount::text from cost_balance where company_id = 2"
        )
        assert (quantity, amount) == (1, "100.00")
        assert books.list_broken_checks() == []


class TestAdjustment:
    def post_adjustment(self, books: LedgerBench, bill_no: str, *amounts: str, goods: int = TYRE) -> None:
        items = tuple(
            CostAdjustment(at, WAREHOUSE, goods, Decimal(amount)) for at, amount in enumerate(amounts)
        )
        post_bill(books.conn, build_ref(bill_no), Postings(adjustments=items))

    def test_it_changes_the_amount_at_quantity_zero(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(4, amount=400))
        self.post_adjustment(books, "CBTZ1", "-30", "5.50")
        assert books.average() == ("4", "375.50")
        books.post("XSCK1", build_move(-4))
        assert books.amounts("XSCK1") == ["-375.50"]
        assert books.list_broken_checks() == []

    def test_without_stock_the_ledger_stays_as_it_is(self, books: LedgerBench) -> None:
        self.post_adjustment(books, "CBTZ1", "10", goods=TUBE)
        assert books.amounts("CBTZ1") == []
        assert books.list_broken_checks() == []

    def test_no_value_below_zero(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(4, amount=400))
        with pytest.raises(BelowZeroValue, match="现有金额 400.00"):
            self.post_adjustment(books, "CBTZ1", "-400.01")

    def test_it_is_not_taken_back_once_the_goods_are_gone(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(1, amount=100))
        self.post_adjustment(books, "CBTZ1", "20")
        books.post("XSCK1", build_move(-1))
        with pytest.raises(CostUsed):
            books.reverse("CBTZ1")
