"""Proration (分摊): parts of a whole that sum to it to the cent, in whatever sequence they are taken.

The cases that this and the browser share are in tests/golden/proration.json. Over the lines of one bill an
amount is allocated by largest remainder; of a line that is executed in several steps each part is what is
due up to it, less the parts before it (domain.md 2).
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
    """Quantity and money of a line that its executing lines have taken so far."""

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
    """The money of a source line prorated to one executing line."""

    amount: Decimal
    discount_amount: Decimal
    tax_amount: Decimal


def prorate_amount(
    whole: Decimal, given: Decimal, upto: Decimal, base: Decimal, unit: Decimal = CENT
) -> Decimal:
    """Return what is due of `whole` once `upto` of `base` is taken, less what was `given`.

    Within what is left of it.
    """
    due = (whole * upto / base).quantize(unit, ROUND_HALF_UP) - given if base else ZERO
    return min(max(due, ZERO), whole - given)


def take_part(source: SourceMoney, taken: TakenParts, quantity: Decimal) -> MoneyPart:
    """Return the money of `quantity` more of a line, after the parts that were taken.

    The tax goes by the amounts, and never is more than the amount that it is in, here or in what is left.
    """
    upto = taken.quantity + quantity
    amount = prorate_amount(source.amount, taken.amount, upto, source.quantity)
    discount = prorate_amount(source.discount_amount, taken.discount_amount, upto, source.quantity)
    return MoneyPart(amount, discount, take_tax(source, taken, amount))


def take_tax(source: SourceMoney, taken: TakenParts, amount: Decimal) -> Decimal:
    """Return the tax in `amount` more of a line."""
    left, left_tax = source.amount - taken.amount, source.tax_amount - taken.tax_amount
    due = prorate_amount(source.tax_amount, taken.tax_amount, taken.amount + amount, source.amount)
    return min(max(due, left_tax - (left - amount)), amount, left_tax)


def bound_part(source: SourceMoney, own: TakenParts, part: MoneyPart, most: Decimal) -> MoneyPart:
    """Limit a part to the `most` that is left, once earlier ones came to their `own`.

    Its discount takes the rest.
    """
    if part.amount <= most:
        return part
    tax = max(take_tax(source, own, most), ZERO)
    return MoneyPart(most, part.discount_amount + part.amount - most, tax)


def allocate_by_weight(amount: Decimal, weights: Sequence[Decimal], unit: Decimal = CENT) -> list[Decimal]:
    """Allocate an amount by weights, by largest remainder, the first of equal ones.

    All weights 0 share alike.
    """
    ratios = [weight.as_integer_ratio() for weight in weights]
    common = lcm(*(below for _, below in ratios))
    parts = allocate_units(int(amount / unit), [above * (common // below) for above, below in ratios])
    return [part * unit for part in parts]


def allocate_units(units: int, weights: Sequence[int]) -> list[int]:
    """Allocate a whole number by weights, by largest remainder, as `erp_shares` of the ledger does."""
    if not any(weights):
        weights = [1] * len(weights)
    whole = sum(weights)
    parts = [units * weight // whole for weight in weights]
    by_remainder = sorted(range(len(parts)), key=lambda place: parts[place] * whole - units * weights[place])
    for place in by_remainder[: units - sum(parts)]:
        parts[place] += 1
    return parts
