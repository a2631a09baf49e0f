"""Dues (到期): what a partner's open items come to, and what of it is overdue; the aging reports tell the same.

An advance or a rebate not yet used waits to be set against what is owed, and never falls due. A return does, and
lessens what is overdue.
"""

from __future__ import annotations

from api.master.advances import ADVANCED
from api.master.rebate_policies import CUSTOMER, SUPPLIER

UNAPPLIED = f"({ADVANCED} or l.bill_type in ('{CUSTOMER.prefix}', '{SUPPLIER.prefix}') and l.amount < 0)"
"""Whether a settlement item `l` is an advance or a rebate; one that takes back is owed like any bill."""


def dues(last: str = ":today") -> str:
    """Columns over open items `l`: owed, unapplied (below zero), what fell due before a day, and since when."""
    late = f"not {UNAPPLIED} and l.due_date < {last}"
    return f"""
    coalesce(sum(l.open_amount) filter (where not {UNAPPLIED}), 0.00) as owed,
    coalesce(sum(l.open_amount) filter (where {UNAPPLIED}), 0.00) as unapplied,
    coalesce(sum(l.open_amount) filter (where {late}), 0.00) as overdue,
    min(l.due_date) filter (where {late} and l.open_amount > 0) as overdue_since"""


OVERDUE_DAYS = f"case when not {UNAPPLIED} then greatest(:today - l.due_date, 0) end"
"""How long ago an open item `l` fell due; nothing for what never does."""
