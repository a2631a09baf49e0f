"""Purchase return request (采购退货申请) CGSQ, supplier return confirmation (供应商退货确认) CGQR: goods are returned
once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks


@pytest.fixture
def received(desk: BillClient, request: pytest.FixtureRequest) -> SavedBill:
    """Ten pieces at 113 from the supplier, of goods of the test's own."""
    goods = desk.world.spares[request.param]
    return desk.add_audited("purchase_inbound", {"goods_id": goods, "quantity": "10", "price": "113"})


def with_spare(place: int) -> Any:
    return pytest.mark.parametrize("received", [place], indirect=True)


def draft_drawn(desk: BillClient, resource: str, source: SavedBill, quantity: str) -> SavedBill:
    """Draft a bill drawn from another, with so much of its first line."""
    asked = {"id": source.id, "source": source.resource}
    answer = desk.caller.get(desk.path(resource, "getDraft"), **asked)
    assert answer.ok, answer
    header = dict(answer.data)
    lines = [{**line, "quantity": quantity} for line in header.pop("lines")]
    return desk.draft(resource, *lines, **header)


def audit_drawn(desk: BillClient, resource: str, source: SavedBill, quantity: str) -> SavedBill:
    made = draft_drawn(desk, resource, source, quantity)
    answer = desk.apply_action("auditorPass", made)
    assert answer.ok, answer
    return made


def find_offered(desk: BillClient, inbound: SavedBill) -> dict[str, Any] | None:
    """Find the returnable line of an inbound bill."""
    world = desk.world
    place = {"company_id": world.company_a, "supplier_id": world.supplier, "warehouse_id": world.warehouse_a}
    answer = desk.caller.get(desk.path("return_request", "getOpenLines"), **place)
    assert answer.ok, answer
    return next((row for row in answer.data["data"] if row["source_no"] == inbound.no), None)


class TestChain:
    @with_spare(30)
    def test_from_the_wish_to_the_return(
        self, desk: BillClient, conn: Connection, received: SavedBill
    ) -> None:
        asked = audit_drawn(desk, "return_request", received, "8")
        agreed = audit_drawn(desk, "refund_request", asked, "6")
        back = audit_drawn(desk, "purchase_return", agreed, "5")
        [row] = desk.read_bill(back)["lines"]
        assert row["source_line_id"] == desk.line_ids(received)[0]
        assert PostingReader(conn).settlements(back)[0][3] == "-565.00"
        states = [desk.read_bill(asked)["accepted_status"], desk.read_bill(agreed)["returned_status"]]
        assert states == [3, 3]
        [line] = desk.read_bill(asked)["lines"]
        told = ("source_no", "source_quantity", "returned_quantity", "returnable_quantity")
        assert [line[name] for name in told] == [received.no, "10.000", "5.000", "2.000"]
        left = find_offered(desk, received)
        assert left is not None and left["quantity"] == "2.000"
        listed = desk.caller.get(desk.path("purchase_return_detail", "getList"), bill_no=back.no).data["data"]
        assert [line["quantity"] for line in listed] == ["5.000"]
        assert find_broken_checks(conn) == {}

    @with_spare(31)
    def test_each_step_stays_within_the_one_before(self, desk: BillClient, received: SavedBill) -> None:
        beyond = desk.apply_action("auditorPass", draft_drawn(desk, "return_request", received, "11"))
        assert (beyond.code, beyond.msg) == (
            400,
            f"超过采购入库{received.no}第1行的可执行数量（数量 10，已执行 0，可执行 10，本次 11），请核对数量",
        )
        asked = audit_drawn(desk, "return_request", received, "8")
        beyond = desk.apply_action("auditorPass", draft_drawn(desk, "refund_request", asked, "9"))
        assert (beyond.code, beyond.msg) == (
            400,
            f"超过采购退货申请{asked.no}第1行的可执行数量（数量 8，已执行 0，可执行 8，本次 9），请核对数量",
        )
        agreed = audit_drawn(desk, "refund_request", asked, "6")
        beyond = desk.apply_action("auditorPass", draft_drawn(desk, "purchase_return", agreed, "7"))
        assert (beyond.code, beyond.msg) == (
            400,
            f"超过供应商退货确认{agreed.no}第1行的可执行数量（数量 6，已执行 0，可执行 6，本次 7），请核对数量",
        )
        assert (
            desk.apply_action("antiAuditor", received).msg
            == "该单据已有退货申请，不能反审核或作废，请先处理退货申请单"
        )

    @with_spare(32)
    def test_the_rest_of_a_part_keeps_its_receipt(self, desk: BillClient, received: SavedBill) -> None:
        agreed = audit_drawn(desk, "refund_request", audit_drawn(desk, "return_request", received, "8"), "8")
        audit_drawn(desk, "purchase_return", agreed, "3")
        rest = audit_drawn(desk, "purchase_return", agreed, "5")
        assert desk.read_bill(rest)["lines"][0]["source_line_id"] == desk.line_ids(received)[0]

    @with_spare(33)
    def test_it_is_asked_only_from_a_receipt(self, desk: BillClient, received: SavedBill) -> None:
        answer = desk.add("return_request", {"goods_id": desk.world.spares[33], "quantity": "1"})
        assert (answer.code, answer.msg) == (400, "请从采购入库生成本单，每行都要有来源")


class TestBesideDirectReturns:
    @with_spare(34)
    def test_what_was_returned_directly_is_not_asked_back(
        self, desk: BillClient, conn: Connection, received: SavedBill
    ) -> None:
        early = draft_drawn(desk, "return_request", received, "8")
        audit_drawn(desk, "purchase_return", received, "3")
        answer = desk.apply_action("auditorPass", early)
        assert (answer.code, answer.msg) == (
            400,
            f"超过采购入库{received.no}第1行的可退数量（数量 10，可退数量 7，本次 8），请核对数量",
        )
        audit_drawn(desk, "return_request", received, "7")
        assert find_offered(desk, received) is None
        assert find_broken_checks(conn) == {}

    @with_spare(35)
    def test_two_requests_at_once_never_ask_more_than_came(
        self, desk: BillClient, conn: Connection, received: SavedBill
    ) -> None:
        drafts = [draft_drawn(desk, "return_request", received, "6") for _ in range(2)]
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda made: desk.apply_action("auditorPass", made), drafts))
        assert sorted(answer.code for answer in answers) == [200, 400]
        assert find_broken_checks(conn) == {}


class TestClosing:
    @with_spare(36)
    def test_it_gives_back_what_was_not_agreed(
        self, desk: BillClient, conn: Connection, received: SavedBill
    ) -> None:
        asked = audit_drawn(desk, "return_request", received, "8")
        agreed = audit_drawn(desk, "refund_request", asked, "6")
        audit_drawn(desk, "purchase_return", agreed, "5")
        assert desk.apply_action("close", agreed).ok
        assert desk.read_bill(asked)["lines"][0]["executed_quantity"] == "5.000"
        assert desk.apply_action("close", asked).ok
        left = find_offered(desk, received)
        assert left is not None and left["quantity"] == "5.000"
        assert find_broken_checks(conn) == {}
        audit_drawn(desk, "return_request", received, "4")
        late = desk.apply_action("open", asked)
        assert (late.code, late.msg) == (
            400,
            f"超过采购入库{received.no}第1行的可执行数量（数量 10，已执行 9，可执行 1，本次 3），请核对数量",
        )
        assert find_broken_checks(conn) == {}
