"""Clerks who work at once, each at what chance tells him to; what they are told is kept by what they tried.

`ERP_STORM_ROUNDS` says how often each tries something (25 times by default).
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

from tests.faults.storm import Server
from tests.kit.client import Answer, Caller
from tests.kit.desk import Desk
from tests.kit.state import broken

ROUNDS = int(os.environ.get("ERP_STORM_ROUNDS", "25"))
CLERKS, GOODS = 16, 4
Told = tuple[str, Answer]
_OVER_DELIVERED = """
select order_line_id from {0.delivers}_line l join {0.delivers} using (bill_id)
join {0.orders}_line o on o.line_id = l.order_line_id
where status = 2 group by order_line_id, o.quantity having sum(l.quantity) > o.quantity
"""


class Clerk:
    """Someone who trades a few goods with a few partners."""

    party: ClassVar[str]
    orders: ClassVar[str]
    delivers: ClassVar[str]
    does: ClassVar[tuple[str, ...]]

    def __init__(self, caller: Caller, desk: Desk, partners: list[int], chance: random.Random) -> None:
        self.caller, self.desk, self.partners, self.chance = caller, desk, partners, chance
        self.told: list[Told] = []

    def work(self) -> None:
        getattr(self, self.chance.choice(self.does))()

    def order(self) -> None:
        self.audited(self.orders, {"lines": [self.line()], **self.partner()})

    def deliver(self) -> None:
        self.draws(self.orders, self.delivers)

    def partner(self) -> dict[str, int]:
        return {f"{self.party}_id": self.chance.choice(self.partners)}

    def line(self) -> dict[str, Any]:
        goods = self.desk.world.spares[self.chance.randrange(GOODS)]
        return {"goods_id": goods, "quantity": str(self.chance.randint(1, 9)), "price": "100"}

    def open_items(
        self, resource: str, partner: dict[str, int], call: str = "getOpenItems"
    ) -> list[dict[str, Any]]:
        """What is open with a partner, as it stands when it is read."""
        asked = {"company_id": self.desk.world.company_a, **partner}
        found: list[dict[str, Any]] = self.call(call, resource, call, **asked).data["data"]
        return found

    def most_of(self, amount: str) -> str:
        return str(round(Decimal(amount) * self.chance.choice((1, Decimal("0.7"))), 2))

    def one(self, resource: str, **asked: Any) -> dict[str, Any] | None:
        found = self.call("list", resource, "getList", **self.partner(), **asked)
        return self.chance.choice(found.data["data"]) if found.data["data"] else None

    def draws(self, source: str, resource: str) -> None:
        """A bill of what is left of another."""
        found = self.one(source, status="2")
        draft = found and self.call("draft", resource, "getDraft", id=found["bill_id"])
        if draft and draft.ok:
            self.audited(resource, draft.data)

    def audited(self, resource: str, body: dict[str, Any]) -> None:
        body = {**self.desk.header(resource), **body}
        saved = self.caller.post(self.desk.path(resource, "add"), body)
        self.told.append((f"{resource} add", saved))
        if saved.ok:
            self.act(resource, "auditorPass", saved.data["id"])

    def take_back(self, resource: str) -> None:
        found = self.one(resource, status="2")
        if found is not None:
            self.act(resource, "antiAuditor", found["bill_id"])

    def act(self, resource: str, action: str, bill: int) -> None:
        answer = self.caller.post(self.desk.path(resource, action), {"ids": [bill]})
        self.told.append((f"{resource} {action}", answer))

    def call(self, what: str, resource: str, call: str, **asked: Any) -> Answer:
        answer = self.caller.get(self.desk.path(resource, call), **asked)
        self.told.append((what, answer))
        return answer


def rush(
    server: Server,
    desk: Desk,
    trade: type[Clerk],
    partners: list[int],
    watch: Callable[[Caller, threading.Event], None] | None = None,
) -> list[Told]:
    """All at once over two processes, with somebody who reads meanwhile; none is told anything but yes or no."""
    tokens, done = desk.world.tokens, threading.Event()

    def clerk(number: int) -> list[Told]:
        hand = trade(Caller(http, tokens["clerk_a"]), desk, partners, random.Random(number))
        for _ in range(ROUNDS):
            hand.work()
        return hand.told

    limits = httpx.Limits(max_connections=CLERKS + 1)
    with (
        httpx.Client(base_url=server.address, timeout=60, limits=limits) as http,
        ThreadPoolExecutor(CLERKS + 1) as pool,
    ):
        watching = pool.submit(watch, Caller(http, tokens["admin"]), done) if watch else None
        try:
            hands = [pool.submit(clerk, number) for number in range(CLERKS)]
            told = [one for hand in hands for one in hand.result()]
        finally:
            done.set()
        if watching:
            watching.result()
    print(f"{len(told)} calls: {dict(outcome(told))}")
    assert {answer.status for _, answer in told} <= {200, 400}
    return told


def outcome(told: list[Told]) -> Counter[tuple[str, int]]:
    """How often what was tried ended how."""
    return Counter((what, answer.code) for what, answer in told)


def refusals(told: list[Told]) -> set[str]:
    return {answer.msg for _, answer in told if not answer.ok}


def hold_together(conn: Connection, told: list[Told], trade: type[Clerk], *bills: str) -> None:
    """Enough of each bill went through, no order was passed by what was delivered of it, and the books tie."""
    for what in (trade.orders, trade.delivers, *bills):
        assert outcome(told)[f"{what} auditorPass", 200] > 10, "too few went through to prove anything"
    assert conn.exec_driver_sql(_OVER_DELIVERED.format(trade)).all() == []
    assert broken(conn) == {}
