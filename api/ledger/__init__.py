"""Ledgers (账簿): the only writers of stock, cost, reservations, settlements and money.

`post` and `reverse` are what audits call; `stock_of`, `places_of` and `unit_costs` read the balances.
"""

from api.ledger.balances import Place, Stock, places_of, stock_of, unit_costs
from api.ledger.periods import close_period, hold_year, open_period
from api.ledger.post import STRICT, Policy, post, post_all, reverse

__all__ = [
    "STRICT",
    "Place",
    "Policy",
    "Stock",
    "close_period",
    "hold_year",
    "open_period",
    "places_of",
    "post",
    "post_all",
    "reverse",
    "stock_of",
    "unit_costs",
]
