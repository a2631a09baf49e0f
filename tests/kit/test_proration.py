"""Parts of a line against the golden vectors that the web's tests share (tests/golden/proration.json says how they read)."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.kit.bills.proration import (
    MoneyPart,
    SourceMoney,
    TakenParts,
    allocate_by_weight,
    bound_part,
    take_part,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "proration.json").read_text("utf-8"))
VECTORS = GOLDEN["cases"]
NAMES = ("quantity", "amount", "discount", "tax")
CENTS = st.decimals(0, 10_000, places=2)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_parts_are_shared_as_agreed(vector: dict[str, Any]) -> None:
    source = SourceMoney(*(Decimal(vector["source"][name]) for name in NAMES))
    taken = TakenParts(*(Decimal(vector.get("taken", {}).get(name, 0)) for name in NAMES))
    for expected in vector["parts"]:
        part = take_part(source, taken, Decimal(expected["quantity"]))
        taken.add(Decimal(expected["quantity"]), part)
        found = (part.amount, part.discount_amount, part.tax_amount)
        assert found == tuple(Decimal(expected[name]) for name in NAMES[1:])


@pytest.mark.parametrize("vector", GOLDEN["bounds"], ids=lambda vector: vector["name"])
def test_a_part_stays_within_what_is_left(vector: dict[str, Any]) -> None:
    source = SourceMoney(*(Decimal(vector["source"][name]) for name in NAMES))
    own = TakenParts(amount=Decimal(vector["own"]["amount"]), tax_amount=Decimal(vector["own"]["tax"]))
    part, right = (
        MoneyPart(*(Decimal(vector[key][name]) for name in NAMES[1:])) for key in ("part", "bound")
    )
    assert bound_part(source, own, part, Decimal(vector["most"])) == right


@st.composite
def sources(draw: st.DrawFn) -> tuple[SourceMoney, list[Decimal]]:
    """Return a line and the quantities that take all of it."""
    parts = draw(st.lists(st.decimals("0.001", 50, places=3), min_size=1, max_size=8))
    amount = draw(CENTS)
    tax = (amount * draw(st.decimals(0, 50, places=2)) / 100).quantize(Decimal("0.01"))
    return SourceMoney(sum(parts, Decimal(0)), amount, draw(CENTS), tax), parts


@given(sources(), st.randoms(use_true_random=False))
def test_parts_sum_to_the_whole_whatever_was_taken_back_in_between(drawn: Any, chance: Any) -> None:
    source, quantities = drawn
    taken, standing, waiting = TakenParts(), [], list(quantities)
    backs = len(quantities)
    while waiting:
        quantity = waiting.pop()
        part = take_part(source, taken, quantity)
        assert 0 <= part.tax_amount <= part.amount
        assert part.discount_amount >= 0
        taken.add(quantity, part)
        standing.append((quantity, part))
        if backs and chance.random() < 0.4:
            backs -= 1
            back, gone = standing.pop(chance.randrange(len(standing)))
            taken = TakenParts(
                taken.quantity - back,
                taken.amount - gone.amount,
                taken.discount_amount - gone.discount_amount,
                taken.tax_amount - gone.tax_amount,
            )
            waiting.insert(0, back)
    whole = (source.quantity, source.amount, source.discount_amount, source.tax_amount)
    assert (taken.quantity, taken.amount, taken.discount_amount, taken.tax_amount) == whole


@given(CENTS, st.lists(st.decimals(0, 1000, places=3), min_size=1, max_size=12))
def test_an_amount_goes_to_lines_by_largest_remainder(amount: Decimal, weights: list[Decimal]) -> None:
    parts = allocate_by_weight(amount, weights)
    assert sum(parts) == amount
    whole = sum(weights) or len(weights)
    for part, weight in zip(parts, weights if any(weights) else [Decimal(1)] * len(weights), strict=True):
        assert abs(part - amount * weight / whole) < Decimal("0.01")


@pytest.mark.parametrize("vector", GOLDEN["shares"], ids=lambda vector: vector["name"])
def test_shares_over_lines_are_as_agreed(vector: dict[str, Any]) -> None:
    parts = allocate_by_weight(Decimal(vector["amount"]), [Decimal(weight) for weight in vector["weights"]])
    assert [str(part) for part in parts] == vector["parts"]
