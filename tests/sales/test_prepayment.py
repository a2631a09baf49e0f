"""Prepayment (先款后货): goods of a prepaid order leave once advances cover them; arriving ones ask for
confirmation."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.bill_client import BillClient, SavedBill
from tests.support.payloads import DAY

PREPAID = 2
_names = itertools.count(1)


def create_customer(desk: BillClient) -> int:
    body = {"customer_name": f"先款客户{next(_names)}", "company_id": desk.world.company_a}
    answer = desk.caller.post("v2/custom/Customer/add", body)
    assert answer.ok, answer
    return int(answer.data["id"])


def audit_order(
    desk: BillClient, customer: int, quantity: str = "10", method: int = PREPAID
) -> tuple[SavedBill, int]:
    """Audit an order at 100 a piece; return it and its line."""
    line = {"goods_id": desk.world.spares[31], "quantity": quantity, "price": "100"}
    bill = desk.add_audited("sales_order", line, customer_id=customer, delivery_method=method)
    return bill, desk.line_ids(bill)[0]


def draft_outbound(
    desk: BillClient, customer: int, quantity: str, line: int | None, **more: Any
) -> SavedBill:
    row = {"goods_id": desk.world.spares[31], "quantity": quantity, "price": "100", "order_line_id": line}
    return desk.draft("sales_outbound", row, *more.pop("rows", ()), customer_id=customer, **more)


def audit_receipt(desk: BillClient, customer: int, amount: str) -> SavedBill:
    return desk.add_audited("customer_receipt", customer_id=customer, amount=amount)


def list_open_items(desk: BillClient, customer: int, path: str = "CustomerReceipt") -> list[dict[str, Any]]:
    query = {"company_id": desk.world.company_a, "customer_id": customer}
    items: list[dict[str, Any]] = desk.caller.get(f"v2/custom/{path}/getOpenItems", **query).data["data"]
    return items


def build_write_offs(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"settlement_id": item["settlement_id"], "amount": item["open_amount"]} for item in items]


def find_item(desk: BillClient, customer: int, bill: SavedBill) -> dict[str, Any]:
    [found] = build_write_offs([one for one in list_open_items(desk, customer) if one["bill_no"] == bill.no])
    return found


def build_order_message(order: SavedBill, wanted: str, left: str, lacks: str) -> str:
    return f"订单{order.no}为先款后货，客户的预收款不足（本次须先付 {wanted} 元，可用 {left} 元，还差 {lacks} 元）"


class TestOutbound:
    def test_it_is_refused_with_the_figures_until_advances_cover_it(self, desk: BillClient) -> None:
        customer = create_customer(desk)
        desk.stock_in(desk.world.spares[31], 20)
        order, line = audit_order(desk, customer)
        bill = draft_outbound(desk, customer, "6", line)
        for confirmed in (False, True):
            answer = desk.apply_action("auditorPass", bill, confirmed=confirmed)
            assert (answer.code, answer.msg) == (400, build_order_message(order, "600.00", "0.00", "600.00"))
        assert desk.read_bill(bill)["status"] == 1
        audit_receipt(desk, customer, "599.99")
        assert desk.apply_action("auditorPass", bill).msg == build_order_message(
            order, "600.00", "599.99", "0.01"
        )
        audit_receipt(desk, customer, "0.01")
        assert desk.apply_action("auditorPass", bill).ok

    def test_an_advance_covers_no_second_delivery_before_or_after_it_settles_the_first(
        self, desk: BillClient
    ) -> None:
        customer = create_customer(desk)
        desk.stock_in(desk.world.spares[31], 20)
        order, line = audit_order(desk, customer)
        audit_receipt(desk, customer, "600")
        first = draft_outbound(desk, customer, "6", line)
        assert desk.apply_action("auditorPass", first).ok
        second = draft_outbound(desk, customer, "4", line)
        assert desk.apply_action("auditorPass", second).msg == build_order_message(
            order, "400.00", "0.00", "400.00"
        )
        desk.add_audited(
            "deposit", *build_write_offs(list_open_items(desk, customer, "Deposits")), customer_id=customer
        )
        assert desk.apply_action("auditorPass", second).msg == build_order_message(
            order, "400.00", "0.00", "400.00"
        )
        audit_receipt(desk, customer, "400")
        assert desk.apply_action("auditorPass", second).ok

    def test_what_was_paid_afterwards_frees_the_advance(self, desk: BillClient) -> None:
        customer = create_customer(desk)
        desk.stock_in(desk.world.spares[31], 20)
        _, line = audit_order(desk, customer)
        audit_receipt(desk, customer, "600")
        first = draft_outbound(desk, customer, "6", line)
        assert desk.apply_action("auditorPass", first).ok
        desk.add_audited(
            "customer_receipt", find_item(desk, customer, first), customer_id=customer, amount="600"
        )
        assert desk.apply_action("auditorPass", draft_outbound(desk, customer, "4", line)).ok

    def test_other_goods_on_the_bill_and_other_orders_need_none(self, desk: BillClient) -> None:
        customer = create_customer(desk)
        desk.stock_in(desk.world.spares[31], 40)
        order, line = audit_order(desk, customer)
        audit_receipt(desk, customer, "200")
        loose = {"goods_id": desk.world.spares[31], "quantity": "9", "price": "100"}
        assert desk.apply_action("auditorPass", draft_outbound(desk, customer, "2", line, rows=(loose,))).ok
        _, later = audit_order(desk, customer, method=1)
        assert desk.apply_action("auditorPass", draft_outbound(desk, customer, "3", later)).ok
        answer = desk.apply_action("auditorPass", draft_outbound(desk, customer, "1", line))
        assert answer.msg == build_order_message(order, "100.00", "0.00", "100.00")

    def test_of_eight_audited_at_once_as_many_pass_as_were_paid_for(self, desk: BillClient) -> None:
        customer = create_customer(desk)
        desk.stock_in(desk.world.spares[31], 20)
        _, line = audit_order(desk, customer, "16")
        audit_receipt(desk, customer, "650")
        bills = [draft_outbound(desk, customer, "2", line) for _ in range(8)]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda bill: desk.apply_action("auditorPass", bill), bills))
        assert sum(answer.ok for answer in answers) == 3
        assert all("为先款后货" in answer.msg for answer in answers if not answer.ok)

    def test_the_order_tells_what_its_rest_asks_for_and_what_is_left_for_it(self, desk: BillClient) -> None:
        customer = create_customer(desk)
        desk.stock_in(desk.world.spares[31], 20)
        order, line = audit_order(desk, customer)
        audit_receipt(desk, customer, "700")
        assert desk.apply_action("auditorPass", draft_outbound(desk, customer, "6", line)).ok
        info = desk.read_bill(order)
        assert (info["prepay_amount"], info["prepaid_left"]) == ("400.00", "100.00")
        credited, _ = audit_order(desk, customer, method=1)
        info = desk.read_bill(credited)
        assert (info["prepay_amount"], info["prepaid_left"]) == (None, None)


def build_used_message(bill: SavedBill, lacks: str) -> str:
    return (
        f"客户的预收款已用于先款后货的{bill.no}，不能减少，还差 {lacks} 元；请先补收款、核销或反审核这些单据"
    )


class TestTakingBack:
    @pytest.mark.parametrize("action", ["antiAuditor", "invalid"])
    def test_an_advance_that_let_goods_leave_stays(self, desk: BillClient, action: str) -> None:
        customer = create_customer(desk)
        desk.stock_in(desk.world.spares[31], 20)
        _, line = audit_order(desk, customer)
        first, second = audit_receipt(desk, customer, "500"), audit_receipt(desk, customer, "200")
        left = draft_outbound(desk, customer, "6", line)
        assert desk.apply_action("auditorPass", left).ok
        answer = desk.apply_action(action, first)
        assert (answer.code, answer.msg) == (400, build_used_message(left, "400.00"))
        assert desk.read_bill(first)["status"] == 2
        assert desk.apply_action("antiAuditor", left).ok
        assert desk.apply_action(action, first).ok
        assert desk.apply_action(action, second).ok

    def test_what_is_not_needed_for_it_goes(self, desk: BillClient) -> None:
        customer = create_customer(desk)
        desk.stock_in(desk.world.spares[31], 20)
        _, line = audit_order(desk, customer)
        kept_one, spare = audit_receipt(desk, customer, "600"), audit_receipt(desk, customer, "50")
        assert desk.apply_action("auditorPass", draft_outbound(desk, customer, "6", line)).ok
        assert desk.apply_action("antiAuditor", spare).ok
        assert not desk.apply_action("antiAuditor", kept_one).ok

    def test_a_receipt_that_paid_such_goods_stays_and_one_that_paid_others_goes(
        self, desk: BillClient
    ) -> None:
        customer = create_customer(desk)
        desk.stock_in(desk.world.spares[31], 40)
        _, line = audit_order(desk, customer)
        _, later = audit_order(desk, customer, method=1)
        advance = audit_receipt(desk, customer, "600")
        left = draft_outbound(desk, customer, "6", line)
        assert desk.apply_action("auditorPass", left).ok
        paid = desk.add_audited(
            "customer_receipt", find_item(desk, customer, left), customer_id=customer, amount="600"
        )
        assert desk.apply_action("antiAuditor", advance).ok
        assert desk.apply_action("antiAuditor", paid).msg == build_used_message(left, "600.00")
        other = draft_outbound(desk, customer, "3", later)
        assert desk.apply_action("auditorPass", other).ok
        credited = desk.add_audited(
            "customer_receipt", find_item(desk, customer, other), customer_id=customer, amount="300"
        )
        assert desk.apply_action("antiAuditor", credited).ok

    def test_it_is_neither_refunded_nor_spent_on_other_goods(self, desk: BillClient) -> None:
        customer = create_customer(desk)
        desk.stock_in(desk.world.spares[31], 40)
        _, line = audit_order(desk, customer)
        _, later = audit_order(desk, customer, method=1)
        advance = audit_receipt(desk, customer, "600")
        left, other = draft_outbound(desk, customer, "6", line), draft_outbound(desk, customer, "6", later)
        assert desk.apply_action("auditorPass", left).ok
        assert desk.apply_action("auditorPass", other).ok
        money, of_left, of_other = (find_item(desk, customer, bill) for bill in (advance, left, other))
        refund = desk.draft("customer_receipt", money, customer_id=customer, amount="-600")
        assert desk.apply_action("auditorPass", refund).msg == build_used_message(left, "600.00")
        spent = desk.draft("deposit", money, of_other, customer_id=customer)
        assert desk.apply_action("auditorPass", spent).msg == build_used_message(left, "600.00")
        assert desk.apply_action(
            "auditorPass", desk.draft("deposit", money, of_left, customer_id=customer)
        ).ok

    def test_an_opening_advance_stays_too(self, desk: BillClient) -> None:
        customer = create_customer(desk)
        desk.stock_in(desk.world.spares[31], 20)
        _, line = audit_order(desk, customer)
        row = {"customer_id": customer, "due_date": DAY, "amount": "-600"}
        opening = desk.add_audited("opening_receivable", row)
        left = draft_outbound(desk, customer, "6", line)
        assert desk.apply_action("auditorPass", left).ok
        assert desk.apply_action("antiAuditor", opening).msg == build_used_message(left, "600.00")

    def test_of_receipts_taken_back_while_goods_leave_one_side_waits_for_the_other(
        self, desk: BillClient
    ) -> None:
        customer = create_customer(desk)
        desk.stock_in(desk.world.spares[31], 20)
        _, line = audit_order(desk, customer, "16")
        receipts = [audit_receipt(desk, customer, "200") for _ in range(4)]
        bills = [draft_outbound(desk, customer, "2", line) for _ in range(4)]
        steps = [("antiAuditor", receipt) for receipt in receipts] + [("auditorPass", bill) for bill in bills]
        mixed = [steps[place] for place in (0, 4, 1, 5, 2, 6, 3, 7)]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda step: desk.apply_action(*step), mixed))
        gone = [step for step, answer in zip(mixed, answers, strict=True) if answer.ok]
        assert len(gone) == 4
        assert all("先款后货" in answer.msg for answer in answers if not answer.ok)


class TestInbound:
    def test_goods_that_are_not_prepaid_are_asked_about_and_logged(self, desk: BillClient) -> None:
        world = desk.world
        supplier = desk.caller.post("v2/system/Supplier/add", {"supplier_name": "先款供应商"}).data["id"]
        line = {"goods_id": world.spares[31], "quantity": "10", "price": "100"}
        order = desk.add_audited("purchase_order", line, supplier_id=supplier, delivery_method=PREPAID)
        desk.add_audited("supplier_payment", supplier_id=supplier, amount="300")
        row = line | {"quantity": "4", "order_line_id": desk.line_ids(order)[0]}
        bill = desk.draft("purchase_inbound", row, supplier_id=supplier)
        lacks = f"订单{order.no}为先款后货，供应商的预付款不足"
        asked = f"{lacks}（本次须先付 400.00 元，可用 300.00 元，还差 100.00 元）"
        answer = desk.apply_action("auditorPass", bill)
        assert (answer.code, answer.msg) == (363, f"{asked}，是否继续？")
        assert desk.apply_action("auditorPass", bill, confirmed=True).ok
        logs = desk.caller.get("v2/system/BusinessLog/getList", keyword=bill.no)
        assert logs.ok, logs
        assert lacks in str(logs.data) and "400.00 元" not in str(logs.data)
        prepaid = desk.draft("purchase_inbound", row | {"quantity": "1"}, supplier_id=supplier)
        assert desk.apply_action("auditorPass", prepaid).code == 363
        desk.add_audited("supplier_payment", supplier_id=supplier, amount="200")
        assert desk.apply_action("auditorPass", prepaid).ok
