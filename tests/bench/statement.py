"""An account statement of a customer with 50,000 open items, over HTTP, and the reports of what moved his account.

The floor is the bare SQL of the month's moves by psycopg, in the same run. Run: `python -m tests.bench.statement [items]`.
Wanted are 300 ms for each first page, for a statement of a month (1,600 bills) to be drawn up, and for that and one of
all his bills to be opened and its lines to be listed. How long the long one takes to be drawn up is told.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

import psycopg

from api.kit import signing
from api.launch.postgres import EmbeddedPostgres
from tests.bench import audit_http
from tests.bench._targets import require_targets
from tests.bench.list_page import p95, print_times

TARGET = 300.0
REPEATS = 10
MONTH = ("2026-03-01", "2026-03-31")
FIRST = "2023-10-01"
# The items of one customer over 930 days, among those of 2,000 others.
ITEMS = """
insert into customer (customer_name, company_id, payment_days) select '其他客户' || n, 1, 30 from generate_series(1, 2000) n;
insert into settlement_item (company_id, party_type, party_id, kind, bill_type, bill_id, bill_no, business_date, due_date,
    amount, open_amount)
select 1, 'customer', case when n <= %(items)s then 1 else 2 + n %% 2000 end, 'bill', 'XSCK', n, 'XSCKB' || n,
    date '2023-10-01' + (n %% %(items)s * 930::bigint / %(items)s)::int, date '2026-06-30', 100 + n %% 900, 100 + n %% 900
from generate_series(1, %(items)s * 4) n;
insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id,
    bill_no, business_date)
select settlement_id, company_id, party_type, party_id, amount, 'open', bill_type, bill_id, bill_no, business_date
from settlement_item where bill_no like 'XSCKB%%' order by settlement_id
"""
FLOOR = """
select business_date, bill_no, sum(amount) from settlement_ledger
where party_type = 'customer' and party_id = 1 and company_id = 1 and business_date between %s and %s
group by business_date, bill_type, bill_id, bill_no order by 1
"""
VIEWS = {
    "account": "v2/custom/CustomerAccount",
    "account log": "v2/custom/AccountLog",
    "account entries": "v2/custom/AccountLogList",
}
DAYS = "{0}_start={1}&{0}_end={2}"
ASKED = "&".join(("customer_id=1", *(DAYS.format(name, *MONTH) for name in ("business_date", "days"))))


class StatementClient:
    """Client that sends signed requests of the administrator and measures their milliseconds."""

    def __init__(self) -> None:
        self.token, self.key = audit_http.log_in()
        self.connection = http.client.HTTPConnection("127.0.0.1", audit_http.PORT)

    def send(self, method: str, path: str, query: str = "", body: Any = None) -> tuple[float, Any]:
        raw = b"" if body is None else json.dumps(body).encode()
        text = f"{query}&timeStamp={time.time_ns() // 1_000_000}".lstrip("&")
        sign = signing.compute_signature(self.key, method, path, text, raw)
        headers = {
            "content-type": "application/json",
            "token": self.token,
            "Idempotency-Key": str(uuid.uuid4()),
        }
        begun = time.perf_counter()
        self.connection.request(method, f"{path}?{text}&sign={sign}", raw or None, headers)
        answer = json.loads(self.connection.getresponse().read())
        taken = (time.perf_counter() - begun) * 1000
        assert answer["code"] == 200, str(answer)[:500]
        return taken, answer["data"]


def measure_times(name: str, ask: Any) -> list[float]:
    """Return the times of a request and print them; the first one warms up."""
    ask()
    taken = [ask()[0] for _ in range(REPEATS)]
    print_times(name, taken)
    return taken


def measure_floor(url: str) -> None:
    with psycopg.connect(url) as conn:

        def read_moves() -> tuple[float, Any]:
            begun = time.perf_counter()
            rows = conn.execute(FLOOR, MONTH).fetchall()
            return (time.perf_counter() - begun) * 1000, rows

        measure_times("bare SQL, a month's moves", read_moves)


def measure_all(url: str) -> bool:
    """Return whether all targets were met."""
    clerk = StatementClient()
    measure_floor(url)
    wanted: list[list[float]] = []
    for label, api in VIEWS.items():
        wanted.append(
            measure_times(label, lambda api=api: clerk.send("GET", f"/{api}/getList", f"{ASKED}&totals=0"))
        )
        measure_times(f"{label}, totals", lambda api=api: clerk.send("GET", f"/{api}/getTotals", ASKED))
    header = {
        "company_id": 1,
        "customer_id": 1,
        "business_date": MONTH[1],
        "starts_on": MONTH[0],
        "ends_on": MONTH[1],
    }
    api = "/v2/custom/AccountStatement"
    wanted.append(
        measure_times("statement of a month, saved", lambda: clerk.send("POST", f"{api}/add", body=header))
    )
    _, made = clerk.send("POST", f"{api}/add", body=header)
    wanted.append(
        measure_times(
            "the statement, opened", lambda: clerk.send("GET", f"{api}/getInfo", f"id={made['id']}")
        )
    )
    taken, made = clerk.send("POST", f"{api}/add", body={**header, "starts_on": FIRST})
    print(f"statement of all, saved: {taken:,.0f} ms")
    wanted.append(
        measure_times("it, opened", lambda: clerk.send("GET", f"{api}/getInfo", f"id={made['id']}"))
    )
    listed = f"bill_no={made['bill_no']}&totals=0"
    wanted.append(
        measure_times("its lines, a page", lambda: clerk.send("GET", f"{api}Detail/getList", listed))
    )
    taken, sums = clerk.send("GET", f"{api}Detail/getTotals", f"bill_no={made['bill_no']}")
    print(f"it has {sums['total']:,} lines, added up in {taken:,.0f} ms")
    return all(p95(taken) <= TARGET for taken in wanted)


def main() -> None:
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    with tempfile.TemporaryDirectory(prefix="erp-bench-") as place:
        server = EmbeddedPostgres(Path(place) / "postgres", Path(place) / "postgres.log")
        server.start()
        try:
            audit_http.prepare_database(server.url("postgres"))
            with psycopg.connect(server.url("postgres"), autocommit=True) as conn:
                conn.execute("set session_replication_role = replica")
                for statement in ITEMS.split(";\n"):
                    conn.execute(statement, {"items": items} if "%(" in statement else None)  # type: ignore[arg-type]
                conn.execute("vacuum analyze")
            with audit_http.serve_api(server.url("postgres"), Path(place)):
                good = measure_all(server.url("postgres"))
        finally:
            server.stop()
    print(f"{items:,} open items; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    require_targets({f"p95 under {TARGET:.0f} ms": good})


if __name__ == "__main__":
    main()
