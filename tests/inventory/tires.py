"""Numbered tyres (带号胎) for tests: goods kept by number, bills that name pieces, where a piece is and its life."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from tests.kit.desk import Desk, Made

TIRE, LIFE = "v2/inventory/Tire/getList", "v2/inventory/TireLife/getList"
PLACES = itertools.count()
"""Numbers for goods and tyres of their own."""


def fresh(count: int, start: int = 1) -> list[str]:
    """Numbers that nobody has used."""
    head = f"N{next(PLACES):04d}"
    return [f"{head}-{number}" for number in range(start, start + count)]


@pytest.fixture
def goods(desk: Desk) -> int:
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


def line(goods: int, numbers: list[str], **more: Any) -> dict[str, Any]:
    return {
        "goods_id": goods,
        "quantity": str(len(numbers)),
        "price": "113",
        "tax_rate": "13",
        "tire_numbers": " ".join(numbers),
        **more,
    }


def came(desk: Desk, goods: int, numbers: list[str], **more: Any) -> Made:
    header = {name: more.pop(name) for name in ("warehouse_id", "business_date") if name in more}
    return desk.audited("purchase_inbound", line(goods, numbers, **more), **header)


def state(desk: Desk, number: str) -> dict[str, Any]:
    rows: list[dict[str, Any]] = desk.caller.get(TIRE, number=number).data["data"]
    [found] = [row for row in rows if row["number"] == number]
    return found


def life(desk: Desk, number: str) -> list[tuple[Any, ...]]:
    rows = desk.caller.get(LIFE, number=number, order_key="tire_life_id", order_by="asc").data["data"]
    return [(row["bill_type"], row["from_text"], row["to_text"], row["reversal"]) for row in rows]
