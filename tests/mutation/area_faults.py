"""Faults in single areas, which the tests of the area must find."""

from __future__ import annotations

from tests.mutation.mutant import Mutant

MARTS, SETTLING = "tests/warehouse/test_marts.py", "tests/warehouse/test_settlement_comparison.py"

OWN = (
    Mutant(
        "closing releases nothing",
        "api/kit/bills/transitions.py",
        "if closing != Postings():",
        'if closing != Postings() and step.effect == "open":',
        ("tests/sales/test_sales_order.py::TestClose",),
    ),
    Mutant(
        "receivable with a wrong sign",
        "api/sales/sales_outbound.py",
        'SettlementOpen("customer", header.customer_id, header.total_amount, header.due_date)',
        'SettlementOpen("customer", header.customer_id, -header.total_amount, header.due_date)',
        ("tests/sales/test_sales_outbound.py",),
    ),
    Mutant(
        "fee added to what arrives",
        "api/money/fund_transfer.py",
        "header.amount - header.fee",
        "header.amount + header.fee",
        ("tests/money/test_accounts.py",),
    ),
    Mutant(
        "freight by the other weight",
        "api/purchase/purchase_inbound.py",
        "if doc.header.freight_by == BY_AMOUNT",
        "if doc.header.freight_by == BY_QUANTITY",
        ("tests/purchase/test_purchase_inbound.py",),
    ),
    Mutant(
        "goods on their way available",
        "api/inventory/transfer_out.py",
        "Landing(warehouse_id=doc.header.transit_warehouse_id, frozen=True)",
        "Landing(warehouse_id=doc.header.transit_warehouse_id, frozen=False)",
        ("tests/inventory/test_transfer.py",),
    ),
    Mutant(
        "customer not locked",
        "api/sales/credit.py",
        "\nfor no key update of c\n",
        "\n",
        ("tests/sales/test_credit.py",),
    ),
    Mutant(
        "bound not inclusive",
        "api/sales/credit.py",
        "if exposure <= limit:",
        "if exposure < limit:",
        ("tests/sales/test_credit.py",),
    ),
    Mutant(
        "item of another company",
        "api/ledger/sql/60_settle.sql",
        "left join settlement_item i on i.settlement_id = w.settlement_id and i.company_id = bill.company_id",
        "left join settlement_item i on i.settlement_id = w.settlement_id",
        ("tests/ledger/test_settlement.py",),
    ),
    Mutant(
        "balance of money with a wrong sign",
        "api/ledger/sql/60_settle.sql",
        "do update set amount = b.amount + excluded.amount",
        "do update set amount = b.amount - excluded.amount",
        ("tests/money/test_accounts.py",),
    ),
    Mutant(
        "worth cut instead of rounded",
        "api/ledger/sql/40_value.sql",
        "else round(value * taken / stock, 2)",
        "else trunc(value * taken / stock, 2)",
        ("tests/ledger/test_cost.py",),
    ),
    Mutant(
        "production date not minded",
        "api/ledger/sql/30_pick.sql",
        "coalesce(b.production_date, b.first_date) as born",
        "b.first_date as born",
        ("tests/ledger/test_picking.py",),
    ),
    Mutant(
        "index missing",
        "api/kit/storage/business_log.py",
        '        Index("ix_business_log_bill_no", "bill_no"),\n',
        "",
        ("tests/shell/test_migrations.py",),
    ),
    Mutant(
        "one try too many",
        "api/identity/login.py",
        "if failed.here < LOCKED_AFTER and",
        "if failed.here <= LOCKED_AFTER and",
        ("tests/identity/test_login.py",),
    ),
    Mutant(
        "imitator above himself",
        "api/identity/sessions.py",
        "        if imitator.has_right(code)\n        and not code",
        "        if not code",
        ("tests/identity/test_access.py::TestSimulatedLogin",),
    ),
    Mutant(
        "tax rounded down",
        "api/kit/bills/pricing.py",
        "return round_money(total * tax_rate / (HUNDRED + tax_rate))",
        'return (total * tax_rate / (HUNDRED + tax_rate)).quantize(Decimal("0.01"), "ROUND_DOWN")',
        ("tests/kit/test_pricing.py",),
    ),
    Mutant(
        "remainder to the last",
        "api/kit/bills/proration.py",
        "key=lambda place: parts[place] * whole - units * weights[place])",
        "key=lambda place: (parts[place] * whole - units * weights[place], -place))",
        ("tests/kit/test_proration.py",),
    ),
    Mutant(
        "mart's columns swapped",
        "transforms/models/marts/inventory/mart_inventory_turnover.sql",
        "    monthly.closing_quantity,\n    monthly.closing_value\n",
        "    monthly.closing_value as closing_quantity,\n    monthly.closing_quantity as closing_value\n",
        (f"{MARTS}::TestTurnover",),
    ),
    Mutant(
        "profit adds the cost",
        "transforms/models/marts/sales/mart_commodity_profit.sql",
        "money('monthly.revenue - monthly.cost')",
        "money('monthly.revenue + monthly.cost')",
        (f"{MARTS}::TestSales",),
    ),
    Mutant(
        "returns are sold",
        "transforms/macros/bills.sql",
        "['XSTH', 'sales_return', -1]",
        "['XSTH', 'sales_return', 1]",
        (f"{MARTS}::TestSales",),
    ),
    Mutant(
        "bucket a day too long",
        "transforms/macros/buckets.sql",
        "[0, '未到期'], [30, '1–30天']",
        "[0, '未到期'], [31, '1–30天']",
        (SETTLING,),
    ),
    Mutant(
        "rule of any text",
        "reports/superset/security.py",
        'ROLE_RULE = re.compile(r"role_id = [0-9]{1,18}")',
        'ROLE_RULE = re.compile(r"role_id = [0-9]{1,18}.*")',
        ("tests/reports/test_adversary_tokens.py",),
    ),
)
