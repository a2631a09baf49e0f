"""Many clerks on few hot goods over two processes: never a piece too many, no deadlock shown, nothing broken."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import httpx
from sqlalchemy import Connection

from tests.faults.serve_process import ServeProcess
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer, Caller
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site

CLERKS, BILLS, STOCK = 16, 96, 40
GOODS = 5


def test_hot_goods_are_sold_out_and_not_oversold(site: Site, server: ServeProcess, conn: Connection) -> None:
    """Each bill wants one to three of five goods in random line order; together they want far more than there is."""
    desk, chance = BillClient(site), random.Random(7)
    goods = site.world.spares[:GOODS]
    for key in goods:
        desk.stock_in(key, STOCK)
    bills = []
    for _ in range(BILLS):
        chosen = chance.sample(goods, 3)
        lines = [{"goods_id": key, "quantity": str(chance.randint(1, 3)), "price": "9"} for key in chosen]
        bills.append(desk.draft("sales_outbound", *lines))

    def audit(bill: SavedBill) -> Answer:
        caller = Caller(http, site.world.tokens["admin"])
        return caller.post(desk.path("sales_outbound", "auditorPass"), {"ids": [bill.id]})

    with httpx.Client(base_url=server.address, timeout=60) as http, ThreadPoolExecutor(CLERKS) as pool:
        answers = list(pool.map(audit, bills))
    refused = [answer for answer in answers if not answer.ok]
    assert refused, "there was enough for everybody: the test proves nothing"
    assert all(answer.msg.startswith("库存不足") for answer in refused)
    sold = dict(
        conn.exec_driver_sql(
            "select goods_id, sum(quantity) from stock_ledger where bill_type = 'XSCK' group by goods_id"
        )
        .tuples()
        .all()
    )
    for key in goods:
        left, _, _ = PostingReader(conn).available(key, site.world.warehouse_a)
        assert float(left) >= 0
        assert float(left) == STOCK + float(sold[key])
    assert find_broken_checks(conn) == {}
