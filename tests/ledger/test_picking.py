"""Picking without a batch: oldest first, over several balances, and nothing promised twice."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from api.kit.declaration.posting import StockMove
from api.ledger import read_stock, read_stock_places
from api.ledger.refusals import Shortage
from tests.support.ledger_builders import DAY, NEGATIVE, TYRE, WAREHOUSE, LedgerBench, build_move

LATER = DAY + timedelta(days=6)


def dot_monday(week: int) -> date:
    return date.fromisocalendar(2025, week, 1)


def receive_goods(books: LedgerBench, number: int, quantity: int, days: int = 0, **more: Any) -> None:
    books.post(
        f"CGRK{number}", build_move(quantity, amount=quantity * 10, **more), day=DAY + timedelta(days=days)
    )


def read_picked_rows(books: LedgerBench, bill_no: str) -> list[tuple[int, int, int, int]]:
    """Read (line, location, batch, quantity) of a bill's rows."""
    return [
        (line, allocation, batch, int(quantity))
        for line, allocation, batch, quantity in books.rows(
            "select line_id, allocation_id, batch_id, quantity from stock_ledger"
            f" where bill_no = '{bill_no}' and reverses is null order by ledger_id"
        )
    ]


class TestOrder:
    def test_oldest_production_first(self, books: LedgerBench) -> None:
        receive_goods(books, 1, 4, batch_id=1, production_date=dot_monday(30))
        receive_goods(books, 2, 4, batch_id=2, production_date=dot_monday(10))
        books.post("XSCK1", build_move(-6))
        assert sorted(read_picked_rows(books, "XSCK1")) == [(1, 0, 1, -2), (1, 0, 2, -4)]

    def test_without_production_date_the_first_receipt_decides(self, books: LedgerBench) -> None:
        receive_goods(books, 1, 4, days=3, allocation_id=1)
        receive_goods(books, 2, 4, days=0, allocation_id=2)
        books.post("XSCK1", build_move(-5), day=LATER)
        assert sorted(read_picked_rows(books, "XSCK1")) == [(1, 1, 0, -1), (1, 2, 0, -4)]

    def test_a_place_filled_again_counts_from_then(self, books: LedgerBench) -> None:
        receive_goods(books, 1, 4, days=0, allocation_id=1)
        receive_goods(books, 2, 4, days=3, allocation_id=2)
        books.post("XSCK1", build_move(-4, allocation_id=1, batch_id=0), day=LATER)
        receive_goods(books, 3, 4, days=6, allocation_id=1)
        books.post("XSCK2", build_move(-1), day=LATER)
        assert read_picked_rows(books, "XSCK2") == [(1, 2, 0, -1)]

    def test_places_are_listed_in_picking_order(self, books: LedgerBench) -> None:
        receive_goods(books, 1, 4, batch_id=1, production_date=dot_monday(30))
        receive_goods(books, 2, 4, batch_id=2, production_date=dot_monday(10))
        assert [place.batch_id for place in read_stock_places(books.conn, [TYRE], [WAREHOUSE])] == [2, 1]
        assert [stock.available_stocks for stock in read_stock(books.conn, [TYRE])] == [Decimal(8)]
        assert read_stock(books.conn, [TYRE], [WAREHOUSE + 1]) == []


class TestSharing:
    @pytest.fixture(autouse=True)
    def stocked(self, books: LedgerBench) -> None:
        for number, (place, batch) in enumerate([(1, 1), (1, 2), (2, 1), (2, 2)], 1):
            receive_goods(
                books, number, 5, allocation_id=place, batch_id=batch, production_date=dot_monday(batch * 10)
            )

    def test_lines_of_one_goods_queue_up(self, books: LedgerBench) -> None:
        books.post("XSCK1", build_move(-7, line=1), build_move(-8, line=2))
        assert sorted(read_picked_rows(books, "XSCK1")) == [
            (1, 1, 1, -5),
            (1, 2, 1, -2),
            (2, 1, 2, -5),
            (2, 2, 1, -3),
        ]

    def test_a_named_location_or_batch_is_kept_to(self, books: LedgerBench) -> None:
        books.post("XSCK1", build_move(-7, line=1, allocation_id=2), build_move(-6, line=2, batch_id=2))
        assert sorted(read_picked_rows(books, "XSCK1")) == [
            (1, 2, 1, -5),
            (1, 2, 2, -2),
            (2, 1, 2, -5),
            (2, 2, 2, -1),
        ]

    def test_the_precise_lines_are_served_first(self, books: LedgerBench) -> None:
        books.post(
            "XSCK1",
            build_move(-10, line=1),
            build_move(-5, line=2, allocation_id=1, batch_id=1),
            build_move(-5, line=3, batch_id=1),
        )
        assert sorted(read_picked_rows(books, "XSCK1")) == [
            (1, 1, 2, -5),
            (1, 2, 2, -5),
            (2, 1, 1, -5),
            (3, 2, 1, -5),
        ]
        assert books.list_broken_checks() == []

    def test_everything_can_be_taken_by_lines_of_every_kind(self, books: LedgerBench) -> None:
        kinds: tuple[dict[str, Any], ...] = (
            {},
            {"allocation_id": 1},
            {"batch_id": 1},
            {"allocation_id": 2, "batch_id": 2},
        )
        moves: list[StockMove] = [build_move(-5, line=line, **kind) for line, kind in enumerate(kinds, 1)]
        books.post("XSCK1", *moves)
        assert read_stock(books.conn, [TYRE])[0].stocks == 0
        assert books.average() == ("0", "0.00")


class TestShortage:
    @pytest.fixture(autouse=True)
    def stocked(self, books: LedgerBench) -> None:
        receive_goods(books, 1, 5, allocation_id=1, batch_id=1)

    def test_names_line_goods_and_quantity(self, books: LedgerBench) -> None:
        with pytest.raises(Shortage) as refusal:
            books.post("XSCK1", build_move(-4, line=1), build_move(-3, line=2), build_move(-1, 101, line=3))
        found = [(row["line_id"], row["goods_id"], Decimal(row["missing"])) for row in refusal.value.causes]
        assert found == [(2, TYRE, 2), (3, 101, 1)]
        assert refusal.value.goods_ids() == {TYRE, 101}
        assert (
            refusal.value.name_goods({TYRE: "米其林 205/55R16"}).msg
            == "库存不足：米其林 205/55R16缺 2；商品 101缺 1"
        )

    def test_stock_elsewhere_does_not_help(self, books: LedgerBench) -> None:
        with pytest.raises(Shortage) as refusal:
            books.post("XSCK1", build_move(-1, allocation_id=2, batch_id=1))
        assert refusal.value.causes[0]["allocation_id"] == 2

    def test_a_warehouse_may_allow_it(self, books: LedgerBench) -> None:
        books.post("XSCK1", build_move(-7, allocation_id=1), policy=NEGATIVE)
        assert read_picked_rows(books, "XSCK1") == [(1, 1, 0, -2), (1, 1, 1, -5)]
        assert books.list_broken_checks() == []

    def test_a_receipt_into_a_place_below_zero_is_no_shortage(self, books: LedgerBench) -> None:
        books.post("XSCK1", build_move(-7, allocation_id=1, batch_id=1), policy=NEGATIVE)
        receive_goods(books, 2, 1, allocation_id=1, batch_id=1)
        assert read_stock(books.conn, [TYRE])[0].stocks == -1
