"""Validation of data requests (请求校验): unreadable filter values, ranges and columns are answered with 400.

Superset by itself fails on what it can't read, partly before it checks access.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from math import isfinite
from typing import Any

logger = logging.getLogger(__name__)

UNREADABLE = "查询的条件不正确，请检查筛选的值"
MISREAD = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Exceptions of reading a malformed request."""
FIRST, LAST = (
    datetime(year, month, day, tzinfo=UTC).timestamp() * 1000
    for year, month, day in ((1, 1, 2), (9999, 12, 31))
)
"""Moments in milliseconds, as which a number is read where a column holds days."""


def install_request_validation() -> None:
    """Answer 400 to requests for data that are malformed."""
    from marshmallow import ValidationError
    from sqlalchemy.exc import ArgumentError, CompileError
    from superset.charts.data.api import ChartDataRestApi
    from superset.common.query_object import QueryObject
    from superset.connectors.sqla.models import SqlaTable
    from superset.exceptions import QueryObjectValidationError

    def wrap_reader(work: Callable[..., Any], *misread: type[Exception]) -> Callable[..., Any]:
        def run_reader(*arguments: Any, **named: Any) -> Any:
            try:
                return work(*arguments, **named)
            except ValidationError:
                # It tells more, and is answered as it should be.
                raise
            except misread as error:
                logger.warning("a request for data can't be read: %r", error)
                raise QueryObjectValidationError(UNREADABLE) from error

        return run_reader

    checked: Callable[..., Any] = QueryObject.validate

    def validate(self: Any, raise_exceptions: bool | None = True) -> Any:
        if all(is_value(item.get("val")) for item in self.filter or []):
            return checked(self, raise_exceptions)
        error = QueryObjectValidationError(UNREADABLE)
        if raise_exceptions:
            raise error
        return error

    QueryObject.validate = validate
    read, written = ChartDataRestApi._create_query_context_from_form, SqlaTable.get_query_str_extended
    ChartDataRestApi._create_query_context_from_form = wrap_reader(read, *MISREAD)
    SqlaTable.get_query_str_extended = wrap_reader(written, *MISREAD, ArgumentError, CompileError)


def is_value(value: Any) -> bool:
    """Return whether a value may be compared with.

    A text, a number in the range of moments, a flag, None, or a list.
    """
    if isinstance(value, list | tuple):
        return all(_is_plain_value(one) for one in value)
    return _is_plain_value(value)


def _is_plain_value(value: Any) -> bool:
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, int | float):
        return isfinite(value) and FIRST <= value <= LAST
    return value is None
