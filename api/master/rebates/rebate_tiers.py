"""Rebate tiers (返利阶梯): the exact rebate on a base of goods or yuan.

Of the tiers the last one reached decides. Accumulated (累计), its rate holds for the whole base; by excess
only (超额), each tier's rate holds for what lies from its start up to the next one's. Either way a base
earns

    base × rate of its tier − quick deduction of its tier (速算扣除数)

so that the rule is in these deductions alone: queries multiply, subtract and round once, to the cent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Tier:
    """A tier: the base it starts from, and its rate in yuan per piece, or yuan per yuan."""

    start: Decimal
    rate: Decimal


def compute_quick_deductions(tiers: Sequence[Tier], *, accumulated: bool) -> list[Decimal]:
    """Return the quick deduction (速算扣除数) of each tier, tiers ascending by start; zeros for accumulated
    policies."""
    found, taken, before = [], Decimal(0), Decimal(0)
    for tier in tiers:
        if not accumulated:
            taken += tier.start * (tier.rate - before)
        before = tier.rate
        found.append(taken)
    return found
