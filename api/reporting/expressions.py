"""Columns of the native reports' SQL (算式) that several share."""

from __future__ import annotations


def summed(name: str, measure: str, condition: str, sign: str = "") -> str:
    """The sum of a measure over the rows of a condition, 0 where there are none."""
    return f"coalesce({sign}sum(case when {condition} then {measure} end), 0) as {name}"


def ratio(part: str, whole: str, name: str) -> str:
    """A percentage column; empty where the base is zero or negative."""
    return f"case when {whole} > 0 then cast(100 * ({part}) / {whole} as decimal(18, 4)) end as {name}"
