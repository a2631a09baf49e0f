"""Proration (分摊): parts of a whole that sum to it to the cent, in whatever sequence they are taken.

What both this and the browser must say stands in tests/golden/proration.json. Over the lines of one bill an amount goes
by largest remainder; of a line that is executed little by little each part is what is due up to it less what was given
before (domain.md 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from math import lcm

CENT = Decimal("0.01")
ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class SourceMoney:
    """The money of a line that others execute: `amount` is after the discount and holds the tax; yuan."""

    quantity: Decimal
    amount: Decimal
    discount_amount: Decimal
    tax_amount: Decimal


@dataclass(slots=True)
class TakenParts:
    """What of a line's quantity and money was given to those that have executed it so far."""

    quantity: Decimal = ZERO
    amount: Decimal = ZERO
    discount_amount: Decimal = ZERO
    tax_amount: Decimal = ZERO

    def add(self, quantity: Decimal, part: MoneyPart) -> None:
        """Count one more part."""
        self.quantity += quantity
        self.amount += part.amount
        self.discount_amount += part.discount_amount
        self.tax_amount += part.tax_amount


@dataclass(frozen=True, slots=True)
class MoneyPart:
    """What falls to one executing line."""

    amount: Decimal
    discount_amount: Decimal
    tax_amount: Decimal


def prorate(whole: Decimal, given: Decimal, upto: Decimal, base: Decimal, unit: Decimal = CENT) -> Decimal:
    """What is due of `whole` once `upto` of `base` is taken, less what was `given`; within what is left of it."""
    due = (whole * upto / base).quantize(unit, ROUND_HALF_UP) - given if base else ZERO
    return min(max(due, ZERO), whole - given)


def take_part(source: SourceMoney, taken: TakenParts, quantity: Decimal) -> MoneyPart:
    """The money of `quantity` more of a line, after those that were taken.

    The tax goes by the amounts, and never is more than the amount that it is in, here or in what is left.
    """
    upto = taken.quantity + quantity
    amount = prorate(source.amount, taken.amount, upto, source.quantity)
    discount = prorate(source.discount_amount, taken.discount_amount, upto, source.quantity)
    return MoneyPart(amount, discount, take_tax(source, taken, amount))


def take_tax(source: SourceMoney, taken: TakenParts, amount: Decimal) -> Decimal:
    """The tax in `amount` more of a line."""
    left, left_tax = source.amount - taken.amount, source.tax_amount - taken.tax_amount
    due = prorate(source.tax_amount, taken.tax_amount, taken.amount + amount, source.amount)
    return min(max(due, left_tax - (left - amount)), amount, left_tax)


def bound_part(source: SourceMoney, own: TakenParts, part: MoneyPart, most: Decimal) -> MoneyPart:
    """A part within the `most` that is left, once earlier ones came to their `own`; its discount takes the rest."""
    if part.amount <= most:
        return part
    tax = max(take_tax(source, own, most), ZERO)
    return MoneyPart(most, part.discount_amount + part.amount - most, tax)


def allocate_by_weight(amount: Decimal, weights: Sequence[Decimal], unit: Decimal = CENT) -> list[Decimal]:
    """Parts of an amount by weight, by largest remainder, the first of equal ones; all weights 0 share alike."""
    ratios = [weight.as_integer_ratio() for weight in weights]
    common = lcm(*(below for _, below in ratios))
    parts = share_units(int(amount / unit), [above * (common // below) for above, below in ratios])
    return [part * unit for part in parts]


def share_units(units: int, weights: Sequence[int]) -> list[int]:
    """Parts of a whole number by weight, by largest remainder, as `erp_shares` of the ledger tells them."""
    if not any(weights):
        weights = [1] * len(weights)
    whole = sum(weights)
    parts = [units * weight // whole for weight in weights]
    by_remainder = sorted(range(len(parts)), key=lambda place: parts[place] * whole - units * weights[place])
    for place in by_remainder[: units - sum(parts)]:
        parts[place] += 1
    return parts
