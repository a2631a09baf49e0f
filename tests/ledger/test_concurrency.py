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

from api.kit.declaration.posting import Conversion, MoneyEntry, Postings, SettlementOpen, WriteOff
from api.ledger import integrity_checks, post_bill, reverse_bill
from api.ledger.refusals import LedgerRefusal, OverWriteOff, Shortage
from tests.support.ledger_builders import DUE, WAREHOUSE, LedgerBench, build_move, build_ref

THREADS = 16
BILLS = 20
GOODS = (1, 2, 3, 4, 5)
STOCK = 100


def run_threads(engine: Engine, clerk: Callable[[int, Counter[str]], None]) -> Counter[str]:
    """Run `clerk(number, counts)` on sixteen threads that start together; any error that is no refusal fails."""
    start = Barrier(THREADS)
    counts = [Counter[str]() for _ in range(THREADS)]

    def work(number: int) -> None:
        start.wait()
        clerk(number, counts[number])

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))
    return sum(counts, Counter())


def attempt_action(
    engine: Engine, counts: Counter[str], action: Callable[..., None], *arguments: Any
) -> bool:
    """Run one action in a transaction of its own, without retries, and count its outcome."""
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
            build_move(STOCK // 4, goods, line=goods, amount=777, allocation_id=a, batch_id=b)
            for goods in GOODS
            for a in (0, 1)
            for b in (1, 2)
        ]
        LedgerBench(conn).post("CGRK1", *moves)
    return engine


def list_broken_checks(engine: Engine) -> list[str]:
    with engine.connect() as conn:
        return [
            found.check.name
            for found in integrity_checks.run_checks(
                conn, (*integrity_checks.LEDGER_CHECKS, integrity_checks.build_negative_stock_check("0"))
            )
            if found.count
        ]


def test_conversions_each_way_keep_the_value_and_never_wait_crosswise(engine: Engine) -> None:
    parts = (11, 12, 13)
    total = "select sum(amount) from cost_balance where goods_id between 11 and 13"
    with engine.connect() as conn, conn.begin():
        LedgerBench(conn).post(
            "CGRK2", *(build_move(STOCK, goods, line=goods, amount=goods * 777) for goods in parts)
        )
        before = LedgerBench(conn).value(total)

    def enter_bills(number: int, counts: Counter[str]) -> None:
        dice = random.Random(number)
        for turn in range(BILLS):
            bill_id = 500_000 + 1000 * number + turn
            taken, made = dice.sample(parts, 2)
            moves = (build_move(-1, taken, line=bill_id * 10 + 1), build_move(1, made, line=bill_id * 10 + 2))
            postings = Postings(stock=moves, conversion=Conversion())
            if (
                attempt_action(engine, counts, post_bill, build_ref(f"XTZH{bill_id}"), postings)
                and dice.random() < 0.3
            ):
                attempt_action(engine, counts, reverse_bill, build_ref(f"XTZH{bill_id}"))

    counts = run_threads(engine, enter_bills)
    assert counts["done"] >= THREADS * BILLS
    assert set(counts) <= {"done", "shortage", "stock_used", "cost_used"}
    assert list_broken_checks(engine) == []
    with engine.connect() as conn:
        assert LedgerBench(conn).value(total) == before


def test_outbounds_reversals_and_orders_never_oversell(stocked: Engine) -> None:
    def enter_bills(number: int, counts: Counter[str]) -> None:
        dice = random.Random(number)
        for turn in range(BILLS):
            bill_id = 1000 * (number + 1) + turn
            chosen = dice.sample(GOODS, 3)
            moves = tuple(
                build_move(
                    -dice.randint(1, 4),
                    goods,
                    line=bill_id * 10 + place,
                    batch_id=dice.choice([None, None, 1]),
                )
                for place, goods in enumerate(chosen)
            )
            owed = (SettlementOpen("customer", number, Decimal(10), DUE),)
            shipped = attempt_action(
                stocked, counts, post_bill, build_ref(f"XSCK{bill_id}"), Postings(moves, settlements=owed)
            )
            if shipped and dice.random() < 0.4:
                attempt_action(stocked, counts, reverse_bill, build_ref(f"XSCK{bill_id}"))

    counts = run_threads(stocked, enter_bills)
    assert set(counts) == {"done", "shortage"}
    assert list_broken_checks(stocked) == []
    with stocked.connect() as conn:
        shipped = LedgerBench(conn).rows(
            "select goods_id, -sum(quantity) from stock_ledger where bill_type = 'XSCK' group by 1"
        )
    assert all(quantity <= STOCK for _, quantity in shipped)
    assert sum(quantity for _, quantity in shipped) > STOCK


def test_write_offs_of_one_item_never_pass_it(engine: Engine) -> None:
    with engine.connect() as conn, conn.begin():
        items = [LedgerBench(conn).open_receivable(f"XSCK{number}", "100.00") for number in (1, 2, 3)]

    def write_off(number: int, counts: Counter[str]) -> None:
        dice = random.Random(number)
        for turn in range(BILLS):
            bill_no = f"KHSK{1000 * (number + 1) + turn}"
            entries = tuple(WriteOff(item, Decimal(dice.randint(1, 9))) for item in dice.sample(items, 2))
            money = tuple(MoneyEntry(account, Decimal(5)) for account in dice.sample([1, 2, 3], 2))
            paid = attempt_action(
                engine, counts, post_bill, build_ref(bill_no), Postings(write_offs=entries, money=money)
            )
            if paid and dice.random() < 0.4:
                attempt_action(engine, counts, reverse_bill, build_ref(bill_no))

    counts = run_threads(engine, write_off)
    assert set(counts) == {"done", OverWriteOff.kind}
    assert list_broken_checks(engine) == []


def test_two_clerks_and_the_last_tyre(engine: Engine) -> None:
    with engine.connect() as conn, conn.begin():
        LedgerBench(conn).post("CGRK9", build_move(1, 999, amount=100))

    def sell_tyre(number: int, counts: Counter[str]) -> None:
        attempt_action(
            engine,
            counts,
            post_bill,
            build_ref(f"XSCK{500 + number}"),
            Postings((build_move(-1, 999, line=number),)),
        )

    assert run_threads(engine, sell_tyre) == {"done": 1, Shortage.kind: THREADS - 1}
    with engine.connect() as conn:
        assert (
            LedgerBench(conn).value(
                f"select quantity from stock_total where goods_id = 999 and warehouse_id = {WAREHOUSE}"
            )
            == 0
        )
