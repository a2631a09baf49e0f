"""Benchmark of the cost recalculation: a ledger of a million rows, some goods with a purchase that was
posted too late.

Prints rows a second, the wall time, and the processor time of this process and of the server's. Run:
`python -m tests.bench.cost_recalculation [rows] [goods] [share of goods with a backdated bill]`.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import psycopg

from api.launch.postgres import EmbeddedPostgres

COMPANY = 1
FIRST = date(2026, 1, 1)
DAYS = 90
COLUMNS = (
    "company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount, bill_type, bill_id,"
    " bill_no, line_id, business_date, origin_type, origin_line_id, basis"
)


def generate_moves(goods: int, count: int, late: bool) -> Iterator[tuple[Any, ...]]:
    """Yield one goods' rows in posting order, at the averages of the moment: a quarter purchases, some linked
    returns."""
    quantity = value = 0
    line = goods * 1_000_000
    sold: tuple[int, int, int] | None = None
    for turn in range(count):
        line += 1
        day = FIRST + timedelta(days=turn * DAYS // count)
        origin = None
        if turn == count // 2 and late:
            day = FIRST + timedelta(days=1)
        if turn % 4 == 0 or quantity < 10:
            bill, moved = "CGRK", random.randint(20, 60)
            amount, basis = moved * random.randint(9000, 11000), "given"
        elif turn % 20 == 7 and sold:
            origin, moved, amount = sold
            bill, basis, sold = "XSTH", "origin", None
        else:
            bill, basis, moved = "XSCK", "issue", -random.randint(1, 9)
            amount = -round(value * -moved / quantity)
            sold = (line, -moved, -amount)
        quantity, value = quantity + moved, value + amount
        cost = f"{amount / moved / 100:.6f}"
        yield (COMPANY, 1, 0, goods, 0, moved, cost, f"{amount / 100:.2f}", bill, line, f"{bill}{line}", line, day,
               "XSCK" if origin else None, origin, basis)  # fmt: skip


def fill_ledger(url: str, rows: int, goods: int, share: float) -> None:
    random.seed(7)
    with psycopg.connect(url) as conn:
        conn.execute(
            "insert into company (company_id, company_name, company_code) values (1, '总公司', 'A01')"
            " on conflict do nothing"
        )
        with conn.cursor().copy(f"copy stock_ledger ({COLUMNS}) from stdin") as copy:
            late = random.sample(range(1, goods + 1), int(goods * share))
            streams = [generate_moves(one, rows // goods, one in late) for one in range(1, goods + 1)]
            for at_once in zip(*streams, strict=True):  # as a company posts: goods by turns
                for row in at_once:
                    copy.write_row(row)
        conn.execute(
            "insert into cost_balance (company_id, goods_id, pool_id, quantity, amount)"
            " select company_id, goods_id, pool_id, sum(quantity), sum(amount) from stock_ledger group by 1, 2, 3"
        )
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("vacuum analyze stock_ledger")
        conn.execute("checkpoint")


def server_seconds(url: str) -> float:
    """Return the processor time of the server's processes for its clients so far."""
    with psycopg.connect(url) as conn:
        pids = conn.execute(
            "select pid from pg_stat_activity where backend_type = 'client backend'"
        ).fetchall()
    parts = [
        Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split() for (pid,) in pids if _is_running(pid)
    ]
    return sum(int(part[11]) + int(part[12]) for part in parts) / os.sysconf("SC_CLK_TCK")


def _is_running(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").exists()


def measure_run(url: str) -> dict[str, Any]:
    from api.kit.storage.database import main_engine
    from api.money import cost_recalculation

    with main_engine().connect() as conn:
        key = conn.exec_driver_sql(
            "insert into cost_recalculation (company_id, period, asked_by)"
            " select 1, '2026-01', min(user_id) from user_account returning recalculation_id"
        ).scalar_one()
        conn.commit()
    wall, own, server = time.perf_counter(), time.process_time(), server_seconds(url)
    cost_recalculation.work_off_run(key)
    wall, own, server = time.perf_counter() - wall, time.process_time() - own, server_seconds(url) - server
    with main_engine().connect() as conn:
        row = conn.exec_driver_sql(
            "select row_count, difference_count, status, failure from cost_recalculation"
            " where recalculation_id = %s",
            (key,),
        ).one()
    main_engine().dispose()
    return {
        "rows": row[0],
        "differences": row[1],
        "status": row[2],
        "wall": wall,
        "own": own,
        "server": server,
    }


def main(rows: int = 1_000_000, goods: int = 2000, share: float = 0.1) -> None:
    with tempfile.TemporaryDirectory() as place:
        os.environ["ERP_DATA_DIR"] = place
        postgres = EmbeddedPostgres(Path(place) / "postgres", Path(place) / "postgres.log", {})
        postgres.start()
        try:
            os.environ["ERP_DATABASE_URL"] = postgres.url("postgres")
            prepare_database(postgres.url("postgres"))
            fill_ledger(postgres.url("postgres"), rows, goods, share)
            for name in ("first run", "second run"):
                found = measure_run(postgres.url("postgres"))
                print(
                    f"{name}: {found['rows']:,} rows, {found['differences']:,} differences in {found['wall']:.1f} s"
                    f" ({found['rows'] / found['wall']:,.0f} rows/s); processor {found['own']:.1f} s here,"
                    f" {found['server']:.1f} s in the server; load {os.getloadavg()[0]:.1f}; status {found['status']}"
                )
        finally:
            postgres.stop()


def prepare_database(url: str) -> None:
    from api import catalogue
    from api.identity.setup import ensure_admin
    from api.kit.storage.database import main_engine
    from api.migrations import upgrade

    assert catalogue.__all__
    upgrade(url)
    with main_engine().begin() as conn:
        ensure_admin(conn, "right-horse-1")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(*(int(one) for one in given[:2]), *(float(one) for one in given[2:3]))
