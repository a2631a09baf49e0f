"""Changes of a group's bills between two refreshes, each of which a patch has to process."""

from __future__ import annotations

from typing import Any

import psycopg

from tests.warehouse.conftest import AS_OF
from tests.warehouse.group import BILL, RECEIPT, REVERSAL

Sql = psycopg.Connection[Any]


def add_bill(sql: Sql) -> None:
    sql.execute(BILL, {"day": AS_OF, "warehouse_id": 2, "goods_id": 7, "quantity": 1})


def add_backdated_receipts(sql: Sql) -> None:
    """Add receipts far in the past, and one of goods that a second warehouse of the company never had."""
    for bill_id, warehouse_id, goods_id in ((70001, 1, 3), (70002, 4, 3), (70003, 7, 119)):
        sql.execute(
            RECEIPT,
            {
                **{"day": "2026-02-03", "warehouse_id": warehouse_id, "goods_id": goods_id, "batch_id": 0},
                **{"quantity": 10, "amount": 997, "bill_id": bill_id},
            },
        )


def execute_orders(sql: Sql) -> None:
    """Update the executed quantity of sales and purchase order lines from their deliveries and receipts."""
    for order, delivery, back in (
        ("sales_order", "sales_outbound", "sales_return"),
        ("purchase_order", "purchase_inbound", "purchase_return"),
    ):
        sql.execute(
            f"update {order}_line o set executed_quantity = d.quantity from ("
            f" select o.line_id, coalesce(sum(e.quantity), 0) as quantity from {order}_line o left join ("
            f"  select order_line_id, quantity, status from {delivery}_line join {delivery} using (bill_id)"
            "  union all"
            f"  select order_line_id, -quantity, status from {back}_line join {back} using (bill_id)"
            " ) e on e.order_line_id = o.line_id and e.status in (2, 4, 5) group by 1"
            ") d where d.line_id = o.line_id and d.quantity <> o.executed_quantity"
        )


def void_bills(sql: Sql) -> None:
    """Void bills: headers change, ledger rows are negated, items are closed."""
    for bill_id in (5, 600, 1199):
        sql.execute("update sales_outbound set status = 3 where bill_id = %s", [bill_id])
        sql.execute(REVERSAL, {"bill_type": "XSCK", "bill_id": bill_id})
        sql.execute("update settlement_item set open_amount = 0 where settlement_id = %s", [bill_id])
        sql.execute(
            "insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount, entry, bill_type,"
            " bill_id, bill_no, business_date) select settlement_id, company_id, party_type, party_id, -sum(amount),"
            " 'reverse', 'XSCK', settlement_id, 'XSCK', date '2026-11-20' from settlement_ledger"
            " where settlement_id = %s group by 1, 2, 3, 4 having sum(amount) <> 0",
            [bill_id],
        )
    execute_orders(sql)


def oversell_goods(sql: Sql) -> None:
    """Issue more than there is: stock and value below zero."""
    sql.execute(BILL, {"day": "2026-11-01", "warehouse_id": 3, "goods_id": 118, "quantity": 500})


def sell_last_pieces(sql: Sql) -> None:
    """Sell a company's last pieces of goods, of which some came before the days that such a patch reads."""
    held = sql.execute(
        "select goods_id, warehouse_id, sum(quantity), sum(quantity) filter (where business_date < date '2026-05-01')"
        " from stock_ledger where company_id = 1 and goods_id between 30 and 40 group by 1, 2 having sum(quantity) > 0"
    ).fetchall()
    assert sum(early for *_, early in held if early) > 0
    for goods_id, warehouse_id, quantity, _ in held:
        bill = {"day": "2026-11-15", "warehouse_id": warehouse_id, "goods_id": goods_id, "quantity": quantity}
        sql.execute(BILL, bill)


def empty_warehouse(sql: Sql) -> None:
    """Issue the last pieces from one of a company's warehouses at less than they had cost it: the pool keeps
    the rest."""
    sql.execute(
        RECEIPT,
        {
            **{"day": "2026-11-05", "warehouse_id": 1, "goods_id": 117, "batch_id": 0},
            **{"quantity": 10, "amount": 997, "bill_id": 70004},
        },
    )
    [held] = sql.execute(
        "select sum(quantity) from stock_ledger where warehouse_id = 1 and goods_id = 117"
    ).fetchone() or [0]
    sql.execute(BILL, {"day": "2026-11-06", "warehouse_id": 1, "goods_id": 117, "quantity": held})
    sql.execute(BILL, {"day": "2026-11-10", "warehouse_id": 4, "goods_id": 117, "quantity": 1})


def sell_from_other_warehouse(sql: Sql) -> None:
    """Issue some of the goods from another warehouse days after."""
    sql.execute(BILL, {"day": "2026-11-18", "warehouse_id": 4, "goods_id": 117, "quantity": 1})


def refill_warehouse(sql: Sql) -> None:
    sql.execute(
        RECEIPT,
        {
            **{"day": "2026-11-19", "warehouse_id": 1, "goods_id": 117, "batch_id": 0},
            **{"quantity": 2, "amount": 150, "bill_id": 70005},
        },
    )


APART = """
insert into stock_ledger (company_id, warehouse_id, allocation_id, goods_id, pool_id, batch_id, quantity, unit_cost, amount,
    bill_type, bill_id, bill_no, line_id, business_date)
select 2, 802, 0, min(goods_id), 802, 0, 2, 0, 0, 'QTRK', %(bill_id)s, 'QTRK', %(bill_id)s, %(day)s
from (select goods_id from stock_ledger where warehouse_id = 1 group by 1 having sum(quantity) > 20) as held
"""


def add_own_pool(sql: Sql) -> None:
    """Receive goods that lie in ordinary stock in a warehouse that is a pool of its own."""
    sql.execute(
        "insert into warehouse (warehouse_id, warehouse_name, company_id, type) values (802, '三包仓', 2, 3)"
    )
    sql.execute(APART, {"day": "2026-11-12", "bill_id": 70006})


def sell_from_common_pool(sql: Sql) -> None:
    [goods_id] = sql.execute("select goods_id from stock_ledger where pool_id = 802").fetchone() or [0]
    sql.execute(BILL, {"day": "2026-11-18", "warehouse_id": 1, "goods_id": goods_id, "quantity": 1})


def add_to_own_pool(sql: Sql) -> None:
    sql.execute(APART, {"day": "2026-11-19", "bill_id": 70007})


PURCHASE = """
with bill as (
    insert into purchase_inbound (bill_no, company_id, business_date, status, warehouse_id, supplier_id, maker_id)
    select 'CGRK-' || %(day)s::date, company_id, %(day)s::date, 2, 1, supplier_id, 1 from supplier_rebate_policy where bill_id = 1
    returning *
),
line as (
    insert into purchase_inbound_line (bill_id, line_no, goods_id, quantity, price, tax_rate, amount, tax_amount, no_tax_amount)
    select bill_id, 1, 5, 30, 113, 13, 3390, 390, 3000 from bill
),
item as (
    insert into settlement_item (company_id, party_type, party_id, kind, bill_type, bill_id, bill_no, business_date, due_date,
        amount, open_amount)
    select company_id, 'supplier', supplier_id, 'bill', 'CGRK', bill_id, bill_no, business_date, business_date, 3390, 3390
    from bill
    returning *
)
insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id, bill_no,
    business_date)
select settlement_id, company_id, party_type, party_id, amount, 'open', bill_type, bill_id, bill_no, business_date from item
"""


def add_future_bills(sql: Sql) -> None:
    """Add bills and a payment dated in the future, in this month and the next, which must not disturb
    anything."""
    for day, plan in (("2026-11-25", 60), ("2026-12-05", 80)):
        sql.execute(BILL, {"day": day, "warehouse_id": 2, "goods_id": 8, "quantity": 1})
        sql.execute(PURCHASE, {"day": day})
        for bill in ("purchase_plan", "purchase_order"):
            sql.execute(f"update {bill} set business_date = %s where bill_id = %s", [day, plan])
    sql.execute(
        "with item as (insert into settlement_item (company_id, party_type, party_id, kind, bill_type, bill_id, bill_no,"
        " business_date, due_date, amount, open_amount) select company_id, 'supplier', supplier_id, 'advance', 'GYFK', 90001,"
        " 'GYFK-ahead', date '2026-11-25', date '2026-11-25', -70, -70 from supplier_rebate_policy where bill_id = 1"
        " returning *) insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount, entry,"
        " bill_type, bill_id, bill_no, business_date) select settlement_id, company_id, party_type, party_id, amount, 'open',"
        " bill_type, bill_id, bill_no, business_date from item"
    )


def correct_bills(sql: Sql) -> None:
    sql.execute("update sales_outbound set business_date = date '2026-06-15' where bill_id = 1190")
    sql.execute("update sales_outbound_line set no_tax_amount = no_tax_amount + 1 where bill_id = 1191")
    sql.execute("update sales_outbound set status = 1 where bill_id = 1192")
    sql.execute(REVERSAL, {"bill_type": "XSCK", "bill_id": 1192})
    sql.execute("update sales_outbound_line set goods_id = 1 + (goods_id + 40) % 120 where bill_id = 1193")
    sql.execute("update sales_outbound set customer_id = 7, employee_id = 3 where bill_id = 1194")


def change_purchases(sql: Sql) -> None:
    """Change purchases: new, voided and moved ones, a closed order, changed terms, a rebate that is confirmed
    and used."""
    sql.execute(PURCHASE, {"day": "2026-11-12"})
    (voided_item, voided_bill), (_, moved_bill) = sql.execute(
        "select settlement_id, bill_id from settlement_item where bill_type = 'CGRK' and open_amount = amount"
        " and bill_id % 5 > 0 order by bill_id limit 2"
    ).fetchall()
    sql.execute("update purchase_inbound set status = 3 where bill_id = %s", [voided_bill])
    sql.execute("update settlement_item set open_amount = 0 where settlement_id = %s", [voided_item])
    sql.execute(
        "insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount, entry, bill_type, bill_id,"
        " bill_no, business_date) select settlement_id, company_id, party_type, party_id, -amount, 'reverse', bill_type,"
        " bill_id, bill_no, business_date from settlement_ledger where settlement_id = %s",
        [voided_item],
    )
    sql.execute(
        "update purchase_inbound set business_date = date '2026-07-07' where bill_id = %s", [moved_bill]
    )
    sql.execute("update purchase_inbound_line set goods_id = 11 where bill_id = %s", [moved_bill])
    sql.execute("update purchase_order set status = 4 where bill_id = 10")
    sql.execute("update purchase_order set business_date = business_date - 40 where bill_id = 20")
    sql.execute("update purchase_plan set status = 3 where bill_id = 30")
    sql.execute("update purchase_plan_line set quantity = quantity + 2, supplier_id = 3 where bill_id = 40")
    sql.execute("delete from purchase_plan_line where bill_id = 50")
    sql.execute("update purchase_invoice set status = 3 where bill_id = 14")
    sql.execute("update supplier_rebate_policy_tier set rate = 2.75 where bill_id = 3 and line_no = 1")
    sql.execute("delete from supplier_rebate_policy_goods where bill_id = 4 and line_no = 1")
    sql.execute("update supplier_rebate_policy set status = 3 where bill_id = 6")
    sql.execute(
        "with rebate as (update supplier_rebate set status = 2 where status = 1 and bill_id = (select min(bill_id) from"
        " supplier_rebate where status = 1) returning *), item as (insert into settlement_item (company_id, party_type,"
        " party_id, kind, bill_type, bill_id, bill_no, business_date, due_date, amount, open_amount) select company_id,"
        " 'supplier', supplier_id, 'bill', 'CGFL', bill_id, bill_no, business_date, business_date, -amount, -amount + 10"
        " from rebate returning *) insert into settlement_ledger (settlement_id, company_id, party_type, party_id, amount,"
        " entry, bill_type, bill_id, bill_no, business_date) select settlement_id, company_id, party_type, party_id, amount,"
        " 'open', bill_type, bill_id, bill_no, business_date from item union all select settlement_id, company_id,"
        " party_type, party_id, 10, 'write_off', 'GYFK', 9001, 'GYFK9001', date '2026-11-18' from item"
    )


def change_orders(sql: Sql) -> None:
    """Change orders: close, change and cut them; void deliveries, or link them to another order or none.

    Some returned goods are to be replaced.
    """
    sql.execute("update sales_order set status = 4 where bill_id = 20")
    sql.execute("update sales_order_line set quantity = quantity + 2 where bill_id = 40")
    sql.execute("delete from sales_order_line where bill_id = 50 and line_no = 1")
    sql.execute("update sales_outbound set status = 3 where bill_id = 70")
    sql.execute(REVERSAL, {"bill_type": "XSCK", "bill_id": 70})
    sql.execute(
        "update sales_outbound_line set order_line_id = (select min(line_id) from sales_order_line where bill_id = 80)"
        " where bill_id = 100"
    )
    sql.execute("update sales_outbound_line set order_line_id = null where bill_id = 110")
    reopen_order_lines(sql, "sales_outbound", "sales_return")
    reopen_order_lines(sql, "purchase_inbound", "purchase_return")
    execute_orders(sql)


def reopen_order_lines(sql: Sql, delivery: str, back: str) -> None:
    """Link some returned goods to a line of which at least that much was delivered, which reopens the line."""
    sql.execute(
        f"update {back}_line r set order_line_id = (select d.order_line_id from {delivery}_line d"
        f" join {delivery} h using (bill_id) where h.status in (2, 4, 5) and d.order_line_id is not null"
        "  and d.quantity >= r.quantity order by d.line_id limit 1)"
        f" where line_id in (select l.line_id from {back}_line l join {back} h using (bill_id)"
        "  where h.status in (2, 4, 5) order by l.line_id limit 1)"
    )


def change_results(sql: Sql) -> None:
    """Change the result: void and change adjustments and freight, open and close months, change targets."""
    sql.execute("update cost_adjustment set status = 3 where bill_id = 4")
    sql.execute("update cost_adjustment_line set amount = amount + 1 where bill_id = 5")
    sql.execute("update cost_adjustment set business_date = date '2026-03-03' where bill_id = 6")
    sql.execute("update sales_delivery set freight_amount = 99 where bill_id = 7")
    sql.execute("update sales_delivery set status = 3 where bill_id = 14")
    sql.execute("update month_close set status = 0 where company_id = 2 and period = '2026-08'")
    sql.execute("update business_target set sales_target = 99 where company_id = 1 and month = '2026-10'")
    sql.execute("delete from business_target where company_id = 2 and month = '2026-10'")
    sql.execute("insert into business_target (company_id, month, stock_target) values (3, '2026-10', 7)")
    sql.execute(
        "insert into month_close (company_id, period, status, closed_by, closed_at) values (3, '2026-08', 1, 1, now())"
    )


def change_claims(sql: Sql) -> None:
    """Change warranty bills: other factories, registrations, compensations, settlements and returns."""
    sql.execute(
        "update guarantee_register_line set supplier_id = 8, symptom_id = symptom_id + 2 where bill_id in (5, 6)"
    )
    sql.execute("update guarantee_register_line set inbound_line_id = null where bill_id = 2")
    sql.execute("update guarantee_register set status = 2 where bill_id = 10")
    sql.execute("update company_claim set status = 2 where bill_id = 9")
    sql.execute("update factory_claim set business_date = date '2026-08-08' where bill_id = 16")
    sql.execute("update factory_claim_line set amount = amount - 1 where bill_id = 17")
    sql.execute("update factory_claim set total_amount = total_amount - 1 where bill_id = 17")
    sql.execute("delete from factory_claim_line where bill_id = 22")
    sql.execute("delete from factory_claim where bill_id = 22")
    sql.execute("update three_inbound set status = 3 where bill_id = 7")
    sql.execute(REVERSAL, {"bill_type": "TBRK", "bill_id": 7})
    sql.execute("update tire_back_line set source_line_id = line_id where bill_id = 3")


def rename_masters(sql: Sql) -> None:
    sql.execute("update goods set goods_name = '改名' where goods_id < 5")
    sql.execute("update goods set brand_id = 4 where brand_id = 3")
    sql.execute("update customer set customer_name = '改名' where customer_id = 6")
    sql.execute("delete from role_company where role_id = 2")
