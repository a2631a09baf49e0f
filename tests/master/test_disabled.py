"""Disabled records: no trade is begun with them, what was begun before goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from api.kit.declaration import registry
from tests.support.bill_client import BillClient


@pytest.fixture
def sold(desk: BillClient) -> Iterator[dict[str, int]]:
    """A customer, a warehouse and goods in it that nothing else uses, called otherwise afterwards."""
    world, caller = desk.world, desk.caller
    customer = desk.partner("customer", "即将停用的客户")
    place = {"company_id": world.company_a, "type": 1, "warehouse_name": "即将停用的仓库"}
    warehouse = int(caller.post("v2/system/Warehouse/add", place).data["id"])
    named = {"goods_num": "GONE1", "goods_name": "即将停用的商品"}
    kind = {"goods_type_id": world.type2, "unit_id": world.unit}
    goods = int(caller.post(desk.path("goods", "add"), {**named, **kind}).data["id"])
    desk.stock_in(goods, 20, warehouse_id=warehouse)
    yield {"customer_id": customer, "warehouse_id": warehouse, "goods_id": goods}
    numbered = {"goods_num": f"GONE{goods}"}
    for resource, key, more in (
        ("customer", customer, {}),
        ("warehouse", warehouse, {}),
        ("goods", goods, numbered),
    ):
        renamed = {f"{resource}_name": f"停用{key}", **more}
        assert caller.post(desk.path(resource, "edit"), {"id": key, **renamed}).ok


def disable_records(desk: BillClient, sold: dict[str, int], *resources: str) -> None:
    for resource in resources:
        answer = desk.caller.post(
            desk.path(resource, "edit"), {"id": sold[f"{resource}_id"], "enabled": False}
        )
        assert answer.ok, answer


def build_header(sold: dict[str, int]) -> dict[str, Any]:
    return {name: sold[name] for name in ("customer_id", "warehouse_id")}


def build_line(sold: dict[str, int], **more: Any) -> dict[str, Any]:
    return {"goods_id": sold["goods_id"], "quantity": "2", "price": "100", **more}


@pytest.mark.parametrize(
    ("resource", "told"),
    [
        ("customer", "“客户”已停用，请重新选择"),
        ("warehouse", "“仓库”已停用，请重新选择"),
        ("goods", "第1行：“商品”已停用，请重新选择"),
    ],
)
def test_nothing_disabled_is_sold(desk: BillClient, sold: dict[str, int], resource: str, told: str) -> None:
    disable_records(desk, sold, resource)
    for bill in ("sales_order", "sales_outbound"):
        answer = desk.add(bill, build_line(sold), **build_header(sold))
        assert (answer.code, answer.msg) == (400, told)


def test_nothing_is_bought_of_a_disabled_supplier(desk: BillClient) -> None:
    supplier = desk.partner("supplier", "停用的供应商", enabled=False)
    answer = desk.add("purchase_order", {"goods_id": desk.world.tube, "quantity": "1"}, supplier_id=supplier)
    assert (answer.code, answer.msg) == (400, "“供应商”已停用，请重新选择")


def test_what_was_ordered_before_is_delivered_returned_and_paid(
    desk: BillClient, sold: dict[str, int]
) -> None:
    order = desk.add_audited("sales_order", build_line(sold), **build_header(sold))
    disable_records(desk, sold, "customer", "warehouse", "goods")
    [ordered] = desk.line_ids(order)
    shipped = desk.add_audited(
        "sales_outbound", build_line(sold, order_line_id=ordered), **build_header(sold)
    )
    [source] = desk.line_ids(shipped)
    desk.add_audited("sales_return", build_line(sold, source_line_id=source), **build_header(sold))
    assert desk.add("customer_receipt", customer_id=sold["customer_id"], amount="226").ok


def test_a_bill_that_names_it_already_is_still_edited(desk: BillClient, sold: dict[str, int]) -> None:
    order = desk.draft("sales_order", build_line(sold), **build_header(sold))
    disable_records(desk, sold, "customer", "warehouse", "goods")
    shown = desk.read_bill(order)
    body = {"id": order.id, "revision": shown["revision"], "lines": [build_line(sold, quantity="3")]}
    assert desk.caller.post(desk.path("sales_order", "edit"), body).ok
    other = {**body, "revision": shown["revision"] + 1, "customer_id": desk.world.customer_a}
    assert desk.caller.post(desk.path("sales_order", "edit"), other).ok
    back = {**body, "revision": shown["revision"] + 2, "customer_id": sold["customer_id"]}
    answer = desk.caller.post(desk.path("sales_order", "edit"), back)
    assert (answer.code, answer.msg) == (400, "“客户”已停用，请重新选择")


def test_what_it_owes_is_collected(desk: BillClient, sold: dict[str, int]) -> None:
    """Forms of orders don't offer a disabled customer, those of receipts do, behind the others."""
    disable_records(desk, sold, "customer")
    key = sold["customer_id"]
    for resource, offered in (("sales_order", False), ("customer_receipt", True), ("sales_invoice", True)):
        route = registry.get_resource(resource).declaration.places[0].routes["add"]
        fields = desk.caller.get("v2/Open/Screen/getScreen", route=route).data["fields"]
        [customer] = [item["ref"] for item in fields if item["name"] == "customer_id"]
        assert customer["disabled"] is offered
    for query, found in (({}, []), ({"disabled": 1}, [(key, False)])):
        rows = desk.caller.get(desk.path("customer", "getDropdown"), id=key, **query).data["data"]
        assert [(row["customer_id"], row["enabled"]) for row in rows] == found
    listed = desk.caller.get(desk.path("customer", "getDropdown"), disabled=1, per_page=500).data["data"]
    states = [row["enabled"] for row in listed]
    assert states == sorted(states, reverse=True)
    assert {True, False} == set(states)
