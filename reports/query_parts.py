"""一次取数请求由哪些部分组成：要哪些列、怎样筛选、要什么结果；访客和自助分析者都按此核对。"""

from __future__ import annotations

from collections.abc import Set
from typing import Any

READABLE_RESULTS = {"full", "results", "post_processed"}
PLAIN_OPERATORS = {
    "==",
    "!=",
    ">",
    "<",
    ">=",
    "<=",
    "IN",
    "NOT IN",
    "IS NULL",
    "IS NOT NULL",
    "LIKE",
    "ILIKE",
    "TEMPORAL_RANGE",
}


def asked_columns(query: Any) -> set[str | None]:
    """The names of the columns that a query asks for; None among them for one with SQL of its own."""
    return {column_name(column) for column in [*(query.columns or []), *(query.series_columns or [])]}


def column_name(column: Any) -> str | None:
    """The name of a stored column; None for anything that carries SQL of its own.

    The frame wraps a chart's axis as an expression whose text is the column's name: that is the name too.
    """
    if isinstance(column, dict):
        column = column.get("sqlExpression") if column.get("columnType") == "BASE_AXIS" else None
    return column if isinstance(column, str) else None


def is_plain_filter(item: dict[str, Any], filterable: Set[str]) -> bool:
    return column_name(item.get("col")) in filterable and str(item.get("op", "")).upper() in PLAIN_OPERATORS


def result_name(result: Any) -> str:
    return str(getattr(result, "value", result))
