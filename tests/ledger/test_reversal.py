"""Un-audit: exact negation, refusals that name their causes, and a refused action that changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from sqlalchemy import Engine

from api.kit.storage.database import Base
from api.ledger import close_period, open_period
from api.ledger.refusals import CostUsed, LedgerRefusal, PeriodClosed, PeriodClosing, ReturnedLater, StockUsed
from tests.support.ledger_builders import COMPANY, NEGATIVE, LedgerBench, build_move, read_balances


class TestExact:
    def test_each_bill_in_turn_restores_what_was(self, books: LedgerBench) -> None:
        steps: list[tuple[str, Callable[[], None]]] = [
            ("CGRK1", lambda: books.post("CGRK1", build_move(3, amount=100, batch_id=1))),
            (
                "CGRK2",
                lambda: books.post(
                    "CGRK2", build_move(7, amount="33.34", batch_id=2), build_move(2, 101, line=2, amount=9)
                ),
            ),
            ("XSCK1", lambda: books.post("XSCK1", build_move(-4, line=11), build_move(-1, 101, line=12))),
            ("XSTH1", lambda: books.post("XSTH1", build_move(1, line=21, origin=("XSCK", 11)))),
            ("XSCK2", lambda: books.post("XSCK2", build_move(-7, line=31))),
            ("XSCK3", lambda: books.post("XSCK3", build_move(-2, line=41), policy=NEGATIVE)),
        ]
        states = []
        for _, step in steps:
            states.append(read_balances(books.conn))
            step()
        for bill_no, _ in reversed(steps):
            books.reverse(bill_no, NEGATIVE)
            assert read_balances(books.conn) == states.pop()
            assert books.list_broken_checks() == []

    def test_rows_are_negated_not_calculated_again(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(3, amount=100))
        books.post("XSCK1", build_move(-1))
        books.post("CGRK2", build_move(8, amount=900))
        books.reverse("XSCK1")
        assert books.amounts("XSCK1") == ["-33.33", "33.33"]
        assert books.average() == ("11", "1000.00")

    def test_twice_does_nothing_more(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(3, amount=100))
        books.reverse("CGRK1")
        books.reverse("CGRK1")
        assert books.value("select count(*) from stock_ledger") == 2

    def test_after_another_audit_only_that_one(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(3, amount=100))
        books.reverse("CGRK1")
        books.post("CGRK1", build_move(4, amount=100))
        books.reverse("CGRK1")
        assert books.average() == ("0", "0.00")
        assert books.list_broken_checks() == []

    def test_forgets_the_last_unit_cost_it_brought(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(1, amount=10))
        books.post("CGRK2", build_move(1, amount=30))
        books.reverse("CGRK2")
        assert books.value("select last_unit_cost from cost_balance") == 10


class TestRefusal:
    def test_used_stock_names_the_bills_that_used_it(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(3, amount=30, batch_id=1))
        books.post("CGRK2", build_move(3, amount=30, batch_id=2))
        books.post("XSCK1", build_move(-2, allocation_id=0, batch_id=1))
        books.post("XSCK2", build_move(-2, allocation_id=0, batch_id=2))
        with pytest.raises(StockUsed) as refusal:
            books.reverse("CGRK1")
        assert [bill["bill_no"] for bill in refusal.value.causes["bills"]] == ["XSCK1"]
        assert "XSCK1" in refusal.value.msg

    def test_spent_value_is_not_taken_back(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(5, amount=500, batch_id=1))
        books.post("CGRK2", build_move(5, amount=0, batch_id=2))
        books.post("XSCK1", build_move(-5, allocation_id=0, batch_id=2))
        with pytest.raises(CostUsed) as refusal:
            books.reverse("CGRK1")
        assert refusal.value.causes == [{"goods_id": 100, "quantity": "0.000", "amount": "-250.00"}]

    def test_a_returned_delivery_stays(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(5, amount=500))
        books.post("XSCK1", build_move(-5, line=11))
        books.post("XSTH1", build_move(1, line=21, origin=("XSCK", 11)))
        with pytest.raises(ReturnedLater) as refusal, books.conn.begin_nested():
            books.reverse("XSCK1")
        assert [bill["bill_no"] for bill in refusal.value.causes["bills"]] == ["XSTH1"]
        books.reverse("XSTH1")
        books.reverse("XSCK1")
        assert books.average() == ("5", "500.00")


class TestPeriod:
    def test_a_closed_period_takes_no_posting_and_no_reversal(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(5, amount=500))
        close_period(books.conn, COMPANY, "2026-01")
        with pytest.raises(PeriodClosed) as refusal, books.conn.begin_nested():
            books.post("CGRK2", build_move(5, amount=500))
        assert "2026-01" in refusal.value.msg
        with pytest.raises(PeriodClosed), books.conn.begin_nested():
            books.reverse("CGRK1")
        books.post("CGRK3", build_move(5, amount=500), day=date(2026, 2, 1))
        open_period(books.conn, COMPANY, "2026-01")
        books.reverse("CGRK1")

    def test_while_it_is_being_closed_postings_are_refused(self, engine: Engine, books: LedgerBench) -> None:
        with engine.connect() as closing, closing.begin() as transaction:
            close_period(closing, COMPANY, "2026-01")
            with pytest.raises(PeriodClosing):
                books.post("CGRK1", build_move(5, amount=500))
            transaction.rollback()

    def test_a_close_waits_for_postings_in_flight(self, engine: Engine, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(5, amount=500))
        with engine.connect() as closing, closing.begin():
            closing.exec_driver_sql("set local lock_timeout = '100ms'")
            with pytest.raises(Exception, match="lock timeout"):
                close_period(closing, COMPANY, "2026-01")


def read_all_rows(engine: Engine) -> dict[str, list[tuple[Any, ...]]]:
    """Read every row of every table."""
    with engine.connect() as conn:
        return {
            name: [
                tuple(row)
                for row in conn.exec_driver_sql(f"select ctid::text, t::text from {name} t order by 1")
            ]
            for name in Base.metadata.tables
        }


def test_a_refused_action_leaves_every_table_as_it_was(engine: Engine) -> None:
    def attempt(action: Callable[[LedgerBench], None]) -> None:
        with engine.connect() as conn, conn.begin():
            action(LedgerBench(conn))

    attempt(lambda books: books.post("CGRK1", build_move(5, amount=500, batch_id=1)))
    attempt(lambda books: books.post("XSCK1", build_move(-2, line=11)))
    attempt(lambda books: books.reserve("XSDD1", 5, 2))
    attempt(lambda books: books.post("XSTH1", build_move(1, line=21, origin=("XSCK", 11), batch_id=1)))
    before = read_all_rows(engine)
    refused: list[Callable[[LedgerBench], None]] = [
        lambda books: books.post("XSCK2", build_move(-1, 101), build_move(-9)),
        lambda books: books.post("XSTH2", build_move(2, line=31, origin=("XSCK", 11))),
        lambda books: books.reverse("CGRK1"),
        lambda books: books.reverse("XSCK1"),
    ]
    for action in refused:
        with pytest.raises(LedgerRefusal):
            attempt(action)
        assert read_all_rows(engine) == before
