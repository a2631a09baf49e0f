"""Sixteen clerks on five hot goods: nobody oversells or over-settles, nobody meets a deadlock, balances stay true."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import Engine

from api.kit.posting import Conversion, MoneyEntry, Postings, SettlementOpen, WriteOff
from api.ledger import checks, post, reverse
from api.ledger.refusals import LedgerRefusal, OverWriteOff, Shortage
from tests.ledger.words import DUE, WAREHOUSE, Bench, move, ref

CLERKS = 16
BILLS = 20
GOODS = (1, 2, 3, 4, 5)
STOCK = 100


def run(engine: Engine, clerk: Callable[[int, Counter[str]], None]) -> Counter[str]:
    """Run `clerk(number, counts)` on sixteen threads that start together; any error that is no refusal fails."""
    start = Barrier(CLERKS)
    counts = [Counter[str]() for _ in range(CLERKS)]

    def work(number: int) -> None:
        start.wait()
        clerk(number, counts[number])

    with ThreadPoolExecutor(CLERKS) as pool:
        list(pool.map(work, range(CLERKS)))
    return sum(counts, Counter())


def do(engine: Engine, counts: Counter[str], action: Callable[..., None], *arguments: Any) -> bool:
    """One action in a transaction of its own, without retries; counts what came of it."""
    try:
        with engine.connect() as conn, conn.begin():
            action(conn, *arguments)
    except LedgerRefusal as refusal:
        counts[refusal.kind] += 1
        return False
    counts["done"] += 1
    return True


@pytest.fixture(scope="module")
def stocked(engine: Engine) -> Engine:
    with engine.connect() as conn, conn.begin():
        moves = [
            move(STOCK // 4, goods, line=goods, amount=777, allocation_id=a, batch_id=b)
            for goods in GOODS
            for a in (0, 1)
            for b in (1, 2)
        ]
        Bench(conn).post("CGRK1", *moves)
    return engine


def broken(engine: Engine) -> list[str]:
    with engine.connect() as conn:
        return [
            found.check.name
            for found in checks.run(conn, (*checks.LEDGER, checks.negative_stock("0")))
            if found.count
        ]


def test_conversions_each_way_keep_the_value_and_never_wait_crosswise(engine: Engine) -> None:
    parts = (11, 12, 13)
    total = "select sum(amount) from cost_balance where goods_id between 11 and 13"
    with engine.connect() as conn, conn.begin():
        Bench(conn).post("CGRK2", *(move(STOCK, goods, line=goods, amount=goods * 777) for goods in parts))
        before = Bench(conn).value(total)

    def clerk(number: int, counts: Counter[str]) -> None:
        dice = random.Random(number)
        for turn in range(BILLS):
            bill_id = 500_000 + 1000 * number + turn
            taken, made = dice.sample(parts, 2)
            moves = (move(-1, taken, line=bill_id * 10 + 1), move(1, made, line=bill_id * 10 + 2))
            postings = Postings(stock=moves, conversion=Conversion())
            if do(engine, counts, post, ref(f"XTZH{bill_id}"), postings) and dice.random() < 0.3:
                do(engine, counts, reverse, ref(f"XTZH{bill_id}"))

    counts = run(engine, clerk)
    assert counts["done"] >= CLERKS * BILLS
    assert set(counts) <= {"done", "shortage", "stock_used", "cost_used"}
    assert broken(engine) == []
    with engine.connect() as conn:
        assert Bench(conn).value(total) == before


def test_outbounds_reversals_and_orders_never_oversell(stocked: Engine) -> None:
    def clerk(number: int, counts: Counter[str]) -> None:
        dice = random.Random(number)
        for turn in range(BILLS):
            bill_id = 1000 * (number + 1) + turn
            chosen = dice.sample(GOODS, 3)
            moves = tuple(
                move(
                    -dice.randint(1, 4),
                    goods,
                    line=bill_id * 10 + place,
                    batch_id=dice.choice([None, None, 1]),
                )
                for place, goods in enumerate(chosen)
            )
            owed = (SettlementOpen("customer", number, Decimal(10), DUE),)
            shipped = do(stocked, counts, post, ref(f"XSCK{bill_id}"), Postings(moves, settlements=owed))
            if shipped and dice.random() < 0.4:
                do(stocked, counts, reverse, ref(f"XSCK{bill_id}"))

    counts = run(stocked, clerk)
    assert set(counts) == {"done", "shortage"}
    assert broken(stocked) == []
    with stocked.connect() as conn:
        shipped = Bench(conn).rows(
            "select goods_id, -sum(quantity) from stock_ledger where bill_type = 'XSCK' group by 1"
        )
    assert all(quantity <= STOCK for _, quantity in shipped)
    assert sum(quantity for _, quantity in shipped) > STOCK


def test_write_offs_of_one_item_never_pass_it(engine: Engine) -> None:
    with engine.connect() as conn, conn.begin():
        items = [Bench(conn).owe(f"XSCK{number}", "100.00") for number in (1, 2, 3)]

    def clerk(number: int, counts: Counter[str]) -> None:
        dice = random.Random(number)
        for turn in range(BILLS):
            bill_no = f"KHSK{1000 * (number + 1) + turn}"
            entries = tuple(WriteOff(item, Decimal(dice.randint(1, 9))) for item in dice.sample(items, 2))
            money = tuple(MoneyEntry(account, Decimal(5)) for account in dice.sample([1, 2, 3], 2))
            paid = do(engine, counts, post, ref(bill_no), Postings(write_offs=entries, money=money))
            if paid and dice.random() < 0.4:
                do(engine, counts, reverse, ref(bill_no))

    counts = run(engine, clerk)
    assert set(counts) == {"done", OverWriteOff.kind}
    assert broken(engine) == []


def test_two_clerks_and_the_last_tyre(engine: Engine) -> None:
    with engine.connect() as conn, conn.begin():
        Bench(conn).post("CGRK9", move(1, 999, amount=100))

    def clerk(number: int, counts: Counter[str]) -> None:
        do(engine, counts, post, ref(f"XSCK{500 + number}"), Postings((move(-1, 999, line=number),)))

    assert run(engine, clerk) == {"done": 1, Shortage.kind: CLERKS - 1}
    with engine.connect() as conn:
        assert (
            Bench(conn).value(
                f"select quantity from stock_total where goods_id = 999 and warehouse_id = {WAREHOUSE}"
            )
            == 0
        )
