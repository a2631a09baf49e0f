"""Benchmark of list pages among a million bills: signed requests to `erp serve`, a branch user and a group
user.

Lists that are worked out from the ledgers are told beside them: what is owed, used, uninvoiced and on the
accounts, where the bills older than 45 days are paid. The floor is the bare SQL of the first page by
psycopg: no login, no rights, no HTTP. Run: `python -m tests.bench.list_page [requests a kind] [bills]`.
Rows (totals=0) and getTotals are told apart, as the web asks for them apart.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg

from api.kit import signing
from api.launch.postgres import EmbeddedPostgres
from tests.bench._targets import require_targets

PORT = 8791
PASSWORD = "bench-password"
API = "v2/sales/SalesOutstock"
TARGET = 60.0
COMPANIES, CUSTOMERS, DAYS, GOODS = 20, 8000, 1000, 20000
BRANCH = 3
PAID = "date '2026-01-31' - 45"
Query = dict[str, object]

# Large and small companies, faithful and rare customers; a tenth of the bills of the last days wait for their audit.
BILLS = f"""
insert into company (company_name, company_code) select '分公司' || n, 'D' || lpad(n::text, 2, '0') from generate_series(2, {COMPANIES}) n;
insert into department (department_name, company_id) select '销售部', company_id from company;
insert into employee (employee_name, company_id, department_id)
select '业务员' || d.company_id || n, d.company_id, d.department_id from department d, generate_series(1, 10) n;
insert into warehouse (warehouse_name, company_id) select company_name || '仓' || n, company_id from company, generate_series(1, 2) n;
insert into customer (customer_name, company_id, payment_days)
select (array['顺达', '宏图', '永安', '金轮', '通达', '鑫源', '路路通', '驰骋'])[1 + n % 8] || '汽修' || lpad(n::text, 5, '0')
    || (array['店', '厂', '有限公司'])[1 + n % 3], 1 + n % {COMPANIES}, 30 from generate_series(1, {CUSTOMERS}) n;
create temp table place as
select company_id, company_code, array_agg(distinct warehouse_id) as warehouses, array_agg(distinct employee_id) as employees,
    min(department.department_id) as department_id, (select array_agg(customer_id) from customer c where c.company_id = company.company_id) as customers
from company join warehouse using (company_id) join employee using (company_id) join department using (company_id)
group by company_id, company_code;
create temp table drawn as
select n, 1 + floor({COMPANIES} * pow(random(), 1.7))::bigint as company_id, date '2026-01-31' - {DAYS} + (n * {DAYS}::bigint / %(bills)s)::int as day,
    random() as a, random() as b, random() as c, random() as d
from generate_series(1, %(bills)s) n;
insert into sales_outbound (bill_no, business_date, company_id, warehouse_id, customer_id, department_id, employee_id, maker_id, status,
    due_date, total_quantity, total_amount, tax_amount, no_tax_amount, made_at)
select 'XSCK' || company_code || to_char(day, 'yyyymmdd') || lpad((row_number() over (partition by company_id, day order by n))::text, 4, '0'),
    day, company_id, warehouses[1 + floor(a * 2)], customers[1 + floor(cardinality(customers) * pow(b, 2))], department_id,
    employees[1 + floor(c * 10)], 1, case when day > date '2026-01-26' and d < 0.1 then 1 when d < 0.02 then 3 else 2 end, day + 30,
    1 + floor(a * 40), round((50 + 8000 * b * c)::numeric, 2), round((8000 * b * c * 0.115)::numeric, 2), round((50 + 8000 * b * c * 0.885)::numeric, 2),
    day + interval '9 hours'
from drawn join place using (company_id) order by n;
insert into unit (unit_name) values ('条');
insert into goods_type (goods_type_name, level) values ('轮胎', 1);
insert into goods (goods_num, goods_name, goods_type_id, unit_id)
select 'G' || lpad(n::text, 6, '0'), '商品' || n, 1, 1 from generate_series(1, {GOODS}) n;
insert into sales_outbound_line (bill_id, line_no, goods_id, quantity, price, amount)
select b.bill_id, n, least({GOODS}, 1 + floor({GOODS} * pow(random(), 3))), 1, b.total_amount, b.total_amount
from sales_outbound b, generate_series(1, 1 + (b.bill_id % 5)::int) n;
drop table drawn, place;
insert into receivables_mode (receivables_mode_name, account_kind) values ('现金', 1), ('银行', 2);
insert into settlement_item (company_id, party_type, party_id, kind, bill_type, bill_id, bill_no, business_date, due_date, amount, open_amount)
select company_id, 'customer', customer_id, 'bill', 'XSCK', bill_id, bill_no, business_date, due_date, total_amount,
    case when business_date < {PAID} then 0 else total_amount end
from sales_outbound where status = 2 order by bill_id;
insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id, bill_no, business_date)
select settlement_id, company_id, 'customer', party_id, amount, 'open', bill_type, bill_id, bill_no, business_date
from settlement_item order by settlement_id;
insert into customer_receipt (bill_id, bill_no, business_date, status, company_id, customer_id, receivables_mode_id, amount, maker_id, auditor_id)
select bill_id, 'KHSK' || substr(bill_no, 5), business_date + 40, 2, company_id, party_id,
    (select min(receivables_mode_id) from receivables_mode) + bill_id % 2, amount, 1, 1
from settlement_item where open_amount = 0 order by bill_id;
insert into customer_receipt_write_off (bill_id, line_no, settlement_id, amount, settled_on)
select bill_id, 1, settlement_id, i.amount, r.business_date from settlement_item i join customer_receipt r using (bill_id) where i.open_amount = 0;
insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id, bill_no, business_date)
select settlement_id, i.company_id, 'customer', party_id, -i.amount, 'write_off', 'KHSK', r.bill_id, r.bill_no, r.business_date
from settlement_item i join customer_receipt r using (bill_id) order by settlement_id;
insert into money_ledger (company_id, receivables_mode_id, amount, bill_type, bill_id, bill_no, business_date)
select company_id, receivables_mode_id, amount, 'KHSK', bill_id, bill_no, business_date from customer_receipt order by bill_id
"""
JANUARY = {"business_date_start": "2026-01-01", "business_date_end": "2026-01-31"}
DAYS_OF_JANUARY = {"days_start": "2026-01-01", "days_end": "2026-01-31"}
OTHERS: dict[str, tuple[str, Query]] = {
    "sales_uninvoiced": ("v2/sales/SalesUninvoiced", JANUARY),
    "credit_item": ("v2/custom/CreditItem", {}),
    "customer_account": ("v2/custom/CustomerAccount", {}),
    "customer_account_log": ("v2/custom/AccountLog", DAYS_OF_JANUARY),
    "customer_account_entry": ("v2/custom/AccountLogList", JANUARY),
    "checkstand": ("v2/money/Checkstand", JANUARY),
    "account_days": ("v2/money/AccountDays", DAYS_OF_JANUARY),
    "account_entry": ("v2/money/AccountEntry", JANUARY),
}

FLOOR = """
select b.bill_id, b.bill_no, b.business_date, b.status, b.total_amount, c.company_name, w.warehouse_name, k.customer_name,
    d.department_name, e.employee_name, m.realname
from sales_outbound b
left join company c using (company_id) left join warehouse w on w.warehouse_id = b.warehouse_id
left join customer k on k.customer_id = b.customer_id left join department d on d.department_id = b.department_id
left join employee e on e.employee_id = b.employee_id left join user_account m on m.user_id = b.maker_id
where b.company_id = any(%s) order by b.bill_id desc limit 30
"""

Session = tuple[str, str]


def prepare_database(url: str, bills: int) -> None:
    """Create a migrated database, two users, and the bills."""
    from api.identity import passwords, rights
    from api.identity.setup import ensure_admin
    from api.kit.storage.database import build_engine
    from api.migrations import upgrade

    upgrade(url)
    engine = build_engine(url)
    with engine.begin() as conn:
        ensure_admin(conn, PASSWORD)
    with psycopg.connect(url, autocommit=True) as raw:
        raw.execute("set session_replication_role = replica")
        raw.execute("select setseed(0.5)")
        for statement in BILLS.split(";\n"):
            raw.execute(statement, {"bills": bills} if "%(" in statement else None)
        for table in (
            "sales_outbound",
            "sales_outbound_line",
            "goods",
            "customer",
            "company",
            "warehouse",
            "employee",
            "settlement_item",
            "settlement_ledger",
            "customer_receipt",
            "customer_receipt_write_off",
            "money_ledger",
        ):
            raw.execute(f"vacuum analyze {table}")
        (role,) = raw.execute(
            "insert into role (role_name, scope_kind, own_kind) values ('分公司', 2, 1) returning role_id"
        ).fetchone()  # type: ignore[misc]
        raw.execute(
            "insert into user_account (user_name, realname, company_id, role_id, password_hash) values ('branch', '店员', %s, %s, %s)",
            (BRANCH, role, passwords.hash_password(PASSWORD)),
        )
    with engine.begin() as conn:
        rights.replace_role_grants(
            conn, role, [f"{name}:list" for name in ("sales_outbound", *OTHERS)], companies=[BRANCH]
        )
    engine.dispose()


@contextmanager
def serve_api(url: str, place: Path) -> Iterator[http.client.HTTPConnection]:
    """`erp serve` on the database, and a connection to it that is kept alive."""
    environment = {**os.environ, "ERP_DATABASE_URL": url, "ERP_DATA_DIR": str(place), "ERP_PORT": str(PORT)}
    process = subprocess.Popen([str(Path(sys.executable).with_name("erp")), "serve"], env=environment)
    connection = http.client.HTTPConnection("127.0.0.1", PORT)
    try:
        while True:
            assert process.poll() is None, "erp serve ended"
            try:
                connection.request("GET", "/healthz")
                connection.getresponse().read()
                break
            except OSError:
                connection.close()
                time.sleep(0.2)
        yield connection
    finally:
        process.terminate()
        process.wait()


def log_in(connection: http.client.HTTPConnection, name: str) -> Session:
    body = json.dumps({"user_name": name, "password": PASSWORD})
    connection.request("POST", "/v2/user/Login/login", body, {"content-type": "application/json"})
    data = json.loads(connection.getresponse().read())["data"]
    return data["token"], data["sign_key"]


def send_request(
    connection: http.client.HTTPConnection, session: Session, call: str, query: Query
) -> tuple[float, dict]:
    """Send a signed request; returns its milliseconds and its data."""
    token, key = session
    path = f"/{call}"
    text = "&".join(f"{name}={quote(str(value))}" for name, value in query.items())
    text = f"{text}&timeStamp={time.time_ns() // 1_000_000}".lstrip("&")
    address = f"{path}?{text}&sign={signing.compute_signature(key, 'GET', path, text, b'')}"
    begun = time.perf_counter()
    connection.request("GET", address, headers={"token": token})
    response = connection.getresponse()
    body = response.read()
    taken = (time.perf_counter() - begun) * 1000
    answer = json.loads(body)
    assert answer["code"] == 200, answer
    return taken, answer["data"]


def build_queries(url: str, chance: random.Random) -> dict[str, Callable[[], Query]]:
    """Return queries as users send them, each with values that occur."""
    with psycopg.connect(url) as conn:
        sample = conn.execute(
            "select bill_no, customer_id, customer_name, business_date from sales_outbound tablesample system (0.5)"
            " join customer using (customer_id) where sales_outbound.company_id = %s",
            (BRANCH,),
        ).fetchall()
        sold = [
            goods
            for (goods,) in conn.execute(
                "select goods_id from sales_outbound_line tablesample system (0.1)"
            ).fetchall()
        ]

    def customer_and_dates() -> Query:
        _, customer, _, day = chance.choice(sample)
        return {"customer_id": customer, "business_date_start": day.replace(day=1), "business_date_end": day}

    def build_month() -> Query:
        day = chance.choice(sample)[3]
        return {"business_date_start": day.replace(day=1), "business_date_end": day}

    return {
        "first page": dict,
        "page 40": lambda: {"page": 40},
        "customer and dates": customer_and_dates,
        "dates": build_month,
        "customer": lambda: {"customer_id": chance.choice(sample)[1]},
        "keyword: bill number": lambda: {"keyword": chance.choice(sample)[0]},
        "keyword: its end": lambda: {"keyword": chance.choice(sample)[0][-9:]},
        "keyword: customer": lambda: {"keyword": chance.choice(sample)[2][2:9]},
        "goods": lambda: {"goods_id": chance.choice(sold)},
        "goods: the most sold": lambda: {"goods_id": 1},
        "goods: hardly sold": lambda: {"goods_id": GOODS - chance.randrange(GOODS // 10)},
        "goods and dates": lambda: {**build_month(), "goods_id": chance.choice(sold)},
        "waiting for audit": lambda: {"status": 1},
        "by amount": lambda: {"order_key": "total_amount", "order_by": "desc"},
        "by day": lambda: {"order_key": "business_date", "order_by": chance.choice(("asc", "desc"))},
    }


def p95(taken: list[float]) -> float:
    return sorted(taken)[int(len(taken) * 0.95)]


def print_times(name: str, taken: list[float]) -> None:
    print(
        f"{name:32} p50 {statistics.median(taken):7.1f} ms   p95 {p95(taken):7.1f} ms   most {max(taken):7.1f} ms",
        flush=True,
    )


def measure_floor(url: str, repeats: int) -> None:
    """Measure the first page by hand."""
    with psycopg.connect(url) as conn:
        for name, companies in (("branch", [BRANCH]), ("group", list(range(1, COMPANIES + 1)))):
            taken = []
            for _ in range(repeats):
                begun = time.perf_counter()
                assert len(conn.execute(FLOOR, (companies,)).fetchall()) == 30
                taken.append((time.perf_counter() - begun) * 1000)
            print_times(f"bare SQL, first page, {name}", taken)


def measure_pages(url: str, place: Path, repeats: int) -> bool:
    chance = random.Random(7)
    asked = build_queries(url, chance)
    with serve_api(url, place) as connection:
        sessions = {
            name: log_in(connection, user) for name, user in (("branch", "branch"), ("group", "admin"))
        }
        for session in sessions.values():
            for query in asked.values():
                send_request(connection, session, f"{API}/getList", {**query(), "totals": 0})
        measure_floor(url, repeats)
        rows: dict[tuple[str, str], list[float]] = {(kind, who): [] for kind in asked for who in sessions}
        order = [*rows] * repeats
        chance.shuffle(order)
        for kind, who in order:
            taken, data = send_request(
                connection, sessions[who], f"{API}/getList", {**asked[kind](), "totals": 0}
            )
            assert data["data"] or kind.startswith(("waiting", "goods")), (kind, who)
            rows[kind, who].append(taken)
        for (kind, who), taken_each in rows.items():
            print_times(f"{kind}, {who}", taken_each)
        every = [one for each in rows.values() for one in each]
        print_times("list pages", every)
        totals: dict[tuple[str, str], list[float]] = {}
        for kind in asked:
            for who in sessions:
                totals[kind, who] = [
                    send_request(connection, sessions[who], f"{API}/getTotals", asked[kind]())[0]
                    for _ in range(max(3, repeats // 8))
                ]
        for (kind, who), taken_each in totals.items():
            if kind not in ("page 40", "by amount", "by day"):
                print_times(f"getTotals: {kind}, {who}", taken_each)
        for api, query in OTHERS.values():
            for who, session in sessions.items():
                taken_each = []
                for _ in range(max(3, repeats // 4)):
                    taken, data = send_request(connection, session, f"{api}/getList", {**query, "totals": 0})
                    assert data["data"], (api, who)
                    taken_each.append(taken)
                print_times(f"{api.rsplit('/', 1)[1]}, {who}", taken_each)
    return p95(every) <= TARGET


def main() -> None:
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    bills = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
    with tempfile.TemporaryDirectory(prefix="erp-bench-") as place:
        server = EmbeddedPostgres(Path(place) / "postgres", Path(place) / "postgres.log")
        server.start()
        try:
            begun = time.perf_counter()
            prepare_database(server.url(), bills)
            print(
                f"{bills:,} bills in {time.perf_counter() - begun:.0f} s; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
            )
            good = measure_pages(server.url(), Path(place), repeats)
        finally:
            server.stop()
    require_targets({f"p95 of list pages under {TARGET:.0f} ms": good})


if __name__ == "__main__":
    main()
