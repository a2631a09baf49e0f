"""Ledgers (账簿): the only writers of stock, cost, reservations, settlements and money.

`post` and `reverse` are what audits call; `stock_of` and its neighbours read the balances.
"""

from api.ledger.post import STRICT, Policy, post, reverse

__all__ = ["STRICT", "Policy", "post", "reverse"]
