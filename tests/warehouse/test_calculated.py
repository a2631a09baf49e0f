"""Every published figure has a calculation of its own that runs on the demo group, or a reason why it has none."""

from __future__ import annotations

import importlib
import re
from functools import reduce
from pathlib import Path

import pytest

from tests.warehouse.calculations import CALCULATIONS, UNCALCULATED
from tests.warehouse.conftest import BOTH
from warehouse.compile_cache import PROJECT

MODELS = PROJECT / "models"
REFERENCE = re.compile(r"ref\('(\w+)'\)")


def list_models(folder: str, prefix: str) -> dict[str, Path]:
    return {path.stem: path for path in (MODELS / folder).rglob(f"{prefix}_*.sql")}


def find_facts(marts: set[str]) -> set[str]:
    """The facts that calculated marts show, directly or by a macro that all of their kind share."""
    files = list_models("marts", "mart")
    shared = {"fct_item_balance", "fct_open_item", "fct_sales_order_line", "fct_stock_layer_month"}
    return shared.union(*(REFERENCE.findall(files[name].read_text("utf-8")) for name in marts & files.keys()))


def test_nothing_that_is_published_goes_without() -> None:
    known = CALCULATIONS.keys() | UNCALCULATED.keys()
    assert list_models("marts", "mart").keys() - known == set()
    facts = list_models("facts/published", "fct").keys()
    assert facts - known - find_facts(set(CALCULATIONS)) == set()
    assert known <= list_models("marts", "mart").keys() | facts, "what is gone is forgotten here too"


@pytest.mark.parametrize("test", sorted(set(CALCULATIONS.values())))
def test_the_calculation_runs_on_the_demo_group(test: str) -> None:
    file, *names = test.split("::")
    module = importlib.import_module(f"tests.warehouse.{file.removesuffix('.py')}")
    marked = reduce(getattr, names[:1], module)
    assert reduce(getattr, names, module)
    assert BOTH.mark in getattr(marked, "pytestmark", [])
