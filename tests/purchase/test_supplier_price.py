"""Purchase prices: what a supplier's goods start from, who sees it, and what it was before."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.bill_client import BillClient

API, PICKER = "v2/purchase/Price", "v2/inventory/Goods/getGoodsListPopup"


def add_price(desk: BillClient, goods: int, price: str, **more: Any) -> int:
    world = desk.world
    body = {"company_id": world.company_a, "supplier_id": world.supplier, "goods_id": goods}
    answer = desk.caller.post(f"{API}/add", {**body, "purchase_price": price, **more})
    assert answer.ok, answer
    return int(answer.data["id"])


def pick_goods(desk: BillClient, goods: int, **query: Any) -> tuple[str, str]:
    given = {"company_id": desk.world.company_a, "goods_id": goods, "bill_type": "purchase_order", **query}
    [row] = desk.caller.get(PICKER, **given).data["data"]
    return row["unit_price"], row["price_source"]


class TestPicker:
    def test_the_supplier_s_price_holds_then_the_last_then_the_goods_own(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[50], desk.world
        body = {"company_id": world.company_a, "goods_id": goods, "purchase_price": "80"}
        assert desk.caller.post("v2/system/CompanyGoods/add", body).ok
        of_supplier = {"supplier_id": world.supplier}
        assert pick_goods(desk, goods) == ("80.000000", "商品采购价")
        desk.add_audited("purchase_inbound", {"goods_id": goods, "quantity": "1", "price": "78"})
        assert pick_goods(desk, goods, **of_supplier) == ("78.000000", "上次价")
        key = add_price(desk, goods, "75")
        assert pick_goods(desk, goods, **of_supplier) == ("75.00", "供应商价")
        assert pick_goods(desk, goods) == ("80.000000", "商品采购价")
        assert pick_goods(BillClient(desk.site, "clerk_a"), goods, **of_supplier) == ("无权限", "供应商价")
        assert desk.caller.post(f"{API}/edit", {"id": key, "enabled": False}).ok
        assert pick_goods(desk, goods, **of_supplier)[1] == "上次价"


class TestPrice:
    @pytest.mark.parametrize(
        ("price", "msg"),
        [("-1", "采购价不能小于0"), ("80.555", "“采购价”最多2位小数"), ("", "请输入采购价")],
    )
    def test_it_is_told_what_is_wrong_with_it(self, desk: BillClient, price: str, msg: str) -> None:
        world = desk.world
        body = {"company_id": world.company_a, "supplier_id": world.supplier, "goods_id": world.spares[53]}
        assert desk.caller.post(f"{API}/add", {**body, "purchase_price": price}).msg == msg

    def test_what_comes_for_nothing_has_one(self, desk: BillClient) -> None:
        add_price(desk, desk.world.spares[53], "0")
        of_supplier = {"supplier_id": desk.world.supplier}
        assert pick_goods(desk, desk.world.spares[53], **of_supplier) == ("0.00", "供应商价")


class TestBound:
    @pytest.fixture
    def blocked(self, desk: BillClient) -> Any:
        with desk.site.engine.begin() as conn:
            conn.exec_driver_sql("update bill_setting set price_mode = 1 where type = 1")
        yield
        with desk.site.engine.begin() as conn:
            conn.exec_driver_sql("update bill_setting set price_mode = 0 where type = 1")

    @pytest.mark.usefixtures("blocked")
    def test_nothing_is_bought_above_the_supplier_s_price(self, desk: BillClient) -> None:
        goods = desk.world.spares[51]
        add_price(desk, goods, "75")
        line = {"goods_id": goods, "quantity": "3"}
        answer = desk.apply_action("auditorPass", desk.draft("purchase_order", {**line, "price": "75.01"}))
        assert (answer.code, answer.msg) == (400, "备件51高于采购价 75.00 元")
        assert desk.apply_action("auditorPass", desk.draft("purchase_order", {**line, "price": "75"})).ok


class TestHistory:
    def test_each_change_is_there_and_hidden_from_who_sees_no_cost(self, desk: BillClient) -> None:
        goods = desk.world.spares[52]
        key = add_price(desk, goods, "75")
        assert desk.caller.post(f"{API}/edit", {"id": key, "purchase_price": "72"}).ok
        query = {"goods_id": goods, "supplier_id": desk.world.supplier, "kind": 3}
        told = {
            user: [
                (row["purchase_from"], row["purchase_to"])
                for row in desk.site.as_(user).get("v2/system/PriceChangeLog/getList", **query).data["data"]
            ]
            for user in ("manager_a", "clerk_a", "manager_b")
        }
        assert told["manager_a"] == [("75.000000", "72.000000"), (None, "75.000000")]
        assert set(told["clerk_a"]) == {("无权限", "无权限")}
        assert told["manager_b"] == []
        [row] = desk.site.as_("clerk_a").get(f"{API}/getList", goods_id=goods).data["data"]
        assert row["purchase_price"] == "无权限"
