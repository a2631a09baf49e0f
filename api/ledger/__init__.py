"""Ledgers (账簿): the only writers of stock, cost, reservations, settlements and money.

`post_bill` and `reverse_bill` are what audits call; `read_stock`, `read_stock_places` and
`read_unit_costs` read the balances.
"""

from api.ledger.balances import Stock, StockAtLocation, read_stock, read_stock_places, read_unit_costs
from api.ledger.periods import close_period, lock_year, open_period
from api.ledger.posting import STRICT, Policy, post_bill, post_bills, reverse_bill

__all__ = [
    "STRICT",
    "Policy",
    "Stock",
    "StockAtLocation",
    "close_period",
    "lock_year",
    "open_period",
    "post_bill",
    "post_bills",
    "read_stock",
    "read_stock_places",
    "read_unit_costs",
    "reverse_bill",
]
