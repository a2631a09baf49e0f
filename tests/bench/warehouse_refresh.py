"""Benchmark of the warehouse: full load and rebuild, refreshes of changed rows, and audit to visible.

    python tests/bench/warehouse_refresh.py [--bills 150000] [--directory DIR]

Builds a Postgres of its own with 20 lines a bill (150,000 bills: 5 million stock ledger rows) and prints the figures.
Needs about 5 GB of disk; the directory is removed at the end, or with --keep used again by the next run.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import psycopg

from api.launch.postgres import EmbeddedPostgres
from api.migrations import upgrade
from tests.warehouse.group import BILL, GroupSize, fill_database
from warehouse import compile_cache, extract, publish, transform, worker
from warehouse.engine import attach_postgres, build_options, literal_sql
from warehouse.files import Files
from warehouse.refresh import Refresher
from warehouse.sources import list_sources

LAX = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_wal_size": "1GB"}
AS_OF = GroupSize().as_of
SHOWN = 0.05
"""Seconds from which a model's own are printed."""

ROWS_OF_BILL = 43
# Bills of 20 lines, each with its rows in the ledgers: what a busy group audits in a morning.
MORNING = f"""
create temp table bill as
select nextval(pg_get_serial_sequence('sales_outbound', 'bill_id')) as bill_id, w.company_id, w.warehouse_id,
    1 + floor(random() * %(customers)s)::bigint as customer_id
from generate_series(1, %(bills)s) i
join (select row_number() over () - 1 as place, count(*) over () as number, * from warehouse) w on w.place = i %% w.number;
insert into sales_outbound (bill_id, bill_no, company_id, business_date, status, department_id, employee_id, warehouse_id,
    customer_id, maker_id)
select bill_id, 'B' || bill_id, company_id, '{AS_OF}', 2, 1, 1, warehouse_id, customer_id, 1 from bill;
create temp table line as
select nextval(pg_get_serial_sequence('sales_outbound_line', 'line_id')) as line_id, bill.*,
    1 + floor(%(goods)s * pow(random(), 2.5))::bigint as goods_id
from bill, generate_series(1, 20);
insert into sales_outbound_line (line_id, bill_id, line_no, goods_id, quantity, price, amount, tax_amount, no_tax_amount)
select line_id, bill_id, 1, goods_id, 1, 113, 113, 13, 100 from line;
insert into stock_ledger (company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount, bill_type,
    bill_id, bill_no, line_id, business_date)
select company_id, warehouse_id, 0, goods_id, 0, -1, 80, -80, 'XSCK', bill_id, 'B' || bill_id, line_id, '{AS_OF}' from line;
with item as (
    insert into settlement_item (company_id, party_type, party_id, kind, bill_type, bill_id, bill_no, business_date, due_date,
        amount, open_amount)
    select company_id, 'customer', customer_id, 'bill', 'XSCK', bill_id, 'B' || bill_id, '{AS_OF}', date '{AS_OF}' + 30, 2260, 2260
    from bill returning *
)
insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id, bill_no,
    business_date)
select settlement_id, company_id, party_type, party_id, amount, 'open', bill_type, bill_id, bill_no, business_date from item;
drop table bill, line
"""


def main() -> None:
    options = _parse_options()
    place = Path(options.directory or tempfile.mkdtemp(prefix="warehouse-bench-"))
    place.mkdir(parents=True, exist_ok=True)
    place.chmod(0o755)
    size = GroupSize(
        companies=8, warehouses=20, goods=20000, customers=8000, bills=options.bills, lines=20, days=730
    )
    server = EmbeddedPostgres(place / "postgres", place / "postgres.log", LAX)
    server.start()
    try:
        url = server.url("bench")
        _create_database(server, size)
        _measure_refreshes(Files(place / "warehouse"), url, size)
    finally:
        server.stop()
        if not options.keep:
            shutil.rmtree(place, ignore_errors=True)


def _measure_refreshes(files: Files, url: str, size: GroupSize) -> None:
    shutil.rmtree(files.root, ignore_errors=True)
    compile_cache.CACHE_DIRECTORY = files.root / "shelf"
    with psycopg.connect(url) as conn:
        for table in ("stock_ledger", "sales_outbound_line", "settlement_item"):
            print(f"{table:24} {conn.execute(f'select count(*) from {table}').fetchone()[0]:>12,} rows")  # type: ignore[index]
    refresher = Refresher(files, url)
    with _print_steps():
        _measure_time("first of a version, dbt included", lambda: refresher.refresh(full=True, as_of=AS_OF))
        rebuilt = _measure_time("full load and rebuild", lambda: refresher.refresh(full=True, as_of=AS_OF))
        copied = _copy_all(files, url)
        print(
            f"sources and marts copied {copied:12.2f} s, of which load, build and proof take {rebuilt / copied:.1f} times"
        )
        refresher.warm_up(refresher.refresh(as_of=AS_OF))
        for bills in (465, 465, 465, 1000):
            _run_script(url, MORNING, {"bills": bills, "customers": size.customers, "goods": size.goods})
            _measure_time(f"{bills * ROWS_OF_BILL:,} changed rows", lambda: refresher.refresh(as_of=AS_OF))
        for _ in range(3):
            _run_script(url, BILL, {"day": AS_OF, "warehouse_id": 1, "goods_id": 1, "quantity": 1})
            _measure_time("one bill", lambda: refresher.refresh(as_of=AS_OF))
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB,", end=" ")
    print(
        f"work {files.work.stat().st_size / 2**20:,.0f} MiB, snapshot {files.marts.stat().st_size / 2**20:,.0f} MiB"
    )
    _audit_to_visible(files, url)


def _copy_all(files: Files, url: str) -> float:
    """Return the seconds in which the same engine reads all sources and writes all marts as they are: a
    rebuild's floor."""
    place = files.root / "floor.duckdb"
    started = time.perf_counter()
    with duckdb.connect(str(place), config=build_options(files.root / "spill")) as conn:
        attach_postgres(conn, url)
        conn.execute(f"attach {literal_sql(str(files.marts))} as wh (read_only)")
        for source in list_sources():
            conn.execute(
                f"create table raw_{source.name} as select {', '.join(source.columns)} from pg.public.{source.name}"
            )
        built = "select schema_name, table_name from duckdb_tables() where database_name = 'wh'"
        for schema, table in conn.execute(built).fetchall():
            conn.execute(f"create table {schema}_{table} as from wh.{schema}.{table}")
    place.unlink()
    return time.perf_counter() - started


def _audit_to_visible(files: Files, url: str) -> None:
    """Measure with the resident worker the seconds from a bill's commit until a snapshot shows it."""
    os.environ |= {"ERP_DATA_DIR": str(files.root.parent), "ERP_DATABASE_URL": url}
    worker.find_business_date = lambda: AS_OF  # type: ignore[assignment]
    refresh = Refresher.refresh
    Refresher.refresh = lambda self, **more: refresh(self, **{**more, "as_of": AS_OF})  # type: ignore[method-assign]
    stop = threading.Event()
    thread = threading.Thread(target=worker.run_worker, args=(stop,))
    thread.start()
    time.sleep(20)
    try:
        for _ in range(5):
            number = files.current.readlink().name
            _run_script(url, BILL, {"day": AS_OF, "warehouse_id": 1, "goods_id": 1, "quantity": 1})
            started = time.perf_counter()
            _run_script(url, f"notify {worker.CHANNEL}")
            while files.current.readlink().name == number:
                time.sleep(0.01)
            print(f"audit to visible         {time.perf_counter() - started:12.2f} s")
            time.sleep(1)
    finally:
        stop.set()
        thread.join()


def _create_database(server: EmbeddedPostgres, size: GroupSize) -> None:
    """Create a migrated database filled without its secondary indexes, which are built afterwards."""
    started = time.perf_counter()
    url = server.url("bench")
    with psycopg.connect(server.url("postgres"), autocommit=True) as conn:
        kept = conn.execute("select 1 from pg_database where datname = 'bench'").fetchone()
        if not kept:
            conn.execute("create database bench")
    upgrade(url)
    if kept:
        return
    with psycopg.connect(url, autocommit=True) as conn:
        indexes = conn.execute(
            "select indexname, indexdef from pg_indexes where schemaname = 'public' and indexname like 'ix%'"
        ).fetchall()
        for name, _ in indexes:
            conn.execute(f'drop index "{name}"')
        fill_database(url, size)
        for _, definition in indexes:
            conn.execute(definition)
        conn.execute("analyze")
    print(f"generated in             {time.perf_counter() - started:12.1f} s")


def _run_script(url: str, script: str, values: dict[str, Any] | None = None) -> None:
    with psycopg.connect(url) as conn:
        conn.execute("set session_replication_role = replica")
        for statement in script.split(";\n"):
            conn.execute(statement, values)


def _measure_time(name: str, work: Callable[[], Any]) -> float:
    started, cpu = time.perf_counter(), time.process_time()
    outcome = work()
    seconds, busy = time.perf_counter() - started, time.process_time() - cpu
    print(
        f"{name:44} {seconds:8.2f} s  (CPU {busy:6.1f} s, {outcome.mode}, {outcome.rows:,} rows)", flush=True
    )
    return seconds


@contextmanager
def _print_steps() -> Iterator[None]:
    """Print what loading, building (each model), testing and publishing take; CPU seconds are of the whole process."""
    kept = [
        *(
            (extract, "load_changes"),
            (transform.Project, "build"),
            (transform.Project, "test"),
            (publish, "publish_snapshot"),
        ),
        (transform, "_execute_statement"),
    ]
    real = [getattr(owner, name) for owner, name in kept]

    def wrap_timed(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def call_timed(*args: Any, **more: Any) -> Any:
            started, cpu = time.perf_counter(), time.process_time()
            try:
                return work(*args, **more)
            finally:
                seconds, busy = time.perf_counter() - started, time.process_time() - cpu
                shown = f"    {args[1].rpartition('.')[2]}" if name == "_execute_statement" else name
                if seconds >= SHOWN or shown == name:
                    print(f"    {shown:40} {seconds:8.2f} s  (CPU {busy:6.1f} s)")

        return call_timed

    for (owner, name), work in zip(kept, real, strict=True):
        setattr(owner, name, wrap_timed(name, work))
    try:
        yield
    finally:
        for (owner, name), work in zip(kept, real, strict=True):
            setattr(owner, name, work)


def _parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bills", type=int, default=150_000)
    parser.add_argument("--directory")
    parser.add_argument("--keep", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
