"""Gifts follow their paid goods: giving or returning them without those asks for confirmation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks

SALE = ("sales_order", "sales_outbound", "sales_return")
PURCHASE = ("purchase_order", "purchase_inbound", "purchase_return")
TRADES = pytest.mark.parametrize("trade", [SALE, PURCHASE], ids=["sale", "purchase"])
PAID, GIFT = 44, 45


class GiftTrade:
    """Paid goods, and gifts that come with them."""

    def __init__(self, desk: BillClient, trade: tuple[str, str, str] = SALE) -> None:
        self.desk, (self.order_type, self.delivery_type, self.return_type) = desk, trade
        self.paid, self.gift = desk.world.spares[PAID], desk.world.spares[GIFT]
        self.name = {row[0]: row[1] for row in self._read_names()}
        if trade is SALE:
            for goods in (self.paid, self.gift):
                desk.stock_in(goods, 100)

    def _read_names(self) -> list[Any]:
        with self.desk.site.engine.connect() as conn:
            return list(conn.exec_driver_sql("select goods_id, goods_name from goods"))

    def build_lines(
        self, paid: str, gifts: str, sources: Sequence[int] = (), column: str = ""
    ) -> list[dict[str, Any]]:
        """Build a line of paid goods and one of gifts, unless 0; sources are those lines' in turn."""
        found = []
        for place, (goods, quantity) in enumerate(((self.paid, paid), (self.gift, gifts))):
            line: dict[str, Any] = {"goods_id": goods, "quantity": quantity, "price": "113"}
            line |= {"price": "0", "is_gift": True} if place else {}
            line |= {column: sources[place]} if place < len(sources) else {}
            found += [line] if quantity != "0" else []
        return found

    def audit_order(self, paid: str = "10", gifts: str = "2", **header: Any) -> SavedBill:
        return self.desk.add_audited(self.order_type, *self.build_lines(paid, gifts), **header)

    def draft_delivery(self, order: SavedBill, paid: str, gifts: str) -> SavedBill:
        lines = self.build_lines(paid, gifts, self.desk.line_ids(order), "order_line_id")
        return self.desk.draft(self.delivery_type, *lines)

    def audit_delivery(self, order: SavedBill, paid: str = "10", gifts: str = "2") -> SavedBill:
        made = self.draft_delivery(order, paid, gifts)
        assert self.desk.apply_action("auditorPass", made).ok
        return made

    def draft_return(self, delivery: SavedBill, paid: str, gifts: str, **header: Any) -> SavedBill:
        lines = self.build_lines(paid, gifts, self.desk.line_ids(delivery), "source_line_id")
        return self.desk.draft(self.return_type, *lines, **header)


@pytest.fixture
def shop(desk: BillClient, trade: tuple[str, str, str]) -> GiftTrade:
    return GiftTrade(desk, trade)


@pytest.fixture
def sales(desk: BillClient) -> GiftTrade:
    return GiftTrade(desk)


def confirm_action(desk: BillClient, made: SavedBill, action: str = "auditorPass") -> str:
    """Confirm an action; return the reason that is logged."""
    assert desk.apply_action(action, made, confirmed=True).ok
    log = desk.caller.get(desk.path(made.resource, "getLog"), id=made.id).data
    return str(next(row["reason"] for row in log if row["action"] == "confirmed"))


def expect_question(desk: BillClient, made: SavedBill, question: str, action: str = "auditorPass") -> None:
    """Expect a question that does nothing yet; confirm, and expect it in the log."""
    before = desk.read_bill(made)["status"]
    answer = desk.apply_action(action, made)
    assert (answer.code, answer.msg) == (363, f"{question}，是否继续？")
    assert desk.read_bill(made)["status"] == before
    assert confirm_action(desk, made, action) == question


@TRADES
class TestWithThem:
    def get_word(self, shop: GiftTrade) -> str:
        return "出库" if shop.delivery_type == "sales_outbound" else "入库"

    def test_not_without_what_is_paid_for(self, desk: BillClient, shop: GiftTrade, conn: Connection) -> None:
        done, name = self.get_word(shop), shop.name[shop.gift]
        alone = shop.draft_delivery(shop.audit_order(), "0", "2")
        expect_question(desk, alone, f"赠品{name}已{done} 2，按已{done}的付款商品只应有 0")
        assert find_broken_checks(conn) == {}

    def test_not_more_than_what_is_paid_for_earns(self, desk: BillClient, shop: GiftTrade) -> None:
        done, name, order = self.get_word(shop), shop.name[shop.gift], shop.audit_order("10", "5")
        expect_question(
            desk, shop.draft_delivery(order, "4", "3"), f"赠品{name}已{done} 3，按已{done}的付款商品只应有 2"
        )

    @pytest.mark.parametrize("action", ["antiAuditor", "invalid"])
    def test_what_is_paid_for_is_not_taken_back_without_them(
        self, desk: BillClient, shop: GiftTrade, action: str
    ) -> None:
        done, name, order = self.get_word(shop), shop.name[shop.gift], shop.audit_order()
        paid = shop.audit_delivery(order, "10", "0")
        shop.audit_delivery(order, "0", "2")
        expect_question(desk, paid, f"赠品{name}已{done} 2，按已{done}的付款商品只应有 0", action)

    def test_in_proportion_rounded_up(self, desk: BillClient, shop: GiftTrade) -> None:
        order = shop.audit_order("10", "2")
        shop.audit_delivery(order, "1", "1")
        shop.audit_delivery(order, "5", "1")
        shop.audit_delivery(order, "4", "0")
        assert desk.read_bill(order)["receiving_status"] == 2

    def test_they_may_come_later(self, desk: BillClient, shop: GiftTrade) -> None:
        order = shop.audit_order()
        shop.audit_delivery(order, "10", "0")
        shop.audit_delivery(order, "0", "2")

    def test_an_order_with_nothing_but_earned_gifts_left_is_not_closed_unasked(
        self, desk: BillClient, shop: GiftTrade
    ) -> None:
        order = shop.audit_order()
        shop.audit_delivery(order, "5", "0")
        expect_question(desk, order, f"赠品{shop.name[shop.gift]}还有 1 未{self.get_word(shop)}", "close")
        other = shop.audit_order()
        shop.audit_delivery(other, "5", "1")
        assert desk.apply_action("close", other).ok


@TRADES
class TestBack:
    def test_they_come_back_in_proportion(self, desk: BillClient, shop: GiftTrade, conn: Connection) -> None:
        delivery = shop.audit_delivery(shop.audit_order("10", "5"), "10", "5")
        path = desk.path(shop.return_type, "getDraft")
        drafted = desk.caller.get(path, id=delivery.id).data["lines"]
        assert [(line["quantity"], line["is_gift"]) for line in drafted] == [
            ("10.000", False),
            ("5.000", True),
        ]
        expect_question(
            desk, shop.draft_return(delivery, "4", "1"), f"随货赠品{shop.name[shop.gift]}还有 1 未退回"
        )
        assert desk.apply_action("auditorPass", shop.draft_return(delivery, "6", "4")).ok
        assert find_broken_checks(conn) == {}

    def test_of_a_bill_without_an_order(self, desk: BillClient, shop: GiftTrade) -> None:
        delivery = desk.add_audited(shop.delivery_type, *shop.build_lines("10", "1"))
        assert desk.apply_action("auditorPass", shop.draft_return(delivery, "9", "0")).ok
        expect_question(
            desk, shop.draft_return(delivery, "1", "0"), f"随货赠品{shop.name[shop.gift]}还有 1 未退回"
        )

    def test_gifts_alone_come_back_unasked(self, desk: BillClient, shop: GiftTrade) -> None:
        delivery = shop.audit_delivery(shop.audit_order())
        assert desk.apply_action("auditorPass", shop.draft_return(delivery, "0", "1")).ok

    def test_what_is_replaced_keeps_them(self, desk: BillClient, shop: GiftTrade) -> None:
        order = shop.audit_order()
        delivery = shop.audit_delivery(order)
        assert desk.apply_action("auditorPass", shop.draft_return(delivery, "10", "0", remedy=2)).ok
        again = shop.audit_delivery(order, "10", "0")
        assert desk.apply_action("auditorPass", shop.draft_return(again, "10", "0", remedy=1)).code == 363

    def test_gifts_sent_after_the_goods_come_back_with_them(self, desk: BillClient, shop: GiftTrade) -> None:
        order = shop.audit_order()
        first = shop.audit_delivery(order, "10", "0")
        shop.audit_delivery(order, "0", "2")
        expect_question(
            desk, shop.draft_return(first, "10", "0"), f"随货赠品{shop.name[shop.gift]}还有 2 未退回"
        )


class TestSamples:
    @pytest.fixture(autouse=True)
    def minded(self, desk: BillClient) -> Iterator[None]:
        """The company wants to be asked."""
        self.set_sample_mode(desk, 2)
        yield
        self.set_sample_mode(desk, 0)

    def set_sample_mode(self, desk: BillClient, mode: int) -> None:
        with desk.site.engine.begin() as conn:
            conn.exec_driver_sql("update bill_setting set sample_mode = %s where type = 2", (mode,))

    def test_the_company_says_what_is_done_about_nothing_but_gifts(
        self, desk: BillClient, sales: GiftTrade
    ) -> None:
        self.set_sample_mode(desk, 0)
        desk.add_audited("sales_outbound", *sales.build_lines("0", "1"))
        self.set_sample_mode(desk, 1)
        answer = desk.apply_action("auditorPass", desk.draft("sales_outbound", *sales.build_lines("0", "1")))
        assert (answer.code, answer.msg) == (400, f"没有付款商品，只有赠品{sales.name[sales.gift]}")

    def test_nothing_but_gifts_is_asked_about(self, desk: BillClient, sales: GiftTrade) -> None:
        told = f"没有付款商品，只有赠品{sales.name[sales.gift]}"
        expect_question(desk, desk.draft("sales_outbound", *sales.build_lines("0", "1")), told)
        order = desk.draft("sales_order", *sales.build_lines("0", "1"))
        expect_question(desk, order, told)
        # What the order was asked about is not asked about again.
        draft = desk.caller.get(desk.path("sales_outbound", "getDraft"), id=order.id).data
        assert desk.apply_action("auditorPass", desk.draft("sales_outbound", *draft["lines"])).ok

    def test_a_gift_with_paid_goods_is_the_clerks_to_give(self, desk: BillClient, sales: GiftTrade) -> None:
        desk.add_audited("sales_outbound", *sales.build_lines("1", "3"))

    def test_what_is_asked_is_a_refusal_in_a_batch_of_many(self, desk: BillClient, sales: GiftTrade) -> None:
        bills = [
            desk.draft("sales_outbound", *sales.build_lines(*count)) for count in (("1", "1"), ("0", "1"))
        ]
        answer = desk.apply_action("auditorPass", *bills)
        assert answer.data["success"] == [bills[0].id]
        assert [(row["serial"], row["code"]) for row in answer.data["failures"]] == [(bills[1].no, 363)]


class TestQuoted:
    def test_an_order_takes_no_gift_without_what_was_quoted_with_it(
        self, desk: BillClient, sales: GiftTrade
    ) -> None:
        quote = desk.add_audited("sales_quote", *sales.build_lines("10", "2"), valid_until="2026-12-31")
        keys = desk.line_ids(quote)
        alone = desk.draft("sales_order", *sales.build_lines("0", "2", keys, "quote_line_id"))
        expect_question(desk, alone, f"赠品{sales.name[sales.gift]}已订货 2，按已订货的付款商品只应有 0")
        part = desk.draft("sales_order", *sales.build_lines("10", "0", keys, "quote_line_id"))
        assert desk.apply_action("auditorPass", part).ok


class TestPromoted:
    """满5送1: what a promotion of the day gives is what its own goods earn, not any others."""

    @pytest.fixture
    def sales(self, desk: BillClient) -> Iterator[GiftTrade]:
        shop = GiftTrade(desk)
        shop.paid, shop.gift = desk.world.spares[46], desk.world.spares[47]
        for goods in (shop.paid, shop.gift):
            desk.stock_in(goods, 200)
        row = {"goods_id": shop.paid, "method": 3, "buy_quantity": "5"}
        row |= {"gift_goods_id": shop.gift, "gift_quantity": "1"}
        days = {"starts_on": "2026-03-01", "ends_on": "2026-03-31", "policy_name": "满5送1"}
        policy = desk.add_audited("promotion_policy", row, **days)
        yield shop
        assert desk.apply_action("close", policy).ok

    def test_so_many_as_it_gives(self, desk: BillClient, sales: GiftTrade) -> None:
        desk.add_audited("sales_outbound", *sales.build_lines("10", "2"))
        told = f"赠品{sales.name[sales.gift]} 3，促销按付款商品只送 2"
        expect_question(desk, desk.draft("sales_outbound", *sales.build_lines("10", "3")), told)

    def test_none_below_what_must_be_bought(self, desk: BillClient, sales: GiftTrade) -> None:
        told = f"赠品{sales.name[sales.gift]} 1，促销按付款商品只送 0"
        expect_question(desk, desk.draft("sales_order", *sales.build_lines("4", "1")), told)

    def test_an_order_in_parts_has_them_as_they_are_earned(self, desk: BillClient, sales: GiftTrade) -> None:
        order = sales.audit_order("10", "2")
        told = f"赠品{sales.name[sales.gift]}已出库 1，按已出库的付款商品只应有 0"
        expect_question(desk, sales.draft_delivery(order, "4", "1"), told)
        sales.audit_delivery(order, "6", "1")

    def test_other_goods_of_the_order_earn_none(self, desk: BillClient, sales: GiftTrade) -> None:
        desk.stock_in(desk.world.spares[PAID], 100)
        other = {"goods_id": desk.world.spares[PAID], "quantity": "90", "price": "113"}
        order = desk.add_audited("sales_order", *sales.build_lines("5", "1"), other)
        *_, gift, rest = desk.line_ids(order)
        lines = [{**other, "order_line_id": rest}, {**sales.build_lines("0", "1")[0], "order_line_id": gift}]
        told = f"赠品{sales.name[sales.gift]}已出库 1，按已出库的付款商品只应有 0"
        expect_question(desk, desk.draft("sales_outbound", *lines), told)

    def test_what_is_kept_earns_what_is_kept(self, desk: BillClient, sales: GiftTrade) -> None:
        delivery = desk.add_audited("sales_outbound", *sales.build_lines("10", "2"))
        expect_question(
            desk, sales.draft_return(delivery, "1", "0"), f"随货赠品{sales.name[sales.gift]}还有 1 未退回"
        )
        assert desk.apply_action("auditorPass", sales.draft_return(delivery, "4", "1")).ok

    def test_no_gift_twice_by_order_and_outbound(self, desk: BillClient, sales: GiftTrade) -> None:
        """The order has its gift: the outbound's own one is one more."""
        order = sales.audit_order("10", "2")
        [paid, _] = desk.line_ids(order)
        line, own = {**sales.build_lines("10", "0")[0], "order_line_id": paid}, sales.build_lines("0", "2")[0]
        told = f"赠品{sales.name[sales.gift]} 2，促销按付款商品只送 0"
        expect_question(desk, desk.draft("sales_outbound", line, own), told)


def test_a_request_of_a_clerk_is_asked_alike(desk: BillClient, sales: GiftTrade) -> None:
    """No right goes on unasked."""
    made = sales.draft_delivery(sales.audit_order(), "0", "1")
    answer: Answer = BillClient(desk.site, "clerk_a").apply_action("auditorPass", made)
    assert answer.code == 363
