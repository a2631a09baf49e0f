"""Goods returned before delivery are no longer deliverable; goods returned afterwards change nothing."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.sales.test_sales_delivery import draft_delivery, read_delivered, ship_goods
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks

BEYOND = "超过销售出库{}第1行的可配送数量（数量 10，可配送数量 6，本次 10），请核对数量"


@pytest.fixture
def shipped(desk: BillClient) -> SavedBill:
    """Ten pieces, audited."""
    return ship_goods(desk, 10)


def draft_return(desk: BillClient, shipped: SavedBill, quantity: str, **header: Any) -> SavedBill:
    [source] = desk.line_ids(shipped)
    line = {"goods_id": desk.world.spares[50], "quantity": quantity, "price": "90", "source_line_id": source}
    return desk.draft("sales_return", line, **header)


def audit_return(desk: BillClient, shipped: SavedBill, quantity: str, **header: Any) -> SavedBill:
    made = draft_return(desk, shipped, quantity, **header)
    assert desk.apply_action("auditorPass", made).ok
    return made


def audit_delivery(desk: BillClient, shipped: SavedBill, quantity: str, **header: Any) -> Answer:
    return desk.apply_action("auditorPass", draft_delivery(desk, shipped, quantity, **header))


def read_deliverable(desk: BillClient, shipped: SavedBill) -> str:
    """Read the deliverable quantity of an outbound; draft and open lines must agree."""
    asked = {"company_id": desk.world.company_a, "customer_id": desk.world.customer_a}
    rows = desk.caller.get(desk.path("sales_delivery", "getOpenLines"), **asked).data["data"]
    opened = [row["quantity"] for row in rows if row["source_no"] == shipped.no]
    answer = desk.caller.get(desk.path("sales_delivery", "getDraft"), id=shipped.id)
    drafted = [line["quantity"] for line in answer.data["lines"]] if answer.ok else []
    assert opened == drafted
    return drafted[0] if drafted else "0"


class TestBefore:
    def test_what_came_back_undelivered_is_not_delivered(self, desk: BillClient, shipped: SavedBill) -> None:
        audit_return(desk, shipped, "4")
        assert read_deliverable(desk, shipped) == "6.000"
        beyond = audit_delivery(desk, shipped, "10")
        assert (beyond.code, beyond.msg) == (400, BEYOND.format(shipped.no))
        assert read_delivered(desk, shipped) == ("0.000", 1)
        assert audit_delivery(desk, shipped, "6").ok
        assert read_deliverable(desk, shipped) == "0"
        assert read_delivered(desk, shipped) == ("6.000", 2)
        assert audit_delivery(desk, shipped, "0.001").code == 400

    def test_it_can_be_delivered_again_once_the_return_is_taken_back(
        self, desk: BillClient, shipped: SavedBill
    ) -> None:
        return_ = audit_return(desk, shipped, "4")
        assert audit_delivery(desk, shipped, "6").ok
        assert desk.apply_action("antiAuditor", return_).ok
        assert read_deliverable(desk, shipped) == "4.000"
        assert audit_delivery(desk, shipped, "4").ok
        # Now that all of it is with the customer, what comes back is of that.
        assert desk.apply_action("auditorPass", return_).ok
        assert read_delivered(desk, shipped) == ("10.000", 2)

    def test_more_than_was_delivered_comes_back(
        self, desk: BillClient, shipped: SavedBill, conn: Connection
    ) -> None:
        assert audit_delivery(desk, shipped, "5").ok
        audit_return(desk, shipped, "7")
        assert read_deliverable(desk, shipped) == "3.000"
        assert audit_delivery(desk, shipped, "4").code == 400
        assert audit_delivery(desk, shipped, "3").ok
        assert find_broken_checks(conn) == {}


class TestAfter:
    def test_what_came_back_of_the_delivered_leaves_the_rest(
        self, desk: BillClient, shipped: SavedBill
    ) -> None:
        assert audit_delivery(desk, shipped, "5").ok
        audit_return(desk, shipped, "3")
        assert read_deliverable(desk, shipped) == "5.000"
        assert audit_delivery(desk, shipped, "5").ok
        audit_return(desk, shipped, "7")
        assert read_delivered(desk, shipped) == ("10.000", 2)

    def test_a_delivery_entered_late_counts_from_its_day(self, desk: BillClient, shipped: SavedBill) -> None:
        audit_return(desk, shipped, "4", business_date="2026-03-10")
        assert audit_delivery(desk, shipped, "10", business_date="2026-03-08").ok

    def test_what_is_delivered_later_did_not_come_back_before(
        self, desk: BillClient, shipped: SavedBill
    ) -> None:
        assert audit_delivery(desk, shipped, "10", business_date="2026-03-10").ok
        early = draft_return(desk, shipped, "4", business_date="2026-03-08")
        answer = desk.apply_action("auditorPass", early)
        told = f"销售出库{shipped.no}第1行退回的数量在退货日期以后才配送，请核对退货日期和配送单"
        assert (answer.code, answer.msg) == (400, told)
        audit_return(desk, shipped, "4", business_date="2026-03-11")

    def test_a_delivery_is_taken_back_whatever_came_back(self, desk: BillClient, shipped: SavedBill) -> None:
        """What came back counts then as undelivered."""
        first = draft_delivery(desk, shipped, "5")
        assert desk.apply_action("auditorPass", first).ok
        audit_return(desk, shipped, "5")
        assert read_deliverable(desk, shipped) == "5.000"
        assert desk.apply_action("antiAuditor", first).ok
        assert read_deliverable(desk, shipped) == "5.000"
        assert audit_delivery(desk, shipped, "6").code == 400


def test_of_a_delivery_and_a_return_at_once_one_is_refused_or_both_fit(
    desk: BillClient, shipped: SavedBill, conn: Connection
) -> None:
    bills, codes = [draft_delivery(desk, shipped, "10"), draft_return(desk, shipped, "4")], []

    def audit(made: SavedBill) -> None:
        codes.append((made.resource, desk.apply_action("auditorPass", made).code))

    threads = [threading.Thread(target=audit, args=(made,)) for made in bills]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = dict(codes)
    assert found["sales_return"] == 200
    assert found["sales_delivery"] in (200, 400)
    assert read_delivered(desk, shipped)[0] == ("10.000" if found["sales_delivery"] == 200 else "0.000")
    assert find_broken_checks(conn) == {}


def test_a_delivery_beyond_what_came_back_is_found(
    desk: BillClient, shipped: SavedBill, conn: Connection
) -> None:
    audit_return(desk, shipped, "4")
    made = draft_delivery(desk, shipped, "6")
    assert desk.apply_action("auditorPass", made).ok
    lines = f"sales_delivery_line set quantity = 7 where bill_id = {made.id}"
    conn.exec_driver_sql(f"update {lines}")
    source = f"select source_line_id from sales_delivery_line where bill_id = {made.id}"
    conn.exec_driver_sql(f"update sales_outbound_line set delivered_quantity = 7 where line_id = ({source})")
    assert "sales_outbound_deliverable" in find_broken_checks(conn)
