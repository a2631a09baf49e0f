"""Cost replay (成本重放): what every row of one goods is worth when its company's ledger is read in business order.

Pure arithmetic over whole numbers: quantities in thousandths, amounts in cents, unit costs in millionths of a yuan.
The rules are those of sql/40_value.sql, bill by bill: given values and linked returns, then what comes in at the
average, then what goes out, then what lands elsewhere with the value that left; stock that was sold short takes the
cost of what comes in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

MICRO = 10_000_000
"""A unit cost in millionths over this is cents per thousandth of a unit."""
_BILL = attrgetter("bill_id", "bill_type")


class Row(NamedTuple):
    """A standing row of the stock ledger, difference rows left out."""

    pool_id: int
    ledger_id: int
    bill_type: str
    bill_id: int
    line_id: int
    quantity: int
    amount: int
    unit_cost: int
    basis: str
    origin_type: str | None
    origin_line_id: int | None

    @property
    def origin(self) -> tuple[str | None, int | None]:
        """The line that a linked return comes back from."""
        return self.origin_type, self.origin_line_id

    @property
    def line(self) -> tuple[str, int]:
        """Its own line, as a return names it."""
        return self.bill_type, self.line_id


@dataclass(slots=True)
class Pool:
    """Stock that shares one average; `last` is the unit cost of its newest inbound, None before it is asked for."""

    quantity: int = 0
    amount: int = 0
    last: int | None = None


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

    `written`: differences that rows carry already, by row. `sent`: by how much the senders' rows of another company
    were corrected, by (bill type, line). `before(pool)` answers the last unit cost before the replay's first day.
    """

    pools: dict[int, Pool]
    before: Callable[[int], int]
    issues: dict[tuple[str | None, int | None], Issue] = field(default_factory=dict)
    written: dict[int, int] = field(default_factory=dict)
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


def replay(goods: Goods, rows: Sequence[Row]) -> dict[int, int]:
    """The differences to write, by the row that each corrects; `rows` in business order. Moves `goods.pools` along."""
    found: dict[int, int] = {}
    for _, posted in groupby(rows, key=_BILL):
        bill = list(posted)
        worths = _values(goods, bill)
        for row, worth in zip(bill, worths, strict=True):
            difference = worth - row.amount - goods.written.get(row.ledger_id, 0)
            if difference:
                found[row.ledger_id] = difference
    return found


def _values(goods: Goods, bill: list[Row]) -> list[int]:
    """What each row of one bill is worth."""
    worths = [row.amount for row in bill]
    pools = {row.pool_id for row in bill}
    old = {}
    for pool_id in pools:
        pool = goods.pools.setdefault(pool_id, Pool())
        old[pool_id] = (pool.quantity, pool.amount)
        _own(goods, pool, bill, worths, pool_id)
    _land(goods, bill, worths)
    for pool_id in pools:
        if old[pool_id][0] < 0:
            _correct(goods.pools[pool_id], bill, worths, pool_id, *old[pool_id])
    for row, worth in zip(bill, worths, strict=True):
        issue = goods.issues.get(row.line)
        if issue is not None and row.quantity:
            issue.delivered -= row.quantity
            issue.amount -= worth
    return worths


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
        if row.quantity > 0 and row.basis != "landed":
            unit = rounded(price * MICRO, of) if row.basis == "average" else _unit(worths[at], row.quantity)
            pool.last = unit or pool.last
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
    if pool.last is None:
        pool.last = goods.before(pool_id)
    own = (row for row in bill if row.pool_id == pool_id and row.basis in ("issue", "average"))
    return pool.last or max((row.unit_cost for row in own), default=0)


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
        if row.basis != "landed":
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
        pool.last = _unit(worths[at], row.quantity) or pool.last


def _share(bill: list[Row], row: Row, sent: int, upto: dict[int, int]) -> int:
    """A landed row's part of what its line's sender was corrected by, to the cent."""
    whole = sum(other.quantity for other in bill if other.basis == "landed" and other.line_id == row.line_id)
    before = upto.get(row.line_id, 0)
    upto[row.line_id] = before + row.quantity
    return rounded(sent * (before + row.quantity), whole) - rounded(sent * before, whole)


def _correct(
    pool: Pool, bill: list[Row], worths: list[int], pool_id: int, old_quantity: int, old_amount: int
) -> None:
    """Lets what comes in pay for stock that was sold short before; the last inbound row carries the difference."""
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
    worths[own[0] if own else came[-1]] += settled - pool.amount
    pool.amount = settled
