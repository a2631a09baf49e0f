"""Random sequences over every declared bill type: after each step all checks hold, and refusals are refusals.

`ERP_SEQUENCES` sets how many are tried (15 by default), `HYPOTHESIS_PROFILE=explore` draws new ones; `ERP_WALKS` how many
long walks (6).
"""

from __future__ import annotations

import os
from collections import Counter
from random import Random
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from sqlalchemy import Connection
from sqlalchemy.engine import RootTransaction

from api.kit.declaration import registry
from api.kit.declaration.flow import STATUSES, TRANSITIONS, UNAUDITED
from tests.support.fixtures import Site
from tests.support.random_operations import BILLS, LINKED, MONTHS, WRITING_OFF, RandomOperations
from tests.support.world import World

SEQUENCES = int(os.environ.get("ERP_SEQUENCES", "15"))
STEPS = 25
WALKS, WALK_STEPS = int(os.environ.get("ERP_WALKS", "6")), 120
REACHED: Counter[str] = Counter()
INBOUND = tuple(
    cls
    for cls in BILLS
    if cls.name() in ("purchase_inbound", "other_inbound", "three_inbound", "opening_stock")
)
seeds = st.integers(0, 2**32 - 1)
ACTIONS = (
    "auditorPass",
    "auditorPass",
    "auditorPass",
    "auditorNoPass",
    "antiAuditor",
    "invalid",
    "close",
    "pause",
    "open",
)


class BillSequences(RuleBasedStateMachine):
    """One sequence is one transaction on the group's database, rolled back at its end."""

    conn: ClassVar[Connection]
    world: ClassVar[World]
    seen: ClassVar[Counter[str]]
    transaction: RootTransaction

    @initialize(seed=seeds)
    def begin(self, seed: int) -> None:
        """Put some stock in: without it nearly all that follows would be refused."""
        self.transaction, self.turn = self.conn.begin(), seed
        self.clerks = RandomOperations(self.conn, self.world)
        chance = Random(seed)
        for cls in INBOUND * 3:
            self.made_and_audited(cls, chance)

    def teardown(self) -> None:
        if hasattr(self, "transaction"):
            self.seen.update(self.clerks.done)
            self.transaction.rollback()

    def drafts(self) -> list[Any]:
        return [bill for bill in self.clerks.bills if self.clerks.status(*bill) == UNAUDITED]

    def made_and_audited(self, cls: Any, chance: Random) -> None:
        if self.clerks.add(cls, chance):
            self.clerks.act(*self.clerks.bills[-1], "auditorPass")

    @rule(seed=seeds)
    def add(self, seed: int) -> None:
        """Add a bill, mostly audited at once; types take turns."""
        chance = Random(seed)
        self.turn += 11
        cls = BILLS[self.turn % len(BILLS)]
        if chance.random() < 0.8:
            self.made_and_audited(cls, chance)
        else:
            self.clerks.add(cls, chance)

    @rule(seed=seeds)
    def add_another(self, seed: int) -> None:
        """Add another: with many types it takes many bills before each was there."""
        self.add(seed)

    @rule(seed=seeds)
    def execute_source(self, seed: int) -> None:
        chance = Random(seed)
        sources = {cls.name() for cls, _ in self.clerks.bills}
        known = [pair for pair in LINKED if pair[1].bill in sources]
        if known and self.clerks.execute_source(*chance.choice(known), chance) and chance.random() < 0.8:
            self.clerks.act(*self.clerks.bills[-1], "auditorPass")

    @rule(seed=seeds)
    def write_off_item(self, seed: int) -> None:
        chance = Random(seed)
        if self.clerks.write_off_item(chance.choice(WRITING_OFF), chance) and chance.random() < 0.8:
            self.clerks.act(*self.clerks.bills[-1], "auditorPass")

    @precondition(lambda self: self.clerks.bills)
    @rule(seed=seeds, action=st.sampled_from(ACTIONS))
    def act(self, seed: int, action: str) -> None:
        """Act on a bill that can take it, the last one half the time, as nothing can depend on that.

        Or on any.
        """
        chance = Random(seed)
        source = TRANSITIONS[action].source if chance.random() < 0.9 else STATUSES
        bills = [
            (cls, key)
            for cls, key in self.clerks.bills
            if action in cls.bill.transitions and self.clerks.status(cls, key) in source  # type: ignore[union-attr]
        ]
        if bills:
            self.clerks.act(*(bills[-1] if chance.random() < 0.5 else chance.choice(bills)), action)

    @precondition(lambda self: self.clerks.bills)
    @rule(seed=seeds)
    def edit(self, seed: int) -> None:
        chance = Random(seed)
        bills = self.drafts()
        if bills:
            self.clerks.edit(*chance.choice(bills), chance)

    @precondition(lambda self: self.clerks.bills)
    @rule(seed=seeds)
    def discard(self, seed: int) -> None:
        bills = self.drafts()
        if bills:
            self.clerks.discard(*Random(seed).choice(bills))

    @precondition(lambda self: any(cls.name() == "stock_take" for cls, _ in self.clerks.bills))
    @rule(seed=seeds)
    def count(self, seed: int) -> None:
        """Count a stocktake's lines and audit it."""
        chance = Random(seed)
        bill = chance.choice([bill for bill in self.clerks.bills if bill[0].name() == "stock_take"])
        if self.clerks.edit(*bill, chance):
            self.clerks.act(*bill, "auditorPass")

    @precondition(lambda self: len(self.clerks.bills) > 12)
    @rule(mark=st.sampled_from("ab"), period=st.sampled_from(MONTHS), settled=st.booleans())
    def close_month(self, mark: str, period: str, settled: bool) -> None:
        """Close a month; with open bills it is refused, half the time they are deleted before."""
        company = self.world.ids[f"company_{mark}"]
        if settled:
            for cls, key in self.drafts():
                self.clerks.discard(cls, key)
        for month in MONTHS[: MONTHS.index(period) + 1]:
            self.clerks.close_month(company, month)

    @precondition(lambda self: self.clerks.closed)
    @rule(seed=seeds)
    def open_month(self, seed: int) -> None:
        self.clerks.open_month(*Random(seed).choice(sorted(self.clerks.closed)))

    @rule(seed=seeds)
    def trade_numbers(self, seed: int) -> None:
        self.clerks.trade_numbers(Random(seed))

    @precondition(lambda self: self.clerks.drawn)
    @rule(seed=seeds)
    def edit_drawn(self, seed: int) -> None:
        chance = Random(seed)
        bills = [bill for bill in self.drafts() if bill in self.clerks.drawn]
        if bills:
            self.clerks.edit_drawn(*chance.choice(bills), chance)

    @invariant()
    def assert_invariants(self) -> None:
        if hasattr(self, "clerks"):
            self.clerks.check_invariants()


def test_random_sequences(site: Site, world: World) -> None:
    BillSequences.world, BillSequences.seen = world, Counter()
    with site.engine.connect() as conn:
        BillSequences.conn = conn
        case = BillSequences.TestCase
        case.settings = settings(
            max_examples=SEQUENCES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        )
        case("runTest").runTest()


@pytest.mark.parametrize("seed", range(WALKS))
def test_long_walks_reach_every_type_and_action(site: Site, world: World, seed: int) -> None:
    """What Hypothesis draws is short and much alike; a walk of many steps takes every type through its life."""
    chance = Random(seed)
    machine = BillSequences()
    with site.engine.connect() as conn:
        BillSequences.conn, BillSequences.world, BillSequences.seen = conn, world, Counter()
        machine.begin(seed)
        try:
            for step in range(WALK_STEPS):
                _run_step(machine, chance, step)
                machine.assert_invariants()
            if seed == WALKS - 1:
                _audit_missing_types(machine, chance)
        finally:
            machine.teardown()
    REACHED.update({**BillSequences.seen, "walks": 1})
    if REACHED["walks"] == WALKS:
        assert {cls.name() for cls in BILLS} - _find_audited() == set(), (
            "types that are never audited prove nothing"
        )
        moves = ("auditorNoPass", "antiAuditor", "invalid", "close", "pause", "open")
        ways = (*moves, "follow", "settle", "edit", "del")
        assert [way for way in ways if not any(name.endswith(way) for name in REACHED)] == []
        assert REACHED["month close"]
        assert REACHED["month open"]


def _find_audited() -> set[str]:
    return {name.split()[0] for name in REACHED if name.endswith("auditorPass")}


def _audit_missing_types(machine: BillSequences, chance: Random) -> None:
    """Try types that no walk got audited, as their prerequisites were rare, until one is."""
    for month in sorted(machine.clerks.closed, reverse=True):
        machine.clerks.open_month(*month)
    for cls in BILLS:
        action = f"{cls.name()} auditorPass"
        tries = 0 if cls.name() in _find_audited() else 60
        while tries and action not in machine.clerks.done:
            machine.made_and_audited(cls, chance)
            for link in (link for made, link in LINKED if made is cls):
                source = registry.get_resource(link.bill)
                machine.made_and_audited(source, chance)
                if machine.clerks.execute_source(cls, link, chance):
                    machine.clerks.act(*machine.clerks.bills[-1], "auditorPass")
            for draft in (bill for bill in machine.drafts() if bill[0] is cls):
                # A stocktake is audited once its lines are counted; one that is refused goes on freezing its goods.
                machine.clerks.edit(*draft, chance)
                machine.clerks.act(*draft, "auditorPass") or machine.clerks.discard(*draft)
            tries -= 1
    machine.assert_invariants()


def _run_step(machine: BillSequences, chance: Random, step: int) -> None:
    seed, kind = chance.randrange(2**32), chance.random()
    if step % 40 == 39:
        machine.close_month(chance.choice("ab"), chance.choice(MONTHS), True)
    elif step % 40 == 5 and machine.clerks.closed:
        machine.open_month(seed)
    elif kind < 0.4:
        machine.add(seed)
    elif kind < 0.65:
        machine.execute_source(seed)
    elif kind < 0.71:
        machine.trade_numbers(seed)
    elif kind < 0.76:
        machine.write_off_item(seed)
    elif kind < 0.9:
        machine.act(seed, chance.choice(ACTIONS))
    elif kind < 0.94:
        machine.edit(seed)
    elif any(cls.name() == "stock_take" for cls, _ in machine.clerks.bills):
        machine.count(seed)
