"""Parity of the dbt project on Spark: compares every published table with DuckDB's, row by row (`make
parity`).

The product itself loads its demo group and builds it with DuckDB; Spark, in an environment of its own
beside this file, builds the same project from copies of the tables that DuckDB read.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from api.kit.settings import PROJECT_DIR
from api.launch.progress import Progress
from warehouse.compile_cache import PROJECT
from warehouse.engine import literal_sql, query_value
from warehouse.files import Files

HERE = Path(__file__).parent
ERP = str(Path(sys.executable).with_name("erp"))
SPARK = HERE / ".venv" / "bin" / "python"
SHOWN = 3


@dataclass
class TableDifference:
    """Differences of a table: columns with the type on either engine, and rows that only one of them has."""

    columns: list[tuple[str, str | None, str | None]] = field(default_factory=list)
    rows: dict[str, list[dict[str, object]]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.columns or any(self.rows.values()))


def main() -> None:
    progress = Progress()
    with tempfile.TemporaryDirectory(prefix="erp-parity-") as folder:
        place = Path(folder)
        files = Files(place / "data" / "warehouse")
        with progress.step("载入演示集团，用 DuckDB 构建"):
            build_on_duckdb(place)
        with progress.step("在 Spark 上构建"):
            build_on_spark(place, files)
        with progress.step("逐行比较"):
            differing = compare_tables(place, files)
    if differing:
        raise SystemExit(f"✗ 两个引擎的结果不同：{'、'.join(differing)}")


def build_on_duckdb(place: Path) -> None:
    """Build as the product does, in a data directory of its own."""
    environment = {name: given for name, given in os.environ.items() if not name.startswith("ERP_")}
    environment |= {"ERP_DATA_DIR": str(place / "data"), "ERP_DEMO": "small"}
    for program in (
        [ERP, "prepare"],
        [sys.executable, "-m", "tests.parity.month_close"],
        [ERP, "refresh", "--once"],
    ):
        subprocess.run(program, check=True, cwd=PROJECT_DIR, env=environment, stdout=subprocess.DEVNULL)


def build_on_spark(place: Path, files: Files) -> None:
    """Build from copies of the tables that DuckDB read, as of the same business date."""
    with duckdb.connect(str(files.work), read_only=True) as conn:
        as_of = query_value(conn, "select as_of from state.built")
        for schema, name in conn.execute(
            "select schema_name, table_name from duckdb_tables() where schema_name in ('raw', 'change')"
        ).fetchall():
            target = place / "sources" / schema / name
            target.mkdir(parents=True)
            conn.execute(f"copy {schema}.{name} to {literal_sql(str(target / 'rows.parquet'))}")
    with duckdb.connect(str(files.marts), read_only=True) as conn:
        tables = list_published(conn)
    done = subprocess.run([SPARK, HERE / "build.py", PROJECT, place, as_of, *tables], cwd=place)
    if done.returncode:
        raise SystemExit(done.returncode)


def list_published(conn: duckdb.DuckDBPyConnection) -> list[str]:
    """Return every table and view that readers find, except the stamp of the snapshot."""
    found = conn.execute(
        "select table_schema || '.' || table_name from information_schema.tables"
        " where table_name <> 'refreshed_at' order by all"
    )
    return [name for (name,) in found.fetchall()]


def compare_tables(place: Path, files: Files) -> list[str]:
    """Return the names of the tables that differ; prints row counts and differences of each."""
    differing, empty, total = [], [], 0
    with duckdb.connect(str(files.marts), read_only=True) as conn:
        tables = list_published(conn)
        for name in tables:
            rows = query_value(conn, f"select count(*) from {name}")
            difference = _find_difference(conn, name, place / "built" / name)
            total += rows
            print(f"{'✗' if difference else '✓'} {name}：{rows} 行")
            if difference:
                differing.append(name)
                _print_difference(difference)
            elif not rows:
                empty.append(name)
    print(f"{len(tables)} 张表，{total} 行；不同的 {len(differing)} 张")
    if empty:
        print(f"演示集团里没有行、因此没有核对内容的表：{'、'.join(empty)}")
    return differing


def _find_difference(conn: duckdb.DuckDBPyConnection, name: str, built: Path) -> TableDifference:
    """Return a table's differences: values are compared exactly, repeated rows as often as they occur."""
    there = f"read_parquet({literal_sql(str(built / '*.parquet'))})"
    types = _read_types(conn, name)
    other_types = _read_types(conn, there) if built.exists() else {}
    if types != other_types:
        names = types | other_types
        known = [(column, types.get(column), other_types.get(column)) for column in names]
        return TableDifference(columns=[column for column in known if column[1] != column[2]])
    columns = ", ".join(f'"{column}"' for column in types)
    selects = {
        "DuckDB": f"select {columns} from {name}",
        "Spark": f"select {columns} from {there}",
    }
    only = {
        engine: conn.execute(f"{selects[engine]} except all {selects[other]}").fetchall()
        for engine, other in (("DuckDB", "Spark"), ("Spark", "DuckDB"))
    }
    return TableDifference(
        rows={engine: [dict(zip(types, row, strict=True)) for row in rows] for engine, rows in only.items()}
    )


def _read_types(conn: duckdb.DuckDBPyConnection, relation: str) -> dict[str, str]:
    """Return columns with their types, as DuckDB reads them."""
    return {name: kind for name, kind, *_ in conn.execute(f"describe from {relation}").fetchall()}


def _print_difference(difference: TableDifference) -> None:
    for column, here, there in difference.columns:
        print(f"    列 {column}：DuckDB {here or '没有'}，Spark {there or '没有'}")
    for engine, rows in difference.rows.items():
        print(f"    只在 {engine}：{len(rows)} 行")
        for row in sorted(rows, key=str)[:SHOWN]:
            print("     ", "，".join(f"{column}={shown}" for column, shown in row.items()))


if __name__ == "__main__":
    main()
