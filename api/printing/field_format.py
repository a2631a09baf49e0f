"""Field formats (打印文字): a field's value on paper, the same as on the screen."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from api.kit.declaration.fields import Field
from api.kit.storage.database import TIME_ZONE
from api.kit.storage.projection import MASK
from api.shell.files.export_job import format_cell_text

DECIMALS = {"money": 2, "price": 2}
"""Decimals that are always shown; beyond them only significant ones, and of money no more."""


def format_field(item: Field, row: dict[str, Any]) -> str:
    """Format a field of a row as `project` reads it: references by their labels, 无权限 as is."""
    value = item.read(row)
    if value is None or value == MASK:
        return value or ""
    if item.kind == "password":
        return ""
    if isinstance(value, datetime):
        return f"{value.astimezone(TIME_ZONE):%Y-%m-%d %H:%M}"
    if item.is_number and isinstance(value, Decimal | int):
        return format_number(Decimal(value), DECIMALS.get(item.kind, 0))
    return format_cell_text(item, value)


def format_number(value: Decimal, decimals: int) -> str:
    """Format 1234.5 with two decimals as 1,234.50; more decimals only where they are significant."""
    plain = f"{value:,f}"
    whole, _, fraction = plain.partition(".")
    fraction = fraction.rstrip("0").ljust(decimals, "0")
    return f"{whole}.{fraction}" if fraction else whole
