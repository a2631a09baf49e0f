"""Amounts in capitals: the golden vectors."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from api.printing.capitals import format_capitals

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "capitals.json").read_text("utf-8"))


@pytest.mark.parametrize(("amount", "text"), VECTORS)
def test_capitals(amount: str, text: str) -> None:
    assert format_capitals(Decimal(amount)) == text
