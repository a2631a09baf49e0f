"""Rebate tiers, against figures worked out by hand."""

from __future__ import annotations

from decimal import Decimal

import pytest

from api.master.rebates.rebate_tiers import Tier, compute_quick_deductions


def compute_rebate(base: str, accumulated: bool, *tiers: tuple[str, str]) -> Decimal:
    """Return what a base within the last of the tiers earns."""
    rising = [Tier(Decimal(start), Decimal(rate)) for start, rate in tiers]
    taken = compute_quick_deductions(rising, accumulated=accumulated)
    assert rising[-1].start <= Decimal(base)
    return Decimal(base) * rising[-1].rate - taken[-1]


@pytest.mark.parametrize(
    ("base", "tiers", "hand"),
    [
        ("100", [("0", "0.02")], "2"),
        ("100", [("40", "0.02")], "1.2"),
        ("40", [("40", "0.02")], "0"),
        # 60 000 at 1 %, 40 000 at 2 %, 23 456.78 at 3 %
        ("123456.78", [("0", "0.01"), ("60000", "0.02"), ("100000", "0.03")], "2103.7034"),
        # nothing below 100 000; 100 000 at 1 %, then 50 000 at 2.5 %
        ("250000", [("100000", "0.01"), ("200000", "0.025")], "2250"),
        # a tier may earn less than the one below it: 100 pieces at 5 yuan, 20 at 3
        ("120", [("0", "5"), ("100", "3")], "560"),
    ],
)
def test_by_excess_each_part_earns_at_its_own_rate(
    base: str, tiers: list[tuple[str, str]], hand: str
) -> None:
    assert compute_rebate(base, False, *tiers) == Decimal(hand)


@pytest.mark.parametrize(
    ("base", "tiers", "hand"),
    [
        ("99.999", [("0", "0.02")], "1.99998"),
        ("100000", [("0", "0.01"), ("60000", "0.02"), ("100000", "0.03")], "3000"),
        ("120", [("50", "5"), ("100", "8")], "960"),
    ],
)
def test_accumulated_the_last_rate_holds_for_all(base: str, tiers: list[tuple[str, str]], hand: str) -> None:
    assert compute_rebate(base, True, *tiers) == Decimal(hand)


def test_nothing_is_lost_in_fractions() -> None:
    assert compute_quick_deductions(
        [Tier(Decimal("0.01"), Decimal("0.000001")), Tier(Decimal("9999999.99"), Decimal("0.333333"))],
        accumulated=False,
    ) == [Decimal("0.00000001"), Decimal("3333319.99666669")]
