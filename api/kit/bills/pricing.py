"""Pricing (计价) of a bill line, to the rules of spec/3-rules.md 9.

Prices include tax. Money is rounded half up to 2 decimals, unit prices are kept at 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from api.kit.declaration.validation_rules import CAP

CENT = Decimal("0.01")
MICRO = Decimal("0.000001")
HUNDRED = Decimal(100)


@dataclass(frozen=True, slots=True)
class PricedLine:
    """A line's money: gross amount, discount, total after it, tax inside the total, and the rest; yuan."""

    amount: Decimal
    discount_amount: Decimal
    total: Decimal
    tax: Decimal
    no_tax: Decimal

    @property
    def exceeds_cap(self) -> bool:
        """Return whether an amount reaches the cap of every number: 数值不能超过一亿."""
        return max(abs(self.amount), abs(self.total)) >= CAP


def round_money(value: Decimal) -> Decimal:
    """Round half up to cents."""
    return value.quantize(CENT, ROUND_HALF_UP)


def line_amount(quantity: Decimal, price: Decimal) -> Decimal:
    """Return quantity × unit price, rounded to 2 decimals."""
    return round_money(quantity * price)


def unit_price(amount: Decimal, quantity: Decimal) -> Decimal:
    """Return amount ÷ quantity, rounded to 6 decimals; 0 at quantity 0."""
    return (amount / quantity).quantize(MICRO, ROUND_HALF_UP) if quantity else Decimal(0)


def discount_amount(quantity: Decimal, discount_price: Decimal) -> Decimal:
    """Return the discount amount of a discount per unit."""
    return round_money(quantity * discount_price)


def discount_price(amount: Decimal, quantity: Decimal) -> Decimal:
    """Return the discount per unit of a discount amount."""
    return unit_price(amount, quantity)


def included_tax(total: Decimal, tax_rate: Decimal) -> Decimal:
    """Return the tax inside a total: total × rate / (100 + rate), 2 decimals; `tax_rate` in percent.

    One division, last: the specification's total / (1 + rate/100) × rate/100 without its rounding in
    between.
    """
    return round_money(total * tax_rate / (HUNDRED + tax_rate))


def price_line(
    quantity: Decimal,
    price: Decimal,
    discount: Decimal = Decimal(0),
    tax_rate: Decimal = Decimal(0),
    *,
    factor: Decimal = Decimal(1),
    allow_negative: bool = False,
) -> PricedLine:
    """Price a line; a discount that would turn the total negative is reset to 0 unless negatives are allowed."""
    amount = line_amount(quantity, price)
    total = amount - discount
    if total < 0 and not allow_negative:
        discount, total = Decimal(0), amount
    total = round_money(total * factor)
    tax = included_tax(total, tax_rate)
    return PricedLine(amount, discount, total, tax, total - tax)
