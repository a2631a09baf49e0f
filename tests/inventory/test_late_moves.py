"""Bills dated no later than a stocktake and audited after it: were their goods counted?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Connection

from api.identity import sessions
from api.inventory.stock_take import StockTake
from api.kit.bills import transitions
from api.kit.context import Context
from api.kit.storage.database import today
from tests.inventory.test_count_corrections import read_stock
from tests.inventory.test_stock_take import list_differences
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks, fingerprint_tables
from tests.support.fixtures import Site
from tests.support.lock_waiters import await_waiters

EARLY, DAY, LATE = "2026-03-05", "2026-03-10", "2026-03-15"


def audit_stock_take(desk: BillClient, goods: int, quantity: str = "12", **header: Any) -> SavedBill:
    """Audit a stocktake on the 10th."""
    line = {"goods_id": goods, "counted_quantity": quantity}
    return desk.add_audited("stock_take", line, **{"business_date": DAY, **header})


def draft_receipt(desk: BillClient, goods: int, quantity: str = "7", day: str = EARLY) -> SavedBill:
    line = {"goods_id": goods, "quantity": quantity, "price": "113", "tax_rate": "13"}
    return desk.draft("other_inbound", line, business_date=day)


def draft_issue(desk: BillClient, goods: int, quantity: str = "3", day: str = EARLY) -> SavedBill:
    return desk.draft("other_outbound", {"goods_id": goods, "quantity": quantity}, business_date=day)


def list_corrections(books: PostingReader, bill: SavedBill) -> list[tuple[Any, ...]]:
    """List (quantity, date) of the corrections in force for a counted bill."""
    return books.rows(
        "select l.quantity, l.business_date::text from ("
        "select bill_no, late_bill_no, status from stock_loss union all"
        " select bill_no, late_bill_no, status from stock_surplus) d join stock_ledger l using (bill_no)"
        " where d.late_bill_no = %s and d.status = 2 order by l.ledger_id",
        bill.no,
    )


class TestAsking:
    def test_who_audits_is_asked_and_nothing_changes_meanwhile(
        self, desk: BillClient, conn: Connection
    ) -> None:
        goods = desk.world.spares[0]
        desk.stock_in(goods, 5)
        take, bill = audit_stock_take(desk, goods), draft_receipt(desk, goods)
        before = fingerprint_tables(conn)
        conn.rollback()
        answer = desk.apply_action("auditorPass", bill)
        told = f"其他入库{bill.no}改变了盘点日账面：盘点单{take.no}（{DAY}，备件0 +7），盘点时是否已盘在内？"
        assert (answer.code, answer.msg, answer.data["asks"]) == (363, told, "counted")
        assert desk.apply_action("auditorPass", bill, confirmed=True).code == 363
        assert fingerprint_tables(conn) == before

    def test_a_batch_tells_which_bills_ask(self, desk: BillClient) -> None:
        goods, other = desk.world.spares[1:3]
        desk.stock_in(goods, 5)
        audit_stock_take(desk, goods)
        asked, free = draft_receipt(desk, goods), draft_receipt(desk, other)
        answer = desk.apply_action("auditorPass", asked, free)
        assert answer.data["success"] == [free.id]
        [row] = answer.data["failures"]
        assert (row["serial"], row["code"], row["asks"]) == (asked.no, 363, "counted")

    def test_what_is_dated_after_it_asks_nothing(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[3]
        desk.stock_in(goods, 5)
        audit_stock_take(desk, goods)
        assert desk.apply_action("auditorPass", draft_receipt(desk, goods, day=LATE)).ok
        assert read_stock(books, desk, goods) == "19"

    def test_what_is_entered_after_a_day_asks_as_what_was_entered_before_its_count(
        self, desk: BillClient
    ) -> None:
        goods = desk.world.spares[4]
        desk.stock_in(goods, 5)
        before = draft_receipt(desk, goods, day=DAY)
        take = audit_stock_take(desk, goods)
        after = draft_receipt(desk, goods, day=DAY)
        for bill in (before, after):
            answer = desk.apply_action("auditorPass", bill)
            about = f"其他入库{bill.no}改变了盘点日账面"
            told = f"{about}：盘点单{take.no}（{DAY}，备件4 +7），盘点时是否已盘在内？"
            assert (answer.code, answer.msg) == (363, told)

    def test_what_is_entered_today_after_todays_count_happened_after_it(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        goods, now = desk.world.spares[23], today().isoformat()
        desk.stock_in(goods, 5)
        before = draft_receipt(desk, goods, day=now)
        audit_stock_take(desk, goods, business_date=now)
        assert desk.apply_action("auditorPass", before).code == 363
        assert desk.apply_action("auditorPass", draft_receipt(desk, goods, day=now)).ok
        assert read_stock(books, desk, goods) == "19"

    def test_another_warehouse_asks_nothing(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[5], desk.world
        desk.stock_in(goods, 5)
        audit_stock_take(desk, goods)
        line = {"goods_id": goods, "quantity": "1", "price": "1"}
        desk.add_audited("other_inbound", line, business_date=EARLY, warehouse_id=world.warehouse2_a)

    def test_an_unaudited_or_voided_stocktake_asks_nothing(self, desk: BillClient) -> None:
        goods = desk.world.spares[6]
        desk.stock_in(goods, 5)
        take = audit_stock_take(desk, goods)
        assert desk.apply_action("invalid", take).ok
        assert desk.apply_action("auditorPass", draft_receipt(desk, goods)).ok


class TestWhileItIsAudited:
    def test_a_bill_that_waits_for_the_count_asks(
        self, site: Site, desk: BillClient, conn: Connection
    ) -> None:
        goods = desk.world.spares[19]
        desk.stock_in(goods, 5)
        take = desk.draft("stock_take", {"goods_id": goods, "counted_quantity": "12"}, business_date=DAY)
        bill = draft_receipt(desk, goods)
        with ThreadPoolExecutor(1) as pool:
            with site.engine.begin() as writing:
                ctx = Context(writing, sessions.read_principal(writing, desk.world.user_admin))
                transitions.apply_transition(ctx, StockTake, "auditorPass", take.id)
                late = pool.submit(desk.apply_action, "auditorPass", bill)
                await_waiters(conn)
            answer = late.result()
        assert (answer.code, take.no in answer.msg) == (363, True)
        conn.rollback()
        assert find_broken_checks(conn) == {}


class TestCounted:
    def test_a_receipt_leaves_what_was_counted(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[7]
        desk.stock_in(goods, 5)
        take, bill = audit_stock_take(desk, goods), draft_receipt(desk, goods)
        assert desk.apply_action("auditorPass", bill, counted=True).ok
        assert read_stock(books, desk, goods) == "12"
        assert list_corrections(books, bill) == [("-7", DAY)]
        assert books.cost(goods, desk.world.company_a) == ("12", "1200.00")
        assert list_differences(books, take) == [(True, "7", "700.00"), (False, "-7", "-700.00")]
        log = desk.caller.get(desk.path("other_inbound", "getLog"), id=bill.id).data
        assert [row["reason"][-4:] for row in log if row["action"] == "confirmed"] == ["已盘在内"]
        assert find_broken_checks(conn) == {}

    def test_an_issue_leaves_what_was_counted(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[8]
        desk.stock_in(goods, 15)
        audit_stock_take(desk, goods)
        bill = draft_issue(desk, goods)
        assert desk.apply_action("auditorPass", bill, counted=True).ok
        assert read_stock(books, desk, goods) == "12"
        assert list_corrections(books, bill) == [("3", DAY)]
        assert find_broken_checks(conn) == {}

    def test_a_transfer_that_arrives_is_asked_where_it_lands(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods, world = desk.world.spares[9], desk.world
        desk.stock_in(goods, 5)
        desk.stock_in(goods, 7, warehouse_id=world.warehouse2_a)
        line = {"goods_id": goods, "quantity": "7"}
        sent = desk.add_audited(
            "transfer_out",
            line,
            warehouse_id=world.warehouse2_a,
            to_warehouse_id=world.warehouse_a,
            business_date=EARLY,
        )
        audit_stock_take(desk, goods)
        draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
        bill = desk.draft("transfer_in", *draft.pop("lines"), **draft, business_date=EARLY)
        assert desk.apply_action("auditorPass", bill).code == 363
        assert desk.apply_action("auditorPass", bill, counted=True).ok
        assert read_stock(books, desk, goods) == "12"
        assert find_broken_checks(conn) == {}

    def test_its_correction_falls_with_it_alone(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[10]
        desk.stock_in(goods, 5)
        audit_stock_take(desk, goods)
        bill = draft_receipt(desk, goods)
        assert desk.apply_action("auditorPass", bill, counted=True).ok
        [(key, number)] = books.rows(
            "select bill_id, bill_no from stock_loss where late_bill_no = %s and status = 2", bill.no
        )
        answer = desk.apply_action("invalid", SavedBill("stock_loss", key, number))
        assert (answer.code, answer.msg) == (
            400,
            f"该单据由其他入库{bill.no}生成，请反审核或作废其他入库",
        )
        assert desk.apply_action("antiAuditor", bill).ok
        assert (read_stock(books, desk, goods), list_corrections(books, bill)) == ("12", [])
        assert desk.apply_action("auditorPass", bill, counted=True).ok
        assert (read_stock(books, desk, goods), list_corrections(books, bill)) == ("12", [("-7", DAY)])
        assert desk.apply_action("invalid", bill).ok
        assert read_stock(books, desk, goods) == "12"
        assert find_broken_checks(conn) == {}

    def test_what_was_sold_since_stands_not_in_the_way_of_taking_it_back(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        goods = desk.world.spares[11]
        desk.stock_in(goods, 5)
        audit_stock_take(desk, goods)
        bill = draft_receipt(desk, goods)
        assert desk.apply_action("auditorPass", bill, counted=True).ok
        assert desk.apply_action("auditorPass", draft_issue(desk, goods, "10", LATE)).ok
        assert desk.apply_action("antiAuditor", bill).ok
        assert read_stock(books, desk, goods) == "2"

    def test_a_stocktake_taken_back_and_audited_again_finds_the_same(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[12]
        desk.stock_in(goods, 5)
        take, bill = audit_stock_take(desk, goods), draft_receipt(desk, goods)
        assert desk.apply_action("auditorPass", bill, counted=True).ok
        assert desk.apply_action("antiAuditor", take).ok
        assert (read_stock(books, desk, goods), list_corrections(books, bill)) == ("12", []), (
            "as the bills say"
        )
        assert desk.apply_action("auditorPass", take).code == 363
        assert desk.apply_action("auditorPass", take, counted=True).ok
        assert read_stock(books, desk, goods) == "12"
        assert desk.apply_action("invalid", take).ok
        assert (read_stock(books, desk, goods), list_corrections(books, bill)) == ("12", [])
        assert find_broken_checks(conn) == {}

    def test_numbered_pieces_are_told_by_their_numbers(self, desk: BillClient) -> None:
        goods, world = desk.world.ids["numbered"], desk.world
        line = {"goods_id": goods, "quantity": "1", "price": "1", "tire_numbers": "LATE-1"}
        here = {"warehouse_id": world.warehouse2_a}
        desk.add_audited("other_inbound", line, **here)
        take = audit_stock_take(desk, goods, "1", **here)
        bill = desk.draft("other_inbound", {**line, "tire_numbers": "LATE-2"}, **here)
        answer = desk.apply_action("auditorPass", bill, counted=True)
        assert answer.code == 400
        assert answer.msg.endswith(f"按胎号管理，不能按已盘在内处理，请先反审核盘点单{take.no}")


class TestNotCounted:
    def test_it_comes_on_top(self, desk: BillClient, books: PostingReader, conn: Connection) -> None:
        goods = desk.world.spares[13]
        desk.stock_in(goods, 5)
        audit_stock_take(desk, goods)
        bill = draft_receipt(desk, goods)
        assert desk.apply_action("auditorPass", bill, counted=False).ok
        assert (read_stock(books, desk, goods), list_corrections(books, bill)) == ("19", [])
        assert desk.apply_action("antiAuditor", bill).ok
        assert read_stock(books, desk, goods) == "12"
        assert find_broken_checks(conn) == {}


class TestTakingBack:
    def test_what_was_in_the_book_is_asked_about(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[14]
        bill = draft_receipt(desk, goods)
        assert desk.apply_action("auditorPass", bill).ok
        desk.stock_in(goods, 5, business_date=EARLY)
        audit_stock_take(desk, goods)
        assert desk.apply_action("antiAuditor", bill).code == 363
        assert desk.apply_action("antiAuditor", bill, counted=True).ok
        assert (read_stock(books, desk, goods), list_corrections(books, bill)) == ("12", [("7", DAY)])
        assert desk.apply_action("auditorPass", bill).ok, "as before nothing has moved since the count"
        assert (read_stock(books, desk, goods), list_corrections(books, bill)) == ("12", [])
        assert find_broken_checks(conn) == {}

    def test_what_nobody_counted_goes(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[15]
        bill = draft_receipt(desk, goods)
        assert desk.apply_action("auditorPass", bill).ok
        audit_stock_take(desk, goods, "7")
        assert desk.apply_action("invalid", bill, counted=False).ok
        assert read_stock(books, desk, goods) == "0"


class TestBetweenCountAndAudit:
    """The count is entered, then a bill of an earlier day is audited, then the stocktake."""

    @pytest.mark.parametrize(("answer", "left", "spare"), [(True, "12", 16), (False, "19", 17)])
    def test_who_audits_the_stocktake_is_asked(
        self, desk: BillClient, books: PostingReader, conn: Connection, answer: bool, left: str, spare: int
    ) -> None:
        goods = desk.world.spares[spare]
        desk.stock_in(goods, 5)
        line = {"goods_id": goods, "counted_quantity": "12"}
        take = desk.draft("stock_take", line, business_date=DAY)
        bill = draft_receipt(desk, goods)
        assert desk.apply_action("auditorPass", bill).ok
        asked = desk.apply_action("auditorPass", take)
        moved = f"{bill.no}（{EARLY}，备件{spare} +7）"
        told = f"盘点录入后又审核了日期不晚于盘点单的{moved}，盘点时是否已盘在内？"
        assert (asked.code, asked.msg) == (363, told)
        assert desk.apply_action("auditorPass", take, counted=answer).ok
        assert read_stock(books, desk, goods) == left
        assert find_broken_checks(conn) == {}


class TestOnItsOwnDay:
    """A count in the past, and a sale of the same day, already counted: the order of entry decides nothing."""

    def draft_sale(self, desk: BillClient, goods: int) -> SavedBill:
        return draft_issue(desk, goods, day=DAY)

    def test_audited_before_the_count(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[20]
        desk.stock_in(goods, 20, business_date=EARLY)
        assert desk.apply_action("auditorPass", self.draft_sale(desk, goods)).ok
        audit_stock_take(desk, goods, "17")
        assert read_stock(books, desk, goods) == "17"

    def test_audited_between_count_and_audit(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[21]
        desk.stock_in(goods, 20, business_date=EARLY)
        line = {"goods_id": goods, "counted_quantity": "17"}
        take = desk.draft("stock_take", line, business_date=DAY)
        assert desk.apply_action("auditorPass", self.draft_sale(desk, goods)).ok
        assert desk.apply_action("auditorPass", take).code == 363
        assert desk.apply_action("auditorPass", take, counted=True).ok
        assert read_stock(books, desk, goods) == "17"
        assert find_broken_checks(conn) == {}

    def test_audited_after_the_stocktake(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[22]
        desk.stock_in(goods, 20, business_date=EARLY)
        audit_stock_take(desk, goods, "20")
        bill = self.draft_sale(desk, goods)
        assert desk.apply_action("auditorPass", bill).code == 363
        assert desk.apply_action("auditorPass", bill, counted=True).ok
        assert read_stock(books, desk, goods) == "20"
        assert desk.apply_action("antiAuditor", bill).ok
        assert desk.apply_action("auditorPass", bill, counted=False).ok
        assert read_stock(books, desk, goods) == "17"
        assert find_broken_checks(conn) == {}


class TestChecks:
    def test_a_correction_that_differs_is_found(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[18]
        desk.stock_in(goods, 5)
        audit_stock_take(desk, goods)
        bill = draft_receipt(desk, goods)
        assert desk.apply_action("auditorPass", bill, counted=True).ok
        conn.exec_driver_sql("alter table stock_ledger disable trigger user")
        conn.exec_driver_sql("update stock_ledger set quantity = quantity + 1 where bill_no = %s", (bill.no,))
        assert "late_corrections_undo_their_bills" in find_broken_checks(conn)
        conn.rollback()
        assert find_broken_checks(conn) == {}
