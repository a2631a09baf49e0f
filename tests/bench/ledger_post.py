"""Benchmark of posting against a bare transaction: 20-line sales outbounds, 8 connections, overlapping
goods.

The floor is hand-written psycopg: multi-row statements that do the same inserts and guarded updates on the
same tables, without picking, averages, refusals with reasons or periods. Both run on the same server, one
after the other, in alternating rounds. Run: `python -m tests.bench.ledger_post [seconds a round]`.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from itertools import count
from pathlib import Path

import psycopg

from api.kit.declaration.posting import BillRef, Postings, SettlementOpen, StockMove
from api.kit.storage import database
from api.kit.storage.database import Base
from api.launch.postgres import EmbeddedPostgres
from api.ledger import install, post_bill

CONNECTIONS = 8
GOODS = range(1, 501)
LINES = 20
COMPANY = 1
WAREHOUSE = 1
DAY = date(2026, 1, 5)
ROUNDS = 3
numbers = count(1)


def build_outbound(pick: bool) -> tuple[BillRef, Postings]:
    """Return a sales outbound of random goods, which leaves location and batch open when `pick`."""
    bill_id = next(numbers)
    place = None if pick else 0
    moves = tuple(
        StockMove(
            line_id=bill_id * 100 + line,
            warehouse_id=WAREHOUSE,
            goods_id=goods_id,
            quantity=Decimal(-2),
            allocation_id=place,
            batch_id=place,
        )
        for line, goods_id in enumerate(random.sample(GOODS, LINES))
    )
    settlement = SettlementOpen("customer", 1, Decimal("8000.00"), date(2026, 2, 4))
    return BillRef("XSCK", bill_id, f"XSCK{bill_id}", COMPANY, DAY), Postings(
        moves, settlements=(settlement,)
    )


def stock_up(url: str) -> None:
    """Post plenty of every goods."""
    engine = database.build_engine(url)
    with engine.begin() as conn:
        Base.metadata.create_all(conn)
        install.install(conn)
        moves = tuple(
            StockMove(
                line_id=goods_id,
                warehouse_id=WAREHOUSE,
                goods_id=goods_id,
                quantity=Decimal(10**7),
                amount=Decimal(10**9),
            )
            for goods_id in GOODS
        )
        post_bill(conn, BillRef("CGRK", 1, "CGRK1", COMPANY, DAY), Postings(moves))
    engine.dispose()


LEDGER = """
insert into stock_ledger (company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
    bill_type, bill_id, bill_no, line_id, business_date)
values """
ROW = "(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
GUARDED = (
    """update stock_balance b set quantity = b.quantity + v.quantity from (values {rows}) as v (goods_id, quantity)
    where b.warehouse_id = %s and b.goods_id = v.goods_id and b.allocation_id = 0 and b.batch_id = 0
        and b.quantity + v.quantity >= 0""",
    """update stock_total t set quantity = t.quantity + v.quantity from (values {rows}) as v (goods_id, quantity)
    where t.warehouse_id = %s and t.goods_id = v.goods_id and t.quantity - t.reserved - t.frozen + v.quantity >= 0""",
    """update cost_balance c set quantity = c.quantity + v.quantity,
        amount = c.amount + round(v.quantity * c.amount / c.quantity, 2)
    from (values {rows}) as v (goods_id, quantity)
    where c.company_id = %s and c.goods_id = v.goods_id""",
)
LOCK = """
select goods_id, quantity, amount from cost_balance where company_id = %s and goods_id = any(%s)
order by goods_id for update"""
ITEM = """
insert into settlement_item (company_id, party_type, party_id, kind, bill_type, bill_id, bill_no, business_date,
    due_date, amount, open_amount)
values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) returning settlement_id"""
ENTRY = """
insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id,
    bill_no, business_date)
values (%s, %s, %s, %s, %s, 'open', %s, %s, %s, %s)"""


def post_bare(conn: psycopg.Connection, bill: BillRef, postings: Postings) -> None:
    """Insert the same rows by hand."""
    moves = sorted(postings.stock, key=lambda move: move.goods_id)
    reference = (bill.bill_type, bill.bill_id, bill.bill_no)
    with conn.transaction():
        costs = {
            goods_id: amount / quantity
            for goods_id, quantity, amount in conn.execute(LOCK, (COMPANY, [move.goods_id for move in moves]))
        }
        values: list[object] = []
        for move in moves:
            cost = costs[move.goods_id]
            values += (COMPANY, WAREHOUSE, 0, move.goods_id, 0, move.quantity, cost, move.quantity * cost)
            values += (*reference, move.line_id, bill.business_date)
        conn.execute(LEDGER + ", ".join([ROW] * len(moves)), values)
        pairs = [value for move in moves for value in (move.goods_id, move.quantity)]
        rows = ", ".join(["(%s::bigint, %s::numeric)"] * len(moves))
        for statement in GUARDED:
            assert conn.execute(statement.format(rows=rows), (*pairs, WAREHOUSE)).rowcount == len(moves)
        for item in postings.settlements:
            party = (item.party_type, item.party_id)
            row = (COMPANY, *party, item.kind, *reference, DAY, item.due_date, item.amount, item.amount)
            (settlement_id,) = conn.execute(ITEM, row).fetchone() or ()
            conn.execute(ENTRY, (settlement_id, COMPANY, *party, item.amount, *reference, DAY))


def measure_rate(seconds: float, start: Callable[[], tuple[Callable[[], None], Callable[[], None]]]) -> float:
    """Return bills a second over all connections; `start` opens one and returns its work and its close."""
    done = [0] * CONNECTIONS
    ready = threading.Barrier(CONNECTIONS + 1)
    stop = threading.Event()

    def run_client(number: int) -> None:
        work, close = start()
        for _ in range(10):
            work()
        ready.wait()
        while not stop.is_set():
            work()
            done[number] += 1
        close()

    threads = [threading.Thread(target=run_client, args=(number,)) for number in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    ready.wait()
    begun = time.perf_counter()
    time.sleep(seconds)
    total, taken = sum(done), time.perf_counter() - begun
    stop.set()
    for thread in threads:
        thread.join()
    return total / taken


def measure_variants(url: str, seconds: float) -> None:
    stock_up(url)
    engine = database.build_engine(url)

    def start_bare() -> tuple[Callable[[], None], Callable[[], None]]:
        conn = psycopg.connect(url, autocommit=True)
        return lambda: post_bare(conn, *build_outbound(pick=False)), conn.close

    def build_start(pick: bool) -> Callable[[], tuple[Callable[[], None], Callable[[], None]]]:
        def start() -> tuple[Callable[[], None], Callable[[], None]]:
            conn = engine.connect()

            def work() -> None:
                post_bill(conn, *build_outbound(pick))
                conn.commit()

            return work, conn.close

        return start

    variants = {
        "bare": start_bare,
        "post": build_start(pick=False),
        "post with picking": build_start(pick=True),
    }
    rates: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(ROUNDS):
        for name, start in variants.items():
            rates[name].append(measure_rate(seconds, start))
    engine.dispose()
    floor = statistics.median(rates["bare"])
    for name, found in rates.items():
        middle = statistics.median(found)
        print(f"{name:18} {middle:7.0f} bills/s  {middle / floor:6.1%} of the bare transaction")


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    with tempfile.TemporaryDirectory(prefix="erp-bench-") as place:
        server = EmbeddedPostgres(Path(place) / "postgres", Path(place) / "postgres.log")
        server.start()
        try:
            measure_variants(server.url("postgres"), seconds)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
