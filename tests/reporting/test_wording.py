"""Figures on paper read as the screen writes them: d3 rounds a half away from nothing, and lists tell what is significant."""

from __future__ import annotations

from decimal import Decimal

import pytest

from api.exporting.list_export import FORMATS
from api.exporting.text_format import PRICE, format_value
from api.exporting.workbook import number_format
from reports.semantics.datasets import CHANGE, MONEY, PERCENT, QUANTITY
from reports.superset.assets import list_dashboards


@pytest.mark.parametrize(
    ("value", "form", "read"),
    [
        # What d3.format of the browser writes of the same numbers.
        (2.5, QUANTITY, "3"),
        (-2.5, QUANTITY, "-3"),
        (0.125, MONEY, "0.13"),
        (1.005, MONEY, "1.00"),
        (Decimal("1.005"), MONEY, "1.01"),
        (0.0625, PERCENT, "6.3%"),
        (Decimal("0.0625"), PERCENT, "6.3%"),
        (0.1285, CHANGE, "+12.8%"),
        (0, CHANGE, "+0.0%"),
        (-0.0004, PERCENT, "0.0%"),
        (0.12, ",.1~%", "12%"),
        (100, ",.0f", "100"),
        (100, ",.1~f", "100"),
        (1234567.891, ",.3~f", "1,234,567.891"),
        (None, MONEY, ""),
    ],
)
def test_figures_are_rounded_as_on_the_screen(value: object, form: str, read: str) -> None:
    assert format_value(value, form) == read


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        ("price", Decimal("12"), "12.00"),
        ("price", Decimal("12.5"), "12.50"),
        ("price", Decimal("1012.345600"), "1,012.3456"),
        ("quantity", Decimal("3.000"), "3"),
        ("quantity", Decimal("3.125"), "3.125"),
        ("rate", Decimal("12.5000"), "12.50"),
        ("money", Decimal("-7"), "-7.00"),
        ("integer", 12, "12"),
    ],
)
def test_lists_tell_on_paper_what_they_tell_on_the_screen(kind: str, value: object, read: str) -> None:
    assert format_value(value, FORMATS[kind]) == read


def test_columns_of_prices_have_cents() -> None:
    columns = [
        column
        for placed in list_dashboards()
        for dataset in placed.board.datasets
        for column in dataset.columns
        if column.kind == "number"
    ]
    forms = {column.name: column.number_format for column in columns}
    assert {name: forms.pop(name) for name in ("price", "unit_cost")} == {"price": MONEY, "unit_cost": MONEY}
    assert {*forms.values()} == {QUANTITY}, "days and pieces"
    assert format_value(12.5, MONEY) == "12.50"
    assert number_format(PRICE) == number_format(MONEY)
