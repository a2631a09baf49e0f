"""Parts of a data request (取数请求): checks of columns, filters and results, for guests and explorers alike."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

from reports.semantics.day_ranges import RANGE_OPERATOR, business_day, parse_day_range

READABLE_RESULTS = {"full", "results"}
CROSS_TABLE = "pivot_table_v2"
DRAWN_STEPS = {"pivot", "rename", "sort", "flatten", "contribution"}
"""Postprocessing steps of a frame's charts."""
EXPLORED_STEPS = DRAWN_STEPS | {
    *("aggregate", "boxplot", "compare", "cum", "diff", "histogram", "rank", "rolling"),
}
"""Postprocessing steps of charts in Explore; none that makes rows without end, as `resample` does."""
MOST_BINS = 1000
MOST_OFFSETS = 6
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
    RANGE_OPERATOR,
}


def is_limited_to(
    query: Any,
    columns: Set[str],
    filterable: Set[str],
    is_metric: Callable[[Any], bool],
    having: Set[str] = frozenset(),
    ranged: Set[str] | None = None,
) -> bool:
    """Return whether a query asks for these columns and metrics alone, without SQL of its own.

    `having` are the chart's conditions. `ranged` are the columns of which it may choose days in known
    ranges; None lets it choose of all filterable ones in any. A condition on any other column would tell
    of that column row by row.
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
        and all(
            _is_known_range(item, ranged)
            if ranged is not None and _is_range_filter(item)
            else _is_plain_filter(item, filterable)
            for item in query.filter or []
        )
        and (query.granularity is None or query.granularity in (filterable if ranged is None else ranged))
        and (ranged is None or not query.time_range or is_range(query.time_range))
        and (not query.result_type or is_readable(query.result_type))
        and not query.annotation_layers
        and not extras.get("where")
        and (extras.get("having") or "") in {"", *having}
    )


def is_readable(result_type: Any) -> bool:
    """Return whether a result is rows of figures: no samples, no statement, no table behind them."""
    return result_name(result_type) in READABLE_RESULTS


def is_shaped(query: Any, steps: Set[str], offsets: int = 0) -> bool:
    """Return whether an answer's rows are only shaped for a chart.

    By these steps, none of them twice, since some double the columns, and with at most so many time
    offsets.
    """
    operations = [step.get("operation") for step in query.post_processing]
    bins = [(step.get("options") or {}).get("bins", 1) for step in query.post_processing]
    return (
        steps >= {*operations}
        and len({*operations}) == len(operations)
        and all(isinstance(number, int) and number <= MOST_BINS for number in bins)
        and len(query.time_offsets or []) <= offsets
    )


def column_name(column: Any) -> str | None:
    """Return the name of a stored column; None for anything that carries SQL of its own.

    The frame wraps a chart's axis as an expression whose text is the column's name: that is the name too.
    """
    if isinstance(column, dict):
        column = column.get("sqlExpression") if column.get("columnType") == "BASE_AXIS" else None
    return column if isinstance(column, str) else None


def _is_plain_filter(item: dict[str, Any], filterable: Set[str]) -> bool:
    return column_name(item.get("col")) in filterable and str(item.get("op", "")).upper() in PLAIN_OPERATORS


def _is_range_filter(item: dict[str, Any]) -> bool:
    return str(item.get("op", "")).upper() == RANGE_OPERATOR


def _is_known_range(item: dict[str, Any], ranged: Set[str]) -> bool:
    return column_name(item.get("col")) in ranged and is_range(item.get("val"))


def is_range(text: Any) -> bool:
    """Return whether a range of days is in known words."""
    return isinstance(text, str) and parse_day_range(text, business_day()) is not None


def result_name(result: Any) -> str:
    return str(getattr(result, "value", result))
