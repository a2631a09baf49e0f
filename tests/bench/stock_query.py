"""Benchmark of reading stock among millions of moves: signed requests to `erp serve`, on one database that
grows.

Told apart: stock of 500 goods of a warehouse, pages of the two stock lists, their totals, and stock as of
a day. Run: `python -m tests.bench.stock_query [requests a kind] [moves]`.
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from api.kit import signing
from api.launch.postgres import EmbeddedPostgres
from tests.bench.list_page import PASSWORD, Session, log_in, p95, print_times, serve_api

SMALL = 100_000
COMPANIES, WAREHOUSES, GOODS, DAYS = 10, 20, 5000, 1000
LAST = "date '2026-10-31'"
SUMMARY, DETAIL = "/v2/inventory/InventorySummer", "/v2/inventory/InventoryGoods"

MASTERS = f"""
insert into company (company_name, company_code) select '分公司' || n, 'D' || lpad(n::text, 2, '0') from generate_series(2, {COMPANIES}) n;
insert into warehouse (warehouse_name, company_id) select '仓' || n, 1 + n % {COMPANIES} from generate_series(1, {WAREHOUSES}) n;
insert into goods_type (goods_type_name, level) values ('轮胎', 1);
insert into unit (unit_name) values ('条');
insert into goods (goods_num, goods_name, goods_type_id, unit_id, specification_type, logogram, barcode)
select 'G' || lpad(n::text, 6, '0'), (array['米其林', '朝阳', '双钱', '玲珑'])[1 + n % 4] || '轮胎' || n, 1, 1,
    (195 + n % 12 * 10) || '/65R' || (15 + n % 6), 'LT' || n, '690' || lpad(n::text, 10, '0') from generate_series(1, {GOODS}) n
"""
# Every warehouse holds every goods: 100,000 balances. Each balance's first move brings enough for those that take.
MOVES = f"""
insert into stock_ledger (company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount, bill_type,
    bill_id, bill_no, line_id, business_date)
select w.company_id, w.warehouse_id, 0, 1 + (n / {WAREHOUSES}) %% {GOODS}, 0, m.quantity, 100, m.quantity * 100,
    case when m.quantity > 0 then 'CGRK' else 'XSCK' end, n / 20, 'B' || n / 20, n,
    {LAST} - {DAYS} + (n::bigint * {DAYS} / %(moves)s)::int
from generate_series(%(first)s::bigint, %(moves)s::bigint - 1) n
join warehouse w on w.warehouse_id = 1 + n %% {WAREHOUSES}
cross join lateral (
    select case when n < {SMALL} then 1000 when n / {SMALL} %% 2 = 1 then -1 - n %% 3 else 2 + n %% 2 end as quantity
) m
"""
BACKDATED = f"""
insert into stock_ledger (company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount, bill_type,
    bill_id, bill_no, line_id, business_date)
select w.company_id, w.warehouse_id, 0, 1 + (n / {WAREHOUSES}) %% {GOODS}, 0, 5, 100, 500, 'CGRK', n / 20, 'B' || n / 20, n,
    {LAST} - 1 - (n::bigint * 7919 %% ({DAYS} - 2))::int
from generate_series(%(first)s::bigint, %(last)s::bigint - 1) n
join warehouse w on w.warehouse_id = 1 + n %% {WAREHOUSES}
"""
BALANCES = """
truncate stock_balance, stock_total, cost_balance;
insert into stock_balance (warehouse_id, goods_id, allocation_id, batch_id, company_id, quantity, first_date)
select warehouse_id, goods_id, 0, 0, company_id, sum(quantity), min(business_date) from stock_ledger group by 1, 2, 5;
insert into stock_total (warehouse_id, goods_id, company_id, quantity)
select warehouse_id, goods_id, company_id, sum(quantity) from stock_balance group by 1, 2, 3;
insert into cost_balance (company_id, goods_id, quantity, amount)
select company_id, goods_id, sum(quantity), sum(amount) from stock_ledger group by 1, 2
"""


def run_statements(conn: psycopg.Connection[Any], script: str) -> None:
    for statement in script.split(";\n"):
        conn.execute(statement)


def prepare_database(url: str) -> None:
    from api.identity.setup import ensure_admin
    from api.kit.storage.database import build_engine
    from api.migrations import upgrade

    upgrade(url)
    engine = build_engine(url)
    with engine.begin() as conn:
        ensure_admin(conn, PASSWORD)
    engine.dispose()
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("set session_replication_role = replica")
        run_statements(raw, MASTERS)


def add_moves(url: str, first: int, moves: int) -> None:
    """Add moves up to a count, and the balances they make."""
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("set session_replication_role = replica")
        raw.execute("set maintenance_work_mem = '512MB'")
        raw.execute(MOVES, {"first": first, "moves": moves})
        run_statements(raw, BALANCES)
    create_checkpoints(url)
    with psycopg.connect(url, autocommit=True) as raw:
        for table in ("stock_ledger", "stock_balance", "stock_total", "cost_balance", "goods", "warehouse"):
            raw.execute(f"vacuum analyze {table}")
        for table in ("stock_checkpoint", "stock_checkpoint_row"):
            raw.execute(f"vacuum analyze {table}")


def create_checkpoints(url: str) -> None:
    """Create the checkpoints that the job worker makes, and print the seconds."""
    from api.kit.storage.database import build_engine
    from api.ledger import checkpoints

    begun, engine, steps = time.perf_counter(), build_engine(url), 0
    while True:
        with engine.begin() as conn:
            if not checkpoints.advance_checkpoints(conn):
                break
        steps += 1
    engine.dispose()
    print(f"{steps} steps of checkpoints in {time.perf_counter() - begun:.0f} s", flush=True)


def add_backdated_moves(url: str, moves: int) -> None:
    """Add moves of any day since the checkpoints: as many as they may be behind, at most."""
    from api.ledger.checkpoints import FEW_ROWS

    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("set session_replication_role = replica")
        raw.execute(BACKDATED, {"first": moves, "last": moves + FEW_ROWS - 1})
        run_statements(raw, BALANCES)


def send_request(
    connection: Any, session: Session, method: str, path: str, query: dict[str, Any], body: Any = None
):
    """Send a signed request; returns its milliseconds and its data."""
    token, key = session
    text = "&".join(f"{name}={quote(str(value))}" for name, value in query.items())
    text = f"{text}&timeStamp={time.time_ns() // 1_000_000}".lstrip("&")
    raw = b"" if body is None else json.dumps(body).encode()
    address = f"{path}?{text}&sign={signing.compute_signature(key, method, path, text, raw)}"
    begun = time.perf_counter()
    connection.request(method, address, raw or None, {"token": token, "content-type": "application/json"})
    read = connection.getresponse().read()
    taken = (time.perf_counter() - begun) * 1000
    answer = json.loads(read)
    assert answer["code"] == 200, answer
    return taken, answer["data"]


def list_requests(chance: random.Random) -> Iterator[tuple[str, str, str, Any, float]]:
    """Yield name, method and path, the request, and the factor by which it is rarer."""

    def draw_goods() -> Any:
        return {}, {
            "goods_ids": chance.sample(range(1, GOODS + 1), 500),
            "warehouse_ids": [1 + chance.randrange(WAREHOUSES)],
        }

    def build_page_query(**more: Any) -> Any:
        return lambda: ({"totals": 0, **{name: one() for name, one in more.items()}}, None)

    def draw_day() -> str:
        return f"2026-{chance.randrange(7, 10):02}-15"

    yield "stock of 500 goods", "POST", "/v2/inventory/Stock/getStocks", draw_goods, 1
    for name, path in (("summary", SUMMARY), ("detail", DETAIL)):
        yield f"{name}, first page", "GET", f"{path}/getList", build_page_query(), 1
        yield f"{name}, page 40", "GET", f"{path}/getList", build_page_query(page=lambda: 40), 1
        company = lambda: 1 + chance.randrange(COMPANIES)  # noqa: E731
        yield f"{name}, a company", "GET", f"{path}/getList", build_page_query(company_id=company), 1
        keyword = lambda: f"G{chance.randrange(1, GOODS):06}"  # noqa: E731
        yield f"{name}, keyword", "GET", f"{path}/getList", build_page_query(keyword=keyword), 1
        size = lambda: f"{195 + chance.randrange(12) * 10}/65R{15 + chance.randrange(6)}"  # noqa: E731
        yield f"{name}, a size", "GET", f"{path}/getList", build_page_query(keyword=size), 1
        yield f"{name}, totals", "GET", f"{path}/getTotals", lambda: ({}, None), 5
        yield f"{name} as of a day, page", "GET", f"{path}/getList", build_page_query(as_of_end=draw_day), 5
        yield (
            f"{name} as of a day, totals",
            "GET",
            f"{path}/getTotals",
            lambda: ({"as_of_end": draw_day()}, None),
            5,
        )
    for name, path in (("summary", SUMMARY), ("detail", DETAIL)):
        for place, at in (
            ("a month's end", "2025-03-31"),
            ("the middle", "2025-03-10"),
            ("mid-month", "2025-04-15"),
        ):
            then = lambda at=at: at  # noqa: E731
            yield f"{name} as of {place}, page", "GET", f"{path}/getList", build_page_query(as_of_end=then), 6
        yield (
            f"{name} as of the middle, totals",
            "GET",
            f"{path}/getTotals",
            lambda: ({"as_of_end": "2025-03-10"}, None),
            6,
        )


def measure_requests(
    url: str, place: Path, repeats: int, moves: int, only: str = ""
) -> dict[str, list[float]]:
    print(f"— {moves:,} moves; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    found: dict[str, list[float]] = {}
    with serve_api(url, place) as connection:
        session = log_in(connection, "admin")
        for name, method, path, asked, seldom in list_requests(random.Random(7)):
            if only not in name:
                continue
            send_request(connection, session, method, path, *asked())
            found[name] = [
                send_request(connection, session, method, path, *asked())[0]
                for _ in range(max(3, int(repeats / seldom)))
            ]
            print_times(name, found[name])
    return found


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    moves = int(sys.argv[2]) if len(sys.argv) > 2 else 5_000_000
    with tempfile.TemporaryDirectory(prefix="erp-bench-") as place:
        server = EmbeddedPostgres(Path(place) / "postgres", Path(place) / "postgres.log")
        server.start()
        try:
            prepare_database(server.url())
            add_moves(server.url(), 0, SMALL)
            few = measure_requests(server.url(), Path(place), repeats, SMALL)
            begun = time.perf_counter()
            add_moves(server.url(), SMALL, moves)
            print(f"grown in {time.perf_counter() - begun:.0f} s")
            many = measure_requests(server.url(), Path(place), repeats, moves)
            add_backdated_moves(server.url(), moves)
            print("— checkpoints left behind by as many backdated moves as they may be")
            late = measure_requests(server.url(), Path(place), repeats, moves, "as of")
        finally:
            server.stop()
    pages = [
        one for name, each in many.items() if "as of" not in name and "totals" not in name for one in each
    ]
    print_times("list pages and stock of 500", pages)
    print_times("as of a day", [one for name, each in many.items() if "as of" in name for one in each])
    print_times("as of a day, left behind", [one for each in late.values() for one in each])
    ratio = p95(many["stock of 500 goods"]) / p95(few["stock of 500 goods"])
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"500 goods: {ratio:.2f} times as long as at {SMALL:,} moves")
    print(f"processor time of servers {used.ru_utime + used.ru_stime:.0f} s")


if __name__ == "__main__":
    main()
