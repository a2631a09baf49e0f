"""Picking without a batch: oldest first, over several balances, and nothing promised twice."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from api.kit.posting import StockMove
from api.ledger import places_of, stock_of
from api.ledger.refusals import Shortage
from tests.ledger.words import DAY, NEGATIVE, TYRE, WAREHOUSE, Bench, move

LATER = DAY + timedelta(days=6)


def dot(week: int) -> date:
    return date.fromisocalendar(2025, week, 1)


def receive(books: Bench, number: int, quantity: int, days: int = 0, **more: Any) -> None:
    books.post(f"CGRK{number}", move(quantity, amount=quantity * 10, **more), day=DAY + timedelta(days=days))


def picked(books: Bench, bill_no: str) -> list[tuple[int, int, int, int]]:
    """(line, location, batch, quantity) of a bill's rows."""
    return [
        (line, allocation, batch, int(quantity))
        for line, allocation, batch, quantity in books.rows(
            "select line_id, allocation_id, batch_id, quantity from stock_ledger"
            f" where bill_no = '{bill_no}' and reverses is null order by ledger_id"
        )
    ]


class TestOrder:
    def test_oldest_production_first(self, books: Bench) -> None:
        receive(books, 1, 4, batch_id=1, production_date=dot(30))
        receive(books, 2, 4, batch_id=2, production_date=dot(10))
        books.post("XSCK1", move(-6))
        assert sorted(picked(books, "XSCK1")) == [(1, 0, 1, -2), (1, 0, 2, -4)]

    def test_without_production_date_the_first_receipt_decides(self, books: Bench) -> None:
        receive(books, 1, 4, days=3, allocation_id=1)
        receive(books, 2, 4, days=0, allocation_id=2)
        books.post("XSCK1", move(-5), day=LATER)
        assert sorted(picked(books, "XSCK1")) == [(1, 1, 0, -1), (1, 2, 0, -4)]

    def test_a_place_filled_again_counts_from_then(self, books: Bench) -> None:
        receive(books, 1, 4, days=0, allocation_id=1)
        receive(books, 2, 4, days=3, allocation_id=2)
        books.post("XSCK1", move(-4, allocation_id=1, batch_id=0), day=LATER)
        receive(books, 3, 4, days=6, allocation_id=1)
        books.post("XSCK2", move(-1), day=LATER)
        assert picked(books, "XSCK2") == [(1, 2, 0, -1)]

    def test_places_are_listed_in_picking_order(self, books: Bench) -> None:
        receive(books, 1, 4, batch_id=1, production_date=dot(30))
        receive(books, 2, 4, batch_id=2, production_date=dot(10))
        assert [place.batch_id for place in places_of(books.conn, [TYRE], [WAREHOUSE])] == [2, 1]
        assert [stock.available_stocks for stock in stock_of(books.conn, [TYRE])] == [Decimal(8)]
        assert stock_of(books.conn, [TYRE], [WAREHOUSE + 1]) == []


class TestSharing:
    @pytest.fixture(autouse=True)
    def stocked(self, books: Bench) -> None:
        for number, (place, batch) in enumerate([(1, 1), (1, 2), (2, 1), (2, 2)], 1):
            receive(books, number, 5, allocation_id=place, batch_id=batch, production_date=dot(batch * 10))

    def test_lines_of_one_goods_queue_up(self, books: Bench) -> None:
        books.post("XSCK1", move(-7, line=1), move(-8, line=2))
        assert sorted(picked(books, "XSCK1")) == [(1, 1, 1, -5), (1, 2, 1, -2), (2, 1, 2, -5), (2, 2, 1, -3)]

    def test_a_named_location_or_batch_is_kept_to(self, books: Bench) -> None:
        books.post("XSCK1", move(-7, line=1, allocation_id=2), move(-6, line=2, batch_id=2))
        assert sorted(picked(books, "XSCK1")) == [(1, 2, 1, -5), (1, 2, 2, -2), (2, 1, 2, -5), (2, 2, 2, -1)]

    def test_the_precise_lines_are_served_first(self, books: Bench) -> None:
        books.post(
            "XSCK1",
            move(-10, line=1),
            move(-5, line=2, allocation_id=1, batch_id=1),
            move(-5, line=3, batch_id=1),
        )
        assert sorted(picked(books, "XSCK1")) == [(1, 1, 2, -5), (1, 2, 2, -5), (2, 1, 1, -5), (3, 2, 1, -5)]
        assert books.broken() == []

    def test_everything_can_be_taken_by_lines_of_every_kind(self, books: Bench) -> None:
        kinds: tuple[dict[str, Any], ...] = (
            {},
            {"allocation_id": 1},
            {"batch_id": 1},
            {"allocation_id": 2, "batch_id": 2},
        )
        moves: list[StockMove] = [move(-5, line=line, **kind) for line, kind in enumerate(kinds, 1)]
        books.post("XSCK1", *moves)
        assert stock_of(books.conn, [TYRE])[0].stocks == 0
        assert books.average() == ("0", "0.00")


class TestShortage:
    @pytest.fixture(autouse=True)
    def stocked(self, books: Bench) -> None:
        receive(books, 1, 5, allocation_id=1, batch_id=1)

    def test_names_line_goods_and_quantity(self, books: Bench) -> None:
        with pytest.raises(Shortage) as refusal:
            books.post("XSCK1", move(-4, line=1), move(-3, line=2), move(-1, 101, line=3))
        found = [(row["line_id"], row["goods_id"], Decimal(row["missing"])) for row in refusal.value.causes]
        assert found == [(2, TYRE, 2), (3, 101, 1)]
        assert refusal.value.goods_ids() == {TYRE, 101}
        assert (
            refusal.value.name({TYRE: "米其林 205/55R16"}).msg
            == "库存不足：米其林 205/55R16缺 2；商品 101缺 1"
        )

    def test_stock_elsewhere_does_not_help(self, books: Bench) -> None:
        with pytest.raises(Shortage) as refusal:
            books.post("XSCK1", move(-1, allocation_id=2, batch_id=1))
        assert refusal.value.causes[0]["allocation_id"] == 2

    def test_a_warehouse_may_allow_it(self, books: Bench) -> None:
        books.post("XSCK1", move(-7, allocation_id=1), policy=NEGATIVE)
        assert picked(books, "XSCK1") == [(1, 1, 0, -2), (1, 1, 1, -5)]
        assert books.broken() == []

    def test_a_receipt_into_a_place_below_zero_is_no_shortage(self, books: Bench) -> None:
        books.post("XSCK1", move(-7, allocation_id=1, batch_id=1), policy=NEGATIVE)
        receive(books, 2, 1, allocation_id=1, batch_id=1)
        assert stock_of(books.conn, [TYRE])[0].stocks == -1
