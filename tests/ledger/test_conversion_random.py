"""Recalculated conversions against an oracle: the same bills posted in business order, where nothing is to correct."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from api.kit.declaration.posting import Conversion, Postings, StockMove
from api.ledger import integrity_checks, post_bill
from api.ledger.recalculation import recalculate_costs
from api.ledger.refusals import LedgerRefusal
from tests.ledger.test_recalculation import FIRST
from tests.support.ledger_builders import COMPANY, DAY, LedgerBench, build_move, build_ref

PARTS = (301, 302, 303)
goods = st.sampled_from(PARTS)
quantities = st.integers(1, 9000).map(lambda number: Decimal(number) / 1000)
cents = st.integers(0, 300_000).map(lambda number: Decimal(number) / 100)
bills = st.lists(
    st.one_of(
        st.tuples(st.just("buy"), goods, quantities, cents),
        st.tuples(st.just("sell"), goods, quantities, cents),
        st.tuples(st.just("turn"), st.permutations(PARTS), quantities, cents),
        st.tuples(st.just("part"), st.permutations(PARTS), quantities, cents),
    ),
    min_size=3,
    max_size=16,
)
OPENING = [("buy", part, Decimal(12), Decimal("1000.01") * at) for at, part in enumerate(PARTS, 1)]
DONE: Counter[str] = Counter()


def build_moves(number: int, kind: str, what: tuple[int, ...], quantity: Decimal) -> Iterator[StockMove]:
    (taken, made, other), line = what, number * 10
    yield build_move(str(-quantity), taken, line=line + 1)
    if kind == "turn":
        yield build_move("1.5", made, line=line + 2)
    else:
        yield build_move("0.7", made, line=line + 2, share=Decimal("61.7"))
        yield build_move("3", other, line=line + 4, share=Decimal("38.3"))


def post_conversion(
    books: LedgerBench, number: int, bill: tuple[str, Any, Decimal, Decimal], day: int
) -> str:
    kind, what, quantity, amount = bill
    when = DAY + timedelta(days=day)
    if kind == "buy":
        books.post(
            f"CGRK{number}", build_move(str(quantity), what, line=number * 10, amount=amount), day=when
        )
        return f"CGRK{number}"
    if kind == "sell":
        books.post(f"XSCK{number}", build_move(str(-quantity), what, line=number * 10), day=when)
        return f"XSCK{number}"
    moves = tuple(build_moves(number, kind, what, quantity))
    post_bill(
        books.conn, build_ref(f"XTZH{number}", when), Postings(stock=moves, conversion=Conversion(amount))
    )
    return f"XTZH{number}"


def read_values(books: LedgerBench) -> list[tuple[Any, ...]]:
    return books.rows("select bill_no, goods_id, sum(amount) from stock_ledger group by 1, 2 order by 1, 2")


@settings(
    max_examples=120,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(bills, st.randoms(use_true_random=False))
def test_it_is_worth_what_it_would_be_in_order(engine: Engine, asked: list[Any], chance: Any) -> None:
    """Each bill has a day of its own; what is refused is left out of both."""
    days = list(range(1, len(asked) + 1))
    chance.shuffle(days)
    asked, days = [*OPENING, *asked], [0, 0, 0, *days]
    with engine.connect() as conn:
        transaction, books = conn.begin(), LedgerBench(conn)
        stands = []
        for number, (one, day) in enumerate(zip(asked, days, strict=True), 1):
            try:
                with conn.begin_nested():
                    DONE[post_conversion(books, number, one, day)[:4]] += 1
            except LedgerRefusal:
                continue
            stands.append((day, number, one))
        recalculate_costs(conn, COMPANY, FIRST, list(PARTS[:1]))
        recalculate_costs(conn, COMPANY, FIRST, list(PARTS))
        found = read_values(books)
        assert recalculate_costs(conn, COMPANY, FIRST, list(PARTS)).differences == 0
        assert [
            item.check.name
            for item in integrity_checks.run_checks(conn, integrity_checks.LEDGER_CHECKS)
            if item.count
        ] == []
        transaction.rollback()

        transaction = conn.begin()
        for day, number, one in sorted(stands):
            post_conversion(books, number, one, day)
        assert found == read_values(books)
        transaction.rollback()


def test_the_bills_that_were_drawn_stood() -> None:
    """A property of bills that are all refused would prove nothing."""
    assert min(DONE[kind] for kind in ("CGRK", "XSCK", "XTZH")) > 100
