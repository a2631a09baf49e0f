"""The small snapshot that datasets are queried against: the tables of the marts' contracts, and rows of its own."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import duckdb
import yaml

PROJECT = Path(__file__).resolve().parents[2]
MARTS = PROJECT / "transforms" / "models" / "marts"
ROWS = PROJECT / "tests" / "reports" / "snapshot_rows.sql"
ALIAS = re.compile(r"alias='(\w+)'")
NO_MODEL = ("refreshed_at",)
"""What publishing writes beside the marts."""


@cache
def contracts() -> dict[str, dict[str, str]]:
    """Read the columns of every published table with their types, as the models declare them."""
    files = sorted(MARTS.rglob("_*.yml"))
    models = [model for file in files for model in yaml.safe_load(file.read_text("utf-8"))["models"]]
    return {
        _published_name(model["name"]): {column["name"]: column["data_type"] for column in model["columns"]}
        for model in models
    }


def _published_name(model: str) -> str:
    [file] = MARTS.rglob(f"{model}.sql")
    found = ALIAS.search(file.read_text("utf-8"))
    return found[1] if found else model


@cache
def row_columns() -> dict[str, list[str]]:
    """List the columns of the tables that the rows stand in."""
    found: dict[str, list[str]] = {}
    with duckdb.connect() as conn:
        conn.execute(ROWS.read_text("utf-8"))
        query = "select table_name, column_name from duckdb_columns() where not internal order by table_oid, column_index"
        for table, column in conn.execute(query).fetchall():
            found.setdefault(table, []).append(column)
    return found


@cache
def snapshot_sql() -> str:
    """Write the statements that make the snapshot in an empty database."""
    rows = row_columns()
    made = [_filled_table(table, columns, rows.get(table, [])) for table, columns in contracts().items()]
    others = [f"create table main.{table} as from given.{table};" for table in NO_MODEL]
    return "\n".join(
        [
            "create schema given; set schema = 'given';",
            ROWS.read_text("utf-8"),
            "set schema = 'main';",
            *made,
            *others,
            "drop schema given cascade;",
        ]
    )


def _filled_table(table: str, types: dict[str, str], given: list[str]) -> str:
    columns = ", ".join(f'"{name}" {kind}' for name, kind in types.items())
    names = ", ".join(f'"{name}"' for name in types if name in given)
    filled = f'insert into main."{table}" ({names}) select {names} from given."{table}";' if names else ""
    return f'create table main."{table}" ({columns});{filled}'
