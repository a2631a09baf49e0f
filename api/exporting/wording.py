"""Words of exports (导出文字): values as they read on paper."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any


def worded(value: Any, form: str = "") -> str:
    """A value as it reads: figures in their d3 format, which is Python's as well, but for `~`: no trailing zeros."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, date):
        return value.isoformat()
    if not form:
        return str(value)
    sign = form[0] if form[0] in "+-" else ""
    # Nothing has no sign: what rounds to zero is written as zero.
    text = f"{value:{sign}z{form.removeprefix(sign).replace('~', '')}}"
    return text.rstrip("0").rstrip(".") if "~" in form else text
