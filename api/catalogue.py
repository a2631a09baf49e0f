"""Everything that is declared: importing this module fills the registry and the table metadata."""

from api.customers import customer_receipt, opening_receivable
from api.identity import tables as identity_tables
from api.inventory import (
    cost_adjustment,
    defective,
    location_move,
    opening_stock,
    other_delivery,
    other_inbound,
    other_outbound,
    stock_differences,
    stock_early_warning,
    stock_query,
    stock_take,
    three_inbound,
    three_outbound,
    tire_back,
    tire_management,
    transfer_in,
    transfer_out,
)
from api.kit import business_log, details, idempotency, numbering
from api.ledger import tables as ledger_tables
from api.master import bill_checks, business_types, goods, organisation, partners, safety_stock, warehouses
from api.money import close_questions, cost_recalculation, cost_reports, month_close, year_close
from api.purchase import opening_payable, purchase_inbound, purchase_order, purchase_return, supplier_payment
from api.reporting import (
    batch_summary,
    inventory_information,
    inventory_out_in,
    inventory_summary,
    stock_card,
)
from api.risk import stock_warning_query
from api.sales import sales_order, sales_outbound, sales_return, sales_transfer
from api.shell import export_tasks, integrity_result, integrity_screen, loads

__all__ = [
    "batch_summary",
    "business_log",
    "business_types",
    "cost_adjustment",
    "cost_recalculation",
    "cost_reports",
    "customer_receipt",
    "defective",
    "export_tasks",
    "goods",
    "idempotency",
    "identity_tables",
    "integrity_result",
    "integrity_screen",
    "inventory_information",
    "inventory_out_in",
    "inventory_summary",
    "ledger_tables",
    "loads",
    "location_move",
    "month_close",
    "numbering",
    "opening_payable",
    "opening_receivable",
    "opening_stock",
    "organisation",
    "other_delivery",
    "other_inbound",
    "other_outbound",
    "partners",
    "purchase_inbound",
    "purchase_order",
    "purchase_return",
    "safety_stock",
    "sales_order",
    "sales_outbound",
    "sales_return",
    "sales_transfer",
    "stock_card",
    "stock_differences",
    "stock_early_warning",
    "stock_query",
    "stock_take",
    "stock_warning_query",
    "supplier_payment",
    "three_inbound",
    "three_outbound",
    "tire_back",
    "tire_management",
    "transfer_in",
    "transfer_out",
    "warehouses",
    "year_close",
]

bill_checks.register_all()
details.declare_all()
close_questions.register_all()
