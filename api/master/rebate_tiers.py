"""Rebate tiers (返利阶梯): what a base of goods or yuan earns, exactly.

Of the tiers the last one reached decides. Accumulated (累计), its rate holds for the whole base; by excess only (超额),
each tier's rate holds for what lies from its start up to the next one's. Either way a base earns

    base × rate of its tier − quick deduction of its tier (速算扣除数)

so that the rule is in these deductions alone: who reads bills multiplies, subtracts and rounds once, to the cent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Tier:
    """From which base on, and what each unit of it earns: yuan per piece, or yuan per yuan."""

    start: Decimal
    rate: Decimal


def quick_deductions(tiers: Sequence[Tier], *, accumulated: bool) -> list[Decimal]:
    """What each tier takes off again, the tiers by rising start; nothing where they are accumulated."""
    found, taken, before = [], Decimal(0), Decimal(0)
    for tier in tiers:
        if not accumulated:
            taken += tier.start * (tier.rate - before)
        before = tier.rate
        found.append(taken)
    return found
