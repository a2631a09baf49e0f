"""Numbered tyres (带号胎) for tests: goods kept by number, bills that name pieces, where a piece is and its life."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.support.bill_client import BillClient, SavedBill

TIRE, LIFE = "v2/inventory/Tire/getList", "v2/inventory/TireLife/getList"
PLACES = itertools.count()
"""Counter for goods and numbers of their own."""


def create_numbers(count: int, start: int = 1) -> list[str]:
    """Create unused numbers."""
    head = f"N{next(PLACES):04d}"
    return [f"{head}-{number}" for number in range(start, start + count)]


@pytest.fixture
def goods(desk: BillClient) -> int:
    """Goods that are kept by number."""
    place = next(PLACES)
    body = {
        "goods_num": f"NUM{place}",
        "goods_name": f"带号胎{place}",
        "goods_type_id": desk.world.type2,
        "unit_id": desk.world.unit,
        "is_numbered": True,
    }
    answer = desk.caller.post("v2/system/Goods/add", body)
    assert answer.ok, answer
    key: int = answer.data["id"]
    return key


def build_line(goods: int, numbers: list[str], **more: Any) -> dict[str, Any]:
    return {
        "goods_id": goods,
        "quantity": str(len(numbers)),
        "price": "113",
        "tax_rate": "13",
        "tire_numbers": " ".join(numbers),
        **more,
    }


def receive_numbered(desk: BillClient, goods: int, numbers: list[str], **more: Any) -> SavedBill:
    header = {name: more.pop(name) for name in ("warehouse_id", "business_date") if name in more}
    return desk.add_audited("purchase_inbound", build_line(goods, numbers, **more), **header)


def read_state(desk: BillClient, number: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = desk.caller.get(TIRE, number=number).data["data"]
    [found] = [row for row in rows if row["number"] == number]
    return found


def read_life(desk: BillClient, number: str) -> list[tuple[Any, ...]]:
    rows = desk.caller.get(LIFE, number=number, order_key="tire_life_id", order_by="asc").data["data"]
    return [(row["bill_type"], row["from_text"], row["to_text"], row["reversal"]) for row in rows]
