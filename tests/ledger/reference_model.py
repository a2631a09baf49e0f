"""Reference model of the ledger: plain loops over dictionaries, against which the ledger's SQL is compared.

It knows picking, days that are over, the average, linked returns, reservations and refusals for lack of
stock; where stock was sold short it takes the ledger's word for the cost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal

from api.kit.declaration.posting import StockMove

Place = tuple[int, int, int, int]
CENT = Decimal("0.01")
ZERO = Decimal(0)


def round_cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)


class ReferenceShortage(Exception):
    """The reference model finds too little stock, or too little delivered."""


class PastReferenceShortage(ReferenceShortage):
    """The reference model finds too little on a day that is over."""


@dataclass
class ReferenceLedger:
    """Stock by (warehouse, goods, location, batch), claims by (order line, warehouse, goods), cost by goods.

    What is frozen, by (warehouse, goods), is the ledger's word: a relocation of which only the second half was
    taken out leaves it behind.
    """

    negative: frozenset[int]
    stock: dict[Place, Decimal] = field(default_factory=dict)
    first: dict[Place, int] = field(default_factory=dict)
    days: dict[Place, dict[int, Decimal]] = field(default_factory=dict)
    claims: dict[tuple[int, int, int], Decimal] = field(default_factory=dict)
    frozen: dict[tuple[int, int], Decimal] = field(default_factory=dict)
    cost: dict[int, tuple[Decimal, Decimal]] = field(default_factory=dict)
    issued: dict[int, tuple[Decimal, Decimal]] = field(default_factory=dict)
    back: dict[int, tuple[Decimal, Decimal]] = field(default_factory=dict)
    unsure: set[int] = field(default_factory=set)

    def available(self, warehouse: int, goods: int) -> Decimal:
        held = sum((q for (_, w, g), q in self.claims.items() if (w, g) == (warehouse, goods)), ZERO)
        held += self.frozen.get((warehouse, goods), ZERO)
        return sum((q for place, q in self.stock.items() if place[:2] == (warehouse, goods)), ZERO) - held

    def claim(self, line: int, warehouse: int, goods: int, quantity: Decimal) -> None:
        key = (line, warehouse, goods)
        free = max(self.available(warehouse, goods), ZERO)
        held = self.claims.get(key, ZERO)
        self.claims[key] = held + (min(quantity, free) if quantity > 0 else -min(-quantity, held))

    def put(self, place: Place, quantity: Decimal, day: int) -> None:
        if self.stock.get(place, ZERO) <= 0 < quantity or place not in self.stock:
            self.first[place] = day
        self.stock[place] = self.stock.get(place, ZERO) + quantity
        moved = self.days.setdefault(place, {})
        moved[day] = moved.get(day, ZERO) + quantity

    def least(self, place: Place, day: int) -> Decimal:
        """Return the least that a place has at the end of a day from this one on; anything where stock may go
        negative."""
        if place[0] in self.negative:
            return self.stock[place]
        moved = self.days.get(place, {})
        ends = {day, *(later for later in moved if later > day)}
        return min(sum((q for when, q in moved.items() if when <= end), ZERO) for end in ends)

    def receive(self, moves: list[StockMove], day: int) -> None:
        for move in moves:
            if move.origin is not None:
                self._return(move)
            elif move.amount is not None:
                self._value(move.goods_id, move.quantity, move.amount)
            place = (move.warehouse_id, move.goods_id, move.allocation_id or 0, move.batch_id or 0)
            self.put(place, move.quantity, day)

    def _return(self, move: StockMove) -> None:
        assert move.origin is not None
        line = move.origin[1]
        delivered, amount = self.issued.get(line, (ZERO, ZERO))
        back, back_amount = self.back.get(line, (ZERO, ZERO))
        if back + move.quantity > delivered:
            raise ReferenceShortage
        worth = round_cents(amount * (back + move.quantity) / delivered) - back_amount
        self.back[line] = (back + move.quantity, back_amount + worth)
        self._value(move.goods_id, move.quantity, worth)

    def _value(self, goods: int, quantity: Decimal, amount: Decimal) -> None:
        old, value = self.cost.get(goods, (ZERO, ZERO))
        if old < 0:
            self.unsure.add(goods)
        self.cost[goods] = (old + quantity, value + amount)

    def ship(self, moves: list[StockMove], day: int) -> None:
        before = {(m.warehouse_id, m.goods_id): self.available(m.warehouse_id, m.goods_id) for m in moves}
        for move in moves:
            self._release(move)
        touched: list[Place] = []
        for move in sorted(moves, key=_sort_precision):
            for place, quantity in self._pick(move, day):
                self.put(place, -quantity, day)
                touched.append(place)
                if self.stock[place] < 0 and place[0] not in self.negative:
                    raise ReferenceShortage
        for (warehouse, goods), free in before.items():
            now = self.available(warehouse, goods)
            if now < 0 and now < free and warehouse not in self.negative:
                raise ReferenceShortage
        if any(place[0] not in self.negative and self.least(place, day) < 0 for place in touched):
            raise PastReferenceShortage
        self._issue(moves)

    def _release(self, move: StockMove) -> None:
        for key, held in self.claims.items():
            if move.order_line_id == key[0] and key[2] == move.goods_id:
                self.claims[key] = held - min(held, -move.quantity)

    def _pick(self, move: StockMove, day: int) -> list[tuple[Place, Decimal]]:
        wanted, found = -move.quantity, []
        named = (move.allocation_id, move.batch_id)
        if None in named:
            fits = [
                place
                for place, quantity in self.stock.items()
                if place[:2] == (move.warehouse_id, move.goods_id)
                and all(name in (None, own) for name, own in zip(named, place[2:], strict=True))
                and quantity > 0
            ]
            standing = {place: max(min(self.stock[place], self.least(place, day)), ZERO) for place in fits}
            offers = [(False, self.first[place], place, standing[place]) for place in fits]
            offers += [
                (True, self.first[place], place, self.stock[place] - standing[place]) for place in fits
            ]
            for _, _, place, offered in sorted(offers):
                taken = min(wanted, offered)
                wanted -= taken
                if taken:
                    found.append((place, taken))
        if wanted:
            found.append(
                ((move.warehouse_id, move.goods_id, move.allocation_id or 0, move.batch_id or 0), wanted)
            )
        return found

    def _issue(self, moves: list[StockMove]) -> None:
        for goods in {move.goods_id for move in moves}:
            stock, value = self.cost.get(goods, (ZERO, ZERO))
            taken = left = ZERO
            for move in (move for move in moves if move.goods_id == goods):
                taken -= move.quantity
                if taken > stock:
                    self.unsure.add(goods)
                    break
                worth = round_cents(value * taken / stock)
                self.issued[move.line_id] = (-move.quantity, worth - left)
                left = worth
            self.cost[goods] = (stock - taken, value - left)


def _sort_precision(move: StockMove) -> tuple[bool, bool, int, bool, int]:
    named = move.allocation_id is not None and move.batch_id is not None
    return (
        not named,
        move.batch_id is None,
        move.batch_id or 0,
        move.allocation_id is None,
        move.allocation_id or 0,
    )
