"""Counts of one spot: each knows what others have corrected since its book, and the later count decides."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.inventory.test_stock_take import draft_plan, enter_counts, list_differences
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site


def draft_count(desk: BillClient, goods: int, quantity: str, **header: Any) -> SavedBill:
    """Draft a stocktake of one goods with its count."""
    return desk.draft("stock_take", {"goods_id": goods, "counted_quantity": quantity}, **header)


def read_stock(books: PostingReader, desk: BillClient, goods: int) -> str:
    return str(books.available(goods, desk.world.warehouse_a)[0])


class TestTwoCounts:
    def test_of_one_spot_correct_it_once(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[0]
        desk.stock_in(goods, 20)
        takes = [draft_count(desk, goods, "18") for _ in range(2)]
        for take in takes:
            assert desk.apply_action("auditorPass", take).ok
        assert read_stock(books, desk, goods) == "18"
        assert [list_differences(books, take) for take in takes] == [[(False, "-2", "-200.00")], []]
        [line] = desk.read_bill(takes[1])["lines"]
        assert (line["book_quantity"], line["corrected_quantity"], line["difference"]) == (
            "20.000",
            "-2.000",
            "0.000",
        )
        assert find_broken_checks(conn) == {}

    def test_that_found_different_things_leave_what_was_counted_last(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[1]
        desk.stock_in(goods, 20)
        first, last = draft_count(desk, goods, "18"), draft_count(desk, goods, "17")
        assert desk.apply_action("auditorPass", first).ok
        assert desk.apply_action("auditorPass", last).ok
        assert read_stock(books, desk, goods) == "17"
        assert find_broken_checks(conn) == {}

    def test_the_later_count_decides_though_it_was_audited_first(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[2]
        desk.stock_in(goods, 20)
        first, last = draft_count(desk, goods, "20"), draft_count(desk, goods, "18")
        assert desk.apply_action("auditorPass", last).ok
        assert desk.apply_action("auditorPass", first).ok
        assert read_stock(books, desk, goods) == "18"
        [line] = desk.read_bill(first)["lines"]
        assert (line["superseded_by_no"], line["difference"]) == (last.no, "0.000")
        assert find_broken_checks(conn) == {}

    def test_moves_between_are_no_corrections(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[3]
        desk.stock_in(goods, 20)
        takes = [draft_count(desk, goods, "18") for _ in range(2)]
        desk.add_audited("other_outbound", {"goods_id": goods, "quantity": "5"})
        for take in takes:
            assert desk.apply_action("auditorPass", take, counted=False).ok
        assert read_stock(books, desk, goods) == "13"

    def test_a_recount_reads_the_book_anew(self, desk: BillClient, books: PostingReader) -> None:
        goods = desk.world.spares[4]
        desk.stock_in(goods, 20)
        first, last = draft_count(desk, goods, "18"), draft_count(desk, goods, "18")
        assert desk.apply_action("auditorPass", first).ok
        assert enter_counts(desk, last, "19", name="recount_quantity").ok
        assert desk.apply_action("auditorPass", last).ok
        assert read_stock(books, desk, goods) == "19"

    def test_one_that_freezes_and_one_that_does_not_agree(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[5]
        desk.stock_in(goods, 20)
        open_, frozen = draft_count(desk, goods, "18"), draft_plan(desk, goods, freezes=True)
        assert enter_counts(desk, frozen, "18").ok
        assert desk.apply_action("auditorPass", frozen).ok
        assert desk.apply_action("auditorPass", open_).ok
        assert read_stock(books, desk, goods) == "18"
        assert find_broken_checks(conn) == {}

    @pytest.mark.parametrize("number", range(2))
    def test_audited_at_once_correct_it_once(
        self, site: Site, desk: BillClient, books: PostingReader, conn: Connection, number: int
    ) -> None:
        goods = desk.world.spares[6 + number]
        desk.stock_in(goods, 20)
        takes = [draft_count(desk, goods, "18") for _ in range(4)]
        answers: list[Answer] = []

        def audit(take: SavedBill) -> None:
            answers.append(BillClient(site).apply_action("auditorPass", take))

        threads = [threading.Thread(target=audit, args=(take,)) for take in takes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
        assert [answer.code for answer in answers] == [200] * 4
        assert read_stock(books, desk, goods) == "18"
        assert find_broken_checks(conn) == {}


class TestOfAPastDay:
    """A count is compared with the stock at the end of its day, in whatever order the bills are entered."""

    DAY, NEXT, LATE = "2026-03-10", "2026-03-11", "2026-03-12"

    def audit_sale(self, desk: BillClient, goods: int, quantity: str, day: str) -> Answer:
        line = {"goods_id": goods, "quantity": quantity, "price": "10"}
        return desk.apply_action("auditorPass", desk.draft("sales_outbound", line, business_date=day))

    @pytest.mark.parametrize(
        ("keyed", "counted_as", "left", "spare"),
        [
            ("before", "20", "15", 20),
            ("after", "20", "15", 21),
            ("before", "18", "13", 22),
            ("after", "18", "13", 23),
        ],
    )
    def test_moves_of_later_days_are_none_of_it(
        self,
        desk: BillClient,
        books: PostingReader,
        conn: Connection,
        keyed: str,
        counted_as: str,
        left: str,
        spare: int,
    ) -> None:
        goods = desk.world.spares[spare]
        desk.stock_in(goods, 20)
        if keyed == "after":
            assert self.audit_sale(desk, goods, "5", self.LATE).ok
        take = draft_count(desk, goods, counted_as, business_date=self.DAY)
        if keyed == "before":
            assert self.audit_sale(desk, goods, "5", self.LATE).ok
        [line] = desk.read_bill(take)["lines"]
        assert (line["snapshot_quantity"], line["book_quantity"]) == ("20.000", "20.000")
        assert desk.apply_action("auditorPass", take).ok
        assert read_stock(books, desk, goods) == left
        assert self.audit_sale(desk, goods, "20", self.NEXT).code == 400
        assert find_broken_checks(conn) == {}

    def test_nothing_counted_of_nothing_finds_nothing(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[24]
        desk.stock_in(goods, 25, business_date=self.LATE)
        take = draft_count(desk, goods, "0", business_date=self.DAY)
        assert desk.apply_action("auditorPass", take).ok
        assert (list_differences(books, take), read_stock(books, desk, goods)) == ([], "25")
        assert find_broken_checks(conn) == {}

    @pytest.mark.parametrize(
        ("order", "spare"),
        [
            (("key early", "key late", "audit early", "audit late"), 25),
            (("key late", "audit late", "key early", "audit early"), 26),
            (("key early", "audit early", "key late", "audit late"), 27),
            (("key early", "key late", "audit late", "audit early"), 28),
            (("key late", "key early", "audit early", "audit late"), 29),
        ],
    )
    def test_the_count_of_the_later_day_decides(
        self, desk: BillClient, books: PostingReader, conn: Connection, order: tuple[str, ...], spare: int
    ) -> None:
        goods, takes = desk.world.spares[spare], {}
        desk.stock_in(goods, 20)
        days = {"early": ("19", "2026-03-06"), "late": ("18", self.DAY)}
        for step in order:
            verb, which = step.split()
            if verb == "key":
                quantity, day = days[which]
                takes[which] = draft_count(desk, goods, quantity, business_date=day)
            else:
                is_late = which == "early" and "audit late" in order[: order.index(step)]
                answer = desk.apply_action("auditorPass", takes[which])
                assert answer.code == (363 if is_late else 200), answer
                assert not is_late or desk.apply_action("auditorPass", takes[which], confirmed=True).ok
        assert read_stock(books, desk, goods) == "18"
        assert find_broken_checks(conn) == {}
        early, late = takes["early"], takes["late"]
        last = early if order[-1] == "audit early" else late
        for take in (last, early if last is late else late):
            assert desk.apply_action("antiAuditor", take).ok
        assert read_stock(books, desk, goods) == "20"
        assert find_broken_checks(conn) == {}

    def test_one_audited_after_a_later_day_says_that_it_moves_nothing_and_what_would(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[34]
        desk.stock_in(goods, 20)
        late = draft_count(desk, goods, "18", business_date=self.DAY)
        assert desk.apply_action("auditorPass", late).ok
        early = draft_count(desk, goods, "18", business_date="2026-03-06")
        answer = desk.apply_action("auditorPass", early)
        assert answer.code == 363 and late.no in answer.msg and "请先反审核后盘的盘点单" in answer.msg
        for action, take in (("antiAuditor", late), ("auditorPass", early), ("auditorPass", late)):
            assert desk.apply_action(action, take).ok
        assert list_differences(books, early) == [(False, "-2", "-200.00")]
        by_day = "select sum(quantity) from stock_ledger where goods_id = %s and business_date <= %s"
        assert [books.rows(by_day, goods, day) for day in ("2026-03-06", self.DAY)] == [[("18",)], [("18",)]]
        assert find_broken_checks(conn) == {}

    def test_one_that_agrees_with_its_day_is_not_asked_about(self, desk: BillClient) -> None:
        goods = desk.world.spares[33]
        desk.stock_in(goods, 20)
        assert desk.apply_action("auditorPass", draft_count(desk, goods, "18", business_date=self.DAY)).ok
        assert desk.apply_action("auditorPass", draft_count(desk, goods, "20", business_date="2026-03-06")).ok

    def test_a_plan_takes_down_what_has_left_since(self, desk: BillClient) -> None:
        goods, world = desk.world.spares[30], desk.world
        here = {"warehouse_id": world.warehouse2_a}
        desk.stock_in(goods, 3, **here)
        desk.stock_in(desk.world.spares[32], 1, **here)
        desk.add_audited(
            "other_outbound", {"goods_id": goods, "quantity": "3"}, business_date=self.LATE, **here
        )
        lines = [
            [row["snapshot_quantity"] for row in desk.read_bill(take)["lines"] if row["goods_id"] == goods]
            for take in (desk.draft("stock_take", business_date=day, **here) for day in (self.DAY, self.LATE))
        ]
        assert lines == [["3.000"], []]

    def test_another_day_reads_its_book(self, desk: BillClient) -> None:
        goods = desk.world.spares[31]
        desk.stock_in(goods, 20)
        assert self.audit_sale(desk, goods, "5", self.LATE).ok
        take = draft_count(desk, goods, "15", business_date=self.LATE)
        assert desk.read_bill(take)["lines"][0]["book_quantity"] == "15.000"
        assert enter_counts(desk, take, "15", business_date=self.DAY).ok
        assert desk.read_bill(take)["lines"][0]["book_quantity"] == "20.000"


class TestCorrectionsByHand:
    @pytest.mark.parametrize(
        ("resource", "quantity", "left", "spare"),
        [("stock_loss", "2", "18", 8), ("stock_loss", "1", "18", 26), ("stock_surplus", "3", "18", 27)],
    )
    def test_made_since_the_count_are_known(
        self,
        desk: BillClient,
        books: PostingReader,
        conn: Connection,
        resource: str,
        quantity: str,
        left: str,
        spare: int,
    ) -> None:
        goods = desk.world.spares[spare]
        desk.stock_in(goods, 20, batch=f"{resource}{quantity}")
        [(batch,)] = books.rows(
            "select batch_id from goods_batch where goods_id = %s and batch = %s", goods, resource + quantity
        )
        counted = {"goods_id": goods, "batch": resource + quantity, "counted_quantity": "18"}
        take = desk.draft("stock_take", counted)
        spot = {"batch_id": batch} if resource == "stock_loss" else {"batch": resource + quantity}
        desk.add_audited(resource, {"goods_id": goods, "quantity": quantity, **spot})
        assert desk.apply_action("auditorPass", take).ok
        found = books.rows("select quantity from stock_balance where batch_id = %s", batch)
        assert found == [(left,)]
        assert find_broken_checks(conn) == {}

    def test_are_not_taken_back_once_a_stocktake_counts_on_them(self, desk: BillClient) -> None:
        goods = desk.world.spares[9]
        desk.stock_in(goods, 20)
        take = draft_count(desk, goods, "18")
        loss = desk.add_audited("stock_loss", {"goods_id": goods, "quantity": "2"})
        assert desk.apply_action("auditorPass", take).ok
        answer = desk.apply_action("antiAuditor", loss)
        assert (answer.code, answer.msg) == (
            400,
            f"盘点单{take.no}已按本单更正后的账面盘点，请先反审核或作废它",
        )
        assert desk.apply_action("antiAuditor", take).ok
        assert desk.apply_action("antiAuditor", loss).ok


class TestTakingBack:
    @pytest.mark.parametrize(("action", "spare"), [("antiAuditor", 10), ("invalid", 28)])
    def test_a_count_that_a_later_one_counts_on_stays(
        self, desk: BillClient, books: PostingReader, conn: Connection, action: str, spare: int
    ) -> None:
        goods = desk.world.spares[spare]
        desk.stock_in(goods, 20, warehouse_id=desk.world.warehouse2_a, batch=action)
        [(batch,)] = books.rows(
            "select batch_id from goods_batch where goods_id = %s and batch = %s", goods, action
        )
        line = {"goods_id": goods, "batch": action, "counted_quantity": "18"}
        here = {"warehouse_id": desk.world.warehouse2_a}
        first, last = (desk.draft("stock_take", line, **here) for _ in range(2))
        for take in (first, last):
            assert desk.apply_action("auditorPass", take).ok
        answer = desk.apply_action(action, first)
        assert answer.msg == f"盘点单{last.no}已按本单更正后的账面盘点，请先反审核或作废它"
        assert desk.apply_action("antiAuditor", last).ok
        assert desk.read_bill(last)["lines"][0]["corrected_quantity"] == "0.000"
        assert desk.apply_action(action, first).ok
        assert desk.apply_action("auditorPass", last).ok
        assert books.rows("select quantity from stock_balance where batch_id = %s", batch) == [("18",)]
        assert find_broken_checks(conn) == {}


class TestChecks:
    """Planted faults are found; the planting is rolled back."""

    @pytest.mark.parametrize(
        ("planted", "name"),
        [
            (
                "update stock_take_line set book_quantity = book_quantity + 1",
                "stock_take_differences_are_posted",
            ),
            ("update stock_take_line set uncounted_quantity = 1", "stock_takes_set_the_book"),
            ("update stock_take_line set late_quantity = 1", "stock_take_differences_are_posted"),
            ("update stock_take_line set counted_quantity = 16", "stock_takes_set_the_book"),
            ("update stock_take set business_date = '2026-01-01'", "stock_takes_set_the_book"),
            ("update stock_take_line set corrected_quantity = 0", "stock_take_differences_are_posted"),
            ("update stock_take_line set superseded_by = {take}", "stock_take_differences_are_posted"),
        ],
    )
    def test_a_corruption_is_found(self, desk: BillClient, conn: Connection, planted: str, name: str) -> None:
        goods = desk.world.spares[11]
        desk.stock_in(goods, 20)
        takes = [draft_count(desk, goods, "18"), draft_count(desk, goods, "17")]
        for take in takes:
            assert desk.apply_action("auditorPass", take).ok
        conn.exec_driver_sql(f"{planted.format(take=takes[0].id)} where bill_id = {takes[1].id}")
        assert name in find_broken_checks(conn)
        conn.rollback()
        assert find_broken_checks(conn) == {}
        for take in reversed(takes):
            assert desk.apply_action("invalid", take).ok
