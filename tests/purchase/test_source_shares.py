"""Parts of a receipt (来源分摊): what goes back, by whatever path, is one rest of quantity and of money."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, SavedBill
from tests.support.database_state import find_broken_checks


def audit_inbound(
    desk: BillClient, place: int, quantity: str = "10", price: str = "113", **more: Any
) -> SavedBill:
    line = {"goods_id": desk.world.spares[place], "quantity": quantity, "price": price, "tax_rate": "13"}
    return desk.add_audited("purchase_inbound", line | more)


def draft_drawn(desk: BillClient, resource: str, source: SavedBill, quantity: str, **more: Any) -> SavedBill:
    answer = desk.caller.get(desk.path(resource, "getDraft"), id=source.id, source=source.resource)
    assert answer.ok, answer
    header = dict(answer.data)
    lines = [{**line, "quantity": quantity, **more} for line in header.pop("lines")]
    return desk.draft(resource, *lines, **header)


def audit_drawn(desk: BillClient, resource: str, source: SavedBill, quantity: str, **more: Any) -> SavedBill:
    made = draft_drawn(desk, resource, source, quantity, **more)
    answer = desk.apply_action("auditorPass", made)
    assert answer.ok, answer
    return made


def read_amount(desk: BillClient, bill: SavedBill) -> Decimal:
    return Decimal(desk.read_bill(bill)["total_amount"])


class TestOneRest:
    def test_what_was_asked_back_is_not_returned_beside_it(self, desk: BillClient, conn: Connection) -> None:
        inbound = audit_inbound(desk, 40)
        audit_drawn(desk, "return_request", inbound, "8")
        [line] = desk.caller.get(
            desk.path("purchase_return", "getDraft"), id=inbound.id, source="purchase_inbound"
        ).data["lines"]
        assert line["quantity"] == "2.000"
        beyond = desk.apply_action("auditorPass", draft_drawn(desk, "purchase_return", inbound, "8"))
        assert (beyond.code, beyond.msg) == (
            400,
            f"超过采购入库{inbound.no}第1行的可退数量（数量 10，可退数量 2，本次 8），请核对数量",
        )
        audit_drawn(desk, "purchase_return", inbound, "2")
        assert find_broken_checks(conn) == {}

    def test_what_was_returned_is_not_asked_back(self, desk: BillClient) -> None:
        inbound = audit_inbound(desk, 41)
        audit_drawn(desk, "purchase_return", inbound, "3")
        beyond = desk.apply_action("auditorPass", draft_drawn(desk, "return_request", inbound, "8"))
        assert (beyond.code, beyond.msg) == (
            400,
            f"超过采购入库{inbound.no}第1行的可退数量（数量 10，可退数量 7，本次 8），请核对数量",
        )

    def test_both_paths_share_the_money(self, desk: BillClient, conn: Connection) -> None:
        inbound = audit_inbound(desk, 42, "3", "33.335")
        asked = audit_drawn(desk, "return_request", inbound, "2")
        direct = audit_drawn(desk, "purchase_return", inbound, "1")
        agreed = audit_drawn(desk, "refund_request", asked, "2")
        backs = [audit_drawn(desk, "purchase_return", agreed, "1") for _ in range(2)]
        assert [read_amount(desk, bill) for bill in (asked, direct)] == [Decimal("66.67"), Decimal("33.34")]
        assert read_amount(desk, direct) + sum(read_amount(desk, back) for back in backs) == Decimal("100.01")
        assert find_broken_checks(conn) == {}

    def test_a_closed_request_is_opened_only_for_what_is_still_there(
        self, desk: BillClient, conn: Connection
    ) -> None:
        inbound = audit_inbound(desk, 39)
        asked = audit_drawn(desk, "return_request", inbound, "8")
        assert desk.apply_action("close", asked).ok
        audit_drawn(desk, "purchase_return", inbound, "10")
        answer = desk.apply_action("open", asked)
        assert (answer.code, answer.msg) == (
            400,
            f"超过采购入库{inbound.no}第1行的可退数量（数量 10，可退数量 0，本次 8），请核对数量",
        )
        assert find_broken_checks(conn) == {}


class TestNoMoreThanWasPaid:
    def test_a_return_is_held_to_its_receipt(self, desk: BillClient) -> None:
        inbound = audit_inbound(desk, 43, "1", "100")
        back = draft_drawn(desk, "purchase_return", inbound, "1", price="900", discount_amount="0")
        clerk = BillClient(desk.site, "clerk_a")
        answer = clerk.apply_action("auditorPass", back, confirmed=True)
        assert (answer.code, answer.msg) == (
            400,
            f"第1行金额 900.00 元超过采购入库{inbound.no}可退的金额 100.00 元",
        )
        assert desk.apply_action("auditorPass", back).code == 363
        assert desk.apply_action("auditorPass", back, confirmed=True).ok

    def test_a_supplier_who_agreed_to_less_is_held_to_that(self, desk: BillClient, conn: Connection) -> None:
        inbound = audit_inbound(desk, 44, "2", "100")
        asked = audit_drawn(desk, "return_request", inbound, "2")
        agreed = audit_drawn(desk, "refund_request", asked, "2", price="80", discount_amount="0")
        clerk = BillClient(desk.site, "clerk_a")
        dear = draft_drawn(desk, "purchase_return", agreed, "1", price="100")
        assert (
            clerk.apply_action("auditorPass", dear, confirmed=True).msg
            == f"第1行金额 100.00 元超过供应商退货确认{agreed.no}可退的金额 80.00 元"
        )
        assert read_amount(desk, audit_drawn(desk, "purchase_return", agreed, "2")) == Decimal("160.00")
        assert find_broken_checks(conn) == {}


class TestReceiptsOfOrders:
    def test_the_parts_of_an_order_sum_to_it(self, desk: BillClient, conn: Connection) -> None:
        line = {"goods_id": desk.world.spares[45], "quantity": "7", "price": "33.33", "discount_amount": "10"}
        order = desk.add_audited("purchase_order", line)
        parts = [audit_drawn(desk, "purchase_inbound", order, part) for part in ("1", "2", "4")]
        assert [read_amount(desk, part) for part in parts] == [
            Decimal("31.90"),
            Decimal("63.80"),
            Decimal("127.61"),
        ]
        assert find_broken_checks(conn) == {}

    def test_a_receipt_does_not_precede_its_order(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.spares[46], "quantity": "7", "price": "33.33"}
        order = desk.add_audited("purchase_order", line)
        [key] = desk.line_ids(order)
        answer = desk.add("purchase_inbound", {**line, "order_line_id": key}, business_date="2026-03-04")
        assert answer.msg == f"业务日期不能早于来源采购订单{order.no}的业务日期 2026-03-05"


CORRUPTIONS = {
    "purchase_return_line_source_line_id_dates": "update purchase_return set business_date = '2026-01-01' where bill_id = %(back)s",
    "purchase_return_line_source_line_id_capped": "update purchase_return_line set amount = amount + 1 where bill_id = %(back)s",
    "purchase_return_line_source_line_id_shares": "update purchase_return_line set source_amount = source_amount - 0.01 where bill_id = %(back)s",
    "purchase_inbound_line_returnable": "update purchase_inbound_line set returned_quantity = 11 where bill_id = %(inbound)s",
}


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_what_is_not_held_to_its_source_is_found(desk: BillClient, conn: Connection, name: str) -> None:
    inbound = audit_inbound(desk, 47 + list(CORRUPTIONS).index(name))
    back = audit_drawn(desk, "purchase_return", inbound, "10")
    assert find_broken_checks(conn) == {}
    conn.exec_driver_sql(CORRUPTIONS[name], {"back": back.id, "inbound": inbound.id})
    assert name in find_broken_checks(conn)
    conn.rollback()
