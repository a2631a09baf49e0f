"""What came back before it was delivered is not delivered any more; what came back afterwards takes nothing away."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.kit.client import Answer
from tests.kit.desk import Desk, Made
from tests.kit.state import broken
from tests.sales.test_sales_delivery import delivered, delivery, ship

BEYOND = "超过销售出库{}第1行的可配送数量（数量 10，可配送数量 6，本次 10），请核对数量"


@pytest.fixture
def shipped(desk: Desk) -> Made:
    """Ten pieces, audited."""
    return ship(desk, 10)


def returned(desk: Desk, shipped: Made, quantity: str, **header: Any) -> Made:
    [source] = desk.line_ids(shipped)
    line = {"goods_id": desk.world.spares[50], "quantity": quantity, "price": "90", "source_line_id": source}
    return desk.draft("sales_return", line, **header)


def back(desk: Desk, shipped: Made, quantity: str, **header: Any) -> Made:
    made = returned(desk, shipped, quantity, **header)
    assert desk.act("auditorPass", made).ok
    return made


def brought(desk: Desk, shipped: Made, quantity: str, **header: Any) -> Answer:
    return desk.act("auditorPass", delivery(desk, shipped, quantity, **header))


def left(desk: Desk, shipped: Made) -> str:
    """What is offered of an outbound, in the draft and among the open lines alike."""
    asked = {"company_id": desk.world.company_a, "customer_id": desk.world.customer_a}
    rows = desk.caller.get(desk.path("sales_delivery", "getOpenLines"), **asked).data["data"]
    opened = [row["quantity"] for row in rows if row["source_no"] == shipped.no]
    answer = desk.caller.get(desk.path("sales_delivery", "getDraft"), id=shipped.id)
    drafted = [line["quantity"] for line in answer.data["lines"]] if answer.ok else []
    assert opened == drafted
    return drafted[0] if drafted else "0"


class TestBefore:
    def test_what_came_back_undelivered_is_not_delivered(self, desk: Desk, shipped: Made) -> None:
        back(desk, shipped, "4")
        assert left(desk, shipped) == "6.000"
        beyond = brought(desk, shipped, "10")
        assert (beyond.code, beyond.msg) == (400, BEYOND.format(shipped.no))
        assert delivered(desk, shipped) == ("0.000", 1)
        assert brought(desk, shipped, "6").ok
        assert left(desk, shipped) == "0"
        assert delivered(desk, shipped) == ("6.000", 2)
        assert brought(desk, shipped, "0.001").code == 400

    def test_it_can_be_delivered_again_once_the_return_is_taken_back(self, desk: Desk, shipped: Made) -> None:
        return_ = back(desk, shipped, "4")
        assert brought(desk, shipped, "6").ok
        assert desk.act("antiAuditor", return_).ok
        assert left(desk, shipped) == "4.000"
        assert brought(desk, shipped, "4").ok
        # Now that all of it is with the customer, what comes back is of that.
        assert desk.act("auditorPass", return_).ok
        assert delivered(desk, shipped) == ("10.000", 2)

    def test_more_than_was_delivered_comes_back(self, desk: Desk, shipped: Made, conn: Connection) -> None:
        assert brought(desk, shipped, "5").ok
        back(desk, shipped, "7")
        assert left(desk, shipped) == "3.000"
        assert brought(desk, shipped, "4").code == 400
        assert brought(desk, shipped, "3").ok
        assert broken(conn) == {}


class TestAfter:
    def test_what_came_back_of_the_delivered_leaves_the_rest(self, desk: Desk, shipped: Made) -> None:
        assert brought(desk, shipped, "5").ok
        back(desk, shipped, "3")
        assert left(desk, shipped) == "5.000"
        assert brought(desk, shipped, "5").ok
        back(desk, shipped, "7")
        assert delivered(desk, shipped) == ("10.000", 2)

    def test_a_delivery_entered_late_counts_from_its_day(self, desk: Desk, shipped: Made) -> None:
        back(desk, shipped, "4", business_date="2026-03-10")
        assert brought(desk, shipped, "10", business_date="2026-03-08").ok

    def test_what_is_delivered_later_did_not_come_back_before(self, desk: Desk, shipped: Made) -> None:
        assert brought(desk, shipped, "10", business_date="2026-03-10").ok
        early = returned(desk, shipped, "4", business_date="2026-03-08")
        answer = desk.act("auditorPass", early)
        told = f"销售出库{shipped.no}第1行退回的数量在退货日期以后才配送，请核对退货日期和配送单"
        assert (answer.code, answer.msg) == (400, told)
        back(desk, shipped, "4", business_date="2026-03-11")

    def test_a_delivery_is_taken_back_whatever_came_back(self, desk: Desk, shipped: Made) -> None:
        """What came back counts then as undelivered."""
        first = delivery(desk, shipped, "5")
        assert desk.act("auditorPass", first).ok
        back(desk, shipped, "5")
        assert left(desk, shipped) == "5.000"
        assert desk.act("antiAuditor", first).ok
        assert left(desk, shipped) == "5.000"
        assert brought(desk, shipped, "6").code == 400


def test_of_a_delivery_and_a_return_at_once_one_is_refused_or_both_fit(
    desk: Desk, shipped: Made, conn: Connection
) -> None:
    bills, codes = [delivery(desk, shipped, "10"), returned(desk, shipped, "4")], []

    def audit(made: Made) -> None:
        codes.append((made.resource, desk.act("auditorPass", made).code))

    threads = [threading.Thread(target=audit, args=(made,)) for made in bills]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = dict(codes)
    assert found["sales_return"] == 200
    assert found["sales_delivery"] in (200, 400)
    assert delivered(desk, shipped)[0] == ("10.000" if found["sales_delivery"] == 200 else "0.000")
    assert broken(conn) == {}


def test_a_delivery_beyond_what_came_back_is_found(desk: Desk, shipped: Made, conn: Connection) -> None:
    back(desk, shipped, "4")
    made = delivery(desk, shipped, "6")
    assert desk.act("auditorPass", made).ok
    lines = f"sales_delivery_line set quantity = 7 where bill_id = {made.id}"
    conn.exec_driver_sql(f"update {lines}")
    source = f"select source_line_id from sales_delivery_line where bill_id = {made.id}"
    conn.exec_driver_sql(f"update sales_outbound_line set delivered_quantity = 7 where line_id = ({source})")
    assert "sales_outbound_deliverable" in broken(conn)
