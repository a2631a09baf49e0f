"""SQL of open and overdue amounts (到期) of settlement items; the aging reports use the same.

An advance or a rebate not yet used is unapplied and never falls due. A return does, and lessens the
overdue amount.
"""

from __future__ import annotations

from api.master.rebates.rebate_policies import CUSTOMER, SUPPLIER
from api.master.settlements.advances import IS_ADVANCE

IS_UNAPPLIED = f"({IS_ADVANCE} or l.bill_type in ('{CUSTOMER.prefix}', '{SUPPLIER.prefix}') and l.amount < 0)"
"""Condition: a settlement item `l` is an advance or a rebate; one that takes back is owed like any bill."""


def open_amounts_sql(last: str = ":today") -> str:
    """Return SQL columns over open items `l`: owed, unapplied (below zero), overdue before `last`,
    overdue_since."""
    late = f"not {IS_UNAPPLIED} and l.due_date < {last}"
    return f"""
    coalesce(sum(l.open_amount) filter (where not {IS_UNAPPLIED}), 0.00) as owed,
    coalesce(sum(l.open_amount) filter (where {IS_UNAPPLIED}), 0.00) as unapplied,
    coalesce(sum(l.open_amount) filter (where {late}), 0.00) as overdue,
    min(l.due_date) filter (where {late} and l.open_amount > 0) as overdue_since"""


OVERDUE_DAYS = f"case when not {IS_UNAPPLIED} then greatest(:today - l.due_date, 0) end"
"""SQL of the days since an open item `l` fell due; null for one that never does."""
