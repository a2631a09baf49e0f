"""Lowest shop prices: below which goods are not sold, for which days, and what goes before them."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any

import pytest

from api.kit.storage.database import today
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer

PICKER = "v2/inventory/Goods/getGoodsListPopup"
_spares = itertools.count(20)


@pytest.fixture
def goods(desk: BillClient) -> int:
    """Goods at 100 in the list and 80 at the least."""
    return desk.list_price(desk.world.spares[next(_spares)])


def add_price(desk: BillClient, *lines: dict[str, Any], **header: Any) -> Answer:
    days = {"starts_on": str(today() - timedelta(1)), "ends_on": str(today() + timedelta(1))}
    return desk.add("shop_price", *lines, policy_name="门店价", **{**days, **header})


def audit_price(desk: BillClient, *lines: dict[str, Any], **header: Any) -> SavedBill:
    answer = add_price(desk, *lines, **header)
    assert answer.ok, answer
    made = SavedBill("shop_price", answer.data["id"], answer.data["bill_no"])
    assert desk.apply_action("auditorPass", made).ok
    return made


def read_lowest(desk: BillClient, goods: int) -> str:
    given = {"company_id": desk.world.company_a, "goods_id": goods, "customer_id": desk.world.customer_a}
    [row] = desk.caller.get(PICKER, **given).data["data"]
    return str(row["lowest_price"]).rstrip("0").rstrip(".")


class TestLowest:
    def test_it_holds_while_audited_and_open(self, desk: BillClient, goods: int) -> None:
        line = {"goods_id": goods, "lowest_price": "95"}
        answer = add_price(desk, line)
        made = SavedBill("shop_price", answer.data["id"], answer.data["bill_no"])
        found = [read_lowest(desk, goods)]
        for action in ("auditorPass", "close", "open", "antiAuditor"):
            assert desk.apply_action(action, made).ok
            found.append(read_lowest(desk, goods))
        assert found == ["80", "95", "80", "95", "80"]

    def test_it_ends_on_its_last_day(self, desk: BillClient, goods: int) -> None:
        gone = str(today() - timedelta(1))
        audit_price(desk, {"goods_id": goods, "lowest_price": "95"}, starts_on=gone, ends_on=gone)
        assert read_lowest(desk, goods) == "80"

    def test_of_several_the_latest_begun_holds_and_a_customer_s_own_before_them(
        self, desk: BillClient, goods: int
    ) -> None:
        audit_price(desk, {"goods_id": goods, "lowest_price": "95"}, starts_on=str(today()))
        audit_price(desk, {"goods_id": goods, "lowest_price": "90"})
        assert read_lowest(desk, goods) == "95"
        own = {"company_id": desk.world.company_a, "goods_id": goods, "customer_id": desk.world.customer_a}
        agreed = {**own, "sale_price": "99", "lowest_price": "70"}
        assert desk.caller.post("v2/sales/SalesPrice/add", agreed).ok
        assert read_lowest(desk, goods) == "70"

    def test_nothing_is_sold_below_it_where_a_company_minds(self, desk: BillClient, goods: int) -> None:
        desk.set_price_mode(1)
        audit_price(desk, {"goods_id": goods, "lowest_price": "95"})
        clerk, day = BillClient(desk.site, "clerk_a"), {"business_date": str(today())}
        orders = [
            clerk.draft("sales_order", {"goods_id": goods, "quantity": "1", "price": price}, **day)
            for price in ("94.99", "95")
        ]
        answers = [clerk.apply_action("auditorPass", order).code for order in orders]
        desk.set_price_mode(0)
        assert answers == [400, 200]


class TestDraft:
    def test_its_goods_stand_once_and_its_days_are_in_order(self, desk: BillClient, goods: int) -> None:
        line = {"goods_id": goods, "lowest_price": "95"}
        assert add_price(desk, line, line).msg == "第2行：同一商品不能重复"
        late = add_price(desk, line, starts_on="2026-03-02", ends_on="2026-03-01")
        assert late.msg == "失效日期不能早于生效日期"

    def test_a_query_finds_its_goods(self, desk: BillClient, goods: int) -> None:
        made = audit_price(desk, {"goods_id": goods, "lowest_price": "95"})
        [row] = desk.caller.get("v2/purchase/ShopLowPriceDetail/getList", goods_id=goods).data["data"]
        assert (row["bill_no"], row["lowest_price"], row["status"]) == (made.no, "95.000000", 2)
