"""一次取数请求由哪些部分组成：要哪些列、怎样筛选、要什么结果；访客和自助分析者都按此核对。"""

from __future__ import annotations

from collections.abc import Callable, Set
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


def asks_only(
    query: Any,
    columns: Set[str],
    filterable: Set[str],
    is_metric: Callable[[Any], bool],
    having: Set[str] = frozenset(),
) -> bool:
    """Whether a query asks for these columns and figures alone, under conditions on filterable columns, without SQL of
    its own: `having` are the chart's.

    A condition on any other column would tell of that column row by row.
    """
    figures = [*(query.metrics or []), *([query.series_limit_metric] if query.series_limit_metric else [])]
    orders = [order[0] for order in query.orderby or []]
    extras = query.extras or {}
    return (
        all(
            column_name(column) in columns
            for column in [*(query.columns or []), *(query.series_columns or [])]
        )
        and all(is_metric(figure) for figure in figures)
        and all(column_name(order) in columns or is_metric(order) for order in orders)
        and all(_is_plain_filter(item, filterable) for item in query.filter or [])
        and (query.granularity is None or query.granularity in filterable)
        and (not query.result_type or is_readable(query.result_type))
        and not query.annotation_layers
        and not extras.get("where")
        and (extras.get("having") or "") in {"", *having}
    )


def is_readable(result_type: Any) -> bool:
    """Whether a result is rows of figures: no samples, no statement, no table behind them."""
    return result_name(result_type) in READABLE_RESULTS


def column_name(column: Any) -> str | None:
    """The name of a stored column; None for anything that carries SQL of its own.

    The frame wraps a chart's axis as an expression whose text is the column's name: that is the name too.
    """
    if isinstance(column, dict):
        column = column.get("sqlExpression") if column.get("columnType") == "BASE_AXIS" else None
    return column if isinstance(column, str) else None


def _is_plain_filter(item: dict[str, Any], filterable: Set[str]) -> bool:
    return column_name(item.get("col")) in filterable and str(item.get("op", "")).upper() in PLAIN_OPERATORS


def result_name(result: Any) -> str:
    return str(getattr(result, "value", result))
