"""Deliveries: taken from what was shipped, never beyond it, and signed for by the customer."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from api.kit.bills import source_links
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer


@pytest.fixture
def shipped(desk: BillClient) -> SavedBill:
    """Ten pieces, audited."""
    return ship_goods(desk, 10)


def ship_goods(desk: BillClient, quantity: int, **header: Any) -> SavedBill:
    goods = desk.world.spares[50]
    desk.stock_in(goods, quantity)
    return desk.add_audited(
        "sales_outbound", {"goods_id": goods, "quantity": str(quantity), "price": "90"}, **header
    )


def build_header(desk: BillClient, **more: Any) -> dict[str, Any]:
    world = desk.world
    return {
        "delivery_mode_id": world.delivery_mode,
        "logistics_id": world.logistics,
        "logistics_driver_id": world.logistics_driver,
        **more,
    }


def draft_delivery(desk: BillClient, shipped: SavedBill, quantity: str, **more: Any) -> SavedBill:
    [source] = desk.line_ids(shipped)
    return desk.draft(
        "sales_delivery", {"source_line_id": source, "quantity": quantity}, **build_header(desk, **more)
    )


def sign_delivery(desk: BillClient, made: SavedBill, at: str = "2026-03-06 09:30:00") -> Answer:
    return desk.apply_action("sign", made, signed_by="周敏", signed_at=at)


def read_delivered(desk: BillClient, shipped: SavedBill) -> tuple[str, int]:
    info = desk.read_bill(shipped)
    return info["lines"][0]["delivered_quantity"], info["delivery_status"]


class TestDelivery:
    def test_it_takes_open_lines_of_many_outbounds(
        self, desk: BillClient, shipped: SavedBill, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        second = ship_goods(desk, 4)
        elsewhere = ship_goods(desk, 3, customer_id=desk.world.customer2_a)
        asked = {"company_id": desk.world.company_a, "customer_id": desk.world.customer_a}
        path = desk.path("sales_delivery", "getOpenLines")
        every = desk.caller.get(path, **asked).data["data"]
        offered = {line["source_no"]: line for line in every}
        assert offered.keys() >= {shipped.no, second.no}
        assert elsewhere.no not in offered
        monkeypatch.setattr(source_links, "MOST_OPEN", len(every) - 1)
        assert desk.caller.get(path, **asked).data == {"data": every[:-1], "more": True}
        assert (offered[second.no]["quantity"], offered[second.no]["open_quantity"]) == ("4.000", "4.000")
        made = desk.add_audited(
            "sales_delivery", offered[shipped.no], offered[second.no], **build_header(desk)
        )
        info = desk.read_bill(made)
        assert [line["source_no"] for line in info["lines"]] == [shipped.no, second.no]
        assert info["lines"][0]["goods_id"] == desk.world.spares[50]
        assert (info["total_quantity"], info["plate_no"], info["sign_state"]) == ("14.000", "浙A12345", 1)
        assert info["customer_address_id"] == desk.world.customer_address_a
        assert read_delivered(desk, shipped) == ("10.000", 2)
        left = desk.caller.get(path, **asked).data["data"]
        assert shipped.no not in {line["source_no"] for line in left}

    def test_never_more_than_was_shipped(self, desk: BillClient, shipped: SavedBill) -> None:
        first = draft_delivery(desk, shipped, "6")
        assert desk.apply_action("auditorPass", first).ok
        assert read_delivered(desk, shipped) == ("6.000", 3)
        beyond = desk.apply_action("auditorPass", draft_delivery(desk, shipped, "5"))
        assert (beyond.code, beyond.msg) == (
            400,
            f"超过销售出库{shipped.no}第1行的可执行数量（数量 10，已执行 6，可执行 4，本次 5），请核对数量",
        )
        assert desk.apply_action("antiAuditor", first).ok
        assert read_delivered(desk, shipped) == ("0.000", 1)

    def test_of_two_at_the_same_time_one_is_refused(self, desk: BillClient, shipped: SavedBill) -> None:
        rivals, answers = [draft_delivery(desk, shipped, "6") for _ in range(2)], []

        def audit(made: SavedBill) -> None:
            answers.append(desk.apply_action("auditorPass", made).code)

        threads = [threading.Thread(target=audit, args=(made,)) for made in rivals]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answers) == [200, 400]
        assert read_delivered(desk, shipped) == ("6.000", 3)

    def test_what_was_delivered_is_not_taken_back(self, desk: BillClient, shipped: SavedBill) -> None:
        desk.apply_action("auditorPass", draft_delivery(desk, shipped, "1"))
        answer = desk.apply_action("antiAuditor", shipped)
        assert (answer.code, answer.msg) == (400, "该单据已有配送，不能反审核或作废，请先处理配送单")

    def test_a_line_of_its_own_is_refused(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.spares[50], "quantity": "1"}
        answer = desk.add("sales_delivery", line, **build_header(desk))
        assert (answer.code, answer.msg) == (400, "请从销售出库生成本单，每行都要有来源")

    def test_another_customers_line_is_refused(self, desk: BillClient, shipped: SavedBill) -> None:
        [source] = desk.line_ids(shipped)
        line = {"source_line_id": source, "quantity": "1"}
        other = build_header(desk, customer_id=desk.world.customer2_a)
        assert "来源销售出库与本单不匹配" in desk.add("sales_delivery", line, **other).msg

    def test_a_drivers_name_and_logistics_are_asked_for(self, desk: BillClient, shipped: SavedBill) -> None:
        [source] = desk.line_ids(shipped)
        line = {"source_line_id": source, "quantity": "1"}
        failures = desk.add("sales_delivery", line).data["failures"]
        assert [failure["msg"] for failure in failures] == ["请选择配送方式", "请选择物流公司", "请选择司机"]


class TestSigning:
    def test_what_was_signed_for_stands(self, desk: BillClient, shipped: SavedBill) -> None:
        made = draft_delivery(desk, shipped, "10")
        early = sign_delivery(desk, made)
        assert (early.code, early.msg) == (400, f"配送单{made.no}不是已审核状态，不能签收")
        assert desk.apply_action("auditorPass", made).ok
        before = sign_delivery(desk, made, at="2026-03-04 09:30:00")
        assert before.code == 400
        ahead = sign_delivery(desk, made, at="2099-03-06 09:30:00")
        assert (ahead.code, ahead.msg) == (400, "签收时间不能晚于现在")
        assert sign_delivery(desk, made).ok
        info = desk.read_bill(made)
        shown = (info["sign_state"], info["signed_by"], info["signed_at"])
        assert shown == (2, "周敏", "2026-03-06 09:30:00")
        assert sign_delivery(desk, made).code == 400
        answer = desk.apply_action("antiAuditor", made)
        assert (answer.code, answer.msg) == (400, "该单据已签收，不能反审核或作废，请先取消签收")
        assert desk.apply_action("unsign", made).ok
        assert desk.apply_action("antiAuditor", made).ok
