"""Freight of purchases and transfers is owed gross to its carrier; the goods bear it net."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks

_names = itertools.count(1)
DAY = "2026-03-05"


@pytest.fixture
def carrier(desk: BillClient) -> int:
    """A supplier who is paid ten days later."""
    return desk.partner("supplier", f"承运商{next(_names)}", payment_days=10)


@pytest.fixture
def logistics(desk: BillClient, carrier: int) -> int:
    body = {"logistics_name": f"物流{next(_names)}", "type": 2, "supplier_id": carrier}
    answer = desk.caller.post("v2/system/Logistics/add", body)
    assert answer.ok, answer
    return int(answer.data["id"])


def audit_inbound(desk: BillClient, **header: Any) -> SavedBill:
    """Audit an inbound of 10 at 100 net, with 100 of freight."""
    line = {"goods_id": desk.world.spares[5], "quantity": "10", "price": "113", "tax_rate": "13"}
    return desk.add_audited("purchase_inbound", line, **{"freight_amount": "100", **header})


def list_freight_items(books: PostingReader, bill: SavedBill, carrier: int) -> list[tuple[Any, ...]]:
    return [row[2:] for row in books.settlements(bill) if row[1] == carrier]


class TestInbound:
    def test_its_carrier_is_owed_the_freight_with_tax_by_his_terms(
        self, desk: BillClient, books: PostingReader, conn: Connection, carrier: int, logistics: int
    ) -> None:
        bill = audit_inbound(desk, logistics_id=logistics)
        assert list_freight_items(books, bill, carrier) == [("freight", "109.00", "109.00", "2026-03-15")]
        assert next(row[2:5] for row in books.settlements(bill)) == ("bill", "1130.00", "1130.00")
        assert books.stock(bill)[0][3] == "1100.00"
        info = desk.read_bill(bill)
        assert (info["carrier_id"], info["freight_payable"]) == (carrier, "109.00")
        assert find_broken_checks(conn) == {}
        assert desk.apply_action("antiAuditor", bill).ok
        assert list_freight_items(books, bill, carrier)[0][:3] == ("freight", "109.00", "0.00")
        assert find_broken_checks(conn) == {}

    def test_it_falls_due_by_the_carrier_s_terms_at_the_audit(
        self, desk: BillClient, books: PostingReader, carrier: int
    ) -> None:
        line = {"goods_id": desk.world.spares[5], "quantity": "10", "price": "113", "tax_rate": "13"}
        bill = desk.draft("purchase_inbound", line, carrier_id=carrier, freight_amount="100")
        assert desk.read_bill(bill)["freight_due_date"] == "2026-03-15"
        terms = desk.caller.get("v2/system/Supplier/getInfo", id=carrier).data
        body = {"id": carrier, "revision": terms["revision"], "payment_days": 40}
        assert desk.caller.post("v2/system/Supplier/edit", body).ok
        assert desk.apply_action("auditorPass", bill).ok
        assert list_freight_items(books, bill, carrier) == [("freight", "109.00", "109.00", "2026-04-14")]
        assert desk.read_bill(bill)["freight_due_date"] == "2026-04-14"

    def test_a_supplier_carries_at_another_rate(
        self, desk: BillClient, books: PostingReader, carrier: int
    ) -> None:
        bill = audit_inbound(desk, carrier_id=carrier, freight_amount="33.33", freight_tax_rate="6")
        assert list_freight_items(books, bill, carrier)[0][:2] == ("freight", "35.33")

    def test_a_payment_settles_it_and_then_it_stays(
        self, desk: BillClient, books: PostingReader, carrier: int
    ) -> None:
        bill = audit_inbound(desk, carrier_id=carrier)
        [(item,)] = books.rows(
            "select settlement_id from settlement_item where kind = 'freight' and party_id = %s", carrier
        )
        row = {"settlement_id": item, "amount": "109"}
        paid = desk.add_audited("supplier_payment", row, amount="109", supplier_id=carrier)
        refused = desk.apply_action("antiAuditor", bill)
        assert (refused.code, paid.no in refused.msg) == (400, True)
        assert list_freight_items(books, bill, carrier)[0][2] == "0.00"

    @pytest.mark.parametrize("freight", ["100", "0"])
    def test_without_a_carrier_or_freight_nothing_is_owed(
        self, desk: BillClient, books: PostingReader, carrier: int, freight: str
    ) -> None:
        named = {} if freight == "100" else {"carrier_id": carrier}
        bill = audit_inbound(desk, freight_amount=freight, **named)
        assert [row[2] for row in books.settlements(bill)] == ["bill"]
        assert desk.read_bill(bill)["freight_payable"] == "0.00"

    def test_an_own_fleet_is_owed_nothing(self, desk: BillClient, books: PostingReader) -> None:
        body = {"logistics_name": f"车队{next(_names)}", "type": 1}
        fleet = desk.caller.post("v2/system/Logistics/add", body).data["id"]
        assert [row[2] for row in books.settlements(audit_inbound(desk, logistics_id=fleet))] == ["bill"]

    def test_who_carries_is_whom_the_logistics_company_is_paid_as(
        self, desk: BillClient, logistics: int
    ) -> None:
        line = {"goods_id": desk.world.spares[5], "quantity": "1", "price": "1"}
        answer = desk.add(
            "purchase_inbound",
            line,
            logistics_id=logistics,
            carrier_id=desk.world.supplier,
            freight_amount="1",
        )
        assert (answer.code, answer.msg) == (400, "承运商与物流公司的结算供应商不同，请核对")

    def test_what_does_not_tie_is_found(self, desk: BillClient, conn: Connection, carrier: int) -> None:
        bill = audit_inbound(desk, carrier_id=carrier)
        conn.exec_driver_sql(
            "update purchase_inbound set freight_payable = 108 where bill_id = %s", (bill.id,)
        )
        assert set(find_broken_checks(conn)) == {"purchase_inbound_freight"}
        conn.rollback()


def test_a_transfer_s_carrier_is_owed_its_freight(
    desk: BillClient, books: PostingReader, conn: Connection, carrier: int
) -> None:
    goods = desk.world.spares[6]
    desk.stock_in(goods, 10)
    line = {"goods_id": goods, "quantity": "10"}
    sent = desk.add_audited("transfer_out", line, to_warehouse_id=desk.world.warehouse2_a)
    [source] = desk.line_ids(sent)
    received = desk.add_audited(
        "transfer_in",
        {**line, "source_line_id": source},
        warehouse_id=desk.world.warehouse2_a,
        carrier_id=carrier,
        freight_amount="50",
    )
    assert list_freight_items(books, received, carrier) == [("freight", "54.50", "54.50", "2026-03-15")]
    assert books.stock(received)[-1][3] == "1050.00"
    assert desk.apply_action("antiAuditor", received).ok
    assert list_freight_items(books, received, carrier)[0][2] == "0.00"
    assert find_broken_checks(conn) == {}
