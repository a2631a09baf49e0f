"""Checkpoints of stock: whatever is posted after one was made, a day reads as the ledger has it; damage is found."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal
from itertools import count
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text

from api.inventory.stock_query import StockDetail, StockSummary
from api.kit.declaration.posting import Landing
from api.kit.scope import Principal
from api.ledger import checkpoints, integrity_checks, reverse_bill
from api.ledger.refusals import LedgerRefusal
from tests.support.ledger_builders import WAREHOUSE, LedgerBench, build_move, build_ref

BEGIN, DAYS, OTHER = date(2025, 1, 10), 150, 20
EVERYBODY = Principal(1, "admin", "管理员", 1, 1)
CHECK = {check.name: check for check in integrity_checks.list_checks()}["stock_checkpoint_is_ledger"]
PLAIN = """
select warehouse_id, goods_id, sum(quantity), coalesce(sum(quantity) filter (where frozen), 0)
from stock_ledger where business_date <= %s group by 1, 2 having sum(quantity) <> 0 order by 1, 2
"""
PLAIN_PLACES = """
select warehouse_id, goods_id, allocation_id, batch_id, sum(quantity)
from stock_ledger where business_date <= %s group by 1, 2, 3, 4 having sum(quantity) <> 0 order by 1, 2, 3, 4
"""
PLAIN_WORTH = "select coalesce(sum(amount), 0) from stock_ledger where business_date <= %s"


class CheckpointPoster:
    """Poster of bills of random days, each committed, as many users would."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.chance, self.numbers = engine, random.Random(5), count(1)
        self.bills: list[tuple[str, date]] = []

    def post(self, first: int = 0, last: int = DAYS) -> None:
        number, day = next(self.numbers), BEGIN + timedelta(days=self.chance.randint(first, last))
        goods, place = self.chance.choice([100, 101, 102]), {"allocation_id": self.chance.randint(0, 1)}
        kind = self.chance.choice(["CGRK", "CGRK", "XSCK", "DBCK"])
        more: dict[str, Any] = {"amount": self.chance.randint(100, 9000)} if kind == "CGRK" else {}
        if kind == "DBCK":
            more["lands"] = Landing(warehouse_id=OTHER, frozen=self.chance.random() < 0.5)
        quantity = self.chance.randint(20, 90) if kind == "CGRK" else -self.chance.randint(1, 9)
        with self.engine.connect() as conn:
            try:
                line = build_move(quantity, goods, line=number, **(place if kind == "CGRK" else {}), **more)
                LedgerBench(conn).post(f"{kind}{number}", line, day=day)
            except Exception:
                conn.rollback()
                raise
            conn.commit()
        self.bills.append((f"{kind}{number}", day))

    def try_posts(self, times: int, **days: int) -> None:
        for _ in range(times):
            try:
                self.post(**days)
            except LedgerRefusal:
                continue

    def take_back(self) -> None:
        """Reverse whichever of the last bills lets itself be reversed."""
        for bill_no, day in reversed(self.bills):
            with self.engine.connect() as conn:
                try:
                    reverse_bill(conn, build_ref(bill_no, day))
                    conn.commit()
                except LedgerRefusal:
                    continue
            self.bills.remove((bill_no, day))
            return


@pytest.fixture
def keeper(engine: Engine) -> Iterator[CheckpointPoster]:
    keeper = CheckpointPoster(engine)
    keeper.try_posts(80)
    yield keeper
    with engine.begin() as conn:
        for journal in ("stock_ledger", "settlement_ledger", "money_ledger", "reservation_ledger"):
            conn.exec_driver_sql(f"alter table {journal} disable trigger user")
        conn.exec_driver_sql(
            "truncate stock_ledger, stock_balance, stock_total, cost_balance, stock_checkpoint, stock_checkpoint_row"
        )


def advance_until_done(engine: Engine, few: int = 5) -> int:
    steps = 0
    while True:
        with engine.begin() as conn:
            if not checkpoints.advance_checkpoints(conn, few):
                return steps
        steps += 1


def read_stock_at(conn: Connection, cls: Any, day: date, *names: str) -> list[tuple[Any, ...]]:
    sql, values = cls.source(EVERYBODY, {"as_of_end": day.isoformat()})
    rows = conn.execute(
        text(
            f"select {', '.join(names)} from ({sql}) f where quantity <> 0 order by {', '.join(names[:-1])}"
        ),
        values,
    )
    return [tuple(row) for row in rows]


def assert_reads_as_ledger(engine: Engine) -> None:
    """Assert that every third day of the span, and some around it, reads as the plain sums do."""
    with engine.connect() as conn:
        for distance in range(-10, DAYS + 40, 3):
            day = BEGIN + timedelta(days=distance)
            plain = [tuple(row) for row in conn.exec_driver_sql(PLAIN, (day,))]
            found = read_stock_at(conn, StockSummary, day, "warehouse_id", "goods_id", "quantity", "frozen")
            assert found == plain, day
            places = [tuple(row) for row in conn.exec_driver_sql(PLAIN_PLACES, (day,))]
            names = ("warehouse_id", "goods_id", "allocation_id", "batch_id", "quantity")
            assert read_stock_at(conn, StockDetail, day, *names) == places, day
            worth = conn.exec_driver_sql(PLAIN_WORTH, (day,)).scalar_one()
            told = sum(
                row[2] for row in read_stock_at(conn, StockSummary, day, "warehouse_id", "goods_id", "amount")
            )
            assert abs(told - worth) <= Decimal("0.05"), day
        assert [finding.rows for finding in integrity_checks.run_checks(conn, [CHECK]) if finding.count] == []


def list_checkpoint_days(engine: Engine) -> list[date]:
    with engine.connect() as conn:
        return list(conn.exec_driver_sql("select day from stock_checkpoint order by day").scalars())


class TestReading:
    def test_without_any_the_ledger_is_read(self, engine: Engine, keeper: CheckpointPoster) -> None:
        assert_reads_as_ledger(engine)

    def test_month_ends_are_kept(self, engine: Engine, keeper: CheckpointPoster) -> None:
        assert advance_until_done(engine) > 2
        assert set(list_checkpoint_days(engine)) <= {
            date(2025, 1, 31),
            date(2025, 2, 28),
            date(2025, 3, 31),
            date(2025, 4, 30),
            date(2025, 5, 31),
            date(2025, 6, 30),
        }
        assert_reads_as_ledger(engine)

    def test_what_is_posted_into_the_past_shows_at_once(
        self, engine: Engine, keeper: CheckpointPoster
    ) -> None:
        advance_until_done(engine)
        keeper.try_posts(20, first=0, last=30)
        assert_reads_as_ledger(engine)

    def test_what_is_taken_back_shows_at_once(self, engine: Engine, keeper: CheckpointPoster) -> None:
        advance_until_done(engine)
        for _ in range(5):
            keeper.take_back()
        assert_reads_as_ledger(engine)

    def test_bringing_them_up_to_date_changes_no_figure(
        self, engine: Engine, keeper: CheckpointPoster
    ) -> None:
        advance_until_done(engine)
        keeper.try_posts(30)
        keeper.take_back()
        assert advance_until_done(engine) > 0
        assert_reads_as_ledger(engine)
        keeper.try_posts(4, first=0, last=20)
        assert_reads_as_ledger(engine)

    def test_a_posting_in_flight_while_one_is_made_is_not_lost(
        self, engine: Engine, keeper: CheckpointPoster
    ) -> None:
        """Its rows carry an older stamp than some that the checkpoint holds."""
        with engine.connect() as slow:
            LedgerBench(slow).post("CGRK9001", build_move(77, 105, line=9001, amount=770), day=BEGIN)
            keeper.try_posts(3)
            assert advance_until_done(engine) > 2
            slow.commit()
        assert_reads_as_ledger(engine)
        with engine.connect() as conn:
            first = list_checkpoint_days(engine)[0]
            assert (WAREHOUSE, 105, Decimal("77.000"), Decimal(0)) in read_stock_at(
                conn, StockSummary, first, "warehouse_id", "goods_id", "quantity", "frozen"
            )
        keeper.try_posts(9)
        assert advance_until_done(engine) > 0
        assert_reads_as_ledger(engine)


class TestMaking:
    def test_nothing_is_done_for_few_rows(self, engine: Engine, keeper: CheckpointPoster) -> None:
        advance_until_done(engine)
        keeper.try_posts(3)
        assert advance_until_done(engine, few=50) == 0

    def test_one_that_finds_another_at_work_does_nothing(
        self, engine: Engine, keeper: CheckpointPoster
    ) -> None:
        with engine.begin() as conn:
            assert checkpoints.advance_checkpoints(conn, 5)
            with engine.begin() as other:
                assert not checkpoints.advance_checkpoints(other, 5)

    def test_those_of_another_cluster_count_as_absent_and_are_made_anew(
        self, engine: Engine, keeper: CheckpointPoster
    ) -> None:
        """As after a restore from a dump, where transaction ids begin again."""
        advance_until_done(engine)
        before = list_checkpoint_days(engine)
        with engine.begin() as conn:
            conn.exec_driver_sql("update stock_checkpoint set instance = 'elsewhere'")
            conn.exec_driver_sql("update stock_checkpoint_row set quantity = 12345")
        assert_reads_as_ledger(engine)
        assert advance_until_done(engine) == len(before)
        assert list_checkpoint_days(engine) == before
        assert_reads_as_ledger(engine)


@pytest.mark.parametrize(
    "damage",
    [
        "update stock_checkpoint_row set quantity = quantity + 1 where (day, goods_id) = (select min(day), 100 from stock_checkpoint)",
        "update stock_checkpoint_row set amount = amount + 0.01 where (day, goods_id) = (select max(day), 101 from stock_checkpoint)",
        "update stock_checkpoint_row set frozen = frozen + 1",
        "delete from stock_checkpoint_row where goods_id = 102",
        "update stock_checkpoint set day = day + 1 where day = (select max(day) from stock_checkpoint)",
        "update stock_checkpoint set seen = '3:3:'",
    ],
)
def test_damage_is_found(engine: Engine, keeper: CheckpointPoster, damage: str) -> None:
    advance_until_done(engine)
    with engine.begin() as conn:
        conn.exec_driver_sql(damage)
        [finding] = integrity_checks.run_checks(conn, [CHECK])
        assert finding.count > 0
