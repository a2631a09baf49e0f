"""The small snapshot of the tests has the tables that are published, and the names that they are read by."""

from __future__ import annotations

import re

from reports.catalogue.best_seller import DEFAULT_PERIOD
from tests.support.report_snapshot import NO_MODEL, PROJECT, contracts, row_columns

PERIODS = PROJECT / "transforms" / "macros" / "sales_periods.sql"


def test_the_snapshot_has_the_tables_of_the_contracts(snapshot):
    found: dict[str, list[str]] = {}
    for table, column in snapshot.sql(
        "select table_name, column_name from duckdb_columns() where not internal order by table_oid, column_index"
    ).fetchall():
        found.setdefault(table, []).append(column)
    for table in NO_MODEL:
        assert found.pop(table)
    assert found == {table: list(columns) for table, columns in contracts().items()}


def test_every_mart_has_rows_and_no_misspelled_column():
    """A column that its table hasn't is one that the row took over from another table."""
    rows = row_columns()
    marts = {table for table in contracts() if table.startswith("mart_")}
    assert marts - rows.keys() == set()
    known = {name for table, columns in contracts().items() for name in columns}
    for table in marts:
        assert {*rows[table]} - known == set(), table


def test_selling_periods_are_named_by_the_marts_alone(snapshot):
    """Where the catalogue named them otherwise, a link with a period's name would open on nothing."""
    named = dict(re.findall(r"(?m)^ +\['(\w+)', '(.+?)',", PERIODS.read_text("utf-8")))
    assert DEFAULT_PERIOD in named.values()
    for mart in (
        "mart_best_seller",
        "mart_best_seller_compared",
        "mart_best_seller_info",
        "mart_best_seller_lines",
    ):
        shown = snapshot.sql(f"select distinct period_key, period_label from {mart}").fetchall()
        assert dict(shown) == named, mart
    catalogue = (PROJECT / "reports" / "catalogue" / "best_seller.py").read_text("utf-8")
    assert [label for label in named.values() if f'"{label}"' in catalogue] == [DEFAULT_PERIOD]
