"""Cost replay (成本重放): the value of every row of goods when their company's ledger is read in business order.

Pure arithmetic over whole numbers: quantities in thousandths, amounts in cents, unit costs in millionths
of a yuan. The rules are those of sql/40_value.sql, bill by bill: given values and linked returns, then
what comes in at the average, then what goes out, then what lands elsewhere or is made of it with the value
that left; stock that was sold short takes the cost of what comes in. Goods that conversions make of each
other are replayed together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from api.kit.bills.proration import allocate_units

MICRO = 10_000_000
"""A unit cost in millionths over this is cents per thousandth of a unit."""
PURCHASE_TYPE = "CGRK"
CONVERTED, LANDED = "converted", "landed"
MOVED_BASES = frozenset({CONVERTED, LANDED})
"""Bases of rows whose value is what left elsewhere."""
_BILL = attrgetter("bill_id", "bill_type")


class ReplayRow(NamedTuple):
    """A row of the stock ledger that is not reversed, difference rows left out."""

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
        """Return the line that a linked return comes back from."""
        return self.origin_type, self.origin_line_id

    @property
    def line(self) -> tuple[str, int]:
        """Return its own line, as a return names it."""
        return self.bill_type, self.line_id


CorrectionKey = tuple[int, bool]
"""A row that is corrected, and whether that pays for stock sold short before: what is made keeps the two apart."""


@dataclass(slots=True)
class CostPool:
    """Stock that shares one average.

    `last` is the unit cost of its newest purchase, or inbound where nothing was `bought`, None before it is asked for.
    """

    quantity: int = 0
    amount: int = 0
    last: int | None = None
    bought: bool = False


@dataclass(slots=True)
class Issue:
    """A line that linked returns come back from: its total, and what of it and of its returns was replayed so
    far."""

    total: int
    delivered: int = 0
    amount: int = 0
    back: int = 0
    back_amount: int = 0


@dataclass(slots=True)
class ReplayGoods:
    """One goods of a company at the start of a replay.

    `written`: differences that rows carry already, by row and what they are for. `sent`: by how much the senders' rows
    of another company were corrected, by (bill type, line). `before(pool)` answers the last unit cost before the
    replay's first day, and whether it is a purchase's.
    """

    pools: dict[int, CostPool]
    before: Callable[[int], tuple[int, bool]]
    issues: dict[tuple[str | None, int | None], Issue] = field(default_factory=dict)
    written: dict[CorrectionKey, int] = field(default_factory=dict)
    sent: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def is_sound(self) -> bool:
        """Whether no stock has no value, and stock has no negative one."""
        return all(
            pool.amount == 0 if pool.quantity == 0 else pool.quantity < 0 or pool.amount >= 0
            for pool in self.pools.values()
        )


def round_quotient(numerator: int, denominator: int) -> int:
    """Return the quotient, rounded half away from zero; the denominator is positive."""
    if numerator < 0:
        return -((-2 * numerator + denominator) // (2 * denominator))
    return (2 * numerator + denominator) // (2 * denominator)


ReplayGroup = Mapping[int, tuple[ReplayGoods, Sequence[ReplayRow]]]
"""Goods at the start of a replay by their ids, each with its rows in business order."""


@dataclass(slots=True)
class ReplayBill:
    """One bill's rows of one goods, as they are replayed."""

    goods: ReplayGoods
    rows: list[ReplayRow]
    worths: list[int] = field(default_factory=list)
    old: dict[int, tuple[int, int]] = field(default_factory=dict)
    short: dict[int, int] = field(default_factory=dict)
    """Part of a row's value, by its place, that pays for stock that had been sold short."""

    @property
    def place(self) -> tuple[date, int]:
        """Its place in business order; bills that share goods were posted one after the other."""
        return self.rows[0].day, self.rows[0].ledger_id


def replay_costs(books: ReplayGroup) -> dict[CorrectionKey, int]:
    """Return the differences to write, by the row that each corrects; updates the pools of the goods."""
    found: dict[CorrectionKey, int] = {}
    for bill in _order_bills(books):
        for posted in bill:
            _value_rows(posted)
        _value_conversions(bill)
        for posted in bill:
            _finish_bill(posted)
            found.update(_list_differences(posted))
    return found


def _list_differences(posted: ReplayBill) -> Iterator[tuple[CorrectionKey, int]]:
    written = posted.goods.written
    for at, row in enumerate(posted.rows):
        short = posted.short.get(at, 0) if row.basis == CONVERTED else 0
        wanted = {False: posted.worths[at] - short - row.amount, True: short}
        for settles, amount in wanted.items():
            difference = amount - written.get((row.ledger_id, settles), 0)
            if difference:
                yield (row.ledger_id, settles), difference


def _order_bills(books: ReplayGroup) -> list[list[ReplayBill]]:
    """Return all bills in business order, each with its rows by goods."""
    bills: dict[tuple[int, str], list[ReplayBill]] = {}
    for goods, rows in books.values():
        for key, posted in groupby(rows, key=_BILL):
            bills.setdefault(key, []).append(ReplayBill(goods, list(posted)))
    return sorted(bills.values(), key=lambda bill: min(posted.place for posted in bill))


def _value_rows(posted: ReplayBill) -> None:
    """Value one bill's rows of a goods by themselves; converted ones keep their posted value."""
    goods, bill = posted.goods, posted.rows
    posted.worths = [row.amount for row in bill]
    for pool_id in {row.pool_id for row in bill}:
        pool = goods.pools.setdefault(pool_id, CostPool())
        posted.old[pool_id] = (pool.quantity, pool.amount)
        _value_pool(goods, pool, bill, posted.worths, pool_id)
    _value_landings(goods, bill, posted.worths)


def _value_conversions(bill: list[ReplayBill]) -> None:
    """Prorate the value that left, and what was added, over the converted rows by their shares.

    They keep their posted value where that is what left then.
    """
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
        worths = _prorate_conversion([row for row, _, _ in made], sum(worths) + gone)
    for worth, (row, posted, at) in zip(worths, made, strict=True):
        posted.worths[at] = worth
        pool = posted.goods.pools[row.pool_id]
        pool.quantity += row.quantity
        pool.amount += worth
        _note_unit_cost(posted.goods, pool, row, _compute_unit_cost(worth, row.quantity))


def _prorate_conversion(made: list[ReplayRow], total: int) -> list[int]:
    """Prorate `total` over the converted rows: over the lines first, then over each line's pieces."""
    lines: dict[int, list[int]] = {}
    for row in made:
        lines.setdefault(row.line_id, []).append(row.share or 0)
    amounts = allocate_units(total, [sum(shares) for shares in lines.values()])
    pieces = {
        line_id: iter(allocate_units(amount, shares))
        for amount, (line_id, shares) in zip(amounts, lines.items(), strict=True)
    }
    return [next(pieces[row.line_id]) for row in made]


def _finish_bill(posted: ReplayBill) -> None:
    """Charge stock that was sold short to what comes in, and note the issues that linked returns may come
    back from."""
    goods, bill = posted.goods, posted.rows
    for pool_id, old in posted.old.items():
        if old[0] < 0:
            _correct_short_stock(posted, pool_id, *old)
    for row, worth in zip(bill, posted.worths, strict=True):
        issue = goods.issues.get(row.line)
        if issue is not None and row.quantity:
            issue.delivered -= row.quantity
            issue.amount -= worth


def _value_pool(
    goods: ReplayGoods, pool: CostPool, bill: list[ReplayRow], worths: list[int], pool_id: int
) -> None:
    """Value the rows that bring and take goods of one pool by themselves, and update the pool."""
    brought = amount = came = 0
    for at, row in enumerate(bill):
        if row.pool_id != pool_id:
            continue
        if row.basis == "origin":
            worths[at] = _value_return(goods, row)
        if row.basis in ("given", "origin"):
            brought += row.quantity
            amount += worths[at]
        elif row.basis == "average":
            came += row.quantity
    stock, value = pool.quantity + brought, pool.amount + amount
    price, of = value, stock
    if stock <= 0:
        price, of = _assume_unit_cost(goods, pool, bill, pool_id, brought, amount), MICRO
    so_far = taken = before = 0
    stock += came
    value += round_quotient(price * came, of)
    for at, row in enumerate(bill):
        if row.pool_id != pool_id:
            continue
        if row.basis == "average":
            worths[at] = round_quotient(price * (so_far + row.quantity), of) - round_quotient(
                price * so_far, of
            )
            so_far += row.quantity
        elif row.quantity < 0:
            taken -= row.quantity
            gone = _compute_issue_value(stock, value, taken, price, of)
            worths[at] = before - gone
            before = gone
        elif row.basis == "adjustment":
            # Without stock the adjustment is the period's result, and no more than the stock is worth is taken off.
            worths[at] = max(row.amount, -value) if stock > 0 else 0
            value += worths[at]
        elif row.basis == "correction":
            worths[at] = 0
        if row.quantity > 0 and row.basis not in MOVED_BASES:
            unit = (
                round_quotient(price * MICRO, of)
                if row.basis == "average"
                else _compute_unit_cost(worths[at], row.quantity)
            )
            _note_unit_cost(goods, pool, row, unit)
    pool.quantity = stock - taken
    pool.amount = value - before


def _compute_issue_value(stock: int, value: int, taken: int, price: int, of: int) -> int:
    """Return the value that has left once `taken` is gone: everything at the last unit, the price a piece
    beyond it."""
    if stock <= 0:
        return round_quotient(taken * price, of)
    if taken >= stock:
        return value + round_quotient((taken - stock) * price, of)
    return round_quotient(value * taken, stock)


def _assume_unit_cost(
    goods: ReplayGoods, pool: CostPool, bill: list[ReplayRow], pool_id: int, brought: int, amount: int
) -> int:
    """Return the unit cost of goods without stock: of what came with it, the last one, or the one it was
    posted at."""
    if brought:
        return _compute_unit_cost(amount, brought)
    _load_last_cost(goods, pool, pool_id)
    own = (row for row in bill if row.pool_id == pool_id and row.basis in ("issue", "average"))
    return pool.last or max((row.unit_cost for row in own), default=0)


def _load_last_cost(goods: ReplayGoods, pool: CostPool, pool_id: int) -> None:
    if pool.last is None:
        pool.last, pool.bought = goods.before(pool_id)


def _note_unit_cost(goods: ReplayGoods, pool: CostPool, row: ReplayRow, unit: int) -> None:
    """Note the unit cost of an inbound row; a purchase's cost goes before others."""
    if not unit:
        return
    if row.bill_type == PURCHASE_TYPE:
        pool.last, pool.bought = unit, True
        return
    _load_last_cost(goods, pool, row.pool_id)
    if not pool.bought:
        pool.last = unit


def _compute_unit_cost(amount: int, quantity: int) -> int:
    return round_quotient(amount * MICRO, quantity)


def _value_return(goods: ReplayGoods, row: ReplayRow) -> int:
    """Return a linked return's part of its line's issue cost, cumulative so that the last unit brings the
    last cent.

    One that is dated before its line was delivered keeps what it was posted at.
    """
    issue = goods.issues.get(row.origin)
    if issue is None:
        return row.amount
    if issue.total <= 0 or issue.delivered != issue.total:
        worth = row.amount
    else:
        worth = round_quotient(issue.amount * (issue.back + row.quantity), issue.total) - issue.back_amount
    issue.back += row.quantity
    issue.back_amount += worth
    return worth


def _value_landings(goods: ReplayGoods, bill: list[ReplayRow], worths: list[int]) -> None:
    """Value landed rows by the value that left, keeping what was added to it on the way."""
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
                worths[at] = row.amount - _prorate_correction(bill, row, sent, upto)
        pool = goods.pools[row.pool_id]
        pool.quantity += row.quantity
        pool.amount += worths[at]
        _note_unit_cost(goods, pool, row, _compute_unit_cost(worths[at], row.quantity))


def _prorate_correction(bill: list[ReplayRow], row: ReplayRow, sent: int, upto: dict[int, int]) -> int:
    """Return a landed row's part of its sender's correction, to the cent."""
    whole = sum(other.quantity for other in bill if other.basis == LANDED and other.line_id == row.line_id)
    before = upto.get(row.line_id, 0)
    upto[row.line_id] = before + row.quantity
    return round_quotient(sent * (before + row.quantity), whole) - round_quotient(sent * before, whole)


def _correct_short_stock(posted: ReplayBill, pool_id: int, old_quantity: int, old_amount: int) -> None:
    """Charge stock that was sold short before to what comes in; the last inbound row carries the difference."""
    pool, bill, worths = posted.goods.pools[pool_id], posted.rows, posted.worths
    came = [at for at, row in enumerate(bill) if row.pool_id == pool_id and row.quantity > 0]
    if not came:
        return
    in_quantity, in_amount = sum(bill[at].quantity for at in came), sum(worths[at] for at in came)
    if pool.quantity >= 0:
        settled = round_quotient(in_amount * pool.quantity, in_quantity)
    else:
        settled = round_quotient(old_amount * pool.quantity * -1, -old_quantity)
    # Of several rows of the journal, the correction's own is the one that says so.
    own = [at for at, row in enumerate(bill) if row.pool_id == pool_id and row.basis == "correction"]
    at = own[0] if own else came[-1]
    worths[at] += settled - pool.amount
    posted.short[at] = settled - pool.amount
    pool.amount = settled
