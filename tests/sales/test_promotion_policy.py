"""Promotions: whose goods are cheaper and when, which of several holds, and what comes along."""

from __future__ import annotations

import itertools
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from api.kit.storage.database import today
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer

PICKER = "v2/inventory/Goods/getGoodsListPopup"
_spares = itertools.count(30)


@pytest.fixture
def goods(desk: BillClient) -> int:
    """Goods at 100 in the list and 80 at the least."""
    return desk.list_price(desk.world.spares[next(_spares)])


def add_policy(desk: BillClient, *lines: dict[str, Any], **header: Any) -> Answer:
    days = {"starts_on": str(today() - timedelta(1)), "ends_on": str(today() + timedelta(1))}
    return desk.add("promotion_policy", *lines, policy_name="促销", **{**days, **header})


def audit_policy(desk: BillClient, *lines: dict[str, Any], **header: Any) -> SavedBill:
    answer = add_policy(desk, *lines, **header)
    assert answer.ok, answer
    made = SavedBill("promotion_policy", answer.data["id"], answer.data["bill_no"])
    assert desk.apply_action("auditorPass", made).ok
    return made


def pick_goods(desk: BillClient, goods: int, **query: Any) -> dict[str, Any]:
    given = {"company_id": desk.world.company_a, "goods_id": goods, "customer_id": desk.world.customer_a}
    [row] = desk.caller.get(PICKER, **{**given, **query}).data["data"]
    return dict(row)


def read_price(desk: BillClient, goods: int, **query: Any) -> tuple[str, str]:
    row = pick_goods(desk, goods, **query)
    return row["unit_price"].rstrip("0").rstrip("."), row["price_source"]


class TestPrice:
    def test_it_holds_while_audited_and_open(self, desk: BillClient, goods: int) -> None:
        line = {"goods_id": goods, "method": 1, "price": "88"}
        made = audit_policy(desk, line)
        assert read_price(desk, goods) == ("88", "促销价")
        assert desk.apply_action("close", made).ok
        assert read_price(desk, goods) == ("100", "商品售价")
        assert desk.apply_action("open", made).ok
        assert desk.apply_action("antiAuditor", made).ok
        assert read_price(desk, goods) == ("100", "商品售价")

    def test_it_ends_on_its_last_day(self, desk: BillClient, goods: int) -> None:
        gone = today() - timedelta(1)
        audit_policy(
            desk, {"goods_id": goods, "method": 1, "price": "88"}, starts_on=str(gone), ends_on=str(gone)
        )
        assert read_price(desk, goods) == ("100", "商品售价")

    def test_a_discount_is_off_the_customer_s_own_price_and_never_raises_it(
        self, desk: BillClient, goods: int
    ) -> None:
        own = {"company_id": desk.world.company_a, "goods_id": goods, "customer_id": desk.world.customer_a}
        made = desk.caller.post("v2/sales/SalesPrice/add", {**own, "sale_price": "90"})
        assert made.ok
        dear = audit_policy(desk, {"goods_id": goods, "method": 1, "price": "95"})
        assert read_price(desk, goods) == ("90", "客户价")
        assert desk.apply_action("invalid", dear).ok
        audit_policy(desk, {"goods_id": goods, "method": 2, "discount": "90"})
        assert read_price(desk, goods) == ("81", "促销价")

    def test_the_goods_own_goes_before_its_type_s_and_the_cheaper_first(
        self, desk: BillClient, goods: int
    ) -> None:
        kind = desk.caller.get("v2/system/Goods/getInfo", id=goods).data["goods_type_id"]
        of_type = audit_policy(desk, {"goods_type_id": kind, "method": 1, "price": "50"})
        assert read_price(desk, goods) == ("50", "促销价")
        audit_policy(desk, {"goods_id": goods, "method": 1, "price": "70"})
        audit_policy(desk, {"goods_id": goods, "method": 1, "price": "60"})
        assert read_price(desk, goods) == ("60", "促销价")
        assert desk.apply_action("invalid", of_type).ok

    def test_it_is_for_those_it_names(self, desk: BillClient, goods: int) -> None:
        other = desk.partner("customer", "未参加促销的客户")
        made = audit_policy(
            desk,
            {"goods_id": goods, "method": 1, "price": "88"},
            customers=[{"customer_id": desk.world.customer_a}],
        )
        assert read_price(desk, goods) == ("88", "促销价")
        assert read_price(desk, goods, customer_id=other) == ("100", "商品售价")
        rows = desk.caller.get("v2/sales/PromotionCustomer/getList", bill_no=made.no).data["data"]
        assert [row["customer_id"] for row in rows] == [desk.world.customer_a]

    def test_a_promoted_price_may_be_sold_at(self, desk: BillClient, goods: int) -> None:
        with desk.site.engine.begin() as conn:
            conn.exec_driver_sql("update bill_setting set price_mode = 1 where type = 2")
        clerk, line = BillClient(desk.site, "clerk_a"), {"goods_id": goods, "quantity": "1", "price": "75"}
        day = {"business_date": str(today())}
        assert clerk.apply_action("auditorPass", clerk.draft("sales_order", line, **day)).code == 400
        audit_policy(desk, {"goods_id": goods, "method": 1, "price": "75"})
        assert clerk.apply_action("auditorPass", clerk.draft("sales_order", line, **day)).ok


class TestGift:
    def test_what_comes_along_is_told(self, desk: BillClient, goods: int) -> None:
        gift = {"method": 3, "buy_quantity": "10", "gift_goods_id": desk.world.oil, "gift_quantity": "1"}
        audit_policy(desk, {"goods_id": goods, **gift})
        row = pick_goods(desk, goods)
        assert row["gift"].startswith("满10送1 ")
        assert row["price_source"] == "商品售价"

    def test_what_a_bill_lacks_is_proposed_as_gifts_for_its_day(self, desk: BillClient, goods: int) -> None:
        for bought, given in (("10", "1"), ("25", "3")):
            gift = {"method": 3, "buy_quantity": bought, "gift_goods_id": desk.world.oil}
            audit_policy(desk, {"goods_id": goods, "gift_quantity": given, **gift})

        def lacking(*lines: tuple[int, str, bool], day: str = "") -> list[tuple[int, Decimal, bool]]:
            rows = [{"goods_id": one, "quantity": n, "is_gift": gift} for one, n, gift in lines]
            header = {"company_id": desk.world.company_a, "customer_id": desk.world.customer_a}
            body = {**header, "business_date": day or str(today()), "lines": rows}
            found = desk.caller.post("v2/sales/PromotionPolicy/getGifts", body)
            assert found.ok, found
            return [(row["goods_id"], Decimal(row["quantity"]), row["is_gift"]) for row in found.data]

        oil = desk.world.oil
        assert lacking((goods, "9", False), (goods, "9", True)) == []
        assert lacking((goods, "12", False), (goods, "12", False)) == [(oil, 2, True)]
        assert lacking((goods, "25", False)) == [(oil, 3, True)]
        assert lacking((goods, "25", False), (oil, "1", True), (oil, "9", False)) == [(oil, 2, True)]
        assert lacking((goods, "25", False), (oil, "3", True)) == []
        assert lacking((goods, "25", False), day="2001-01-01") == []
        foreign = {"company_id": desk.world.company_b, "customer_id": 1, "business_date": str(today())}
        for user, code in (("manager_a", 400), ("nobody", 403)):
            answer = desk.site.as_(user).post("v2/sales/PromotionPolicy/getGifts", {**foreign, "lines": []})
            assert answer.code == code

    def test_a_gift_that_is_taken_over_costs_nothing(self, desk: BillClient, goods: int) -> None:
        shown = desk.caller.get("v2/Open/Screen/getScreen", route="/sales/salesorderAdd").data
        [proposal] = shown["line"]["proposals"]
        assert (proposal["label"], proposal["of"]) == ("添加赠品", ["goods_id", "quantity", "is_gift"])
        gift = {"goods_id": desk.world.oil, "quantity": "1", "price": "5", "is_gift": True}
        line = {"goods_id": goods, "quantity": "10", "price": "100"}
        info = desk.read_bill(desk.draft("sales_order", line, gift))
        assert [row["amount"] for row in info["lines"]] == ["1000.00", "0.00"]


@pytest.mark.parametrize("route", ["/sales/promotionpolicy", "/sales/policyadd"])
def test_it_is_told_which_of_several_holds(desk: BillClient, route: str) -> None:
    shown = desk.caller.get("v2/Open/Screen/getScreen", route=route).data
    assert shown["note"].startswith("同一商品有多项促销时不叠加：指定商品的先于品牌的")


class TestBillsDay:
    def test_the_picker_s_price_is_that_of_the_bill_s_day(self, desk: BillClient, goods: int) -> None:
        own = {"company_id": desk.world.company_a, "goods_id": goods, "customer_id": desk.world.customer_a}
        for begins, asked in (("2026-01-01", "90"), ("2026-02-01", "95")):
            body = {**own, "sale_price": asked, "starts_on": begins}
            assert desk.caller.post("v2/sales/SalesPrice/add", body).ok
        days = ("2025-12-31", "2026-01-31", "2026-02-01")
        assert [read_price(desk, goods, business_date=day)[0] for day in days] == ["100", "90", "95"]


class TestDraft:
    @pytest.mark.parametrize(
        ("line", "msg"),
        [
            ({"method": 1, "price": "1"}, "第1行：请选择商品、品牌或商品类型中的一项"),
            ({"goods_id": 1, "method": 1}, "第1行：特价请填写促销价"),
            ({"goods_id": 1, "method": 2}, "第1行：折扣请填写折扣%"),
        ],
    )
    def test_what_a_line_lacks_is_told(self, desk: BillClient, line: dict[str, Any], msg: str) -> None:
        answer = add_policy(desk, {**line, **({"goods_id": desk.world.oil} if "goods_id" in line else {})})
        assert (answer.code, answer.msg) == (400, msg)

    def test_its_days_are_in_order(self, desk: BillClient, goods: int) -> None:
        line = {"goods_id": goods, "method": 1, "price": "1"}
        answer = add_policy(desk, line, starts_on="2026-03-02", ends_on="2026-03-01")
        assert (answer.code, answer.msg) == (400, "失效日期不能早于生效日期")


class TestLines:
    def test_what_goods_are_promoted_how_is_found_by_the_goods(self, desk: BillClient, goods: int) -> None:
        made = audit_policy(desk, {"goods_id": goods, "method": 1, "price": "90"})
        [row] = desk.caller.get("v2/sales/PromotionPolicyDetail/getList", goods_id=goods).data["data"]
        shown = {name: row[name] for name in ("bill_no", "policy_name", "method", "price", "status")}
        assert shown == {
            "bill_no": made.no,
            "policy_name": "促销",
            "method": 1,
            "price": "90.000000",
            "status": 2,
        }
