"""先款后货: goods of an order that is paid for before leave when advances cover them; arriving ones are asked about."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.kit.desk import Desk, Made
from tests.kit.payloads import DAY

PREPAID = 2
_names = itertools.count(1)


def someone(desk: Desk) -> int:
    body = {"customer_name": f"先款客户{next(_names)}", "company_id": desk.world.company_a}
    answer = desk.caller.post("v2/custom/Customer/add", body)
    assert answer.ok, answer
    return int(answer.data["id"])


def ordered(desk: Desk, customer: int, quantity: str = "10", method: int = PREPAID) -> tuple[Made, int]:
    """An audited order at 100 a piece, and its line."""
    line = {"goods_id": desk.world.spares[31], "quantity": quantity, "price": "100"}
    bill = desk.audited("sales_order", line, customer_id=customer, delivery_method=method)
    return bill, desk.line_ids(bill)[0]


def outbound(desk: Desk, customer: int, quantity: str, line: int | None, **more: Any) -> Made:
    row = {"goods_id": desk.world.spares[31], "quantity": quantity, "price": "100", "order_line_id": line}
    return desk.draft("sales_outbound", row, *more.pop("rows", ()), customer_id=customer, **more)


def advanced(desk: Desk, customer: int, amount: str) -> Made:
    return desk.audited("customer_receipt", customer_id=customer, amount=amount)


def open_items(desk: Desk, customer: int, path: str = "CustomerReceipt") -> list[dict[str, Any]]:
    query = {"company_id": desk.world.company_a, "customer_id": customer}
    items: list[dict[str, Any]] = desk.caller.get(f"v2/custom/{path}/getOpenItems", **query).data["data"]
    return items


def all_of(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"settlement_id": item["settlement_id"], "amount": item["open_amount"]} for item in items]


def item_of(desk: Desk, customer: int, bill: Made) -> dict[str, Any]:
    [found] = all_of([one for one in open_items(desk, customer) if one["bill_no"] == bill.no])
    return found


def told(order: Made, wanted: str, left: str, lacks: str) -> str:
    return f"订单{order.no}为先款后货，客户的预收款不足（本次须先付 {wanted} 元，可用 {left} 元，还差 {lacks} 元）"


class TestOutbound:
    def test_it_is_refused_with_the_figures_until_advances_cover_it(self, desk: Desk) -> None:
        customer = someone(desk)
        desk.stock_in(desk.world.spares[31], 20)
        order, line = ordered(desk, customer)
        bill = outbound(desk, customer, "6", line)
        for confirmed in (False, True):
            answer = desk.act("auditorPass", bill, confirmed=confirmed)
            assert (answer.code, answer.msg) == (400, told(order, "600.00", "0.00", "600.00"))
        assert desk.info(bill)["status"] == 1
        advanced(desk, customer, "599.99")
        assert desk.act("auditorPass", bill).msg == told(order, "600.00", "599.99", "0.01")
        advanced(desk, customer, "0.01")
        assert desk.act("auditorPass", bill).ok

    def test_an_advance_covers_no_second_delivery_before_or_after_it_settles_the_first(
        self, desk: Desk
    ) -> None:
        customer = someone(desk)
        desk.stock_in(desk.world.spares[31], 20)
        order, line = ordered(desk, customer)
        advanced(desk, customer, "600")
        first = outbound(desk, customer, "6", line)
        assert desk.act("auditorPass", first).ok
        second = outbound(desk, customer, "4", line)
        assert desk.act("auditorPass", second).msg == told(order, "400.00", "0.00", "400.00")
        desk.audited("deposit", *all_of(open_items(desk, customer, "Deposits")), customer_id=customer)
        assert desk.act("auditorPass", second).msg == told(order, "400.00", "0.00", "400.00")
        advanced(desk, customer, "400")
        assert desk.act("auditorPass", second).ok

    def test_what_was_paid_afterwards_frees_the_advance(self, desk: Desk) -> None:
        customer = someone(desk)
        desk.stock_in(desk.world.spares[31], 20)
        _, line = ordered(desk, customer)
        advanced(desk, customer, "600")
        first = outbound(desk, customer, "6", line)
        assert desk.act("auditorPass", first).ok
        desk.audited("customer_receipt", item_of(desk, customer, first), customer_id=customer, amount="600")
        assert desk.act("auditorPass", outbound(desk, customer, "4", line)).ok

    def test_other_goods_on_the_bill_and_other_orders_need_none(self, desk: Desk) -> None:
        customer = someone(desk)
        desk.stock_in(desk.world.spares[31], 40)
        order, line = ordered(desk, customer)
        advanced(desk, customer, "200")
        loose = {"goods_id": desk.world.spares[31], "quantity": "9", "price": "100"}
        assert desk.act("auditorPass", outbound(desk, customer, "2", line, rows=(loose,))).ok
        _, later = ordered(desk, customer, method=1)
        assert desk.act("auditorPass", outbound(desk, customer, "3", later)).ok
        answer = desk.act("auditorPass", outbound(desk, customer, "1", line))
        assert answer.msg == told(order, "100.00", "0.00", "100.00")

    def test_of_eight_audited_at_once_as_many_pass_as_were_paid_for(self, desk: Desk) -> None:
        customer = someone(desk)
        desk.stock_in(desk.world.spares[31], 20)
        _, line = ordered(desk, customer, "16")
        advanced(desk, customer, "650")
        bills = [outbound(desk, customer, "2", line) for _ in range(8)]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda bill: desk.act("auditorPass", bill), bills))
        assert sum(answer.ok for answer in answers) == 3
        assert all("为先款后货" in answer.msg for answer in answers if not answer.ok)

    def test_the_order_tells_what_its_rest_asks_for_and_what_is_left_for_it(self, desk: Desk) -> None:
        customer = someone(desk)
        desk.stock_in(desk.world.spares[31], 20)
        order, line = ordered(desk, customer)
        advanced(desk, customer, "700")
        assert desk.act("auditorPass", outbound(desk, customer, "6", line)).ok
        info = desk.info(order)
        assert (info["prepay_amount"], info["prepaid_left"]) == ("400.00", "100.00")
        credited, _ = ordered(desk, customer, method=1)
        info = desk.info(credited)
        assert (info["prepay_amount"], info["prepaid_left"]) == (None, None)


def kept(bill: Made, lacks: str) -> str:
    return (
        f"客户的预收款已用于先款后货的{bill.no}，不能减少，还差 {lacks} 元；请先补收款、核销或反审核这些单据"
    )


class TestTakingBack:
    @pytest.mark.parametrize("action", ["antiAuditor", "invalid"])
    def test_an_advance_that_let_goods_leave_stays(self, desk: Desk, action: str) -> None:
        customer = someone(desk)
        desk.stock_in(desk.world.spares[31], 20)
        _, line = ordered(desk, customer)
        first, second = advanced(desk, customer, "500"), advanced(desk, customer, "200")
        left = outbound(desk, customer, "6", line)
        assert desk.act("auditorPass", left).ok
        answer = desk.act(action, first)
        assert (answer.code, answer.msg) == (400, kept(left, "400.00"))
        assert desk.info(first)["status"] == 2
        assert desk.act("antiAuditor", left).ok
        assert desk.act(action, first).ok
        assert desk.act(action, second).ok

    def test_what_is_not_needed_for_it_goes(self, desk: Desk) -> None:
        customer = someone(desk)
        desk.stock_in(desk.world.spares[31], 20)
        _, line = ordered(desk, customer)
        kept_one, spare = advanced(desk, customer, "600"), advanced(desk, customer, "50")
        assert desk.act("auditorPass", outbound(desk, customer, "6", line)).ok
        assert desk.act("antiAuditor", spare).ok
        assert not desk.act("antiAuditor", kept_one).ok

    def test_a_receipt_that_paid_such_goods_stays_and_one_that_paid_others_goes(self, desk: Desk) -> None:
        customer = someone(desk)
        desk.stock_in(desk.world.spares[31], 40)
        _, line = ordered(desk, customer)
        _, later = ordered(desk, customer, method=1)
        advance = advanced(desk, customer, "600")
        left = outbound(desk, customer, "6", line)
        assert desk.act("auditorPass", left).ok
        paid = desk.audited(
            "customer_receipt", item_of(desk, customer, left), customer_id=customer, amount="600"
        )
        assert desk.act("antiAuditor", advance).ok
        assert desk.act("antiAuditor", paid).msg == kept(left, "600.00")
        other = outbound(desk, customer, "3", later)
        assert desk.act("auditorPass", other).ok
        credited = desk.audited(
            "customer_receipt", item_of(desk, customer, other), customer_id=customer, amount="300"
        )
        assert desk.act("antiAuditor", credited).ok

    def test_it_is_neither_refunded_nor_spent_on_other_goods(self, desk: Desk) -> None:
        customer = someone(desk)
        desk.stock_in(desk.world.spares[31], 40)
        _, line = ordered(desk, customer)
        _, later = ordered(desk, customer, method=1)
        advance = advanced(desk, customer, "600")
        left, other = outbound(desk, customer, "6", line), outbound(desk, customer, "6", later)
        assert desk.act("auditorPass", left).ok
        assert desk.act("auditorPass", other).ok
        money, of_left, of_other = (item_of(desk, customer, bill) for bill in (advance, left, other))
        refund = desk.draft("customer_receipt", money, customer_id=customer, amount="-600")
        assert desk.act("auditorPass", refund).msg == kept(left, "600.00")
        spent = desk.draft("deposit", money, of_other, customer_id=customer)
        assert desk.act("auditorPass", spent).msg == kept(left, "600.00")
        assert desk.act("auditorPass", desk.draft("deposit", money, of_left, customer_id=customer)).ok

    def test_an_opening_advance_stays_too(self, desk: Desk) -> None:
        customer = someone(desk)
        desk.stock_in(desk.world.spares[31], 20)
        _, line = ordered(desk, customer)
        row = {"customer_id": customer, "due_date": DAY, "amount": "-600"}
        opening = desk.audited("opening_receivable", row)
        left = outbound(desk, customer, "6", line)
        assert desk.act("auditorPass", left).ok
        assert desk.act("antiAuditor", opening).msg == kept(left, "600.00")

    def test_of_receipts_taken_back_while_goods_leave_one_side_waits_for_the_other(self, desk: Desk) -> None:
        customer = someone(desk)
        desk.stock_in(desk.world.spares[31], 20)
        _, line = ordered(desk, customer, "16")
        receipts = [advanced(desk, customer, "200") for _ in range(4)]
        bills = [outbound(desk, customer, "2", line) for _ in range(4)]
        steps = [("antiAuditor", receipt) for receipt in receipts] + [("auditorPass", bill) for bill in bills]
        mixed = [steps[place] for place in (0, 4, 1, 5, 2, 6, 3, 7)]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda step: desk.act(*step), mixed))
        gone = [step for step, answer in zip(mixed, answers, strict=True) if answer.ok]
        assert len(gone) == 4
        assert all("先款后货" in answer.msg for answer in answers if not answer.ok)


class TestInbound:
    def test_goods_that_are_not_prepaid_are_asked_about_and_logged(self, desk: Desk) -> None:
        world = desk.world
        supplier = desk.caller.post("v2/system/Supplier/add", {"supplier_name": "先款供应商"}).data["id"]
        line = {"goods_id": world.spares[31], "quantity": "10", "price": "100"}
        order = desk.audited("purchase_order", line, supplier_id=supplier, delivery_method=PREPAID)
        desk.audited("supplier_payment", supplier_id=supplier, amount="300")
        row = line | {"quantity": "4", "order_line_id": desk.line_ids(order)[0]}
        bill = desk.draft("purchase_inbound", row, supplier_id=supplier)
        lacks = f"订单{order.no}为先款后货，供应商的预付款不足"
        asked = f"{lacks}（本次须先付 400.00 元，可用 300.00 元，还差 100.00 元）"
        answer = desk.act("auditorPass", bill)
        assert (answer.code, answer.msg) == (363, f"{asked}，是否继续？")
        assert desk.act("auditorPass", bill, confirmed=True).ok
        logs = desk.caller.get("v2/system/BusinessLog/getList", keyword=bill.no)
        assert logs.ok, logs
        assert lacks in str(logs.data) and "400.00 元" not in str(logs.data)
        prepaid = desk.draft("purchase_inbound", row | {"quantity": "1"}, supplier_id=supplier)
        assert desk.act("auditorPass", prepaid).code == 363
        desk.audited("supplier_payment", supplier_id=supplier, amount="200")
        assert desk.act("auditorPass", prepaid).ok
