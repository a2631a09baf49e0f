"""HTTP client of list reports in few words."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from tests.support.bill_client import BillClient


def fetch_page(desk: BillClient, report: str, user: str = "admin", **query: Any) -> dict[str, Any]:
    answer = desk.site.as_(user).get(f"{report}/getList", per_page=500, **query)
    assert answer.ok, answer
    found: dict[str, Any] = answer.data
    return found


def fetch_rows(desk: BillClient, report: str, user: str = "admin", **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = fetch_page(desk, report, user, **query)["data"]
    return found


def fetch_row(desk: BillClient, report: str, user: str = "admin", **query: Any) -> dict[str, Any]:
    [found] = fetch_rows(desk, report, user, **query)
    return found


def pick_numbers(row: dict[str, Any], *names: str) -> dict[str, str | None]:
    return {name: None if row[name] is None else f"{Decimal(row[name]).normalize():f}" for name in names}
