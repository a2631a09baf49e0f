"""Returned goods are sent again on their order where the return says so (补发、补货); else it stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks
from tests.support.ledger_builders import read_balances

SALE = ("sales_order", "sales_outbound", "sales_return", 40)
PURCHASE = ("purchase_order", "purchase_inbound", "purchase_return", 41)
REPLACED: dict[str, Any] = {"remedy": 2}
TRADES = pytest.mark.parametrize("trade", [SALE, PURCHASE], ids=["sale", "purchase"])


class DeliveredOrder:
    """Ten pieces ordered, and all of them delivered."""

    def __init__(self, desk: BillClient, trade: tuple[str, str, str, int], **header: Any) -> None:
        self.desk, (self.order_type, self.delivery_type, self.return_type, spare) = desk, trade
        self.goods = desk.world.spares[spare]
        if trade is SALE:
            desk.stock_in(self.goods, 30)
        self.order = desk.add_audited(self.order_type, self.line("10"), **header)
        self.delivery = self.deliver("10")

    def line(self, quantity: str, **more: Any) -> dict[str, Any]:
        return {"goods_id": self.goods, "quantity": quantity, "price": "113", "tax_rate": "13", **more}

    def deliver(self, quantity: str) -> SavedBill:
        [source] = self.desk.line_ids(self.order)
        return self.desk.add_audited(self.delivery_type, self.line(quantity, order_line_id=source))

    def draft_return(self, quantity: str, delivery: SavedBill | None = None, **header: Any) -> SavedBill:
        [source] = self.desk.line_ids(delivery or self.delivery)
        return self.desk.draft(self.return_type, self.line(quantity, source_line_id=source), **header)

    def read_executed(self) -> tuple[str, int]:
        info = self.desk.read_bill(self.order)
        return info["lines"][0]["executed_quantity"], info["receiving_status"]

    def list_left(self) -> list[str]:
        answer = self.desk.caller.get(self.desk.path(self.delivery_type, "getDraft"), id=self.order.id)
        return [line["quantity"] for line in answer.data["lines"]] if answer.ok else []


@pytest.fixture
def deal(desk: BillClient, trade: tuple[str, str, str, int]) -> DeliveredOrder:
    return DeliveredOrder(desk, trade)


@pytest.fixture(autouse=True)
def sound(conn: Connection) -> Iterator[None]:
    yield
    conn.rollback()
    assert find_broken_checks(conn) == {}


@TRADES
class TestReplaced:
    def test_the_order_is_open_again_for_what_came_back(self, desk: BillClient, deal: DeliveredOrder) -> None:
        assert (deal.read_executed(), deal.list_left()) == (("10.000", 2), [])
        made = deal.draft_return("4", **REPLACED)
        assert deal.read_executed() == ("10.000", 2)
        assert desk.apply_action("auditorPass", made).ok
        assert (deal.read_executed(), deal.list_left()) == (("6.000", 3), ["4.000"])
        again = deal.deliver("4")
        assert (deal.read_executed(), deal.list_left()) == (("10.000", 2), [])
        # What was sent instead can come back in its turn.
        assert desk.apply_action("auditorPass", deal.draft_return("4", again, **REPLACED)).ok
        assert deal.list_left() == ["4.000"]

    def test_what_is_refunded_leaves_it_as_it_is(self, desk: BillClient, deal: DeliveredOrder) -> None:
        assert desk.apply_action("auditorPass", deal.draft_return("4")).ok
        assert (deal.read_executed(), deal.list_left()) == (("10.000", 2), [])

    def test_taking_it_back_restores_everything(
        self, desk: BillClient, deal: DeliveredOrder, conn: Connection
    ) -> None:
        made = deal.draft_return("4", **REPLACED)
        before = read_balances(conn)
        conn.rollback()
        assert desk.apply_action("auditorPass", made).ok
        assert desk.apply_action("antiAuditor", made).ok
        assert read_balances(conn) == before
        assert deal.read_executed() == ("10.000", 2)

    def test_it_is_not_taken_back_once_it_was_sent_again(
        self, desk: BillClient, deal: DeliveredOrder
    ) -> None:
        made = deal.draft_return("4", **REPLACED)
        assert desk.apply_action("auditorPass", made).ok
        again = deal.deliver("1")
        for action in ("antiAuditor", "invalid"):
            answer = desk.apply_action(action, made)
            label = "销售订单" if deal.order_type == "sales_order" else "采购订单"
            told = f"{label}{deal.order.no}第1行重新打开的数量已再次执行，请先处理后续单据"
            assert (answer.code, answer.msg) == (400, told)
        assert desk.apply_action("antiAuditor", again).ok
        assert desk.apply_action("antiAuditor", made).ok

    def test_a_closed_order_is_opened_before(self, desk: BillClient, deal: DeliveredOrder) -> None:
        made = deal.draft_return("4", **REPLACED)
        assert desk.apply_action("close", deal.order).ok
        answer = desk.apply_action("auditorPass", made)
        assert answer.code == 400
        assert answer.msg.endswith(
            f"{deal.order.no}不是已审核状态，不能退回已执行数量，请先打开它，或改选退款"
        )
        assert deal.read_executed()[0] == "10.000"
        assert desk.apply_action("open", deal.order).ok
        assert desk.apply_action("auditorPass", made).ok
        assert deal.list_left() == ["4.000"]

    def test_an_order_of_which_all_came_back_stands(self, desk: BillClient, deal: DeliveredOrder) -> None:
        assert desk.apply_action("auditorPass", deal.draft_return("10", **REPLACED)).ok
        assert deal.read_executed() == ("0.000", 1)
        for action in ("antiAuditor", "invalid"):
            answer = desk.apply_action(action, deal.order)
            told = f"订单已由{deal.delivery.no}执行，不能反审核或作废，请先处理后续单据或关闭订单"
            assert (answer.code, answer.msg) == (400, told)
        assert desk.apply_action("close", deal.order).ok

    def test_what_was_not_ordered_opens_no_order(self, desk: BillClient, deal: DeliveredOrder) -> None:
        free = desk.add_audited(deal.delivery_type, deal.line("2"))
        assert desk.apply_action("auditorPass", deal.draft_return("2", free, **REPLACED)).ok
        assert (deal.read_executed(), deal.list_left()) == (("10.000", 2), [])

    def test_another_choice_is_another_effect(self, desk: BillClient, deal: DeliveredOrder) -> None:
        """Edited before the audit, the return opens nothing."""
        made = deal.draft_return("4", **REPLACED)
        info = desk.read_bill(made)
        path = desk.path(deal.return_type, "edit")
        assert desk.caller.post(path, {**info, "id": made.id, "remedy": 1}).ok
        assert desk.apply_action("auditorPass", made).ok
        assert deal.read_executed() == ("10.000", 2)

    def test_a_counter_that_forgets_it_is_found(
        self, desk: BillClient, deal: DeliveredOrder, conn: Connection
    ) -> None:
        assert desk.apply_action("auditorPass", deal.draft_return("4", **REPLACED)).ok
        lines = f"{deal.order_type}_line set executed_quantity = 10 where bill_id = {deal.order.id}"
        conn.exec_driver_sql(f"update {lines}")
        assert f"{deal.order_type}_line_executed_quantity" in find_broken_checks(conn)


class TestSale:
    def test_what_stock_there_is_is_claimed_again(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        deal = DeliveredOrder(desk, SALE)
        world = desk.world
        stock, reserved, _ = books.available(deal.goods, world.warehouse_a)
        made = deal.draft_return("4", **REPLACED)
        assert desk.apply_action("auditorPass", made).ok
        after = books.available(deal.goods, world.warehouse_a)
        assert after[:2] == (str(int(stock) + 4), str(int(reserved) + 4))
        assert desk.apply_action("antiAuditor", made).ok
        assert books.available(deal.goods, world.warehouse_a)[:2] == (stock, reserved)
        assert desk.apply_action("auditorPass", made).ok
        deal.deliver("4")
        assert books.available(deal.goods, world.warehouse_a)[:2] == (stock, reserved)

    def test_it_is_credited_and_charged_again(self, desk: BillClient, books: PostingReader) -> None:
        deal = DeliveredOrder(desk, SALE)
        made = deal.draft_return("4", **REPLACED)
        assert desk.apply_action("auditorPass", made).ok
        again = deal.deliver("4")
        amounts = [books.settlements(bill)[0][3] for bill in (deal.delivery, made, again)]
        assert amounts == ["1130.00", "-452.00", "452.00"]

    def test_what_is_sent_instead_costs_what_came_back(self, desk: BillClient, books: PostingReader) -> None:
        """An order of 100.00 for three pieces, a cent off: its parts sum to it again."""
        goods = desk.world.spares[42]
        desk.stock_in(goods, 10)
        line = {"goods_id": goods, "quantity": "3", "price": "33.34", "discount_amount": "0.02"}
        order = desk.add_audited("sales_order", line)

        def drawn(resource: str, source: SavedBill, quantity: str, **header: Any) -> SavedBill:
            draft = desk.caller.get(desk.path(resource, "getDraft"), id=source.id).data
            return desk.add_audited(
                resource, *({**row, "quantity": quantity} for row in draft["lines"]), **header
            )

        sold = drawn("sales_outbound", order, "3")
        back = drawn("sales_return", sold, "1", **REPLACED)
        second = drawn("sales_return", sold, "1", **REPLACED)
        again = drawn("sales_outbound", order, "2")
        amounts = [Decimal(books.settlements(bill)[0][3]) for bill in (sold, back, second, again)]
        assert (amounts[0], sum(amounts)) == (Decimal("100.00"), Decimal("100.00"))

    def test_it_counts_as_ordered_in_the_customers_credit(self, desk: BillClient) -> None:
        customer = desk.partner("customer", "补发客户", credit_limit="1130")
        goods = desk.world.spares[42]
        desk.stock_in(goods, 30)
        line = {"goods_id": goods, "quantity": "10", "price": "113", "tax_rate": "13"}
        order = desk.add_audited("sales_order", line, customer_id=customer)
        [ordered] = desk.line_ids(order)
        sold = desk.add_audited("sales_outbound", {**line, "order_line_id": ordered}, customer_id=customer)
        [source] = desk.line_ids(sold)
        part = {**line, "quantity": "4", "source_line_id": source}
        with desk.site.engine.begin() as conn:
            conn.exec_driver_sql("update bill_setting set credit_mode = 1 where type = 2")
        try:
            desk.add_audited("sales_return", part, customer_id=customer, **REPLACED)
            more = desk.draft("sales_outbound", {**line, "quantity": "1"}, customer_id=customer)
            answer = desk.apply_action("auditorPass", more)
            assert (answer.code, "1,243.00" in answer.msg) == (363, True)
        finally:
            with desk.site.engine.begin() as conn:
                conn.exec_driver_sql("update bill_setting set credit_mode = 0 where type = 2")

    def test_what_was_paid_before_pays_for_what_is_sent_instead(self, desk: BillClient) -> None:
        """先款后货: the advance paid for the first delivery; the return's credit pays for the second."""
        customer = desk.partner("customer", "先款补发客户")
        desk.add_audited("customer_receipt", customer_id=customer, amount="1130")
        goods = desk.world.spares[43]
        desk.stock_in(goods, 30)
        line = {"goods_id": goods, "quantity": "10", "price": "113", "tax_rate": "13"}
        order = desk.add_audited("sales_order", line, customer_id=customer, delivery_method=2)
        [ordered] = desk.line_ids(order)
        sold = desk.add_audited("sales_outbound", {**line, "order_line_id": ordered}, customer_id=customer)
        [source] = desk.line_ids(sold)
        part = {**line, "quantity": "4"}
        back = desk.add_audited(
            "sales_return", {**part, "source_line_id": source}, customer_id=customer, **REPLACED
        )
        again = desk.draft("sales_outbound", {**part, "order_line_id": ordered}, customer_id=customer)
        assert desk.apply_action("auditorPass", again).ok
        assert desk.read_bill(order)["prepaid_left"] == "0.00"
        assert desk.apply_action("antiAuditor", back).code == 400

    def test_a_credit_that_paid_for_a_delivery_is_not_taken_back(self, desk: BillClient) -> None:
        """Eight of ten were paid for; the credit of two of them let the last two go."""
        customer = desk.partner("customer", "先款退回客户")
        desk.add_audited("customer_receipt", customer_id=customer, amount="904")
        goods = desk.world.spares[43]
        desk.stock_in(goods, 30)
        line = {"goods_id": goods, "quantity": "10", "price": "113", "tax_rate": "13"}
        order = desk.add_audited("sales_order", line, customer_id=customer, delivery_method=2)
        [ordered] = desk.line_ids(order)
        first, last = ({**line, "quantity": many, "order_line_id": ordered} for many in ("8", "2"))
        sold = desk.add_audited("sales_outbound", first, customer_id=customer)
        assert (
            desk.apply_action("auditorPass", desk.draft("sales_outbound", last, customer_id=customer)).code
            == 400
        )
        [source] = desk.line_ids(sold)
        part = {**line, "quantity": "2", "source_line_id": source}
        back = desk.add_audited("sales_return", part, customer_id=customer, **REPLACED)
        rest = desk.add_audited("sales_outbound", last, customer_id=customer)
        answer = desk.apply_action("antiAuditor", back)
        assert (answer.code, rest.no in answer.msg, "还差 226.00 元" in answer.msg) == (400, True, True)
        assert desk.apply_action("antiAuditor", rest).ok
        assert desk.apply_action("antiAuditor", back).ok
