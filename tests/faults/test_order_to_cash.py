"""16 clerks take orders of a few customers to outbound and receipt at once, over two processes.

Whoever reads meanwhile never finds a customer beyond his limit; in the end nothing is over-shipped, over-received or
written off twice, and the books tie.
"""

from __future__ import annotations

import threading
from decimal import Decimal

from sqlalchemy import Connection

from tests.faults.concurrent_clients import (
    GOODS,
    ConcurrentClient,
    assert_consistent,
    list_refusals,
    run_clients,
)
from tests.faults.serve_process import ServeProcess
from tests.support.bill_client import BillClient
from tests.support.client import Caller
from tests.support.fixtures import Site

CUSTOMERS, LIMIT = 3, Decimal(2000)
OVER_SETTLED = """
select settlement_id from customer_receipt_write_off w join customer_receipt using (bill_id)
join settlement_item using (settlement_id)
where status = 2 group by settlement_id, settlement_item.amount having sum(w.amount) > settlement_item.amount
"""


class SalesClient(ConcurrentClient):
    """A client without a right to pass the limit."""

    party, orders, delivers = "customer", "sales_order", "sales_outbound"
    does = ("order", "deliver", "deliver", "receive", "undo")

    def receive(self) -> None:
        items = self.open_items("customer_receipt", customer := self.choose_partner())
        if not items:
            return
        item = self.chance.choice(items)
        amount = self.choose_amount(item["open_amount"])
        off = {"settlement_id": item["settlement_id"], "amount": amount}
        self.add_and_audit("customer_receipt", {"write_offs": [off], "amount": amount, **customer})

    def undo(self) -> None:
        self.take_back(self.delivers)


def test_credit_orders_and_receipts_hold(site: Site, server: ServeProcess, conn: Connection) -> None:
    desk = BillClient(site)
    for goods in desk.world.spares[:GOODS]:
        desk.stock_in(goods, 5000)
    customers = [
        desk.partner("customer", f"月结客户{at}", credit_limit=str(LIMIT)) for at in range(CUSTOMERS)
    ]
    exposures: list[Decimal] = []

    def watch(caller: Caller, done: threading.Event) -> None:
        while not done.is_set():
            answer = caller.get(desk.path("credit_use", "getList"), per_page=500)
            rows = {row["customer_id"]: row for row in answer.data["data"]}
            exposures.extend(Decimal(rows[key]["exposure"]) for key in customers if key in rows)

    told = run_clients(server, desk, SalesClient, customers, watch)
    assert any(msg.startswith("客户已超信用额度") for msg in list_refusals(told)), (
        "nobody came near the limit"
    )
    assert max(exposures) <= LIMIT
    assert max(exposures) > LIMIT / 2
    assert conn.exec_driver_sql(OVER_SETTLED).all() == []
    assert_consistent(conn, told, SalesClient, "customer_receipt")
