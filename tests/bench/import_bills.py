"""Benchmark of `erp import-bills`: lines read, checked and posted a second, on a server of its own.

Run: `python -m tests.bench.import_bills [lines] [lines a bill]`, or with ERP_CARPARTS naming
`month,part_no,quantity`. Prints the wall clock, and the processor time of both sides: on a machine shared
with others only that one tells.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from api.launch.postgres import EmbeddedPostgres
from tests.golden import car_parts

GOODS, CUSTOMERS = 2000, 200
LAST_MONTH = "2026-01"
HEADER = (*car_parts.HEADER[:-1], "外部单号")


def generate_lines(lines: int, per_bill: int) -> Iterator[tuple[str, ...]]:
    """Yield opening stock of every goods, then sales of random goods; every tenth bill is a purchase."""
    chance = random.Random(1)
    day = date(2025, 1, 1)
    common = ("基准公司", "基准仓")
    for goods in range(GOODS):
        yield (day.isoformat(), "CGRK", *common, "供应商", f"G{goods:05d}", "", "100000", "50", "")
    for bill in range((lines - GOODS) // per_bill):
        buys = bill % 10 == 0
        day = date(2025, 1, 2) + timedelta(days=bill * per_bill * 300 // lines)
        partner = "供应商" if buys else f"客户{chance.randrange(CUSTOMERS):03d}"
        for goods in chance.sample(range(GOODS), per_bill):
            line = (f"G{goods:05d}", "", str(chance.randint(1, 9)), "50" if buys else "65", f"B{bill}")
            yield (day.isoformat(), "CGRK" if buys else "XSCK", *common, partner, *line)


def measure_import(source: Path, lines: int, server: EmbeddedPostgres) -> None:
    from api import catalogue
    from api.identity.setup import ensure_admin
    from api.importing.import_run import check_file, post_plan
    from api.kit.storage.database import main_engine, run_transaction
    from api.migrations import upgrade

    assert catalogue.__all__
    upgrade(server.url())
    run_transaction(lambda conn: ensure_admin(conn, "Admin#123456"))
    began, used, served = time.perf_counter(), time.process_time(), _server_seconds(server)
    plan = check_file(source, create_missing=True)
    checked, checking = time.perf_counter(), time.process_time()
    post_plan(plan, skip_refused=False, tick=lambda _: None)
    ended = time.perf_counter()
    assert plan.result.posted_lines == lines, plan.result.refused[:3]
    posting, serving = time.process_time() - checking, _server_seconds(server) - served
    main_engine().dispose()
    total = checking - used + posting + serving
    print(f"{lines} lines in {plan.result.posted_bills} bills")
    print(f"read and check   {checked - began:7.1f} s wall   {checking - used:6.1f} s processor")
    print(
        f"post             {ended - checked:7.1f} s wall   {posting:6.1f} s processor + {serving:.1f} s of Postgres"
    )
    print(
        f"all              {lines / (ended - began):7.0f} lines/s wall   {lines / total:.0f} lines/s of one processor"
    )


def _server_seconds(server: EmbeddedPostgres) -> float:
    """Return the processor seconds of the server's present processes."""
    assert server.process is not None
    ticks = os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    fields = (Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split() for pid in children)
    return sum(int(found[11]) + int(found[12]) for found in fields) / ticks


def main() -> None:
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    per_bill = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    given = os.environ.get("ERP_CARPARTS")
    with tempfile.TemporaryDirectory(prefix="erp-bench-") as place:
        source = Path(place) / "bills.csv"
        if given:
            demand = car_parts.shift_months(car_parts.read_demand(Path(given)), LAST_MONTH)
            count = car_parts.write_lines(car_parts.list_bill_lines(demand), source)
        else:
            count = car_parts.write_lines(generate_lines(lines, per_bill), source, HEADER)
        server = EmbeddedPostgres(Path(place) / "postgres", Path(place) / "postgres.log")
        server.start()
        os.environ["ERP_DATABASE_URL"] = server.url()
        try:
            measure_import(source, count, server)
        finally:
            server.stop()
    print(f"memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB")


if __name__ == "__main__":
    main()
