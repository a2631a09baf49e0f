"""Quotes: orders are drawn from them while they hold, never beyond what was quoted, at the prices that were agreed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.bill_client import BillClient, SavedBill


@pytest.fixture
def quote(desk: BillClient) -> SavedBill:
    """Ten pieces at 90, until 10 March."""
    line = {"goods_id": desk.world.spares[53], "quantity": "10", "price": "90"}
    return desk.add_audited("sales_quote", line, valid_until="2026-03-10")


def draw_order(desk: BillClient, quote: SavedBill, quantity: str, **more: Any) -> dict[str, Any]:
    body = desk.caller.get(desk.path("sales_order", "getDraft"), id=quote.id).data
    body |= {"warehouse_id": desk.world.warehouse_a, "business_date": "2026-03-05", **more}
    body["lines"][0]["quantity"] = quantity
    return dict(body)


def add_order(desk: BillClient, quote: SavedBill, quantity: str) -> SavedBill:
    answer = desk.caller.post(desk.path("sales_order", "add"), draw_order(desk, quote, quantity))
    assert answer.ok, answer
    return SavedBill("sales_order", answer.data["id"], answer.data["bill_no"])


class TestOrders:
    def test_what_was_ordered_is_counted_and_never_more(self, desk: BillClient, quote: SavedBill) -> None:
        assert desk.read_bill(quote)["ordered_status"] == 1
        first = add_order(desk, quote, "4")
        line = desk.read_bill(first)["lines"][0]
        assert (line["price"], desk.read_bill(first)["customer_id"]) == ("90.000000", desk.world.customer_a)
        assert desk.apply_action("auditorPass", first).ok
        assert desk.read_bill(quote)["ordered_status"] == 3
        beyond = desk.apply_action("auditorPass", add_order(desk, quote, "7"))
        assert (beyond.code, beyond.msg) == (
            400,
            f"超过销售报价单{quote.no}第1行的可执行数量（数量 10，已执行 4，可执行 6，本次 7），请核对数量",
        )
        assert desk.apply_action("auditorPass", add_order(desk, quote, "6")).ok
        assert desk.read_bill(quote)["ordered_status"] == 2
        taken_back = desk.apply_action("antiAuditor", quote)
        assert taken_back.code == 400

    def test_a_quote_ends_on_its_last_day(self, desk: BillClient, quote: SavedBill) -> None:
        add = desk.path("sales_order", "add")
        assert desk.caller.post(add, draw_order(desk, quote, "1", business_date="2026-03-10")).ok
        late = desk.caller.post(add, draw_order(desk, quote, "1", business_date="2026-03-11"))
        assert (late.code, late.msg) == (400, f"报价单{quote.no}已于2026-03-10到期，请重新报价")

    def test_a_closed_one_is_not_executed(self, desk: BillClient, quote: SavedBill) -> None:
        made = add_order(desk, quote, "1")
        assert desk.apply_action("close", quote).ok
        assert desk.apply_action("auditorPass", made).code == 400

    def test_its_last_day_is_not_before_its_date(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.spares[53], "quantity": "1", "price": "1"}
        answer = desk.add("sales_quote", line, valid_until="2026-03-04")
        assert (answer.code, answer.msg) == (400, "有效期至不能早于业务日期")


class TestLowestPrice:
    def test_who_may_agrees_in_the_quote_and_the_order_keeps_to_it(self, desk: BillClient) -> None:
        goods, clerk = desk.world.spares[54], BillClient(desk.site, "clerk_a")
        body = {"company_id": desk.world.company_a, "goods_id": goods, "lowest_price": "80"}
        assert desk.caller.post("v2/system/CompanyGoods/add", body).ok
        with desk.site.engine.begin() as conn:
            conn.exec_driver_sql("update bill_setting set price_mode = 1 where type = 2")
        line = {"goods_id": goods, "quantity": "2", "price": "70"}
        made = desk.draft("sales_quote", line, valid_until="2026-03-10")
        assert clerk.apply_action("auditorPass", made).code == 400
        assert desk.apply_action("auditorPass", made, confirmed=True).ok
        assert clerk.apply_action("auditorPass", clerk.draft("sales_order", line)).code == 400
        assert clerk.apply_action("auditorPass", add_order(desk, made, "2")).ok
