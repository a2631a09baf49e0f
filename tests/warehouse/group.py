"""Trading group of any size, written straight into the tables by SQL, for the warehouse's tests and
benchmarks.

The rows are plausible, not posted: quantities never fall short, and issues cost the average of what was
received.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path

import psycopg

SCRIPT = Path(__file__).with_name("group.sql")


@dataclass(frozen=True, slots=True)
class GroupSize:
    """Numbers of each kind of record; `lines` is per bill, `days` back from the business date `as_of`."""

    companies: int = 3
    warehouses: int = 7
    goods: int = 120
    customers: int = 60
    bills: int = 1200
    lines: int = 4
    days: int = 500
    as_of: str = "2026-11-20"


def fill_database(url: str, size: GroupSize) -> None:
    """Fill an empty migrated database without foreign keys and triggers: rows take the default stamp. Foreign
    keys and triggers rest meanwhile: rows take the default stamp."""
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("set session_replication_role = replica")
        conn.execute("set synchronous_commit = off")
        conn.execute("set work_mem = '256MB'")
        conn.execute("select setseed(0.5)")
        script = SCRIPT.read_text("utf-8")
        for name, value in asdict(size).items():
            shown = f"'{value}'" if isinstance(value, str) else str(value)
            script = re.sub(rf":{name}\b", shown, script)
        for statement in script.split(";\n"):
            if statement.strip():
                conn.execute(statement)


# What a sales outbound of one line is made of; tests write bills with it.
BILL = """
with bill as (
    insert into sales_outbound (bill_no, company_id, business_date, status, department_id, employee_id, warehouse_id,
        customer_id, maker_id)
    select 'XSCK-' || gen_random_uuid(), company_id, %(day)s, 2, 1, 1, warehouse_id, 1, 1
    from warehouse where warehouse_id = %(warehouse_id)s
    returning bill_id, bill_no, company_id, warehouse_id, business_date
), line as (
    insert into sales_outbound_line (bill_id, line_no, goods_id, quantity, price, tax_rate, amount, tax_amount, no_tax_amount)
    select bill_id, 1, %(goods_id)s, %(quantity)s, 113, 13, 113 * %(quantity)s, 13 * %(quantity)s, 100 * %(quantity)s from bill
    returning line_id, bill_id
)
insert into stock_ledger (company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
    bill_type, bill_id, bill_no, line_id, business_date)
select company_id, warehouse_id, 0, %(goods_id)s, 0, -%(quantity)s, 80, -80 * %(quantity)s, 'XSCK', bill_id, bill_no, line_id,
    business_date
from bill join line using (bill_id)
returning bill_id
"""

RECEIPT = """
insert into stock_ledger (company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
    bill_type, bill_id, bill_no, line_id, business_date)
select company_id, warehouse_id, 0, %(goods_id)s, %(batch_id)s, %(quantity)s, 80, %(amount)s, 'CGRK', %(bill_id)s, 'CGRK',
    %(bill_id)s, %(day)s
from warehouse where warehouse_id = %(warehouse_id)s
"""

# Goods that came on `first_date` go to the company's other warehouse.
TRANSFER = """
insert into stock_ledger (company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
    bill_type, bill_id, bill_no, line_id, business_date, first_date)
select w.company_id, side.warehouse_id, 0, %(goods_id)s, 0, side.sign * %(quantity)s, 80, side.sign * 80 * %(quantity)s,
    'DBCK', %(bill_id)s, 'DBCK', %(bill_id)s, %(day)s, side.first_date
from warehouse w
cross join lateral (
    select w.warehouse_id, -1 as sign, null::date as first_date
    union all
    select (select min(o.warehouse_id) from warehouse o where o.company_id = w.company_id and o.warehouse_id <> w.warehouse_id),
        1, %(first_date)s::date
) side
where w.warehouse_id = %(warehouse_id)s
"""

# The negation of everything a bill posted to the stock ledger.
REVERSAL = """
insert into stock_ledger (company_id, warehouse_id, allocation_id, goods_id, batch_id, quantity, unit_cost, amount,
    bill_type, bill_id, bill_no, line_id, business_date, reverses)
select company_id, warehouse_id, allocation_id, goods_id, batch_id, -quantity, unit_cost, -amount, bill_type, bill_id, bill_no,
    line_id, business_date, ledger_id
from stock_ledger where bill_type = %(bill_type)s and bill_id = %(bill_id)s and reverses is null
"""
