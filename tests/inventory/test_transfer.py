"""DBCK and DBRK 调拨: out of one warehouse into transit, received in parts; nobody can sell what is on the way."""

from __future__ import annotations

import threading
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site


def send_goods(desk: BillClient, goods: int, quantity: str, **more: Any) -> SavedBill:
    line = {"goods_id": goods, "quantity": quantity, **more}
    return desk.add_audited("transfer_out", line, to_warehouse_id=desk.world.warehouse2_a)


def draft_receipt(desk: BillClient, sent: SavedBill, *quantities: str, **header: Any) -> SavedBill:
    """Draft a receipt of the given quantities per line, or of all."""
    draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
    lines = draft.pop("lines")
    for line, quantity in zip(lines, quantities, strict=False):
        line["quantity"] = quantity
    return desk.draft("transfer_in", *lines, **{**draft, **header})


def receive_goods(desk: BillClient, sent: SavedBill, *quantities: str, **header: Any) -> SavedBill:
    made = draft_receipt(desk, sent, *quantities, **header)
    answer = desk.apply_action("auditorPass", made)
    assert answer.ok, answer
    return made


class TestSending:
    def test_what_is_on_the_way_is_available_nowhere(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods, world = desk.world.spares[0], desk.world
        desk.stock_in(goods, 10)
        send_goods(desk, goods, "4")
        assert books.available(goods, world.warehouse_a) == ("6", "0", "6")
        rows = books.rows(
            "select quantity, frozen, w.type from stock_total join warehouse w using (warehouse_id)"
            " where goods_id = %s order by w.type desc limit 1",
            goods,
        )
        assert rows == [("4", "4", 4)]
        assert books.cost(goods, world.company_a) == ("10", "1000.00")
        assert find_broken_checks(conn) == {}

    def test_its_own_warehouse_is_no_target(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.oil, "quantity": "1"}
        answer = desk.add("transfer_out", line, to_warehouse_id=desk.world.warehouse_a)
        assert (answer.code, answer.msg) == (400, "调入仓库与调出仓库相同，库位之间移动请用库位分配")

    def test_another_companys_warehouse_is_no_target(self, desk: BillClient) -> None:
        line = {"goods_id": desk.world.oil, "quantity": "1"}
        answer = desk.add("transfer_out", line, to_warehouse_id=desk.world.warehouse_b)
        assert (answer.code, answer.msg) == (400, "“调入仓库”与单据不匹配，请重新选择")

    def test_no_bill_may_name_the_transit_warehouse(self, desk: BillClient, books: PostingReader) -> None:
        [(transit,)] = books.rows(
            "select warehouse_id from warehouse where type = 4 and company_id = %s", desk.world.company_a
        )
        answer = desk.add(
            "other_inbound", {"goods_id": desk.world.oil, "quantity": "1"}, warehouse_id=transit
        )
        assert (answer.code, answer.msg) == (400, "“仓库”不存在或无权使用，请重新选择")
        found = desk.caller.get("v2/system/Warehouse/getDropdown", per_page=500).data["data"]
        assert transit not in [row["warehouse_id"] for row in found]


class TestReceiving:
    def test_parts_are_received_with_their_value(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods, world = desk.world.spares[1], desk.world
        desk.stock_in(goods, 3, "113")
        desk.stock_in(goods, 3, "226")
        sent = send_goods(desk, goods, "4")
        assert desk.read_bill(sent)["receiving_status"] == 1
        first = receive_goods(desk, sent, "1")
        assert desk.read_bill(sent)["receiving_status"] == 3
        receive_goods(desk, sent)
        assert desk.read_bill(sent)["receiving_status"] == 2
        assert books.stock(first) == [(goods, "-1", "150", "-150.00"), (goods, "1", "150", "150.00")]
        assert books.available(goods, world.warehouse2_a) == ("4", "0", "4")
        assert find_broken_checks(conn) == {}

    def test_batches_travel_and_first_receipt_dates_stay(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        world = desk.world
        desk.stock_in(world.tyre, 2, batch="0126", business_date="2026-01-10")
        desk.stock_in(world.tyre, 2, batch="0226", business_date="2026-01-11")
        sent = send_goods(desk, world.tyre, "3")
        bill = receive_goods(desk, sent)
        rows = books.rows(
            "select b.batch, l.quantity, l.first_date::text from stock_ledger l join goods_batch b using (batch_id)"
            " where l.bill_no = %s and l.quantity > 0 order by 1",
            bill.no,
        )
        assert rows == [("0126", "2", "2026-01-10"), ("0226", "1", "2026-01-11")]

    def test_freight_adds_to_the_value(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods, other, world = desk.world.spares[2], desk.world.spares[3], desk.world
        desk.stock_in(goods, 3)
        desk.stock_in(other, 3)
        lines = [{"goods_id": goods, "quantity": "2"}, {"goods_id": other, "quantity": "1"}]
        sent = desk.add_audited("transfer_out", *lines, to_warehouse_id=world.warehouse2_a)
        receive_goods(desk, sent, freight_amount="10")
        assert books.cost(goods, world.company_a) == ("3", "306.67")
        assert books.cost(other, world.company_a) == ("3", "303.33")
        assert find_broken_checks(conn) == {}

    def test_more_than_was_sent_is_refused(self, desk: BillClient) -> None:
        goods = desk.world.spares[4]
        desk.stock_in(goods, 9)
        sent = send_goods(desk, goods, "2")
        send_goods(desk, goods, "5")
        made = draft_receipt(desk, sent, "3")
        answer = desk.apply_action("auditorPass", made)
        assert (answer.code, answer.msg) == (
            400,
            f"超过仓库调拨{sent.no}第1行的可执行数量（数量 2，已执行 0，可执行 2，本次 3），请核对数量",
        )

    def test_without_a_transfer_nothing_is_received(self, desk: BillClient) -> None:
        answer = desk.add("transfer_in", {"goods_id": desk.world.oil, "quantity": "1"})
        assert (answer.code, answer.msg) == (400, "请从仓库调拨生成本单，每行都要有来源")

    def test_another_warehouse_than_the_transfers_is_refused(self, desk: BillClient) -> None:
        goods = desk.world.spares[5]
        desk.stock_in(goods, 2)
        line = {
            "goods_id": goods,
            "quantity": "1",
            "source_line_id": desk.line_ids(send_goods(desk, goods, "1"))[0],
        }
        answer = desk.add("transfer_in", line, warehouse_id=desk.world.warehouse_a)
        assert (answer.code, answer.msg) == (400, "第1行：来源仓库调拨与本单不匹配")

    def test_a_location_of_the_sending_warehouse_is_not_carried_over(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[6], desk.world
        desk.stock_in(goods, 2, allocation_id=world.allocation_a)
        sent = send_goods(desk, goods, "1", allocation_id=world.allocation_a)
        draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
        assert draft["warehouse_name"] == "A仓2"
        assert "allocation_id" not in draft["lines"][0]

    def test_two_receipts_at_once_never_pass_what_was_sent(
        self, site: Site, desk: BillClient, conn: Connection
    ) -> None:
        goods = desk.world.spares[7]
        desk.stock_in(goods, 4)
        sent = send_goods(desk, goods, "4")
        made = [draft_receipt(desk, sent, "3"), draft_receipt(desk, sent, "3")]
        answers: list[Answer] = []

        def audit(bill: SavedBill) -> None:
            answers.append(BillClient(site).apply_action("auditorPass", bill))

        threads = [threading.Thread(target=audit, args=(bill,)) for bill in made]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=20)
        assert sorted(answer.code for answer in answers) == [200, 400]
        assert find_broken_checks(conn) == {}


class TestTakingBack:
    @pytest.mark.parametrize("action", ["antiAuditor", "invalid"])
    def test_what_was_received_is_not_unsent(self, desk: BillClient, action: str) -> None:
        goods = desk.world.spares[8]
        desk.stock_in(goods, 2)
        sent = send_goods(desk, goods, "2")
        came = receive_goods(desk, sent, "1")
        answer = desk.apply_action(action, sent)
        assert (answer.code, answer.msg) == (400, "该调拨单已有收货，不能反审核或作废，请先处理调拨入库单")
        assert desk.apply_action("invalid", came).ok
        assert desk.apply_action(action, sent).ok

    def test_what_was_sold_on_is_not_unreceived(self, desk: BillClient, books: PostingReader) -> None:
        goods, world = desk.world.spares[9], desk.world
        desk.stock_in(goods, 2)
        came = receive_goods(desk, send_goods(desk, goods, "2"))
        sold = desk.add_audited(
            "other_outbound", {"goods_id": goods, "quantity": "1"}, warehouse_id=world.warehouse2_a
        )
        answer = desk.apply_action("antiAuditor", came)
        assert answer.msg == f"该单据的库存已被使用，不能反审核或作废：备件9（相关单据：{sold.no}）"
        assert Decimal(books.available(goods, world.warehouse2_a)[0]) == 1
