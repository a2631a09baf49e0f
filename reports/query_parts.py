"""一次取数请求由哪些部分组成：要哪些列、怎样筛选、要什么结果；访客和自助分析者都按此核对。"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

from reports.ranges import RANGE_OPERATOR, business_day, days_of

READABLE_RESULTS = {"full", "results"}
CROSS_TABLE = "pivot_table_v2"
DRAWN_STEPS = {"pivot", "rename", "sort", "flatten", "contribution"}
"""What a frame's charts have done with the rows of an answer."""
EXPLORED_STEPS = DRAWN_STEPS | {
    *("aggregate", "boxplot", "compare", "cum", "diff", "histogram", "rank", "rolling"),
}
"""What the charts of the exploring page have done with them; not what makes rows without end, as `resample` does."""
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


def asks_only(
    query: Any,
    columns: Set[str],
    filterable: Set[str],
    is_metric: Callable[[Any], bool],
    having: Set[str] = frozenset(),
    ranged: Set[str] | None = None,
) -> bool:
    """Whether a query asks for these columns and figures alone, under conditions on filterable columns, without SQL of
    its own: `having` are the chart's. `ranged` are the columns of which it may choose days in words that are understood
    here; None lets it choose of all filterable ones in any.

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
        and all(
            _is_range(item, ranged)
            if ranged is not None and _is_ranging(item)
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
    """Whether a result is rows of figures: no samples, no statement, no table behind them."""
    return result_name(result_type) in READABLE_RESULTS


def is_shaped(query: Any, steps: Set[str], offsets: int = 0) -> bool:
    """Whether the rows of an answer are only brought into a chart's shape: by these steps, none of them twice, since
    some double the columns, and beside those of so many other times.
    """
    asked = [step.get("operation") for step in query.post_processing]
    bins = [(step.get("options") or {}).get("bins", 1) for step in query.post_processing]
    return (
        steps >= {*asked}
        and len({*asked}) == len(asked)
        and all(isinstance(number, int) and number <= MOST_BINS for number in bins)
        and len(query.time_offsets or []) <= offsets
    )


def column_name(column: Any) -> str | None:
    """The name of a stored column; None for anything that carries SQL of its own.

    The frame wraps a chart's axis as an expression whose text is the column's name: that is the name too.
    """
    if isinstance(column, dict):
        column = column.get("sqlExpression") if column.get("columnType") == "BASE_AXIS" else None
    return column if isinstance(column, str) else None


def _is_plain_filter(item: dict[str, Any], filterable: Set[str]) -> bool:
    return column_name(item.get("col")) in filterable and str(item.get("op", "")).upper() in PLAIN_OPERATORS


def _is_ranging(item: dict[str, Any]) -> bool:
    return str(item.get("op", "")).upper() == RANGE_OPERATOR


def _is_range(item: dict[str, Any], ranged: Set[str]) -> bool:
    return column_name(item.get("col")) in ranged and is_range(item.get("val"))


def is_range(words: Any) -> bool:
    """Whether days are told in words that are understood."""
    return isinstance(words, str) and days_of(words, business_day()) is not None


def result_name(result: Any) -> str:
    return str(getattr(result, "value", result))
