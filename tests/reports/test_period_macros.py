"""The warehouse's macros of periods say what the catalogue says: which day stands beside which, and what it is called."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import Environment

from reports.catalogue.best_seller import DEFAULT_PERIOD
from reports.semantics.period_offsets import shift_months_back
from reports.semantics.range_balances import MONTHS_BACK

MACROS = Path(__file__).parents[2] / "transforms" / "macros"


@cache
def macros() -> dict[str, Callable[..., str]]:
    """The macros as dbt renders them for DuckDB."""
    found: dict[str, Any] = {}
    env = Environment(autoescape=False, extensions=["jinja2.ext.do"])
    dbt = {
        "dateadd": lambda part, number, day: f"date_add({day}, interval ({number}) {part})",
        "date_trunc": lambda part, day: f"date_trunc('{part}', {day})",
    }
    env.globals |= {
        "return": lambda value: value,
        "adapter": SimpleNamespace(dispatch=lambda name, _: found[f"duckdb__{name}"]),
        "dbt": SimpleNamespace(**dbt),
        "as_of": lambda: "date '2026-11-20'",
    }
    for name in ("dates.sql", "sales_periods.sql"):
        module = env.from_string((MACROS / name).read_text("utf-8"), globals=found).module
        found |= {key: value for key, value in vars(module).items() if not key.startswith("_")}
    return found


@settings(deadline=None)
@given(st.dates(date(1990, 1, 1), date(2100, 12, 31)), st.sampled_from([1, 3, 12]))
def test_a_day_is_beside_the_same_one(day: date, months: int) -> None:
    far = macros()["same_day_offset"](f"date '{day}'", -months)
    row = duckdb.sql(f"select cast({far} as date)").fetchone()
    assert row == (shift_months_back(day, months),)


def test_balances_are_known_as_far_back() -> None:
    assert int(macros()["months_back"]()) == MONTHS_BACK


def test_selling_periods_have_one_name() -> None:
    periods = literal_eval(macros()["sales_periods"]().strip())
    keys, labels, _ = zip(*periods, strict=True)
    assert len({*keys}) == len({*labels}) == len(periods)
    assert DEFAULT_PERIOD in labels
