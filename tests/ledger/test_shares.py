"""Shares over lines in the ledger's own function: what the server tells, by golden vectors and by any amounts."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest

from api.kit.bills.proration import allocate_by_weight
from tests.support.ledger_builders import LedgerBench

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "proration.json").read_text("utf-8"))["shares"]


def prorate_in_sql(books: LedgerBench, amount: Decimal, weights: list[Decimal]) -> list[Decimal]:
    found = books.conn.exec_driver_sql("select erp_shares(%s, %s::numeric[])", (amount, weights)).scalar()
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_shares_over_lines_are_as_agreed(books: LedgerBench, vector: dict[str, Any]) -> None:
    found = prorate_in_sql(
        books, Decimal(vector["amount"]), [Decimal(weight) for weight in vector["weights"]]
    )
    assert found == [Decimal(part) for part in vector["parts"]]


def test_both_functions_share_alike(books: LedgerBench) -> None:
    chance = Random(39)
    for _ in range(200):
        amount = Decimal(chance.randint(-5000, 100_000)) / 100
        weights = [
            Decimal(chance.choice((0, 1, 3, chance.randint(1, 10**9)))) / chance.choice((1, 1000, 10**6))
            for _ in range(chance.randint(1, 9))
        ]
        assert prorate_in_sql(books, amount, weights) == allocate_by_weight(amount, weights)
