"""Bills of 500 and of 5,000 lines over HTTP, and the close of a month of 200,000 bill lines.

Each type is saved, audited, taken back and audited again; wanted are 1 s to save 500 lines and 3 s to audit 5,000 at
most. Then a company's month of 10,000 sales outbounds of 20 lines is closed and opened again; wanted are 20 s.
Run: `python -m tests.bench.big_bills`.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import tempfile
import time
import uuid
from datetime import date
from pathlib import Path
from typing import Any

import psycopg

from api.kit import signing
from api.launch.postgres import EmbeddedPostgres
from tests.bench import audit_http
from tests.bench._targets import require_targets

LONG, LINES, BILLS, BILL_LINES = 500, 5000, 10_000, 20
DAY = date(2026, 2, 15)
MORE = f"""
insert into goods (goods_num, goods_name, goods_type_id, unit_id)
select 'B' || n, '大单商品' || n, 1, 1 from generate_series(1, {LINES}) n;
insert into warehouse (warehouse_name, company_id) values ('二仓', 1);
insert into supplier (supplier_name, payment_days) values ('总厂', 30)
"""
# Sales of January, a thirtieth of them each day, of goods that came in on its first day; all at the same cost.
MONTH = f"""
insert into sales_outbound (bill_no, business_date, company_id, warehouse_id, customer_id, maker_id, auditor_id, status,
    total_quantity, total_amount, due_date)
select 'M' || n, date '2026-01-01' + n % 30, 1, 1, 1, 1, 1, 2, {BILL_LINES * 2}, 8000, '2026-02-28'
from generate_series(1, {BILLS}) n;
insert into sales_outbound_line (bill_id, line_no, goods_id, quantity, price, amount, no_tax_amount)
select b.bill_id, n, 1 + (b.bill_id * {BILL_LINES} + n) % {audit_http.GOODS}, 2, 200, 400, 353.98
from sales_outbound b, generate_series(1, {BILL_LINES}) n where b.bill_no like 'M%%';
insert into stock_ledger (company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
    bill_type, bill_id, bill_no, line_id, business_date, basis)
select 1, 1, 0, l.goods_id, 0, -2, 100, -200, 'XSCK', b.bill_id, b.bill_no, l.line_id, b.business_date, 'issue'
from sales_outbound b join sales_outbound_line l using (bill_id) where b.bill_no like 'M%%';
insert into settlement_item (company_id, party_type, party_id, kind, bill_type, bill_id, bill_no, business_date, due_date,
    amount, open_amount)
select 1, 'customer', 1, 'bill', 'XSCK', bill_id, bill_no, business_date, due_date, 8000, 8000
from sales_outbound where bill_no like 'M%%';
insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id,
    bill_no, business_date)
select settlement_id, 1, 'customer', 1, 8000, 'open', 'XSCK', bill_id, bill_no, business_date
from settlement_item where bill_no like 'M%%';
update stock_balance b set quantity = s.quantity from (
    select warehouse_id, goods_id, allocation_id, batch_id, sum(quantity) as quantity from stock_ledger group by 1, 2, 3, 4
) s where (b.warehouse_id, b.goods_id, b.allocation_id, b.batch_id) = (s.warehouse_id, s.goods_id, s.allocation_id, s.batch_id);
update stock_total b set quantity = s.quantity from (
    select warehouse_id, goods_id, sum(quantity) as quantity from stock_ledger group by 1, 2
) s where (b.warehouse_id, b.goods_id) = (s.warehouse_id, s.goods_id);
update cost_balance b set quantity = s.quantity, amount = s.amount from (
    select goods_id, sum(quantity) as quantity, sum(amount) as amount from stock_ledger group by 1
) s where b.goods_id = s.goods_id
"""


class TimedBillClient:
    """Client that sends signed requests of the administrator and measures their seconds."""

    def __init__(self) -> None:
        self.token, self.key = audit_http.log_in()
        self.connection = http.client.HTTPConnection("127.0.0.1", audit_http.PORT)

    def send(self, path: str, body: Any) -> tuple[float, Any]:
        raw = json.dumps(body).encode()
        query = f"timeStamp={time.time_ns() // 1_000_000}"
        sign = signing.compute_signature(self.key, "POST", path, query, raw)
        headers = {
            "content-type": "application/json",
            "token": self.token,
            "Idempotency-Key": str(uuid.uuid4()),
        }
        begun = time.perf_counter()
        self.connection.request("POST", f"{path}?{query}&sign={sign}", raw, headers)
        answer = json.loads(self.connection.getresponse().read())
        taken = time.perf_counter() - begun
        assert answer["code"] == 200, str(answer)[:500]
        return taken, answer["data"]


def build_payloads(goods: list[int]) -> dict[str, dict[str, Any]]:
    """Return a bill of each type; the first brings what the others take."""
    base = {"company_id": 1, "warehouse_id": 1, "business_date": DAY.isoformat()}

    def build_lines(quantity: int, **more: Any) -> list[dict[str, Any]]:
        return [{"goods_id": key, "quantity": quantity, **more} for key in goods]

    priced = {"price": "200", "tax_rate": "13"}
    return {
        "purchase_inbound": {**base, "supplier_id": 1, "lines": build_lines(100, **priced)},
        "other_inbound": {**base, "reason": "期初", "lines": build_lines(100, **priced)},
        "sales_order": {**base, "customer_id": 1, "lines": build_lines(3, **priced)},
        "sales_outbound": {**base, "customer_id": 1, "lines": build_lines(2, **priced)},
        "transfer_out": {**base, "to_warehouse_id": 2, "lines": build_lines(4)},
        "stock_surplus": {**base, "lines": build_lines(1)},
    }


def measure_bills(clerk: TimedBillClient, goods: list[int]) -> tuple[float, float]:
    """Save and audit a bill of each type with one line for each goods; returns the longest seconds of each."""
    from api import catalogue
    from api.kit.declaration import registry

    assert catalogue.__all__
    saving, auditing = 0.0, 0.0
    print(f"{len(goods):,} lines")
    for kind, payload in build_payloads(goods).items():
        api = f"/{registry.get_resource(kind).declaration.api}"
        saved, made = clerk.send(f"{api}/add", payload)
        ids = {"ids": [made["id"]]}
        audited, _ = clerk.send(f"{api}/auditorPass", ids)
        back, _ = clerk.send(f"{api}/antiAuditor", ids)
        again, _ = clerk.send(f"{api}/auditorPass", ids)
        saving, auditing = max(saving, saved), max(auditing, audited, again)
        print(
            f"{kind:18} saved {saved:5.2f} s   audited {audited:5.2f} s and {again:5.2f} s   taken back {back:5.2f} s",
            flush=True,
        )
    return saving, auditing


def fill_month(url: str) -> None:
    """Insert many audited sales, and the balances that they leave."""
    with psycopg.connect(url) as conn:
        conn.execute("alter table stock_ledger disable trigger user")
        for statement in MONTH.replace("%%", "%").split(";\n"):
            conn.execute(statement)  # type: ignore[arg-type]
        conn.execute("alter table stock_ledger enable trigger user")
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("vacuum analyze")


def measure_close(clerk: TimedBillClient) -> tuple[float, float]:
    """Return the seconds of closing a month, and of opening it again."""
    body = {"company_id": 1, "period": "2026-01"}
    closed, done = clerk.send("/v2/system/MonthClose/closePeriod", body)
    assert done["bill_count"] >= BILLS
    opened, _ = clerk.send("/v2/system/MonthClose/openPeriod", {**body, "reason": "测量"})
    return closed, opened


def measure_all(url: str, place: Path) -> dict[str, bool]:
    """Return the targets, and whether each was met."""
    audit_http.prepare_database(url)
    with psycopg.connect(url) as conn:
        for statement in MORE.split(";\n"):
            conn.execute(statement)  # type: ignore[arg-type]
        goods = [
            row[0] for row in conn.execute("select goods_id from goods where goods_num like 'B%' order by 1")
        ]
    with audit_http.serve_api(url, place):
        saved, _ = measure_bills(TimedBillClient(), goods[:LONG])
        _, audited = measure_bills(TimedBillClient(), goods)
        fill_month(url)
        closed, opened = measure_close(TimedBillClient())
    print(f"month opened in {opened:.2f} s; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    return {
        f"{LONG:,} lines saved in {saved:.2f} s at most, wanted 1 s": saved <= 1,
        f"{LINES:,} lines audited in {audited:.2f} s at most, wanted 3 s": audited <= 3,
        f"month of {BILLS * BILL_LINES:,} lines closed in {closed:.2f} s, wanted 20 s": closed <= 20,
    }


def main() -> None:
    assert len(sys.argv) == 1, __doc__
    with tempfile.TemporaryDirectory(prefix="erp-bench-") as place:
        server = EmbeddedPostgres(Path(place) / "postgres", Path(place) / "postgres.log")
        server.start()
        try:
            wanted = measure_all(server.url("postgres"), Path(place))
        finally:
            server.stop()
    require_targets(wanted)


if __name__ == "__main__":
    main()
