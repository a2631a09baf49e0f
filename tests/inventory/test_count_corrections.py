"""Counts of one spot: each knows what others have corrected since its book, and the later count decides."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.inventory.test_stock_take import count, differences, plan
from tests.kit.client import Answer
from tests.kit.desk import Books, Desk, Made
from tests.kit.fixtures import Site
from tests.kit.state import broken


def counted(desk: Desk, goods: int, quantity: str, **header: Any) -> Made:
    """A stocktake of one goods with its count, not audited."""
    return desk.draft("stock_take", {"goods_id": goods, "counted_quantity": quantity}, **header)


def stock(books: Books, desk: Desk, goods: int) -> str:
    return str(books.available(goods, desk.world.warehouse_a)[0])


class TestTwoCounts:
    def test_of_one_spot_correct_it_once(self, desk: Desk, books: Books, conn: Connection) -> None:
        goods = desk.world.spares[0]
        desk.stock_in(goods, 20)
        takes = [counted(desk, goods, "18") for _ in range(2)]
        for take in takes:
            assert desk.act("auditorPass", take).ok
        assert stock(books, desk, goods) == "18"
        assert [differences(books, take) for take in takes] == [[(False, "-2", "-200.00")], []]
        [line] = desk.info(takes[1])["lines"]
        assert (line["book_quantity"], line["corrected_quantity"], line["difference"]) == (
            "20.000",
            "-2.000",
            "0.000",
        )
        assert broken(conn) == {}

    def test_that_found_different_things_leave_what_was_counted_last(
        self, desk: Desk, books: Books, conn: Connection
    ) -> None:
        goods = desk.world.spares[1]
        desk.stock_in(goods, 20)
        first, last = counted(desk, goods, "18"), counted(desk, goods, "17")
        assert desk.act("auditorPass", first).ok
        assert desk.act("auditorPass", last).ok
        assert stock(books, desk, goods) == "17"
        assert broken(conn) == {}

    def test_the_later_count_decides_though_it_was_audited_first(
        self, desk: Desk, books: Books, conn: Connection
    ) -> None:
        goods = desk.world.spares[2]
        desk.stock_in(goods, 20)
        first, last = counted(desk, goods, "20"), counted(desk, goods, "18")
        assert desk.act("auditorPass", last).ok
        assert desk.act("auditorPass", first).ok
        assert stock(books, desk, goods) == "18"
        [line] = desk.info(first)["lines"]
        assert (line["superseded_by_no"], line["difference"]) == (last.no, "0.000")
        assert broken(conn) == {}

    def test_moves_between_are_no_corrections(self, desk: Desk, books: Books) -> None:
        goods = desk.world.spares[3]
        desk.stock_in(goods, 20)
        takes = [counted(desk, goods, "18") for _ in range(2)]
        desk.audited("other_outbound", {"goods_id": goods, "quantity": "5"})
        for take in takes:
            assert desk.act("auditorPass", take, counted=False).ok
        assert stock(books, desk, goods) == "13"

    def test_a_recount_reads_the_book_anew(self, desk: Desk, books: Books) -> None:
        goods = desk.world.spares[4]
        desk.stock_in(goods, 20)
        first, last = counted(desk, goods, "18"), counted(desk, goods, "18")
        assert desk.act("auditorPass", first).ok
        assert count(desk, last, "19", name="recount_quantity").ok
        assert desk.act("auditorPass", last).ok
        assert stock(books, desk, goods) == "19"

    def test_one_that_freezes_and_one_that_does_not_agree(
        self, desk: Desk, books: Books, conn: Connection
    ) -> None:
        goods = desk.world.spares[5]
        desk.stock_in(goods, 20)
        open_, frozen = counted(desk, goods, "18"), plan(desk, goods, freezes=True)
        assert count(desk, frozen, "18").ok
        assert desk.act("auditorPass", frozen).ok
        assert desk.act("auditorPass", open_).ok
        assert stock(books, desk, goods) == "18"
        assert broken(conn) == {}

    @pytest.mark.parametrize("number", range(2))
    def test_audited_at_once_correct_it_once(
        self, site: Site, desk: Desk, books: Books, conn: Connection, number: int
    ) -> None:
        goods = desk.world.spares[6 + number]
        desk.stock_in(goods, 20)
        takes = [counted(desk, goods, "18") for _ in range(4)]
        answers: list[Answer] = []

        def audit(take: Made) -> None:
            answers.append(Desk(site).act("auditorPass", take))

        threads = [threading.Thread(target=audit, args=(take,)) for take in takes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
        assert [answer.code for answer in answers] == [200] * 4
        assert stock(books, desk, goods) == "18"
        assert broken(conn) == {}


class TestOfAPastDay:
    """A count is held to the stock at the end of its day, in whatever order the bills are keyed."""

    DAY, NEXT, LATE = "2026-03-10", "2026-03-11", "2026-03-12"

    def sale(self, desk: Desk, goods: int, quantity: str, day: str) -> Answer:
        line = {"goods_id": goods, "quantity": quantity, "price": "10"}
        return desk.act("auditorPass", desk.draft("sales_outbound", line, business_date=day))

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
        self, desk: Desk, books: Books, conn: Connection, keyed: str, counted_as: str, left: str, spare: int
    ) -> None:
        goods = desk.world.spares[spare]
        desk.stock_in(goods, 20)
        if keyed == "after":
            assert self.sale(desk, goods, "5", self.LATE).ok
        take = counted(desk, goods, counted_as, business_date=self.DAY)
        if keyed == "before":
            assert self.sale(desk, goods, "5", self.LATE).ok
        [line] = desk.info(take)["lines"]
        assert (line["snapshot_quantity"], line["book_quantity"]) == ("20.000", "20.000")
        assert desk.act("auditorPass", take).ok
        assert stock(books, desk, goods) == left
        assert self.sale(desk, goods, "20", self.NEXT).code == 400
        assert broken(conn) == {}

    def test_nothing_counted_of_nothing_finds_nothing(
        self, desk: Desk, books: Books, conn: Connection
    ) -> None:
        goods = desk.world.spares[24]
        desk.stock_in(goods, 25, business_date=self.LATE)
        take = counted(desk, goods, "0", business_date=self.DAY)
        assert desk.act("auditorPass", take).ok
        assert (differences(books, take), stock(books, desk, goods)) == ([], "25")
        assert broken(conn) == {}

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
        self, desk: Desk, books: Books, conn: Connection, order: tuple[str, ...], spare: int
    ) -> None:
        goods, takes = desk.world.spares[spare], {}
        desk.stock_in(goods, 20)
        days = {"early": ("19", "2026-03-06"), "late": ("18", self.DAY)}
        for step in order:
            verb, which = step.split()
            if verb == "key":
                quantity, day = days[which]
                takes[which] = counted(desk, goods, quantity, business_date=day)
            else:
                is_late = which == "early" and "audit late" in order[: order.index(step)]
                answer = desk.act("auditorPass", takes[which])
                assert answer.code == (363 if is_late else 200), answer
                assert not is_late or desk.act("auditorPass", takes[which], confirmed=True).ok
        assert stock(books, desk, goods) == "18"
        assert broken(conn) == {}
        early, late = takes["early"], takes["late"]
        last = early if order[-1] == "audit early" else late
        for take in (last, early if last is late else late):
            assert desk.act("antiAuditor", take).ok
        assert stock(books, desk, goods) == "20"
        assert broken(conn) == {}

    def test_one_audited_after_a_later_day_says_that_it_moves_nothing_and_what_would(
        self, desk: Desk, books: Books, conn: Connection
    ) -> None:
        goods = desk.world.spares[34]
        desk.stock_in(goods, 20)
        late = counted(desk, goods, "18", business_date=self.DAY)
        assert desk.act("auditorPass", late).ok
        early = counted(desk, goods, "18", business_date="2026-03-06")
        answer = desk.act("auditorPass", early)
        assert answer.code == 363 and late.no in answer.msg and "请先反审核后盘的盘点单" in answer.msg
        for action, take in (("antiAuditor", late), ("auditorPass", early), ("auditorPass", late)):
            assert desk.act(action, take).ok
        assert differences(books, early) == [(False, "-2", "-200.00")]
        by_day = "select sum(quantity) from stock_ledger where goods_id = %s and business_date <= %s"
        assert [books.rows(by_day, goods, day) for day in ("2026-03-06", self.DAY)] == [[("18",)], [("18",)]]
        assert broken(conn) == {}

    def test_one_that_agrees_with_its_day_is_not_asked_about(self, desk: Desk) -> None:
        goods = desk.world.spares[33]
        desk.stock_in(goods, 20)
        assert desk.act("auditorPass", counted(desk, goods, "18", business_date=self.DAY)).ok
        assert desk.act("auditorPass", counted(desk, goods, "20", business_date="2026-03-06")).ok

    def test_a_plan_takes_down_what_has_left_since(self, desk: Desk) -> None:
        goods, world = desk.world.spares[30], desk.world
        here = {"warehouse_id": world.warehouse2_a}
        desk.stock_in(goods, 3, **here)
        desk.stock_in(desk.world.spares[32], 1, **here)
        desk.audited("other_outbound", {"goods_id": goods, "quantity": "3"}, business_date=self.LATE, **here)
        lines = [
            [row["snapshot_quantity"] for row in desk.info(take)["lines"] if row["goods_id"] == goods]
            for take in (desk.draft("stock_take", business_date=day, **here) for day in (self.DAY, self.LATE))
        ]
        assert lines == [["3.000"], []]

    def test_another_day_reads_its_book(self, desk: Desk) -> None:
        goods = desk.world.spares[31]
        desk.stock_in(goods, 20)
        assert self.sale(desk, goods, "5", self.LATE).ok
        take = counted(desk, goods, "15", business_date=self.LATE)
        assert desk.info(take)["lines"][0]["book_quantity"] == "15.000"
        assert count(desk, take, "15", business_date=self.DAY).ok
        assert desk.info(take)["lines"][0]["book_quantity"] == "20.000"


class TestCorrectionsByHand:
    @pytest.mark.parametrize(
        ("resource", "quantity", "left", "spare"),
        [("stock_loss", "2", "18", 8), ("stock_loss", "1", "18", 26), ("stock_surplus", "3", "18", 27)],
    )
    def test_made_since_the_count_are_known(
        self,
        desk: Desk,
        books: Books,
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
        desk.audited(resource, {"goods_id": goods, "quantity": quantity, **spot})
        assert desk.act("auditorPass", take).ok
        found = books.rows("select quantity from stock_balance where batch_id = %s", batch)
        assert found == [(left,)]
        assert broken(conn) == {}

    def test_are_not_taken_back_once_a_stocktake_counts_on_them(self, desk: Desk) -> None:
        goods = desk.world.spares[9]
        desk.stock_in(goods, 20)
        take = counted(desk, goods, "18")
        loss = desk.audited("stock_loss", {"goods_id": goods, "quantity": "2"})
        assert desk.act("auditorPass", take).ok
        answer = desk.act("antiAuditor", loss)
        assert (answer.code, answer.msg) == (
            400,
            f"盘点单{take.no}已按本单更正后的账面盘点，请先反审核或作废它",
        )
        assert desk.act("antiAuditor", take).ok
        assert desk.act("antiAuditor", loss).ok


class TestTakingBack:
    @pytest.mark.parametrize(("action", "spare"), [("antiAuditor", 10), ("invalid", 28)])
    def test_a_count_that_a_later_one_counts_on_stays(
        self, desk: Desk, books: Books, conn: Connection, action: str, spare: int
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
            assert desk.act("auditorPass", take).ok
        answer = desk.act(action, first)
        assert answer.msg == f"盘点单{last.no}已按本单更正后的账面盘点，请先反审核或作废它"
        assert desk.act("antiAuditor", last).ok
        assert desk.info(last)["lines"][0]["corrected_quantity"] == "0.000"
        assert desk.act(action, first).ok
        assert desk.act("auditorPass", last).ok
        assert books.rows("select quantity from stock_balance where batch_id = %s", batch) == [("18",)]
        assert broken(conn) == {}


class TestChecks:
    """What was planted is found; the planting is rolled back."""

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
    def test_a_corruption_is_found(self, desk: Desk, conn: Connection, planted: str, name: str) -> None:
        goods = desk.world.spares[11]
        desk.stock_in(goods, 20)
        takes = [counted(desk, goods, "18"), counted(desk, goods, "17")]
        for take in takes:
            assert desk.act("auditorPass", take).ok
        conn.exec_driver_sql(f"{planted.format(take=takes[0].id)} where bill_id = {takes[1].id}")
        assert name in broken(conn)
        conn.rollback()
        assert broken(conn) == {}
        for take in reversed(takes):
            assert desk.act("invalid", take).ok
