"""Cost replay (成本重放): what every row of goods is worth when their company's ledger is read in business order.

Pure arithmetic over whole numbers: quantities in thousandths, amounts in cents, unit costs in millionths of a yuan.
The rules are those of sql/40_value.sql, bill by bill: given values and linked returns, then what comes in at the
average, then what goes out, then what lands elsewhere or is made of it with the value that left; stock that was sold
short takes the cost of what comes in. Goods that conversions make of each other are replayed together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from api.kit.proration import share_units

MICRO = 10_000_000
"""A unit cost in millionths over this is cents per thousandth of a unit."""
BOUGHT = "CGRK"
CONVERTED, LANDED = "converted", "landed"
MOVED = frozenset({CONVERTED, LANDED})
"""What rests on the value that left elsewhere."""
_BILL = attrgetter("bill_id", "bill_type")


class Row(NamedTuple):
    """A standing row of the stock ledger, difference rows left out."""

    goods_id: int
    pool_id: int
    ledger_id: int
    day: date
    bill_type: str
    bill_id: int
    line_id: int
    quantity: int
    amount: int
    unit_cost: int
    basis: str
    origin_type: str | None
    origin_line_id: int | None
    share: int | None

    @property
    def origin(self) -> tuple[str | None, int | None]:
        """The line that a linked return comes back from."""
        return self.origin_type, self.origin_line_id

    @property
    def line(self) -> tuple[str, int]:
        """Its own line, as a return names it."""
        return self.bill_type, self.line_id


Corrected = tuple[int, bool]
"""A row that is corrected, and whether that pays for stock sold short before: what is made keeps the two apart."""


@dataclass(slots=True)
class Pool:
    """Stock that shares one average.

    `last` is the unit cost of its newest purchase, or inbound where nothing was `bought`, None before it is asked for.
    """

    quantity: int = 0
    amount: int = 0
    last: int | None = None
    bought: bool = False


@dataclass(slots=True)
class Issue:
    """A line that linked returns come back from: what it delivers in all, what of it and of its returns has passed."""

    total: int
    delivered: int = 0
    amount: int = 0
    back: int = 0
    back_amount: int = 0


@dataclass(slots=True)
class Goods:
    """One goods of a company at the start of a replay.

    `written`: differences that rows carry already, by row and what they are for. `sent`: by how much the senders' rows
    of another company were corrected, by (bill type, line). `before(pool)` answers the last unit cost before the
    replay's first day, and whether it is a purchase's.
    """

    pools: dict[int, Pool]
    before: Callable[[int], tuple[int, bool]]
    issues: dict[tuple[str | None, int | None], Issue] = field(default_factory=dict)
    written: dict[Corrected, int] = field(default_factory=dict)
    sent: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Nothing is worth nothing, and stock is not worth less."""
        return all(
            pool.amount == 0 if pool.quantity == 0 else pool.quantity < 0 or pool.amount >= 0
            for pool in self.pools.values()
        )


def rounded(numerator: int, denominator: int) -> int:
    """The quotient, half away from zero; the denominator is positive."""
    if numerator < 0:
        return -((-2 * numerator + denominator) // (2 * denominator))
    return (2 * numerator + denominator) // (2 * denominator)


Books = Mapping[int, tuple[Goods, Sequence[Row]]]
"""Goods at the start of a replay by their ids, each with its rows in business order."""


@dataclass(slots=True)
class Posted:
    """One bill's rows of one goods, as they are replayed."""

    goods: Goods
    rows: list[Row]
    worths: list[int] = field(default_factory=list)
    old: dict[int, tuple[int, int]] = field(default_factory=dict)
    short: dict[int, int] = field(default_factory=dict)
    """What of the worth of a row, by its place, pays for stock that had been sold short."""

    @property
    def place(self) -> tuple[date, int]:
        """Where it stands in business order; bills that share goods were posted one after the other."""
        return self.rows[0].day, self.rows[0].ledger_id


def replay(books: Books) -> dict[Corrected, int]:
    """The differences to write, by the row that each corrects; moves the pools of the goods along."""
    found: dict[Corrected, int] = {}
    for bill in _bills(books):
        for posted in bill:
            _value(posted)
        _convert(bill)
        for posted in bill:
            _settle(posted)
            found.update(_differences(posted))
    return found


def _differences(posted: Posted) -> Iterator[tuple[Corrected, int]]:
    written = posted.goods.written
    for at, row in enumerate(posted.rows):
        short = posted.short.get(at, 0) if row.basis == CONVERTED else 0
        wanted = {False: posted.worths[at] - short - row.amount, True: short}
        for settles, amount in wanted.items():
            difference = amount - written.get((row.ledger_id, settles), 0)
            if difference:
                yield (row.ledger_id, settles), difference


def _bills(books: Books) -> list[list[Posted]]:
    """All bills in business order, each with what it moved of every goods."""
    bills: dict[tuple[int, str], list[Posted]] = {}
    for goods, rows in books.values():
        for key, posted in groupby(rows, key=_BILL):
            bills.setdefault(key, []).append(Posted(goods, list(posted)))
    return sorted(bills.values(), key=lambda bill: min(posted.place for posted in bill))


def _value(posted: Posted) -> None:
    """What one bill's rows of a goods are worth by themselves, made ones left as they were posted."""
    goods, bill = posted.goods, posted.rows
    posted.worths = [row.amount for row in bill]
    for pool_id in {row.pool_id for row in bill}:
        pool = goods.pools.setdefault(pool_id, Pool())
        posted.old[pool_id] = (pool.quantity, pool.amount)
        _own(goods, pool, bill, posted.worths, pool_id)
    _land(goods, bill, posted.worths)


def _convert(bill: list[Posted]) -> None:
    """What is made takes by its shares the value that left and what was added to it; as it was posted where that is
    what left then."""
    made = sorted(
        (
            (row, posted, at)
            for posted in bill
            for at, row in enumerate(posted.rows)
            if row.basis == CONVERTED
        ),
        key=lambda one: one[0].ledger_id,
    )
    if not made:
        return
    worths = [row.amount for row, _, _ in made]
    gone = sum(
        row.amount - worth
        for posted in bill
        for row, worth in zip(posted.rows, posted.worths, strict=True)
        if row.quantity < 0
    )
    if gone:
        worths = _shared([row for row, _, _ in made], sum(worths) + gone)
    for worth, (row, posted, at) in zip(worths, made, strict=True):
        posted.worths[at] = worth
        pool = posted.goods.pools[row.pool_id]
        pool.quantity += row.quantity
        pool.amount += worth
        _learn(posted.goods, pool, row, _unit(worth, row.quantity))


def _shared(made: list[Row], total: int) -> list[int]:
    """What falls to each made row: over the lines first, then over each line's pieces."""
    lines: dict[int, list[int]] = {}
    for row in made:
        lines.setdefault(row.line_id, []).append(row.share or 0)
    amounts = share_units(total, [sum(shares) for shares in lines.values()])
    pieces = {
        line_id: iter(share_units(amount, shares))
        for amount, (line_id, shares) in zip(amounts, lines.items(), strict=True)
    }
    return [next(pieces[row.line_id]) for row in made]


def _settle(posted: Posted) -> None:
    """Has what comes in pay for stock that was sold short, and notes what linked returns may come back from."""
    goods, bill = posted.goods, posted.rows
    for pool_id, old in posted.old.items():
        if old[0] < 0:
            _correct(posted, pool_id, *old)
    for row, worth in zip(bill, posted.worths, strict=True):
        issue = goods.issues.get(row.line)
        if issue is not None and row.quantity:
            issue.delivered -= row.quantity
            issue.amount -= worth


def _own(goods: Goods, pool: Pool, bill: list[Row], worths: list[int], pool_id: int) -> None:
    """Values what one pool's rows bring and take by themselves, and adds it to the pool."""
    brought = amount = came = 0
    for at, row in enumerate(bill):
        if row.pool_id != pool_id:
            continue
        if row.basis == "origin":
            worths[at] = _returned(goods, row)
        if row.basis in ("given", "origin"):
            brought += row.quantity
            amount += worths[at]
        elif row.basis == "average":
            came += row.quantity
    stock, value = pool.quantity + brought, pool.amount + amount
    price, of = value, stock
    if stock <= 0:
        price, of = _assumed(goods, pool, bill, pool_id, brought, amount), MICRO
    so_far = taken = before = 0
    stock += came
    value += rounded(price * came, of)
    for at, row in enumerate(bill):
        if row.pool_id != pool_id:
            continue
        if row.basis == "average":
            worths[at] = rounded(price * (so_far + row.quantity), of) - rounded(price * so_far, of)
            so_far += row.quantity
        elif row.quantity < 0:
            taken -= row.quantity
            gone = _issued(stock, value, taken, price, of)
            worths[at] = before - gone
            before = gone
        elif row.basis == "adjustment":
            # Without stock the adjustment is the period's result, and no more than the stock is worth is taken off.
            worths[at] = max(row.amount, -value) if stock > 0 else 0
            value += worths[at]
        elif row.basis == "correction":
            worths[at] = 0
        if row.quantity > 0 and row.basis not in MOVED:
            unit = rounded(price * MICRO, of) if row.basis == "average" else _unit(worths[at], row.quantity)
            _learn(goods, pool, row, unit)
    pool.quantity = stock - taken
    pool.amount = value - before


def _issued(stock: int, value: int, taken: int, price: int, of: int) -> int:
    """What has left once `taken` is gone: everything at the last unit, the price a piece beyond it."""
    if stock <= 0:
        return rounded(taken * price, of)
    if taken >= stock:
        return value + rounded((taken - stock) * price, of)
    return rounded(value * taken, stock)


def _assumed(goods: Goods, pool: Pool, bill: list[Row], pool_id: int, brought: int, amount: int) -> int:
    """The unit cost of goods that there is no stock of: what came with it, the last one, the one it was posted at."""
    if brought:
        return _unit(amount, brought)
    _ask(goods, pool, pool_id)
    own = (row for row in bill if row.pool_id == pool_id and row.basis in ("issue", "average"))
    return pool.last or max((row.unit_cost for row in own), default=0)


def _ask(goods: Goods, pool: Pool, pool_id: int) -> None:
    if pool.last is None:
        pool.last, pool.bought = goods.before(pool_id)


def _learn(goods: Goods, pool: Pool, row: Row, unit: int) -> None:
    """Note what came in at a cost: what was bought once is worth what it was last bought at."""
    if not unit:
        return
    if row.bill_type == BOUGHT:
        pool.last, pool.bought = unit, True
        return
    _ask(goods, pool, row.pool_id)
    if not pool.bought:
        pool.last = unit


def _unit(amount: int, quantity: int) -> int:
    return rounded(amount * MICRO, quantity)


def _returned(goods: Goods, row: Row) -> int:
    """A linked return's share of its line's issue cost, cumulative so that the last unit brings the last cent.

    One that is dated before its line was delivered keeps what it was posted at.
    """
    issue = goods.issues.get(row.origin)
    if issue is None:
        return row.amount
    if issue.total <= 0 or issue.delivered != issue.total:
        worth = row.amount
    else:
        worth = rounded(issue.amount * (issue.back + row.quantity), issue.total) - issue.back_amount
    issue.back += row.quantity
    issue.back_amount += worth
    return worth


def _land(goods: Goods, bill: list[Row], worths: list[int]) -> None:
    """What lands takes the value that left, and keeps what was added to it on the way."""
    upto: dict[int, int] = {}
    for at, row in enumerate(bill):
        if row.basis != LANDED:
            continue
        source = bill[at - 1] if at else None
        if source is not None and source.line_id == row.line_id and source.quantity == -row.quantity:
            worths[at] = row.amount + source.amount - worths[at - 1]
        else:
            sent = goods.sent.get(row.line, 0)
            if sent:
                worths[at] = row.amount - _share(bill, row, sent, upto)
        pool = goods.pools[row.pool_id]
        pool.quantity += row.quantity
        pool.amount += worths[at]
        _learn(goods, pool, row, _unit(worths[at], row.quantity))


def _share(bill: list[Row], row: Row, sent: int, upto: dict[int, int]) -> int:
    """A landed row's part of what its line's sender was corrected by, to the cent."""
    whole = sum(other.quantity for other in bill if other.basis == LANDED and other.line_id == row.line_id)
    before = upto.get(row.line_id, 0)
    upto[row.line_id] = before + row.quantity
    return rounded(sent * (before + row.quantity), whole) - rounded(sent * before, whole)


def _correct(posted: Posted, pool_id: int, old_quantity: int, old_amount: int) -> None:
    """Lets what comes in pay for stock that was sold short before; the last inbound row carries the difference."""
    pool, bill, worths = posted.goods.pools[pool_id], posted.rows, posted.worths
    came = [at for at, row in enumerate(bill) if row.pool_id == pool_id and row.quantity > 0]
    if not came:
        return
    in_quantity, in_amount = sum(bill[at].quantity for at in came), sum(worths[at] for at in came)
    if pool.quantity >= 0:
        settled = rounded(in_amount * pool.quantity, in_quantity)
    else:
        settled = rounded(old_amount * pool.quantity * -1, -old_quantity)
    # Of several rows of the journal, the correction's own is the one that says so.
    own = [at for at, row in enumerate(bill) if row.pool_id == pool_id and row.basis == "correction"]
    at = own[0] if own else came[-1]
    worths[at] += settled - pool.amount
    posted.short[at] = settled - pool.amount
    pool.amount = settled
