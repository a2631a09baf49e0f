"""Sales prices: which one holds in the picker, what may not be sold below, and what becomes of a change."""

from __future__ import annotations

import itertools
from datetime import timedelta
from typing import Any

import pytest

from api.kit.storage.database import today
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer

API, PICKER = "v2/sales/SalesPrice", "v2/inventory/Goods/getGoodsListPopup"
_spares = itertools.count(40)


@pytest.fixture
def goods(desk: BillClient) -> int:
    """Goods that nobody has priced yet, at 100 in the list and 80 at the least."""
    return desk.list_price(desk.world.spares[next(_spares)])


def add_price(desk: BillClient, goods: int, price: str, **more: Any) -> Answer:
    body = {"company_id": desk.world.company_a, "goods_id": goods, "sale_price": price, **more}
    return desk.caller.post(f"{API}/add", body)


def pick_goods(desk: BillClient, goods: int, **query: Any) -> tuple[str, str]:
    given = {"company_id": desk.world.company_a, "goods_id": goods, "bill_type": "sales_order", **query}
    [row] = desk.caller.get(PICKER, **given).data["data"]
    return row["unit_price"].rstrip("0").rstrip("."), row["price_source"]


def draft_order(desk: BillClient, goods: int, price: str) -> SavedBill:
    return desk.draft("sales_order", {"goods_id": goods, "quantity": "3", "price": price})


class TestPicker:
    def test_the_nearest_level_holds(self, desk: BillClient, goods: int) -> None:
        world = desk.world
        typed = {"customer_id": world.customer_a}
        body = {"id": world.customer_a, "customer_type_id": world.ids["customer_type"]}
        assert desk.caller.post("v2/custom/Customer/edit", body).ok
        assert pick_goods(desk, goods, **typed) == ("100", "商品售价")
        desk.stock_in(goods, 5)
        desk.add_audited("sales_outbound", {"goods_id": goods, "quantity": "1", "price": "97"})
        assert pick_goods(desk, goods, **typed) == ("97", "上次价")
        assert add_price(desk, goods, "95").ok
        assert pick_goods(desk, goods, **typed) == pick_goods(desk, goods) == ("95", "公司价")
        assert add_price(desk, goods, "93", customer_type_id=world.ids["customer_type"]).ok
        assert pick_goods(desk, goods, **typed) == ("93", "客户类别价")
        assert add_price(desk, goods, "96", **typed).ok
        assert pick_goods(desk, goods, **typed) == ("96", "客户价")
        other = desk.partner("customer", "另一客户")
        assert pick_goods(desk, goods, customer_id=other) == ("95", "公司价")

    def test_it_holds_within_its_days_and_while_enabled(self, desk: BillClient, goods: int) -> None:
        now = today()
        past, next_week = str(now - timedelta(1)), str(now + timedelta(7))
        assert add_price(desk, goods, "90", ends_on=past).ok
        assert add_price(desk, goods, "91", starts_on=next_week).ok
        assert add_price(desk, goods, "92", starts_on=str(now), enabled=False).ok
        assert pick_goods(desk, goods) == ("100", "商品售价")
        assert add_price(desk, goods, "93", starts_on=past, ends_on=str(now)).ok
        assert pick_goods(desk, goods) == ("93", "公司价")


class TestLowestPrice:
    def test_below_it_is_refused_and_the_right_to_go_on_is_logged(self, desk: BillClient, goods: int) -> None:
        clerk = BillClient(desk.site, "clerk_a")
        desk.set_price_mode(1)
        bill = draft_order(desk, goods, "79.99")
        for confirmed in (False, True):
            answer = clerk.apply_action("auditorPass", bill, confirmed=confirmed)
            assert (answer.code, answer.msg.endswith("低于最低售价 80.00 元")) == (400, True)
        assert desk.apply_action("auditorPass", bill).code == 363
        assert desk.apply_action("auditorPass", bill, confirmed=True).ok
        log = desk.caller.get(desk.path("sales_order", "getLog"), id=bill.id).data
        assert next(row for row in log if row["action"] == "confirmed")["reason"].endswith("低于最低售价")
        # What was agreed to in the order is shipped without asking again, and no cheaper.
        desk.stock_in(goods, 9)
        [line] = desk.line_ids(bill)
        ship = {"goods_id": goods, "quantity": "1", "order_line_id": line}
        cheaper = clerk.draft("sales_outbound", {**ship, "price": "79"})
        assert clerk.apply_action("auditorPass", cheaper).code == 400
        agreed = clerk.draft("sales_outbound", {**ship, "price": "79.99"})
        assert clerk.apply_action("auditorPass", agreed).ok

    def test_a_price_of_the_list_may_be_sold_at_and_its_own_limit_holds(
        self, desk: BillClient, goods: int
    ) -> None:
        clerk = BillClient(desk.site, "clerk_a")
        desk.set_price_mode(1)
        made = add_price(desk, goods, "70", customer_id=desk.world.customer_a)
        assert clerk.apply_action("auditorPass", draft_order(desk, goods, "70")).ok
        assert clerk.apply_action("auditorPass", draft_order(desk, goods, "69.99")).code == 400
        assert desk.caller.post(f"{API}/edit", {"id": made.data["id"], "lowest_price": "60"}).ok
        assert clerk.apply_action("auditorPass", draft_order(desk, goods, "60")).ok

    def test_a_price_alone_is_no_lowest_price(self, desk: BillClient) -> None:
        goods = desk.world.spares[next(_spares)]
        desk.set_price_mode(1)
        assert add_price(desk, goods, "90").ok
        assert BillClient(desk.site, "clerk_a").apply_action("auditorPass", draft_order(desk, goods, "1")).ok


class TestRecord:
    @pytest.mark.parametrize(
        ("more", "msg"),
        [
            ({"lowest_price": "91"}, "最低售价不能高于销售价"),
            ({"starts_on": "2026-03-02", "ends_on": "2026-03-01"}, "失效日期不能早于生效日期"),
            ({"customer_id": "customer_a", "customer_type_id": "customer_type"}, "客户与客户类别只能选一项"),
            ({"customer_id": "customer_b"}, "“客户”与单据不匹配"),
        ],
    )
    def test_what_makes_no_sense_is_refused(
        self, desk: BillClient, goods: int, more: dict[str, str], msg: str
    ) -> None:
        answer = add_price(desk, goods, "90", **{name: desk.world.ids.get(v, v) for name, v in more.items()})
        assert answer.code == 400
        assert answer.msg.startswith(msg)

    def test_one_price_a_level_and_day(self, desk: BillClient, goods: int) -> None:
        assert add_price(desk, goods, "90").ok
        again = add_price(desk, goods, "91")
        assert (again.code, "已存在" in again.msg) == (400, True)

    def test_the_journal_has_its_first_each_change_and_its_end(self, desk: BillClient, goods: int) -> None:
        key = add_price(desk, goods, "90", customer_id=desk.world.customer_a).data["id"]
        assert desk.caller.post(f"{API}/edit", {"id": key, "sale_price": "88"}).ok
        assert desk.caller.post(f"{API}/edit", {"id": key, "remark": "老客户"}).ok
        assert desk.caller.post(f"{API}/del", {"ids": [key]}).ok
        rows = desk.caller.get(
            "v2/system/PriceChangeLog/getList",
            goods_id=goods,
            kind=2,
            order_key="price_change_id",
            order_by="asc",
        ).data["data"]
        told = [(row["sale_from"], row["sale_to"], row["user_id"]) for row in rows]
        admin = desk.world.user_admin
        assert told == [
            (None, "90.000000", admin),
            ("90.000000", "88.000000", admin),
            ("88.000000", None, admin),
        ]
