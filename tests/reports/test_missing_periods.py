"""A head has a row for each of its periods, and a row may say more of its period than the word for it."""

from __future__ import annotations

from typing import Any, NamedTuple

import duckdb
import sqlalchemy as sa

from reports.superset_patches.query_fast_path import fill_missing_periods

WORDS = ("所选日", "上月同日", "去年同日")


class BuiltQuery(NamedTuple):
    """Superset's query, as far as the patch reads it."""

    sqla_query: Any
    labels_expected: list[str]


def run_filled(*rows: tuple[str, int]) -> list[tuple[str, int | None]]:
    held = sa.values(sa.column("beside"), sa.column("sales"), name="held").data([*rows, ("none", 0)])
    query = sa.select(held.c.beside, held.c.sales).where(held.c.beside != "none")
    found: Any = fill_missing_periods(BuiltQuery(query, ["beside", "sales"]), WORDS)
    return duckdb.sql(str(found.sqla_query.compile(compile_kwargs={"literal_binds": True}))).fetchall()


def test_each_period_has_its_row_in_their_order_and_a_running_one_says_so() -> None:
    assert run_filled(("去年同日", 3), ("所选日（未过完）", 1)) == [
        ("所选日（未过完）", 1),
        ("上月同日", None),
        ("去年同日", 3),
    ]
    assert run_filled(("上月同日", 2)) == [("所选日", None), ("上月同日", 2), ("去年同日", None)]
    assert run_filled() == []
