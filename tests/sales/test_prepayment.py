"""先款后货: goods of an order that is paid for before leave when advances cover them; arriving ones are asked about."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.kit.desk import Desk, Made

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


def told(order: Made, wanted: str, left: str, lacks: str) -> str:
    return f"订单{order.no}为先款后货，本次须先付 {wanted} 元，客户可用预收款 {left} 元，还差 {lacks} 元"


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
        query = {"company_id": desk.world.company_a, "customer_id": customer}
        items = desk.caller.get("v2/custom/Deposits/getOpenItems", **query).data["data"]
        rows = [{"settlement_id": item["settlement_id"], "amount": item["open_amount"]} for item in items]
        desk.audited("deposit", *rows, customer_id=customer)
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
        query = {"company_id": desk.world.company_a, "customer_id": customer}
        items = desk.caller.get("v2/custom/CustomerReceipt/getOpenItems", **query).data["data"]
        [item] = [one["settlement_id"] for one in items if one["bill_no"] == first.no]
        row = {"settlement_id": item, "amount": "600"}
        desk.audited("customer_receipt", row, customer_id=customer, amount="600")
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


class TestInbound:
    def test_goods_that_are_not_prepaid_are_asked_about_and_logged(self, desk: Desk) -> None:
        world = desk.world
        supplier = desk.caller.post("v2/system/Supplier/add", {"supplier_name": "先款供应商"}).data["id"]
        line = {"goods_id": world.spares[31], "quantity": "10", "price": "100"}
        order = desk.audited("purchase_order", line, supplier_id=supplier, delivery_method=PREPAID)
        desk.audited("supplier_payment", supplier_id=supplier, amount="300")
        row = line | {"quantity": "4", "order_line_id": desk.line_ids(order)[0]}
        bill = desk.draft("purchase_inbound", row, supplier_id=supplier)
        asked = f"订单{order.no}为先款后货，本次须先付 400.00 元，供应商可用预付款 300.00 元，还差 100.00 元"
        answer = desk.act("auditorPass", bill)
        assert (answer.code, answer.msg) == (363, f"{asked}，是否继续？")
        assert desk.act("auditorPass", bill, confirmed=True).ok
        logs = desk.caller.get("v2/system/BusinessLog/getList", keyword=bill.no)
        assert logs.ok, logs
        assert asked in str(logs.data)
        prepaid = desk.draft("purchase_inbound", row | {"quantity": "1"}, supplier_id=supplier)
        assert desk.act("auditorPass", prepaid).code == 363
        desk.audited("supplier_payment", supplier_id=supplier, amount="200")
        assert desk.act("auditorPass", prepaid).ok
