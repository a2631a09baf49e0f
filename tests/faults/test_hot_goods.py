"""64 clerks on 20 hot goods over two processes: orders, sales, purchases and transfers audited and taken back at once.

Nobody sees a server error or a deadlock, at no moment was more gone than there was, and the books tie in the end.
`ERP_STORM_SECONDS` says for how long (10 by default).
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
from sqlalchemy import Connection

from tests.faults.serve_process import ServeProcess
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer, Caller
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site

SECONDS = float(os.environ.get("ERP_STORM_SECONDS", "10"))
CLERKS, GOODS, STOCK, BILLS = 64, 20, 40, 256
KINDS: dict[str, dict[str, str]] = {
    "sales_outbound": {},
    "sales_order": {},
    "other_inbound": {},
    "transfer_out": {"to_warehouse_id": "warehouse2_a"},
    "transfer_in": {},
}
"""Types of bills, and the records that their headers name beyond the usual ones."""
REFUSALS = (
    "库存不足",
    "该单据的库存已被使用",
    "单据状态已变化",
    "该调拨单已有收货",
    "以下单据",
    "占用",
    "超过仓库调拨",
    "仓库调拨",
)
RUNNING = """
select warehouse_id, goods_id, min(stock) from (
    select warehouse_id, goods_id, sum(quantity) over (partition by warehouse_id, goods_id order by ledger_id) as stock
    from stock_ledger
) f group by 1, 2 having min(stock) < 0
"""


def build_drafts(desk: BillClient, chance: random.Random) -> list[SavedBill]:
    """Return bills of three of the goods each, in random line order; some of the transfers are on the way."""
    goods = desk.world.spares[:GOODS]
    for key in goods:
        desk.stock_in(key, STOCK)
    made = []
    kinds = [kind for kind in KINDS if kind != "transfer_in"]
    for number in range(BILLS):
        kind = kinds[number % len(kinds)]
        lines = [
            {"goods_id": key, "quantity": str(chance.randint(1, 4)), "price": "9", "tax_rate": "13"}
            for key in chance.sample(goods, 3)
        ]
        header = {name: desk.world.ids[record] for name, record in KINDS[kind].items()}
        if kind == "transfer_out" and number % 16 == 3:
            sent = desk.add_audited(kind, *({**line, "quantity": "1"} for line in lines), **header)
            draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
            made += [sent, desk.draft("transfer_in", *draft.pop("lines"), **draft)]
        else:
            made.append(desk.draft(kind, *lines, **header))
    return made


def test_nobody_oversells_and_nobody_sees_a_deadlock(
    site: Site, server: ServeProcess, conn: Connection
) -> None:
    desk = BillClient(site)
    bills = build_drafts(desk, random.Random(7))
    end = time.monotonic() + SECONDS
    told: list[tuple[str, Answer]] = []

    def run_client(number: int) -> None:
        chance = random.Random(number)
        caller = Caller(http, site.world.tokens["admin"])
        while time.monotonic() < end:
            bill = chance.choice(bills)
            action = chance.choice(["auditorPass", "auditorPass", "antiAuditor"])
            told.append((action, caller.post(desk.path(bill.resource, action), {"ids": [bill.id]})))

    limits = httpx.Limits(max_connections=CLERKS)
    with (
        httpx.Client(base_url=server.address, timeout=60, limits=limits) as http,
        ThreadPoolExecutor(CLERKS) as pool,
    ):
        for done in [pool.submit(run_client, number) for number in range(CLERKS)]:
            done.result()

    outcome = Counter((action, answer.code) for action, answer in told)
    print(f"{len(told)} commands: {dict(outcome)}")
    assert {answer.status for _, answer in told} <= {200, 400}
    for action in ("auditorPass", "antiAuditor"):
        assert outcome[action, 200] > 20, "too few went through to prove anything"
    refused = [answer.msg for _, answer in told if not answer.ok]
    assert any(msg.startswith("库存不足") for msg in refused), (
        "there was enough for everybody: the test proves nothing"
    )
    assert sorted({msg for msg in refused if not any(word in msg for word in REFUSALS)}) == []
    assert conn.exec_driver_sql(RUNNING).all() == []
    assert find_broken_checks(conn) == {}
    posted: list[Any] = conn.exec_driver_sql("select distinct bill_type from stock_ledger").scalars().all()
    assert {"XSCK", "QTRK", "DBCK", "DBRK"} <= set(posted)
