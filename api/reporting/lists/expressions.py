"""SQL expressions (算式) that several list reports share."""

from __future__ import annotations


def conditional_sum_sql(name: str, measure: str, condition: str, sign: str = "") -> str:
    """Return SQL of the sum of a measure over the rows of a condition, 0 where there are none."""
    return f"coalesce({sign}sum(case when {condition} then {measure} end), 0) as {name}"


def ratio_sql(part: str, whole: str, name: str) -> str:
    """Return SQL of a percentage column; null where the base is zero or negative."""
    return f"case when {whole} > 0 then cast(100 * ({part}) / {whole} as decimal(18, 4)) end as {name}"
