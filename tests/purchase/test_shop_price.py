"""Lowest shop prices: below which goods are not sold, for which days, and what goes before them."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any

import pytest

from api.kit.database import today
from tests.kit.client import Answer
from tests.kit.desk import Desk, Made

PICKER = "v2/inventory/Goods/getGoodsListPopup"
_spares = itertools.count(20)


@pytest.fixture
def goods(desk: Desk) -> int:
    """Goods at 100 in the list and 80 at the least."""
    return desk.list_price(desk.world.spares[next(_spares)])


def added(desk: Desk, *lines: dict[str, Any], **header: Any) -> Answer:
    days = {"starts_on": str(today() - timedelta(1)), "ends_on": str(today() + timedelta(1))}
    return desk.add("shop_price", *lines, policy_name="门店价", **{**days, **header})


def audited(desk: Desk, *lines: dict[str, Any], **header: Any) -> Made:
    answer = added(desk, *lines, **header)
    assert answer.ok, answer
    made = Made("shop_price", answer.data["id"], answer.data["bill_no"])
    assert desk.act("auditorPass", made).ok
    return made


def lowest(desk: Desk, goods: int) -> str:
    given = {"company_id": desk.world.company_a, "goods_id": goods, "customer_id": desk.world.customer_a}
    [row] = desk.caller.get(PICKER, **given).data["data"]
    return str(row["lowest_price"]).rstrip("0").rstrip(".")


class TestLowest:
    def test_it_holds_while_audited_and_open(self, desk: Desk, goods: int) -> None:
        line = {"goods_id": goods, "lowest_price": "95"}
        answer = added(desk, line)
        made = Made("shop_price", answer.data["id"], answer.data["bill_no"])
        found = [lowest(desk, goods)]
        for action in ("auditorPass", "close", "open", "antiAuditor"):
            assert desk.act(action, made).ok
            found.append(lowest(desk, goods))
        assert found == ["80", "95", "80", "95", "80"]

    def test_it_ends_on_its_last_day(self, desk: Desk, goods: int) -> None:
        gone = str(today() - timedelta(1))
        audited(desk, {"goods_id": goods, "lowest_price": "95"}, starts_on=gone, ends_on=gone)
        assert lowest(desk, goods) == "80"

    def test_of_several_the_latest_begun_holds_and_a_customer_s_own_before_them(
        self, desk: Desk, goods: int
    ) -> None:
        audited(desk, {"goods_id": goods, "lowest_price": "95"}, starts_on=str(today()))
        audited(desk, {"goods_id": goods, "lowest_price": "90"})
        assert lowest(desk, goods) == "95"
        own = {"company_id": desk.world.company_a, "goods_id": goods, "customer_id": desk.world.customer_a}
        agreed = {**own, "sale_price": "99", "lowest_price": "70"}
        assert desk.caller.post("v2/sales/SalesPrice/add", agreed).ok
        assert lowest(desk, goods) == "70"

    def test_nothing_is_sold_below_it_where_a_company_minds(self, desk: Desk, goods: int) -> None:
        desk.mind_lowest_prices(1)
        audited(desk, {"goods_id": goods, "lowest_price": "95"})
        clerk, day = Desk(desk.site, "clerk_a"), {"business_date": str(today())}
        orders = [
            clerk.draft("sales_order", {"goods_id": goods, "quantity": "1", "price": price}, **day)
            for price in ("94.99", "95")
        ]
        answers = [clerk.act("auditorPass", order).code for order in orders]
        desk.mind_lowest_prices(0)
        assert answers == [400, 200]


class TestDraft:
    def test_its_goods_stand_once_and_its_days_are_in_order(self, desk: Desk, goods: int) -> None:
        line = {"goods_id": goods, "lowest_price": "95"}
        assert added(desk, line, line).msg == "第2行：同一商品不能重复"
        late = added(desk, line, starts_on="2026-03-02", ends_on="2026-03-01")
        assert late.msg == "失效日期不能早于生效日期"

    def test_a_query_finds_its_goods(self, desk: Desk, goods: int) -> None:
        made = audited(desk, {"goods_id": goods, "lowest_price": "95"})
        [row] = desk.caller.get("v2/purchase/ShopLowPriceDetail/getList", goods_id=goods).data["data"]
        assert (row["bill_no"], row["lowest_price"], row["status"]) == (made.no, "95.000000", 2)
