"""Random sequences of bills: after every step all checks hold, and the reference model has the same balances."""

from __future__ import annotations

import copy
import os
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import Connection, Engine

from api.kit.declaration.posting import (
    Landing,
    MoneyEntry,
    Postings,
    Reservation,
    SettlementOpen,
    StockMove,
    WriteOff,
)
from api.ledger import Policy, integrity_checks, post_bill, reverse_bill
from api.ledger.refusals import LedgerRefusal, OverWriteOff, PastShortage, ReturnExceeds, Shortage
from tests.ledger.reference_model import PastReferenceShortage, ReferenceLedger, ReferenceShortage
from tests.support.ledger_builders import DAY, DUE, build_ref, read_balances

SEQUENCES = int(os.environ.get("ERP_SEQUENCES", "60"))
STRICT_WAREHOUSE, LOOSE_WAREHOUSE = 10, 20
POLICY = Policy(negative_warehouses=frozenset({LOOSE_WAREHOUSE}))

warehouses = st.sampled_from([STRICT_WAREHOUSE, STRICT_WAREHOUSE, LOOSE_WAREHOUSE])
goods = st.sampled_from([100, 101])
quantities = st.one_of(st.integers(1, 12), st.decimals("0.001", "9", places=3))
amounts = st.decimals(0, 500, places=2)
places = st.sampled_from([0, 1])
named = st.sampled_from([None, None, 0, 1])
received = st.one_of(st.integers(5, 60), st.decimals("0.001", "9", places=3))
inbound_lines = st.lists(st.tuples(goods, received, amounts, places, places), min_size=1, max_size=3)
outbound_lines = st.lists(st.tuples(goods, quantities, named, named), min_size=1, max_size=3)
pick = st.integers(0, 10**6)

ALL = (
    *integrity_checks.LEDGER_CHECKS,
    integrity_checks.build_negative_stock_check(f"select {LOOSE_WAREHOUSE}"),
    integrity_checks.build_negative_days_check(f"select {LOOSE_WAREHOUSE}"),
)
SWEEP = (
    "select array_remove(array["
    + ", ".join(f"case when exists ({check.sql}) then '{check.name}' end" for check in ALL)
    + "], null)"
)


class LedgerMachine(RuleBasedStateMachine):
    """One transaction is one sequence; every action runs in a savepoint and is undone when refused."""

    engine: ClassVar[Engine]
    conn: Connection

    @initialize()
    def begin(self) -> None:
        self.conn = self.engine.connect()
        self.conn.begin()
        self.number = 0
        self.shadow = ReferenceLedger(POLICY.negative_warehouses)
        self.standing: list[str] = []
        self.items: list[int] = []
        self.sold: list[tuple[int, int]] = []
        self.ordered: list[tuple[int, int, int]] = []

    def teardown(self) -> None:
        if hasattr(self, "conn"):
            self.conn.rollback()
            self.conn.close()

    def attempt(self, prefix: str, postings: Postings, day: int = 0) -> LedgerRefusal | None:
        """Post a new bill, reverse it to prove that every balance is restored, and post it again."""
        self.number += 1
        bill = build_ref(f"{prefix}{self.number}", DAY + timedelta(days=day))
        before = read_balances(self.conn)
        try:
            with self.conn.begin_nested():
                post_bill(self.conn, bill, postings, POLICY)
        except LedgerRefusal as refusal:
            return refusal
        reverse_bill(self.conn, bill, POLICY)
        assert read_balances(self.conn) == before
        post_bill(self.conn, bill, postings, POLICY)
        self.standing.append(bill.bill_no)
        return None

    def line(self, place: int) -> int:
        return (self.number + 1) * 10 + place

    @rule(warehouse=warehouses, lines=inbound_lines, day=st.integers(0, 9))
    def receive(self, warehouse: int, lines: list[tuple[Any, ...]], day: int) -> None:
        moves = [
            StockMove(
                line_id=self.line(place),
                warehouse_id=warehouse,
                goods_id=goods_id,
                quantity=Decimal(quantity),
                amount=amount,
                allocation_id=allocation,
                batch_id=batch,
            )
            for place, (goods_id, quantity, amount, allocation, batch) in enumerate(lines)
        ]
        assert self.attempt("CGRK", Postings(stock=tuple(moves)), day) is None
        self.shadow.receive(moves, day)

    @rule(
        warehouse=warehouses,
        lines=outbound_lines,
        order=st.none() | pick,
        owed=amounts,
        day=st.integers(0, 9),
    )
    def ship(
        self, warehouse: int, lines: list[tuple[Any, ...]], order: int | None, owed: Decimal, day: int
    ) -> None:
        order_line = (
            self.ordered[order % len(self.ordered)][0] if order is not None and self.ordered else None
        )
        moves = [
            StockMove(
                line_id=self.line(place),
                warehouse_id=warehouse,
                goods_id=goods_id,
                quantity=-Decimal(quantity),
                allocation_id=allocation,
                batch_id=batch,
                order_line_id=order_line if place == 0 else None,
            )
            for place, (goods_id, quantity, allocation, batch) in enumerate(lines)
        ]
        expected, wrong = copy.deepcopy(self.shadow), None
        try:
            expected.ship(moves, day)
        except PastReferenceShortage:
            wrong = PastShortage
        except ReferenceShortage:
            wrong = Shortage
        refusal = self.attempt(
            "XSCK", Postings(tuple(moves), settlements=(SettlementOpen("customer", 1, owed, DUE),)), day
        )
        assert type(refusal) is (wrong or type(None))
        if refusal is None:
            self.shadow = expected
            self.sold += [(move.line_id, move.goods_id) for move in moves]
            item = self.conn.exec_driver_sql("select max(settlement_id) from settlement_item").scalar()
            self.items += [item] if item else []

    @rule(warehouse=warehouses, lines=outbound_lines, onto=warehouses, place=places, frozen=st.booleans())
    def relocate(
        self, warehouse: int, lines: list[tuple[Any, ...]], onto: int, place: int, frozen: bool
    ) -> None:
        """Relocate goods, whose value lands with them: the average stays to the cent, frozen or not."""
        frozen = frozen and onto != warehouse
        moves = [
            StockMove(
                line_id=self.line(at),
                warehouse_id=warehouse,
                goods_id=goods_id,
                quantity=-Decimal(quantity),
                allocation_id=allocation,
                batch_id=batch,
                lands=Landing(warehouse_id=onto, allocation_id=place, frozen=frozen),
            )
            for at, (goods_id, quantity, allocation, batch) in enumerate(lines)
        ]
        before = read_balances(self.conn)["cost"]
        refusal = self.attempt("DBCK", Postings(tuple(moves)))
        assert refusal is None or isinstance(refusal, Shortage | PastShortage)
        if refusal is None:
            worth = [row[:4] for row in read_balances(self.conn)["cost"]]
            assert [row for row in worth if row[3]] == [row[:4] for row in before if row[3]]
            if frozen:
                self.number += 1
                back = [
                    replace(
                        move,
                        line_id=move.line_id + 10,
                        warehouse_id=onto,
                        allocation_id=None,
                        batch_id=None,
                        origin=("DBCK", move.line_id),
                        frozen=True,
                        lands=Landing(warehouse_id=warehouse, allocation_id=place),
                    )
                    for move in moves
                ]
                self.number -= 1
                assert self.attempt("DBRK", Postings(tuple(back))) is None
            self.adopt()

    @precondition(lambda self: self.sold)
    @rule(which=pick, warehouse=warehouses, quantity=quantities, place=places)
    def take_back(self, which: int, warehouse: int, quantity: Any, place: int) -> None:
        line, goods_id = self.sold[which % len(self.sold)]
        move = StockMove(
            line_id=self.line(0),
            warehouse_id=warehouse,
            goods_id=goods_id,
            quantity=Decimal(quantity),
            allocation_id=place,
            origin=("XSCK", line),
        )
        sure = line in self.shadow.issued
        expected = copy.deepcopy(self.shadow)
        try:
            expected.receive([move], 0)
        except ReferenceShortage:
            expected = self.shadow
        refusal = self.attempt("XSTH", Postings(stock=(move,)))
        if sure:
            assert isinstance(refusal, ReturnExceeds) == (expected is self.shadow)
            self.shadow = expected
        elif refusal is None:
            self.adopt()

    @rule(warehouse=warehouses, goods_id=goods, quantity=quantities)
    def order(self, warehouse: int, goods_id: int, quantity: Any) -> None:
        line = self.line(0)
        claim = Reservation(line, warehouse, goods_id, Decimal(quantity))
        assert self.attempt("XSDD", Postings(reservations=(claim,))) is None
        self.ordered.append((line, warehouse, goods_id))
        self.shadow.claim(line, warehouse, goods_id, Decimal(quantity))

    @precondition(lambda self: self.ordered)
    @rule(which=pick)
    def close_order(self, which: int) -> None:
        line, warehouse, goods_id = self.ordered[which % len(self.ordered)]
        everything = Decimal(1000)
        assert (
            self.attempt(
                "XSDD", Postings(reservations=(Reservation(line, warehouse, goods_id, -everything),))
            )
            is None
        )
        self.shadow.claim(line, warehouse, goods_id, -everything)

    @precondition(lambda self: self.items)
    @rule(which=pick, amount=amounts)
    def pay(self, which: int, amount: Decimal) -> None:
        item = self.items[which % len(self.items)]
        sql = f"select open_amount from settlement_item where settlement_id = {item}"
        left = self.conn.exec_driver_sql(sql).scalar_one()
        entry = Postings(write_offs=(WriteOff(item, amount),), money=(MoneyEntry(1, amount),))
        refusal = self.attempt("KHSK", entry)
        assert isinstance(refusal, OverWriteOff) == (not 0 < amount <= left)

    @precondition(lambda self: self.standing)
    @rule(which=st.just(0) | pick)
    def take_out(self, which: int) -> None:
        """Reverse any bill; whether that is refused depends on what came later."""
        bill_no = self.standing[which % len(self.standing)]
        try:
            with self.conn.begin_nested():
                reverse_bill(self.conn, build_ref(bill_no), POLICY)
        except LedgerRefusal:
            return
        self.standing.remove(bill_no)
        self.adopt()

    def adopt(self) -> None:
        """Restart the reference model from the ledger, which the invariants have proved."""
        rows = self.conn.exec_driver_sql(
            "select warehouse_id, goods_id, allocation_id, batch_id, quantity, first_date from stock_balance"
        )
        fresh = ReferenceLedger(POLICY.negative_warehouses)
        for row in rows:
            fresh.stock[tuple(row[:4])] = row.quantity  # type: ignore[index]
            fresh.first[tuple(row[:4])] = (row.first_date - DAY).days  # type: ignore[index]
        for *place, day, quantity in self.conn.exec_driver_sql(
            "select warehouse_id, goods_id, allocation_id, batch_id, business_date, sum(quantity)"
            " from stock_ledger group by 1, 2, 3, 4, 5"
        ):
            fresh.days.setdefault(tuple(place), {})[(day - DAY).days] = quantity  # type: ignore[arg-type]
        for warehouse, goods_id, quantity in self.conn.exec_driver_sql(
            "select warehouse_id, goods_id, frozen from stock_total where frozen <> 0"
        ):
            fresh.frozen[warehouse, goods_id] = quantity
        for line, warehouse, goods_id, quantity in self.conn.exec_driver_sql(
            "select order_line_id, warehouse_id, goods_id, sum(quantity) from reservation_ledger group by 1, 2, 3"
        ):
            fresh.claims[line, warehouse, goods_id] = quantity
        for goods_id, quantity, amount in self.conn.exec_driver_sql(
            "select goods_id, quantity, amount from cost_balance"
        ):
            fresh.cost[goods_id] = (quantity, amount)
        for line, quantity, amount in self.conn.exec_driver_sql(
            "select line_id, -sum(quantity), -sum(amount) from stock_ledger where bill_type = 'XSCK' group by 1"
        ):
            fresh.issued[line] = (quantity, amount)
        for line, quantity, amount in self.conn.exec_driver_sql(
            "select origin_line_id, sum(quantity), sum(amount) from stock_ledger where origin_line_id > 0 group by 1"
        ):
            fresh.back[line] = (quantity, amount)
        self.shadow = fresh

    @invariant()
    def every_check_passes(self) -> None:
        if hasattr(self, "conn"):
            assert self.conn.exec_driver_sql(SWEEP).scalar() == []

    @invariant()
    def the_naive_bookkeeper_agrees(self) -> None:
        if not hasattr(self, "conn"):
            return
        found = read_balances(self.conn)
        stock = {tuple(row[:4]): row[5] for row in found["stock"]}
        assert {place: quantity for place, quantity in self.shadow.stock.items() if quantity} == stock
        reserved = sum(row[4] for row in found["total"])
        assert sum(self.shadow.claims.values()) == reserved
        if self.shadow.unsure:
            self.adopt()
        for _, goods_id, quantity, amount, _ in found["cost"]:
            assert self.shadow.cost.get(goods_id, (0, 0)) == (quantity, amount)


def test_random_sequences(engine: Engine) -> None:
    LedgerMachine.engine = engine
    case = LedgerMachine.TestCase
    case.settings = settings(
        max_examples=SEQUENCES,
        stateful_step_count=20,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )
    case("runTest").runTest()


@pytest.mark.parametrize("check", ALL, ids=lambda check: check.name)
def test_the_sweep_covers_every_check(check: integrity_checks.Check) -> None:
    assert check.sql in SWEEP
