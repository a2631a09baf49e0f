"""Value formats of exports (导出文字): values as texts on paper."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

PRICE = ",.6~f"
"""Of prices: two decimals at least, and as many as are significant."""
_FORMAT = re.compile(r"(?P<sign>[+-]?),\.(?P<decimals>\d)(?P<short>~?)(?P<kind>[f%])")


def format_value(value: Any, form: str = "") -> str:
    """Format a value; figures in their d3 format, rounded as d3 rounds, so that paper and screen agree."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, date):
        return value.isoformat()
    if not form:
        return str(value)
    match = _FORMAT.fullmatch(form)
    assert match, f"no number format {form}"
    percent = match["kind"] == "%"
    number = _round_value(value, int(match["decimals"]), percent)
    # Nothing has no sign: what rounds to zero is written as zero.
    sign = "" if number else "z"
    text = f"{number:{'+' if match['sign'] == '+' else ''}{sign},f}"
    if match["short"] and "." in text:
        text = text.rstrip("0").rstrip(".")
        if form == PRICE:
            whole, _, cents = text.partition(".")
            text = f"{whole}.{cents:0<2}"
    return f"{text}%" if percent else text


def _round_value(value: Any, decimals: int, percent: bool) -> Decimal:
    """Round half away from zero. A percentage is multiplied in floats, as the screen does."""
    exact = Decimal(float(value) * 100) if percent else Decimal(value)
    return exact.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
