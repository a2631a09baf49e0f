"""Pricing against the golden vectors that the web's tests share (tests/golden/pricing.json says how they read)."""

from __future__ import annotations

import json
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest

from api.kit.bills import pricing
from api.kit.declaration.validation_rules import CAP

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "pricing.json").read_text("utf-8"))["cases"]
PLACES = {"quantity": 3, "price": 6, "discount_price": 6, "amount": 2, "discount": 2, "total": 2}


def read_input(vector: dict[str, Any], name: str) -> Decimal:
    """Return an input as the rules take it: rounded half up to its places, absent as 0."""
    value = Decimal(vector["input"].get(name, "0"))
    return value.quantize(Decimal(1).scaleb(-PLACES[name]), ROUND_HALF_UP) if name in PLACES else value


def price_vector(vector: dict[str, Any]) -> tuple[Decimal, Decimal, pricing.PricedLine]:
    """Price an edit on the server: quantity, price, and the line's money."""
    edit = vector["input"]["edit"]
    quantity, price, discount = (read_input(vector, name) for name in ("quantity", "price", "discount"))
    if edit == "amount" and quantity:
        price = pricing.unit_price(read_input(vector, "amount"), quantity)
    elif edit == "discount_price":
        discount = pricing.discount_amount(quantity, read_input(vector, "discount_price"))
    elif edit == "total":
        discount = pricing.line_amount(quantity, price) - read_input(vector, "total")
    options = {"allow_negative": vector["input"].get("allow_negative", False)}
    factor = Decimal(vector["input"].get("factor", "1"))
    line = pricing.price_line(
        quantity, price, discount, read_input(vector, "tax_rate"), factor=factor, **options
    )
    return quantity, price, line


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_a_line_is_priced_as_agreed(vector: dict[str, Any]) -> None:
    quantity, price, line = price_vector(vector)
    if "error" in vector["output"]:
        assert line.exceeds_cap or max(quantity, price) >= CAP
        return
    assert not line.exceeds_cap
    expected = {name: Decimal(value) for name, value in vector["output"].items()}
    assert expected == {
        "quantity": quantity,
        "price": price,
        "amount": line.amount,
        "discount": line.discount_amount,
        "discount_price": pricing.discount_price(line.discount_amount, quantity),
        "total": line.total,
        "tax": line.tax,
        "no_tax": line.no_tax,
    }
