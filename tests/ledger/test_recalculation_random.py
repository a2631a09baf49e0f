"""Cost recalculation against a second bookkeeper: random bills with random dates, replayed by hand in Decimals."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from api.ledger import integrity_checks, reverse_bill
from api.ledger.recalculation import recalculate_costs
from api.ledger.refusals import LedgerRefusal
from tests.ledger.reference_model import round_cents
from tests.ledger.test_recalculation import FIRST
from tests.support.ledger_builders import COMPANY, DAY, NEGATIVE, TYRE, LedgerBench, build_move, build_ref

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
class ReferenceBill:
    """A bill that is not reversed: its move, its given amount or the sale it comes back from, and its posted
    amount."""

    day: int
    quantity: Decimal
    amount: Decimal | None
    sale: str | None
    posted: Decimal
    unit_cost: Decimal


@dataclass
class ReferenceAverage:
    """Moving average of one goods, bill after bill in business order; `worth` is what each bill is worth by it."""

    quantity: Decimal = ZERO
    value: Decimal = ZERO
    last: Decimal | None = None
    bought: bool = False
    worth: dict[str, Decimal] = field(default_factory=dict)
    back: dict[str, tuple[Decimal, Decimal]] = field(default_factory=dict)

    def unit(self, line: ReferenceBill) -> Decimal:
        return self.last or line.unit_cost

    def learn(self, cost: Decimal | None, bought: bool) -> None:
        """Note a unit cost; a purchase's goes before others."""
        if cost and (bought or not self.bought):
            self.last, self.bought = cost, bought

    def take(self, name: str, line: ReferenceBill, lines: dict[str, ReferenceBill]) -> None:
        if line.quantity < 0:
            self.issue(name, line)
        else:
            amount = self.value_inbound(name, line, lines)
            # A gift tells nothing of what a piece costs.
            if line.amount is not None or line.sale:
                self.learn(round_micro(amount / line.quantity), name.startswith("CGRK"))
            self.receive(name, line.quantity, amount)

    def issue(self, name: str, line: ReferenceBill) -> None:
        taken = -line.quantity
        if self.quantity <= 0:
            cost = round_cents(taken * self.unit(line))
        elif taken >= self.quantity:
            cost = self.value + round_cents((taken - self.quantity) * self.value / self.quantity)
        else:
            cost = round_cents(self.value * taken / self.quantity)
        self.quantity, self.value = self.quantity - taken, self.value - cost
        self.worth[name] = -cost

    def value_inbound(self, name: str, line: ReferenceBill, lines: dict[str, ReferenceBill]) -> Decimal:
        if line.amount is not None:
            return line.amount
        if line.sale is not None:
            return self.value_return(line, lines[line.sale])
        average = self.value / self.quantity if self.quantity > 0 else self.unit(line)
        self.learn(round_micro(average), False)
        return (
            round_cents(self.value * line.quantity / self.quantity)
            if self.quantity > 0
            else round_cents(average * line.quantity)
        )

    def value_return(self, line: ReferenceBill, sale: ReferenceBill) -> Decimal:
        assert line.sale is not None
        before, amount = self.back.get(line.sale, (ZERO, ZERO))
        if line.sale in self.worth:
            worth = round_cents(-self.worth[line.sale] * (before + line.quantity) / -sale.quantity) - amount
        else:
            worth = line.posted
        self.back[line.sale] = (before + line.quantity, amount + worth)
        return worth

    def receive(self, name: str, quantity: Decimal, amount: Decimal) -> None:
        before, value = self.quantity, self.value
        self.quantity, self.value = before + quantity, value + amount
        if before < 0:
            if self.quantity >= 0:
                self.value = round_cents(amount * self.quantity / quantity)
            else:
                self.value = round_cents(value * self.quantity / before)
        self.worth[name] = self.value - value


def round_micro(number: Decimal) -> Decimal | None:
    return number.quantize(Decimal("0.000001"), "ROUND_HALF_UP") or None


def post_bills(books: LedgerBench, bills: list[tuple[Any, ...]]) -> dict[str, ReferenceBill]:
    """Post what the ledger takes, under negative stock; returns what is not reversed, in posting order."""
    lines: dict[str, ReferenceBill] = {}
    sold: list[str] = []
    for number, (kind, day, quantity, more) in enumerate(bills, 1):
        name, when, sale = f"{kind}{number}", DAY + timedelta(days=day), None
        try:
            with books.conn.begin_nested():
                if kind == "undo":
                    chosen = list(lines)[more % len(lines)] if lines else None
                    if chosen:
                        reverse_named(books, chosen, lines[chosen].day)
                        del lines[chosen]
                    continue
                signed = -quantity if kind == "XSCK" else quantity
                options: dict[str, Any] = {"amount": more} if kind == "CGRK" else {}
                if kind == "XSTH" and sold:
                    sale = sold[more % len(sold)]
                    options["origin"] = ("XSCK", int(sale[4:]))
                books.post(name, build_move(signed, line=number, **options), policy=NEGATIVE, day=when)
        except LedgerRefusal:
            continue
        [(amount, unit)] = books.rows(
            f"select amount, unit_cost from stock_ledger where bill_no = '{name}' and quantity <> 0"
        )
        lines[name] = ReferenceBill(day, signed, more if kind == "CGRK" else None, sale, amount, unit)
        if kind == "XSCK":
            sold.append(name)
    return lines


def reverse_named(books: LedgerBench, name: str, day: int) -> None:
    reverse_bill(books.conn, build_ref(name, DAY + timedelta(days=day)), NEGATIVE)


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
        books = LedgerBench(conn)
        lines = post_bills(books, asked)
        found = recalculate_costs(conn, COMPANY, FIRST, [TYRE])
        hand = ReferenceAverage()
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
        assert recalculate_costs(conn, COMPANY, FIRST, [TYRE]).differences == 0
        assert [
            item.check.name
            for item in integrity_checks.run_checks(conn, integrity_checks.LEDGER_CHECKS)
            if item.count
        ] == []
        transaction.rollback()
