"""16 clerks take orders of a few customers to outbound and receipt at once, over two processes.

Whoever reads meanwhile never finds a customer beyond his limit; in the end nothing is over-shipped, over-received or
written off twice, and the books tie. `ERP_STORM_ROUNDS` says how often each tries something (25 times by default).
"""

from __future__ import annotations

import os
import random
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection

from tests.faults.storm import Server, serving
from tests.kit.client import Answer, Caller
from tests.kit.desk import Desk
from tests.kit.fixtures import Site
from tests.kit.state import broken

ROUNDS = int(os.environ.get("ERP_STORM_ROUNDS", "25"))
CLERKS, CUSTOMERS, GOODS, LIMIT = 16, 3, 4, Decimal(2000)
OVER_SHIPPED = """
select order_line_id from sales_outbound_line l join sales_outbound using (bill_id)
join sales_order_line o on o.line_id = l.order_line_id
where status = 2 group by order_line_id, o.quantity having sum(l.quantity) > o.quantity
"""
OVER_SETTLED = """
select settlement_id from customer_receipt_write_off w join customer_receipt using (bill_id)
join settlement_item using (settlement_id)
where status = 2 group by settlement_id, settlement_item.amount having sum(w.amount) > settlement_item.amount
"""


@pytest.fixture(scope="module")
def server(site: Site, data_dir: Path) -> Iterator[Server]:
    with serving(site.url, data_dir) as server:
        yield server


class Clerk:
    """Someone without a right to pass the limit; what he was told is kept by what he tried."""

    def __init__(self, caller: Caller, desk: Desk, customers: list[int], chance: random.Random) -> None:
        self.caller, self.desk, self.customers, self.chance = caller, desk, customers, chance
        self.told: list[tuple[str, Answer]] = []

    def work(self) -> None:
        getattr(self, self.chance.choice(("order", "ship", "ship", "receive", "take_back")))()

    def order(self) -> None:
        goods = self.desk.world.spares[self.chance.randrange(GOODS)]
        line = {"goods_id": goods, "quantity": str(self.chance.randint(1, 9)), "price": "100"}
        self._audited("sales_order", {"lines": [line], "customer_id": self.chance.choice(self.customers)})

    def ship(self) -> None:
        order = self._one("sales_order", status="2")
        if order is None:
            return
        draft = self._call("draft", "sales_outbound", "getDraft", id=order["bill_id"])
        if draft.ok:
            self._audited("sales_outbound", draft.data)

    def receive(self) -> None:
        """Most of an open item, as it stood when it was read."""
        customer = self.chance.choice(self.customers)
        of = {"company_id": self.desk.world.company_a, "customer_id": customer}
        items = self._call("items", "customer_receipt", "getOpenItems", **of).data["data"]
        if not items:
            return
        item = self.chance.choice(items)
        amount = str(Decimal(item["open_amount"]) * self.chance.choice((1, Decimal("0.7"))))
        off = {"settlement_id": item["settlement_id"], "amount": amount}
        self._audited("customer_receipt", {"write_offs": [off], "amount": amount, "customer_id": customer})

    def take_back(self) -> None:
        shipped = self._one("sales_outbound", status="2")
        if shipped is not None:
            self._act("sales_outbound", "antiAuditor", shipped["bill_id"])

    def _one(self, resource: str, **asked: Any) -> dict[str, Any] | None:
        found = self._call(
            "list", resource, "getList", customer_id=self.chance.choice(self.customers), **asked
        )
        return self.chance.choice(found.data["data"]) if found.data["data"] else None

    def _audited(self, resource: str, body: dict[str, Any]) -> None:
        body = {**self.desk.header(resource), **body}
        saved = self.caller.post(self.desk.path(resource, "add"), body)
        self.told.append((f"{resource} add", saved))
        if saved.ok:
            self._act(resource, "auditorPass", saved.data["id"])

    def _act(self, resource: str, action: str, bill: int) -> None:
        answer = self.caller.post(self.desk.path(resource, action), {"ids": [bill]})
        self.told.append((f"{resource} {action}", answer))

    def _call(self, what: str, resource: str, call: str, **asked: Any) -> Answer:
        answer = self.caller.get(self.desk.path(resource, call), **asked)
        self.told.append((what, answer))
        return answer


def test_credit_orders_and_receipts_hold(site: Site, server: Server, conn: Connection) -> None:
    desk = Desk(site)
    for goods in desk.world.spares[:GOODS]:
        desk.stock_in(goods, 5000)
    customers = [
        desk.caller.post(
            "v2/custom/Customer/add",
            {
                "customer_name": f"月结客户{at}",
                "company_id": desk.world.company_a,
                "credit_limit": str(LIMIT),
            },
        ).data["id"]
        for at in range(CUSTOMERS)
    ]
    exposures: list[Decimal] = []
    done = threading.Event()

    def watch(caller: Caller) -> None:
        while not done.is_set():
            answer = caller.get(desk.path("credit_use", "getList"), per_page=500)
            rows = {row["customer_id"]: row for row in answer.data["data"]}
            exposures.extend(Decimal(rows[key]["exposure"]) for key in customers if key in rows)

    def clerk(number: int) -> list[tuple[str, Answer]]:
        hand = Clerk(Caller(http, site.world.tokens["clerk_a"]), desk, customers, random.Random(number))
        for _ in range(ROUNDS):
            hand.work()
        return hand.told

    limits = httpx.Limits(max_connections=CLERKS + 1)
    with (
        httpx.Client(base_url=server.address, timeout=60, limits=limits) as http,
        ThreadPoolExecutor(CLERKS + 1) as pool,
    ):
        watching = pool.submit(watch, Caller(http, site.world.tokens["admin"]))
        told = [
            one for hand in [pool.submit(clerk, number) for number in range(CLERKS)] for one in hand.result()
        ]
        done.set()
        watching.result()

    outcome = Counter((what, answer.code) for what, answer in told)
    print(f"{len(told)} calls, {len(exposures)} exposures read: {dict(outcome)}")
    assert {answer.status for _, answer in told} <= {200, 400}
    for what in ("sales_order", "sales_outbound", "customer_receipt"):
        assert outcome[f"{what} auditorPass", 200] > 10, "too few went through to prove anything"
    refused = {answer.msg[:6] for _, answer in told if not answer.ok}
    assert any(msg.startswith("客户信用额度") for msg in refused), "nobody came near the limit"
    assert max(exposures) <= LIMIT
    assert max(exposures) > LIMIT / 2
    assert conn.exec_driver_sql(OVER_SHIPPED).all() == []
    assert conn.exec_driver_sql(OVER_SETTLED).all() == []
    assert broken(conn) == {}
