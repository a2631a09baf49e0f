"""Benchmark of the marts against Postgres: the same questions of both, answered alike before they are timed.

    python -m tests.bench.against_postgres DIR [REPORT ...]

DIR is what `warehouse_refresh.py --keep --directory DIR` leaves. Postgres gets covering indexes for these questions and
is vacuumed; of a value that the marts keep and it would have to allot anew (layers of stock) it is asked the quantity only.
Beside them the query that Postgres is asked goes to DuckDB over the raw copies of the same tables: what the figures cost
from nothing. Each answer is the best of several, everything in memory.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import psycopg

from api.launch.postgres import EmbeddedPostgres
from tests.bench._targets import require_targets
from tests.bench.warehouse_refresh import AS_OF, LAX
from tests.warehouse.settlement import UNAPPLIED
from warehouse.files import Files

Execute = Callable[[str], Any]
TIMES = 3
MARTS_FASTER, RAW_FASTER = 50, 8
INDEXES = (
    "sales_outbound (business_date) include (bill_id, bill_no, status, company_id, warehouse_id, customer_id)",
    "sales_outbound_line (bill_id) include (line_id, goods_id, quantity, no_tax_amount, order_line_id)",
    "sales_return (business_date) include (bill_id, bill_no, status, company_id, warehouse_id, customer_id)",
    "sales_return_line (bill_id) include (line_id, goods_id, quantity, no_tax_amount)",
    "purchase_inbound (business_date) include (bill_id, status, company_id)",
    "purchase_inbound_line (bill_id) include (goods_id, quantity, no_tax_amount)",
    "stock_ledger (business_date) include (bill_type, line_id, company_id, quantity, amount)",
    "stock_ledger (bill_type, business_date) include (line_id, amount)",
    "stock_ledger (goods_id, business_date) include (bill_type, bill_id)",
    "settlement_ledger (settlement_id, business_date) include (amount)",
    "settlement_ledger (business_date) include (settlement_id, bill_type, bill_id, amount)",
    "settlement_item (party_type, settlement_id) include (company_id, party_id, kind, bill_type, due_date)",
    "sales_order (business_date) include (bill_id, status)",
    "sales_outbound_line (order_line_id) include (bill_id, quantity) where order_line_id is not null",
)
DAY = f"date '{AS_OF}'"
MONTH = f"date '{AS_OF[:7]}-01'"
BEFORE = f"({MONTH} - interval '1 month')::date"
YEAR = f"date '{AS_OF[:4]}-01-01'"


@dataclass(frozen=True)
class BenchmarkQuestion:
    """A report's query as it opens: over its mart, and over the tables of the bills."""

    report: str
    marts: str
    bills: str


def sales_sql(since: str, *, costs: bool = False) -> str:
    """Return common table expressions that end in `sold`: lines of sales and returns from a day on."""
    sides = " union all ".join(
        f"""select '{kind}' as bill_type, b.bill_no, l.line_id, b.business_date, b.company_id, b.warehouse_id,
            b.customer_id, l.goods_id, {sign} * l.quantity as quantity, {sign} * l.no_tax_amount as revenue
        from {bill} b join {bill}_line l on l.bill_id = b.bill_id
        where b.status in (2, 4, 5) and b.business_date between {since} and {DAY}"""
        for kind, bill, sign in (("XSCK", "sales_outbound", 1), ("XSTH", "sales_return", -1))
    )
    if not costs:
        return f"with sold as ({sides})"
    return f"""with line as ({sides}), issued as (
        select bill_type, line_id, -sum(amount) as cost from stock_ledger
        where bill_type in ('XSCK', 'XSTH') and business_date between {since} and {DAY}
        group by bill_type, line_id
    ), sold as (select line.*, coalesce(issued.cost, 0) as cost from line left join issued using (bill_type, line_id))"""


def aging_sql(party: str, name: str) -> str:
    """Return Postgres's query of one kind of partner's open items at the as-of date, by days past due."""
    edges = ((0, "b1"), (30, "b2"), (60, "b3"), (90, "b4"), (180, "b5"))
    bucket = " ".join(f"when past <= {edge} then '{label}'" for edge, label in edges)
    return f"""with open as (
        select i.party_id, {UNAPPLIED} as unapplied, {DAY} - i.due_date as past, sum(entry.amount) as amount
        from settlement_item i join settlement_ledger entry on entry.settlement_id = i.settlement_id
            and entry.business_date <= {DAY}
        where i.party_type = '{party}'
        group by i.settlement_id, i.party_id, i.kind, i.amount, i.bill_type, i.due_date
        having sum(entry.amount) <> 0
    ), placed as (
        select party_id, case when unapplied then 0 else amount end as amount, amount as balance,
            case when unapplied then 'b1' {bucket} else 'b6' end as bucket from open
    ) select p.{party}_name, {", ".join(f"sum(amount) filter (where bucket = 'b{i}')" for i in range(1, 7))}, sum(balance)
    from placed join {name} p on p.{party}_id = placed.party_id group by p.{party}_name"""


def mart_aging_sql(party: str) -> str:
    """Return the same query over the mart."""
    buckets = ", ".join(f"sum(open_amount) filter (where bucket_order = {i})" for i in range(1, 7))
    return f"""select {party}_name, {buckets}, sum(balance)
        from mart_{"receivable" if party == "customer" else "payable"}_aging where month = {MONTH} group by {party}_name"""


LAYERS = f"""with on_hand as (
        select company_id, warehouse_id, goods_id, batch_id, sum(quantity) as quantity from stock_ledger
        where business_date <= {DAY} group by 1, 2, 3, 4 having sum(quantity) > 0
    ), received as (
        select company_id, warehouse_id, goods_id, batch_id, coalesce(first_date, business_date) as day,
            bill_type in ('XSCK', 'XSTH') as is_return, sum(quantity) as quantity
        from stock_ledger where business_date <= {DAY} and quantity > 0 and reverses is null
        group by 1, 2, 3, 4, 5, 6
    ), later as (
        select received.*, on_hand.quantity as on_hand, sum(received.quantity) over (
            partition by company_id, warehouse_id, goods_id, batch_id order by is_return, day desc
        ) - received.quantity as received_later
        from received join on_hand using (company_id, warehouse_id, goods_id, batch_id)
    ), layer as (
        select goods_id, warehouse_id, company_id, {DAY} - day as age, least(quantity, on_hand - received_later) as quantity
        from later where received_later < on_hand
    )"""

QUESTIONS = (
    BenchmarkQuestion(
        "BestSeller",
        """select goods_num, sum(quantity), sum(amount) from mart_best_seller where period_key = 'd30'
        group by goods_num order by 3 desc, 1 limit 20""",
        sales_sql(f"{DAY} - 29")
        + """select goods_num, sum(quantity), sum(revenue) from sold join goods using (goods_id)
        group by goods_num order by 3 desc, 1 limit 20""",
    ),
    BenchmarkQuestion(
        "BestSellerInfo",
        """select business_date, bill_no, line_id, quantity, amount, cost from mart_best_seller_info
        where period_key = 'd30' and goods_id = 17 order by 1 desc, 2, 3 limit 50""",
        sales_sql(f"{DAY} - 29")
        + """select business_date, bill_no, sold.line_id, quantity, revenue, (select -sum(amount) from stock_ledger l
            where l.goods_id = 17 and l.business_date = sold.business_date and l.bill_type = sold.bill_type
                and l.line_id = sold.line_id)
        from sold where goods_id = 17 order by 1 desc, 2, 3 limit 50""",
    ),
    BenchmarkQuestion(
        "CommodityProfit",
        f"""select goods_num, sum(quantity), sum(revenue), sum(cost), sum(profit) from mart_commodity_profit
        where month = {MONTH} group by goods_num order by 5 desc, 1 limit 50""",
        sales_sql(MONTH, costs=True)
        + """select goods_num, sum(quantity), sum(revenue), sum(cost), sum(revenue - cost) from sold
        join goods using (goods_id) group by goods_num order by 5 desc, 1 limit 50""",
    ),
    BenchmarkQuestion(
        "CustomerProfit",
        f"""select customer_name, sum(quantity), sum(revenue), sum(cost), sum(profit) from mart_customer_profit
        where month = {MONTH} group by customer_name order by 5 desc, 1 limit 50""",
        sales_sql(MONTH, costs=True)
        + """select customer_name, sum(quantity), sum(revenue), sum(cost), sum(revenue - cost) from sold
        join customer using (customer_id) group by customer_name order by 5 desc, 1 limit 50""",
    ),
    BenchmarkQuestion(
        "ClassifiedProfit",
        f"""select type1_name, sum(revenue), sum(cost), sum(profit) from mart_commodity_profit
        where month between {YEAR} and {MONTH} group by type1_name""",
        sales_sql(YEAR, costs=True)
        + """select t1.goods_type_name, sum(revenue), sum(cost), sum(revenue - cost) from sold
        join goods using (goods_id) join goods_type t3 on t3.goods_type_id = goods.goods_type_id
        join goods_type t2 on t2.goods_type_id = t3.p_id join goods_type t1 on t1.goods_type_id = t2.p_id
        group by t1.goods_type_name""",
    ),
    BenchmarkQuestion(
        "OperatingRevenue",
        f"""select date_trunc('month', day)::date, sum(revenue) from mart_operating_revenue where day between {YEAR} and {DAY}
        group by 1""",
        sales_sql(YEAR)
        + "select date_trunc('month', business_date)::date, sum(revenue) from sold group by 1",
    ),
    BenchmarkQuestion(
        "IncomeStatement",
        f"""select month, item, sum(amount) from mart_income where item in ('revenue', 'sales_cost') and month >= {YEAR}
        group by month, item""",
        sales_sql(YEAR, costs=True)
        + """, months as (
            select date_trunc('month', business_date)::date as month, sum(revenue) as revenue, sum(cost) as cost
            from sold group by 1
        ) select month, 'revenue', revenue from months union all select month, 'sales_cost', -cost from months""",
    ),
    BenchmarkQuestion(
        "warehouseTurnover",
        f"""select period_start, sum(opening_value), sum(value_days), sum(sales_cost), sum(closing_value)
        from mart_turnover_period
        where period_kind = 'month' and period_start >= {YEAR} group by period_start""",
        f"""with daily as (
            select business_date as day, sum(amount) as change,
                -coalesce(sum(amount) filter (where bill_type in ('XSCK', 'XSTH')), 0) as cost
            from stock_ledger where business_date <= {DAY} group by business_date
        ), days as (select day::date as day from generate_series({YEAR}::timestamp, {DAY}, interval '1 day') as days(day)
        ), closing as (
            select days.day, (select sum(change) from daily where daily.day < {YEAR})
                + sum(coalesce(daily.change, 0)) over (order by days.day) as value,
                coalesce(daily.change, 0) as change, coalesce(daily.cost, 0) as cost
            from days left join daily using (day)
        ) select date_trunc('month', day)::date, (array_agg(value - change order by day))[1], sum(value), sum(cost),
            (array_agg(value order by day desc))[1]
        from closing group by 1""",
    ),
    BenchmarkQuestion(
        "inventoryOccupation",
        f"""select company_name, day, sum(quantity), sum(value) from mart_stock_occupation
        where period_start = {MONTH} group by company_name, day""",
        f"""with daily as (
            select company_id, greatest(business_date, {MONTH} - 1) as day, sum(quantity) as quantity, sum(amount) as value
            from stock_ledger where business_date <= {DAY} group by 1, 2
        ), days as (select day::date as day from generate_series({MONTH}::timestamp - interval '1 day', {DAY}, interval '1 day') as days(day)
        ), closing as (
            select company_id, day, sum(coalesce(quantity, 0)) over through as quantity,
                sum(coalesce(value, 0)) over through as value
            from days cross join company left join daily using (company_id, day)
            window through as (partition by company_id order by day)
        ) select company_name, day, quantity, value from closing join company using (company_id)
        where day >= {MONTH} and (quantity <> 0 or value <> 0)""",
    ),
    BenchmarkQuestion(
        "inventoryAgingReport",
        f"select bucket_order, sum(quantity) from mart_inventory_aging where month = {MONTH} and quantity > 0 group by bucket_order",
        LAYERS
        + """select case when age <= 30 then 1 when age <= 60 then 2 when age <= 90 then 3 when age <= 180 then 4
            when age <= 365 then 5 else 6 end, sum(quantity) from layer group by 1""",
    ),
    BenchmarkQuestion(
        "sluggishstock",
        f"""select goods_num, sum(stock_quantity), sum(sluggish_quantity), max(last_sale_date) from mart_sluggish_stock
        left join mart_goods_sale using (company_id, warehouse_id, goods_id)
        where month = {MONTH} and threshold_days = 90 and stock_quantity > 0 group by goods_num order by 3 desc, 1 limit 50""",
        LAYERS
        + """, stock as (
            select company_id, warehouse_id, goods_id, sum(quantity) as quantity,
                coalesce(sum(quantity) filter (where age > 90), 0) as sluggish
            from layer group by 1, 2, 3
        ), sale as (
            select b.company_id, b.warehouse_id, l.goods_id, max(b.business_date) as day
            from sales_outbound b join sales_outbound_line l using (bill_id) where b.status in (2, 4, 5) group by 1, 2, 3
        ) select goods_num, sum(quantity), sum(sluggish), max(sale.day) from stock join goods using (goods_id)
        left join sale using (company_id, warehouse_id, goods_id) group by goods_num order by 3 desc, 1 limit 50""",
    ),
    BenchmarkQuestion("accountsReceivable", mart_aging_sql("customer"), aging_sql("customer", "customer")),
    BenchmarkQuestion("facyorypayment", mart_aging_sql("supplier"), aging_sql("supplier", "supplier")),
    BenchmarkQuestion(
        "verificationDetails",
        f"""select business_date, entry_id, bill_no, item_bill_no, partner_name, amount from mart_write_off
        where side = '应收' and month = {BEFORE} order by 1 desc, 2 desc limit 50""",
        f"""select entry.business_date, entry.entry_id, entry.bill_no, item.bill_no, customer_name, -entry.amount
        from settlement_ledger entry join settlement_item item using (settlement_id)
        join customer on customer.customer_id = item.party_id
        where item.party_type = 'customer' and entry.business_date >= {BEFORE}
            and entry.business_date < {MONTH}
            and (entry.bill_type <> item.bill_type or entry.bill_id <> item.bill_id)
        order by 1 desc, 2 desc limit 50""",
    ),
    BenchmarkQuestion(
        "SalesOrder",
        f"""select month, sum(quantity), sum(filled_quantity), sum(rest_quantity) from mart_sales_order
        where month >= {YEAR} group by month""",
        f"""with delivered as (
            select line.order_line_id, sum(line.quantity) as quantity
            from sales_outbound_line line join sales_outbound bill using (bill_id)
            where line.order_line_id is not null and bill.status in (2, 4, 5) group by 1
        ) select date_trunc('month', b.business_date)::date, sum(l.quantity), sum(least(coalesce(d.quantity, 0), l.quantity)),
            sum(case when b.status = 4 then 0 else greatest(l.quantity - coalesce(d.quantity, 0), 0) end)
        from sales_order b join sales_order_line l using (bill_id) left join delivered d on d.order_line_id = l.line_id
        where b.status in (2, 4, 5) and b.business_date >= {YEAR} group by 1""",
    ),
    BenchmarkQuestion(
        "SalesBuy",
        f"""select type1_name, sum(purchase_value), sum(sales_cost), sum(revenue) from mart_trade_balance
        where month between {YEAR} and {MONTH} group by type1_name""",
        sales_sql(YEAR, costs=True)
        + f""", bought as (
            select l.goods_id, l.no_tax_amount as value from purchase_inbound b join purchase_inbound_line l using (bill_id)
            where b.status in (2, 4, 5) and b.business_date between {YEAR} and {DAY}
            union all select l.goods_id, -l.no_tax_amount from purchase_return b join purchase_return_line l using (bill_id)
            where b.status in (2, 4, 5) and b.business_date between {YEAR} and {DAY}
        ), traded as (
            select goods_id, 0 as value, sum(cost) as cost, sum(revenue) as revenue from sold group by goods_id
            union all select goods_id, sum(value), 0, 0 from bought group by goods_id
        ) select t1.goods_type_name, sum(value), sum(cost), sum(revenue) from traded
        join goods using (goods_id) join goods_type t3 on t3.goods_type_id = goods.goods_type_id
        join goods_type t2 on t2.goods_type_id = t3.p_id join goods_type t1 on t1.goods_type_id = t2.p_id
        group by t1.goods_type_name""",
    ),
)


def main() -> None:
    place = Path(sys.argv[1])
    files = Files(place / "warehouse")
    server = EmbeddedPostgres(place / "postgres", place / "postgres.log", LAX)
    server.start()
    try:
        with (
            psycopg.connect(server.url("bench"), autocommit=True) as bills,
            duckdb.connect(str(files.marts), read_only=True) as marts,
            duckdb.connect(str(files.work), read_only=True) as raw,
        ):
            _create_indexes(bills)
            raw.execute("set schema = 'raw'")
            print(
                f"{'report':22} {'marts':>10} {'raw copies':>11} {'times':>6} {'Postgres':>11} {'times':>6}"
            )
            engines = tuple(conn.execute for conn in (marts, raw, bills))
            asked = [
                question for question in QUESTIONS if question.report in sys.argv[2:] or not sys.argv[2:]
            ]
            ratios = [_compare_answers(question, *engines) for question in asked]
        marts_faster, raw_faster = (statistics.median(column) for column in zip(*ratios, strict=True))
    finally:
        server.stop()
    median = f"median of {len(ratios)}"
    require_targets(
        {
            f"marts answer {MARTS_FASTER} times faster than Postgres ({median}): {marts_faster:.0f} times": (
                marts_faster >= MARTS_FASTER
            ),
            f"and DuckDB from the raw copies {RAW_FASTER} times: {raw_faster:.1f} times": raw_faster
            >= RAW_FASTER,
        }
    )


def _create_indexes(bills: psycopg.Connection[Any]) -> None:
    for number, index in enumerate(INDEXES):
        bills.execute(f"create index if not exists bench_{number} on {index}")
    bills.execute("vacuum analyze")
    bills.execute("set work_mem = '256MB'")


def _compare_answers(
    question: BenchmarkQuestion, marts: Execute, raw: Execute, bills: Execute
) -> tuple[float, float]:
    """Ask all three and print it; how many times faster than Postgres the marts and the raw copies are."""
    kept, quick = _measure_best(lambda: marts(question.marts).fetchall())
    found, anew = _measure_best(lambda: raw(question.bills).fetchall())
    asked, slow = _measure_best(lambda: bills(question.bills).fetchall())
    if not kept:
        raise SystemExit(f"{question.report}: no rows")
    for name, rows in (("raw copies", found), ("Postgres", asked)):
        if differing := _normalize_rows(kept) ^ _normalize_rows(rows):
            raise SystemExit(f"{question.report}, {name}: {sorted(differing, key=str)[:4]}")
    print(
        f"{question.report:22} {quick * 1000:7.1f} ms {anew * 1000:8.0f} ms {slow / anew:6.1f}"
        f" {slow * 1000:8.0f} ms {slow / quick:6.0f}",
        flush=True,
    )
    return slow / quick, slow / anew


def _measure_best(work: Callable[[], Any]) -> tuple[Any, float]:
    best, answer = float("inf"), None
    for _ in range(TIMES):
        started = time.perf_counter()
        answer = work()
        best = min(best, time.perf_counter() - started)
    return answer, best


def _normalize_rows(rows: Sequence[Sequence[Any]]) -> set[tuple[Any, ...]]:
    """Return rows with their figures normalized; a sum over nothing is 0."""
    return {tuple(_normalize_figure(value) for value in row) for row in rows}


def _normalize_figure(value: Any) -> Any:
    if value is None:
        return Decimal(0)
    return Decimal(value).quantize(Decimal("0.001")) if isinstance(value, int | Decimal) else value


if __name__ == "__main__":
    main()
