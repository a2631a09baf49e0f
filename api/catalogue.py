"""Everything that is declared: importing this module fills the registry and the table metadata."""

from api.customers import customer_receipt
from api.identity import tables as identity_tables
from api.inventory import other_inbound, other_outbound
from api.kit import business_log, idempotency, numbering
from api.ledger import tables as ledger_tables
from api.master import bill_checks, goods, organisation, partners, warehouses
from api.money import close_questions, month_close, year_close
from api.purchase import purchase_inbound, purchase_order, purchase_return, supplier_payment
from api.sales import sales_order, sales_outbound, sales_return
from api.shell import export_tasks, loads

__all__ = [
    "business_log",
    "customer_receipt",
    "export_tasks",
    "goods",
    "idempotency",
    "identity_tables",
    "ledger_tables",
    "loads",
    "month_close",
    "numbering",
    "organisation",
    "other_inbound",
    "other_outbound",
    "partners",
    "purchase_inbound",
    "purchase_order",
    "purchase_return",
    "sales_order",
    "sales_outbound",
    "sales_return",
    "supplier_payment",
    "warehouses",
    "year_close",
]

bill_checks.register_all()
close_questions.register_all()
