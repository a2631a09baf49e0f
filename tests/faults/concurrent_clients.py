"""Concurrent clients, each with random actions; their answers are kept by the action.

`ERP_STORM_ROUNDS` is the number of actions of each (25 by default).
"""

from __future__ import annotations

import os
import random
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any, ClassVar

import httpx
from sqlalchemy import Connection

from tests.faults.serve_process import ServeProcess
from tests.support.bill_client import BillClient
from tests.support.client import Answer, Caller
from tests.support.database_state import find_broken_checks

ROUNDS = int(os.environ.get("ERP_STORM_ROUNDS", "25"))
CLIENTS, GOODS = 16, 4
NamedAnswer = tuple[str, Answer]
_OVER_DELIVERED = """
select order_line_id from {0.delivers}_line l join {0.delivers} using (bill_id)
join {0.orders}_line o on o.line_id = l.order_line_id
where status = 2 group by order_line_id, o.quantity having sum(l.quantity) > o.quantity
"""


class ConcurrentClient:
    """Client that trades a few goods with a few partners; `does` names its actions."""

    party: ClassVar[str]
    orders: ClassVar[str]
    delivers: ClassVar[str]
    does: ClassVar[tuple[str, ...]]

    def __init__(self, caller: Caller, desk: BillClient, partners: list[int], chance: random.Random) -> None:
        self.caller, self.desk, self.partners, self.chance = caller, desk, partners, chance
        self.answers: list[NamedAnswer] = []

    def act_once(self) -> None:
        getattr(self, self.chance.choice(self.does))()

    def order(self) -> None:
        self.add_and_audit(self.orders, {"lines": [self.build_line()], **self.choose_partner()})

    def deliver(self) -> None:
        self.draw_bill(self.orders, self.delivers)

    def choose_partner(self) -> dict[str, int]:
        return {f"{self.party}_id": self.chance.choice(self.partners)}

    def build_line(self) -> dict[str, Any]:
        goods = self.desk.world.spares[self.chance.randrange(GOODS)]
        return {"goods_id": goods, "quantity": str(self.chance.randint(1, 9)), "price": "100"}

    def open_items(
        self, resource: str, partner: dict[str, int], call: str = "getOpenItems"
    ) -> list[dict[str, Any]]:
        """Return the open items of a partner."""
        asked = {"company_id": self.desk.world.company_a, **partner}
        found: list[dict[str, Any]] = self.get(call, resource, call, **asked).data["data"]
        return found

    def choose_amount(self, amount: str) -> str:
        return str(round(Decimal(amount) * self.chance.choice((1, Decimal("0.7"))), 2))

    def choose_bill(self, resource: str, **asked: Any) -> dict[str, Any] | None:
        found = self.get("list", resource, "getList", **self.choose_partner(), **asked)
        return self.chance.choice(found.data["data"]) if found.data["data"] else None

    def draw_bill(self, source: str, resource: str) -> None:
        """Draw a bill of the remainder of another."""
        found = self.choose_bill(source, status="2")
        draft = found and self.get("draft", resource, "getDraft", id=found["bill_id"])
        if draft and draft.ok:
            self.add_and_audit(resource, draft.data)

    def add_and_audit(self, resource: str, body: dict[str, Any]) -> None:
        body = {**self.desk.build_header(resource), **body}
        saved = self.caller.post(self.desk.path(resource, "add"), body)
        self.answers.append((f"{resource} add", saved))
        if saved.ok:
            self.run_action(resource, "auditorPass", saved.data["id"])

    def take_back(self, resource: str) -> None:
        found = self.choose_bill(resource, status="2")
        if found is not None:
            self.run_action(resource, "antiAuditor", found["bill_id"])

    def run_action(self, resource: str, action: str, bill: int) -> None:
        answer = self.caller.post(self.desk.path(resource, action), {"ids": [bill]})
        self.answers.append((f"{resource} {action}", answer))

    def get(self, what: str, resource: str, call: str, **asked: Any) -> Answer:
        answer = self.caller.get(self.desk.path(resource, call), **asked)
        self.answers.append((what, answer))
        return answer


def run_clients(
    server: ServeProcess,
    desk: BillClient,
    trade: type[ConcurrentClient],
    partners: list[int],
    watch: Callable[[Caller, threading.Event], None] | None = None,
) -> list[NamedAnswer]:
    """Run all clients at once over two processes, with a reader meanwhile; every answer is 200 or 400."""
    tokens, done = desk.world.tokens, threading.Event()

    def run_client(number: int) -> list[NamedAnswer]:
        hand = trade(Caller(http, tokens["clerk_a"]), desk, partners, random.Random(number))
        for _ in range(ROUNDS):
            hand.act_once()
        return hand.answers

    limits = httpx.Limits(max_connections=CLIENTS + 1)
    with (
        httpx.Client(base_url=server.address, timeout=60, limits=limits) as http,
        ThreadPoolExecutor(CLIENTS + 1) as pool,
    ):
        watching = pool.submit(watch, Caller(http, tokens["admin"]), done) if watch else None
        try:
            hands = [pool.submit(run_client, number) for number in range(CLIENTS)]
            told = [one for hand in hands for one in hand.result()]
        finally:
            done.set()
        if watching:
            watching.result()
    print(f"{len(told)} calls: {dict(count_outcomes(told))}")
    assert {answer.status for _, answer in told} <= {200, 400}
    return told


def count_outcomes(answers: list[NamedAnswer]) -> Counter[tuple[str, int]]:
    """Count the answers by action and code."""
    return Counter((what, answer.code) for what, answer in answers)


def list_refusals(answers: list[NamedAnswer]) -> set[str]:
    return {answer.msg for _, answer in answers if not answer.ok}


def assert_consistent(
    conn: Connection, answers: list[NamedAnswer], trade: type[ConcurrentClient], *bills: str
) -> None:
    """Assert that enough of each bill went through, no order is over-delivered, and the ledgers balance."""
    for what in (trade.orders, trade.delivers, *bills):
        assert count_outcomes(answers)[f"{what} auditorPass", 200] > 10, (
            "too few went through to prove anything"
        )
    assert conn.exec_driver_sql(_OVER_DELIVERED.format(trade)).all() == []
    assert find_broken_checks(conn) == {}
