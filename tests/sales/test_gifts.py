"""Gifts follow their paid goods: who gives them without those, or takes those back without them, is asked first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.kit.client import Answer
from tests.kit.desk import Desk, Made
from tests.kit.state import broken

SALE = ("sales_order", "sales_outbound", "sales_return")
PURCHASE = ("purchase_order", "purchase_inbound", "purchase_return")
TRADES = pytest.mark.parametrize("trade", [SALE, PURCHASE], ids=["sale", "purchase"])
PAID, GIFT = 44, 45


class Shop:
    """Paid goods, and gifts that come with them."""

    def __init__(self, desk: Desk, trade: tuple[str, str, str] = SALE) -> None:
        self.desk, (self.order_type, self.delivery_type, self.return_type) = desk, trade
        self.paid, self.gift = desk.world.spares[PAID], desk.world.spares[GIFT]
        self.name = {row[0]: row[1] for row in self._names()}
        if trade is SALE:
            for goods in (self.paid, self.gift):
                desk.stock_in(goods, 100)

    def _names(self) -> list[Any]:
        with self.desk.site.engine.connect() as conn:
            return list(conn.exec_driver_sql("select goods_id, goods_name from goods"))

    def lines(
        self, paid: str, gifts: str, sources: Sequence[int] = (), column: str = ""
    ) -> list[dict[str, Any]]:
        """A line of paid goods and one of gifts, unless they are none; the sources are those lines' in turn."""
        found = []
        for place, (goods, quantity) in enumerate(((self.paid, paid), (self.gift, gifts))):
            line: dict[str, Any] = {"goods_id": goods, "quantity": quantity, "price": "113"}
            line |= {"price": "0", "is_gift": True} if place else {}
            line |= {column: sources[place]} if place < len(sources) else {}
            found += [line] if quantity != "0" else []
        return found

    def order(self, paid: str = "10", gifts: str = "2", **header: Any) -> Made:
        return self.desk.audited(self.order_type, *self.lines(paid, gifts), **header)

    def delivery(self, order: Made, paid: str, gifts: str) -> Made:
        lines = self.lines(paid, gifts, self.desk.line_ids(order), "order_line_id")
        return self.desk.draft(self.delivery_type, *lines)

    def delivered(self, order: Made, paid: str = "10", gifts: str = "2") -> Made:
        made = self.delivery(order, paid, gifts)
        assert self.desk.act("auditorPass", made).ok
        return made

    def back(self, delivery: Made, paid: str, gifts: str, **header: Any) -> Made:
        lines = self.lines(paid, gifts, self.desk.line_ids(delivery), "source_line_id")
        return self.desk.draft(self.return_type, *lines, **header)


@pytest.fixture
def shop(desk: Desk, trade: tuple[str, str, str]) -> Shop:
    return Shop(desk, trade)


@pytest.fixture
def sales(desk: Desk) -> Shop:
    return Shop(desk)


def confirmed(desk: Desk, made: Made, action: str = "auditorPass") -> str:
    """Who goes on; the reason that is logged."""
    assert desk.act(action, made, confirmed=True).ok
    log = desk.caller.get(desk.path(made.resource, "getLog"), id=made.id).data
    return str(next(row["reason"] for row in log if row["action"] == "confirmed"))


def asked(desk: Desk, made: Made, told: str, action: str = "auditorPass") -> None:
    """It is asked, nothing was done, and who goes on is logged with what was asked."""
    before = desk.info(made)["status"]
    answer = desk.act(action, made)
    assert (answer.code, answer.msg) == (363, f"{told}，是否继续？")
    assert desk.info(made)["status"] == before
    assert confirmed(desk, made, action) == told


@TRADES
class TestWithThem:
    def word(self, shop: Shop) -> str:
        return "出库" if shop.delivery_type == "sales_outbound" else "入库"

    def test_not_without_what_is_paid_for(self, desk: Desk, shop: Shop, conn: Connection) -> None:
        done, name = self.word(shop), shop.name[shop.gift]
        alone = shop.delivery(shop.order(), "0", "2")
        asked(desk, alone, f"赠品{name}已{done} 2，按已{done}的付款商品只应有 0")
        assert broken(conn) == {}

    def test_not_more_than_what_is_paid_for_earns(self, desk: Desk, shop: Shop) -> None:
        done, name, order = self.word(shop), shop.name[shop.gift], shop.order("10", "5")
        asked(desk, shop.delivery(order, "4", "3"), f"赠品{name}已{done} 3，按已{done}的付款商品只应有 2")

    @pytest.mark.parametrize("action", ["antiAuditor", "invalid"])
    def test_what_is_paid_for_is_not_taken_back_without_them(
        self, desk: Desk, shop: Shop, action: str
    ) -> None:
        done, name, order = self.word(shop), shop.name[shop.gift], shop.order()
        paid = shop.delivered(order, "10", "0")
        shop.delivered(order, "0", "2")
        asked(desk, paid, f"赠品{name}已{done} 2，按已{done}的付款商品只应有 0", action)

    def test_in_proportion_rounded_up(self, desk: Desk, shop: Shop) -> None:
        order = shop.order("10", "2")
        shop.delivered(order, "1", "1")
        shop.delivered(order, "5", "1")
        shop.delivered(order, "4", "0")
        assert desk.info(order)["receiving_status"] == 2

    def test_they_may_come_later(self, desk: Desk, shop: Shop) -> None:
        order = shop.order()
        shop.delivered(order, "10", "0")
        shop.delivered(order, "0", "2")

    def test_an_order_with_nothing_but_earned_gifts_left_is_not_closed_unasked(
        self, desk: Desk, shop: Shop
    ) -> None:
        order = shop.order()
        shop.delivered(order, "5", "0")
        asked(desk, order, f"赠品{shop.name[shop.gift]}还有 1 未{self.word(shop)}", "close")
        other = shop.order()
        shop.delivered(other, "5", "1")
        assert desk.act("close", other).ok


@TRADES
class TestBack:
    def test_they_come_back_in_proportion(self, desk: Desk, shop: Shop, conn: Connection) -> None:
        delivery = shop.delivered(shop.order("10", "5"), "10", "5")
        path = desk.path(shop.return_type, "getDraft")
        drafted = desk.caller.get(path, id=delivery.id).data["lines"]
        assert [(line["quantity"], line["is_gift"]) for line in drafted] == [
            ("10.000", False),
            ("5.000", True),
        ]
        asked(desk, shop.back(delivery, "4", "1"), f"随货赠品{shop.name[shop.gift]}还有 1 未退回")
        assert desk.act("auditorPass", shop.back(delivery, "6", "4")).ok
        assert broken(conn) == {}

    def test_of_a_bill_without_an_order(self, desk: Desk, shop: Shop) -> None:
        delivery = desk.audited(shop.delivery_type, *shop.lines("10", "1"))
        assert desk.act("auditorPass", shop.back(delivery, "9", "0")).ok
        asked(desk, shop.back(delivery, "1", "0"), f"随货赠品{shop.name[shop.gift]}还有 1 未退回")

    def test_gifts_alone_come_back_unasked(self, desk: Desk, shop: Shop) -> None:
        delivery = shop.delivered(shop.order())
        assert desk.act("auditorPass", shop.back(delivery, "0", "1")).ok

    def test_what_is_replaced_keeps_them(self, desk: Desk, shop: Shop) -> None:
        order = shop.order()
        delivery = shop.delivered(order)
        assert desk.act("auditorPass", shop.back(delivery, "10", "0", remedy=2)).ok
        again = shop.delivered(order, "10", "0")
        assert desk.act("auditorPass", shop.back(again, "10", "0", remedy=1)).code == 363

    def test_gifts_sent_after_the_goods_come_back_with_them(self, desk: Desk, shop: Shop) -> None:
        order = shop.order()
        first = shop.delivered(order, "10", "0")
        shop.delivered(order, "0", "2")
        asked(desk, shop.back(first, "10", "0"), f"随货赠品{shop.name[shop.gift]}还有 2 未退回")


class TestSamples:
    @pytest.fixture(autouse=True)
    def minded(self, desk: Desk) -> Iterator[None]:
        """The company wants to be asked."""
        self.mind(desk, 2)
        yield
        self.mind(desk, 0)

    def mind(self, desk: Desk, mode: int) -> None:
        with desk.site.engine.begin() as conn:
            conn.exec_driver_sql("update bill_setting set sample_mode = %s where type = 2", (mode,))

    def test_the_company_says_what_is_done_about_nothing_but_gifts(self, desk: Desk, sales: Shop) -> None:
        self.mind(desk, 0)
        desk.audited("sales_outbound", *sales.lines("0", "1"))
        self.mind(desk, 1)
        answer = desk.act("auditorPass", desk.draft("sales_outbound", *sales.lines("0", "1")))
        assert (answer.code, answer.msg) == (400, f"没有付款商品，只有赠品{sales.name[sales.gift]}")

    def test_nothing_but_gifts_is_asked_about(self, desk: Desk, sales: Shop) -> None:
        told = f"没有付款商品，只有赠品{sales.name[sales.gift]}"
        asked(desk, desk.draft("sales_outbound", *sales.lines("0", "1")), told)
        order = desk.draft("sales_order", *sales.lines("0", "1"))
        asked(desk, order, told)
        # What the order was asked about is not asked about again.
        draft = desk.caller.get(desk.path("sales_outbound", "getDraft"), id=order.id).data
        assert desk.act("auditorPass", desk.draft("sales_outbound", *draft["lines"])).ok

    def test_a_gift_with_paid_goods_is_the_clerks_to_give(self, desk: Desk, sales: Shop) -> None:
        desk.audited("sales_outbound", *sales.lines("1", "3"))

    def test_what_is_asked_is_a_refusal_in_a_batch_of_many(self, desk: Desk, sales: Shop) -> None:
        bills = [desk.draft("sales_outbound", *sales.lines(*count)) for count in (("1", "1"), ("0", "1"))]
        answer = desk.act("auditorPass", *bills)
        assert answer.data["success"] == [bills[0].id]
        assert [(row["serial"], row["code"]) for row in answer.data["failures"]] == [(bills[1].no, 363)]


class TestQuoted:
    def test_an_order_takes_no_gift_without_what_was_quoted_with_it(self, desk: Desk, sales: Shop) -> None:
        quote = desk.audited("sales_quote", *sales.lines("10", "2"), valid_until="2026-12-31")
        keys = desk.line_ids(quote)
        alone = desk.draft("sales_order", *sales.lines("0", "2", keys, "quote_line_id"))
        asked(desk, alone, f"赠品{sales.name[sales.gift]}已订货 2，按已订货的付款商品只应有 0")
        part = desk.draft("sales_order", *sales.lines("10", "0", keys, "quote_line_id"))
        assert desk.act("auditorPass", part).ok


class TestPromoted:
    """满5送1: what a promotion of the day gives is what its own goods earn, not any others."""

    @pytest.fixture
    def sales(self, desk: Desk) -> Iterator[Shop]:
        shop = Shop(desk)
        shop.paid, shop.gift = desk.world.spares[46], desk.world.spares[47]
        for goods in (shop.paid, shop.gift):
            desk.stock_in(goods, 200)
        row = {"goods_id": shop.paid, "method": 3, "buy_quantity": "5"}
        row |= {"gift_goods_id": shop.gift, "gift_quantity": "1"}
        days = {"starts_on": "2026-03-01", "ends_on": "2026-03-31", "policy_name": "满5送1"}
        policy = desk.audited("promotion_policy", row, **days)
        yield shop
        assert desk.act("close", policy).ok

    def test_so_many_as_it_gives(self, desk: Desk, sales: Shop) -> None:
        desk.audited("sales_outbound", *sales.lines("10", "2"))
        told = f"赠品{sales.name[sales.gift]} 3，促销按付款商品只送 2"
        asked(desk, desk.draft("sales_outbound", *sales.lines("10", "3")), told)

    def test_none_below_what_must_be_bought(self, desk: Desk, sales: Shop) -> None:
        told = f"赠品{sales.name[sales.gift]} 1，促销按付款商品只送 0"
        asked(desk, desk.draft("sales_order", *sales.lines("4", "1")), told)

    def test_an_order_in_parts_has_them_as_they_are_earned(self, desk: Desk, sales: Shop) -> None:
        order = sales.order("10", "2")
        told = f"赠品{sales.name[sales.gift]}已出库 1，按已出库的付款商品只应有 0"
        asked(desk, sales.delivery(order, "4", "1"), told)
        sales.delivered(order, "6", "1")

    def test_other_goods_of_the_order_earn_none(self, desk: Desk, sales: Shop) -> None:
        desk.stock_in(desk.world.spares[PAID], 100)
        other = {"goods_id": desk.world.spares[PAID], "quantity": "90", "price": "113"}
        order = desk.audited("sales_order", *sales.lines("5", "1"), other)
        *_, gift, rest = desk.line_ids(order)
        lines = [{**other, "order_line_id": rest}, {**sales.lines("0", "1")[0], "order_line_id": gift}]
        told = f"赠品{sales.name[sales.gift]}已出库 1，按已出库的付款商品只应有 0"
        asked(desk, desk.draft("sales_outbound", *lines), told)

    def test_what_is_kept_earns_what_is_kept(self, desk: Desk, sales: Shop) -> None:
        delivery = desk.audited("sales_outbound", *sales.lines("10", "2"))
        asked(desk, sales.back(delivery, "1", "0"), f"随货赠品{sales.name[sales.gift]}还有 1 未退回")
        assert desk.act("auditorPass", sales.back(delivery, "4", "1")).ok

    def test_no_gift_twice_by_order_and_outbound(self, desk: Desk, sales: Shop) -> None:
        """The order has its gift: the outbound's own one is one more."""
        order = sales.order("10", "2")
        [paid, _] = desk.line_ids(order)
        line, own = {**sales.lines("10", "0")[0], "order_line_id": paid}, sales.lines("0", "2")[0]
        told = f"赠品{sales.name[sales.gift]} 2，促销按付款商品只送 0"
        asked(desk, desk.draft("sales_outbound", line, own), told)


def test_a_request_of_a_clerk_is_asked_alike(desk: Desk, sales: Shop) -> None:
    """No right goes on unasked."""
    made = sales.delivery(sales.order(), "0", "1")
    answer: Answer = Desk(desk.site, "clerk_a").act("auditorPass", made)
    assert answer.code == 363
