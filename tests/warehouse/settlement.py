"""Kinds of a settlement item `i`, as conditions of Postgres independent of the models."""

ADVANCE = "(i.kind = 'advance' or i.kind = 'opening' and i.amount < 0)"
UNAPPLIED = f"({ADVANCE} or i.bill_type in ('KHFL', 'CGFL') and i.amount < 0)"
"""An advance or a rebate, which are never due."""
