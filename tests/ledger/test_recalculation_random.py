"""Cost recalculation against a second bookkeeper: random bills with random dates, replayed by hand in Decimals."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from api.ledger import checks, reverse
from api.ledger.recalculation import recalculate
from api.ledger.refusals import LedgerRefusal
from tests.ledger.shadow import cents
from tests.ledger.test_recalculation import FIRST
from tests.ledger.words import COMPANY, DAY, NEGATIVE, TYRE, Bench, move, ref

ZERO = Decimal(0)
quantities = st.integers(1, 9000).map(lambda number: Decimal(number) / 1000)
amounts = st.integers(0, 500_000).map(lambda number: Decimal(number) / 100)
days = st.integers(0, 9)
bills = st.lists(
    st.one_of(
        st.tuples(st.just("CGRK"), days, quantities, amounts),
        st.tuples(st.just("XSCK"), days, quantities, st.none()),
        st.tuples(st.just("PYRK"), days, quantities, st.none()),
        st.tuples(st.just("XSTH"), days, quantities, st.integers(0, 9)),
        st.tuples(st.just("undo"), days, quantities, st.integers(0, 20)),
    ),
    min_size=2,
    max_size=25,
)


@dataclass
class Line:
    """A standing bill: what it moved, its given amount or the sale it comes back from, and what it was posted at."""

    day: int
    quantity: Decimal
    amount: Decimal | None
    sale: str | None
    posted: Decimal
    unit_cost: Decimal


@dataclass
class Hand:
    """Moving average of one goods, bill after bill in business order; `worth` is what each bill is worth by it."""

    quantity: Decimal = ZERO
    value: Decimal = ZERO
    last: Decimal | None = None
    bought: bool = False
    worth: dict[str, Decimal] = field(default_factory=dict)
    back: dict[str, tuple[Decimal, Decimal]] = field(default_factory=dict)

    def unit(self, line: Line) -> Decimal:
        return self.last or line.unit_cost

    def learn(self, cost: Decimal | None, bought: bool) -> None:
        """What was bought once is worth what it was last bought at."""
        if cost and (bought or not self.bought):
            self.last, self.bought = cost, bought

    def take(self, name: str, line: Line, lines: dict[str, Line]) -> None:
        if line.quantity < 0:
            self.issue(name, line)
        else:
            amount = self.given(name, line, lines)
            # A gift tells nothing of what a piece costs.
            if line.amount is not None or line.sale:
                self.learn(cents6(amount / line.quantity), name.startswith("CGRK"))
            self.receive(name, line.quantity, amount)

    def issue(self, name: str, line: Line) -> None:
        taken = -line.quantity
        if self.quantity <= 0:
            cost = cents(taken * self.unit(line))
        elif taken >= self.quantity:
            cost = self.value + cents((taken - self.quantity) * self.value / self.quantity)
        else:
            cost = cents(self.value * taken / self.quantity)
        self.quantity, self.value = self.quantity - taken, self.value - cost
        self.worth[name] = -cost

    def given(self, name: str, line: Line, lines: dict[str, Line]) -> Decimal:
        if line.amount is not None:
            return line.amount
        if line.sale is not None:
            return self.returned(line, lines[line.sale])
        average = self.value / self.quantity if self.quantity > 0 else self.unit(line)
        self.learn(cents6(average), False)
        return (
            cents(self.value * line.quantity / self.quantity)
            if self.quantity > 0
            else cents(average * line.quantity)
        )

    def returned(self, line: Line, sale: Line) -> Decimal:
        assert line.sale is not None
        before, amount = self.back.get(line.sale, (ZERO, ZERO))
        if line.sale in self.worth:
            worth = cents(-self.worth[line.sale] * (before + line.quantity) / -sale.quantity) - amount
        else:
            worth = line.posted
        self.back[line.sale] = (before + line.quantity, amount + worth)
        return worth

    def receive(self, name: str, quantity: Decimal, amount: Decimal) -> None:
        before, value = self.quantity, self.value
        self.quantity, self.value = before + quantity, value + amount
        if before < 0:
            if self.quantity >= 0:
                self.value = cents(amount * self.quantity / quantity)
            else:
                self.value = cents(value * self.quantity / before)
        self.worth[name] = self.value - value


def cents6(number: Decimal) -> Decimal | None:
    return number.quantize(Decimal("0.000001"), "ROUND_HALF_UP") or None


def posted(books: Bench, asked: list[tuple[Any, ...]]) -> dict[str, Line]:
    """Post what the ledger takes, under negative stock; answers what stands, in posting order."""
    lines: dict[str, Line] = {}
    sold: list[str] = []
    for number, (kind, day, quantity, more) in enumerate(asked, 1):
        name, when, sale = f"{kind}{number}", DAY + timedelta(days=day), None
        try:
            with books.conn.begin_nested():
                if kind == "undo":
                    chosen = list(lines)[more % len(lines)] if lines else None
                    if chosen:
                        reverse_of(books, chosen, lines[chosen].day)
                        del lines[chosen]
                    continue
                signed = -quantity if kind == "XSCK" else quantity
                options: dict[str, Any] = {"amount": more} if kind == "CGRK" else {}
                if kind == "XSTH" and sold:
                    sale = sold[more % len(sold)]
                    options["origin"] = ("XSCK", int(sale[4:]))
                books.post(name, move(signed, line=number, **options), policy=NEGATIVE, day=when)
        except LedgerRefusal:
            continue
        [(amount, unit)] = books.rows(
            f"select amount, unit_cost from stock_ledger where bill_no = '{name}' and quantity <> 0"
        )
        lines[name] = Line(day, signed, more if kind == "CGRK" else None, sale, amount, unit)
        if kind == "XSCK":
            sold.append(name)
    return lines


def reverse_of(books: Bench, name: str, day: int) -> None:
    reverse(books.conn, ref(name, DAY + timedelta(days=day)), NEGATIVE)


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(bills)
@example(
    [
        ("CGRK", 1, Decimal("0.001"), ZERO),
        ("XSCK", 0, Decimal("0.002"), None),
        ("XSCK", 1, Decimal("0.001"), None),
        ("CGRK", 0, Decimal("0.001"), Decimal("0.01")),
    ]
)
@example(
    [
        ("XSCK", 1, Decimal("0.001"), None),
        ("CGRK", 0, Decimal("0.001"), Decimal("0.02")),
        ("CGRK", 0, Decimal("0.001"), ZERO),
        ("XSCK", 0, Decimal("0.003"), None),
        ("XSTH", 0, Decimal("0.001"), 0),
    ]
)
def test_every_bill_is_worth_what_the_hand_says(engine: Engine, asked: list[tuple[Any, ...]]) -> None:
    with engine.connect() as conn:
        transaction = conn.begin()
        books = Bench(conn)
        lines = posted(books, asked)
        found = recalculate(conn, COMPANY, FIRST, [TYRE])
        hand = Hand()
        for name, line in sorted(lines.items(), key=lambda item: item[1].day):
            hand.take(name, line, lines)
        told = dict(
            books.rows(
                "select bill_no, sum(amount) from stock_ledger group by bill_no having sum(quantity) <> 0"
            )
        )
        if not found.left:
            assert told == hand.worth
            balance = books.rows("select quantity, amount from cost_balance where pool_id = 0")
            assert balance == ([(hand.quantity, hand.value)] if balance else [])
        assert recalculate(conn, COMPANY, FIRST, [TYRE]).differences == 0
        assert [item.check.name for item in checks.run(conn, checks.LEDGER) if item.count] == []
        transaction.rollback()
