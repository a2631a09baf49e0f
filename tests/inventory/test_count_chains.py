"""Counts, and bills before them, taken back and audited again in any order: the book of a counted day stays what was
counted."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.kit.client import Answer
from tests.kit.desk import Books, Desk, Made
from tests.kit.state import broken

DAYS = [f"2026-03-{day:02}" for day in range(4, 20)]


def receipt(desk: Desk, goods: int, quantity: str, day: str) -> Made:
    line = {"goods_id": goods, "quantity": quantity, "price": "113", "tax_rate": "13"}
    return desk.draft("other_inbound", line, business_date=day)


def issue(desk: Desk, goods: int, quantity: str, day: str) -> Made:
    return desk.draft("other_outbound", {"goods_id": goods, "quantity": quantity}, business_date=day)


def take(desk: Desk, goods: int, counted: str, day: str) -> Made:
    line = {"goods_id": goods, "counted_quantity": counted}
    return desk.draft("stock_take", line, business_date=day)


def book(books: Books, goods: int, day: str) -> str:
    sql = "select coalesce(sum(quantity), 0)::numeric(16, 0)::text from stock_ledger where goods_id = %s and business_date <= %s"
    [(found,)] = books.rows(sql, goods, day)
    return str(found)


def edited(desk: Desk, bill: Made, quantity: str) -> Answer:
    info = desk.info(bill)
    lines = [{**info["lines"][0], "quantity": quantity}]
    return desk.caller.post(desk.path(bill.resource, "edit"), {**info, "id": bill.id, "lines": lines})


def must(answer: Answer) -> None:
    assert answer.ok, answer


class TestBillsOfTheBook:
    """A bill that was in the book when the count was entered, changed before the stocktake is audited."""

    def test_audited_again_as_it_was_it_asks_nothing(
        self, desk: Desk, books: Books, conn: Connection
    ) -> None:
        goods = desk.world.spares[0]
        desk.stock_in(goods, 100)
        bill = receipt(desk, goods, "5", "2026-03-06")
        must(desk.act("auditorPass", bill))
        count = take(desk, goods, "105", "2026-03-10")
        must(desk.act("antiAuditor", bill))
        must(desk.act("auditorPass", bill))
        must(desk.act("auditorPass", count))
        assert book(books, goods, "2026-03-10") == "105"
        assert broken(conn) == {}

    def test_taken_back_it_moved_nothing_that_was_counted(
        self, desk: Desk, books: Books, conn: Connection
    ) -> None:
        goods = desk.world.spares[1]
        desk.stock_in(goods, 100)
        false = receipt(desk, goods, "5", "2026-03-06")
        must(desk.act("auditorPass", false))
        count = take(desk, goods, "100", "2026-03-10")
        must(desk.act("antiAuditor", false))
        must(desk.act("auditorPass", count))
        assert book(books, goods, "2026-03-10") == "100"
        assert broken(conn) == {}

    @pytest.mark.parametrize(("told", "spare"), [(True, 2), (False, 3)])
    def test_of_more_pieces_it_is_asked_of_those(
        self, desk: Desk, books: Books, conn: Connection, told: bool, spare: int
    ) -> None:
        goods = desk.world.spares[spare]
        desk.stock_in(goods, 100)
        bill = receipt(desk, goods, "5", "2026-03-06")
        must(desk.act("auditorPass", bill))
        count = take(desk, goods, "107" if told else "105", "2026-03-10")
        must(desk.act("antiAuditor", bill))
        must(edited(desk, bill, "7"))
        must(desk.act("auditorPass", bill))
        assert desk.act("auditorPass", count).code == 363
        must(desk.act("auditorPass", count, counted=told))
        assert book(books, goods, "2026-03-10") == "107"
        [line] = desk.info(count)["lines"]
        assert (line["late_quantity"], line["uncounted_quantity"]) == (
            ("2.000", "0.000") if told else ("0.000", "2.000")
        )
        assert broken(conn) == {}


class TestLateCorrections:
    """What keeps a count right against a bill that was audited after it."""

    def test_a_count_taken_back_and_audited_again_leaves_the_next_one_right(
        self, desk: Desk, books: Books, conn: Connection
    ) -> None:
        goods = desk.world.spares[4]
        desk.stock_in(goods, 100)
        first = take(desk, goods, "100", "2026-03-10")
        must(desk.act("auditorPass", first))
        must(desk.act("auditorPass", receipt(desk, goods, "4", "2026-03-09"), counted=True))
        second = take(desk, goods, "100", "2026-03-11")
        must(desk.act("antiAuditor", first))
        must(desk.act("auditorPass", first, counted=True))
        must(desk.act("auditorPass", second, counted=True))
        assert [book(books, goods, f"2026-03-{day}") for day in (10, 11)] == ["100", "100"]
        assert broken(conn) == {}

    def test_one_that_is_relied_on_stays(self, desk: Desk, conn: Connection) -> None:
        goods = desk.world.spares[5]
        desk.stock_in(goods, 100)
        first, second = (take(desk, goods, "100", f"2026-03-{day}") for day in (10, 11))
        for count in (first, second):
            must(desk.act("auditorPass", count))
        must(desk.act("auditorPass", receipt(desk, goods, "4", "2026-03-09"), counted=True))
        answer = desk.act("antiAuditor", first)
        assert (answer.code, second.no in answer.msg) == (400, True)
        assert broken(conn) == {}

    def test_the_advised_way_sets_every_day_right(self, desk: Desk, books: Books, conn: Connection) -> None:
        goods = desk.world.spares[6]
        desk.stock_in(goods, 100)
        middle = take(desk, goods, "100", "2026-03-10")
        must(desk.act("auditorPass", middle))
        must(desk.act("auditorPass", receipt(desk, goods, "4", "2026-03-09"), counted=True))
        last = take(desk, goods, "100", "2026-03-11")
        must(desk.act("auditorPass", last))
        early = take(desk, goods, "97", "2026-03-05")
        assert desk.act("auditorPass", early).code == 363
        for count in (last, middle):
            must(desk.act("antiAuditor", count))
        must(desk.act("auditorPass", early))
        for count in (middle, last):
            must(desk.act("auditorPass", count, counted=True))
        assert [book(books, goods, f"2026-03-{day}") for day in ("05", "10", "11")] == ["97", "100", "100"]
        assert broken(conn) == {}

    def test_a_counted_bill_taken_back_and_audited_again_changes_no_counted_day(
        self, desk: Desk, books: Books, conn: Connection
    ) -> None:
        goods = desk.world.spares[7]
        desk.stock_in(goods, 100)
        late = take(desk, goods, "94", "2026-03-08")
        must(desk.act("auditorPass", late))
        bill = issue(desk, goods, "4", "2026-03-06")
        must(desk.act("auditorPass", bill, counted=True))
        early = take(desk, goods, "94", "2026-03-07")
        assert desk.act("auditorPass", early).code == 363
        must(desk.act("antiAuditor", late))
        must(desk.act("auditorPass", early))
        must(desk.act("auditorPass", late, counted=True))
        for action in ("antiAuditor", "auditorPass"):
            asked = desk.act(action, bill)
            assert asked.code == (363 if action == "antiAuditor" else 200), "as it was, it asks nothing"
            assert asked.ok or desk.act(action, bill, counted=True).ok
            assert [book(books, goods, f"2026-03-{day}") for day in ("07", "08")] == ["94", "94"], action
            assert broken(conn) == {}

    def test_an_early_count_that_differed_from_nothing_bars_no_later_one(self, desk: Desk) -> None:
        goods = desk.world.spares[8]
        desk.stock_in(goods, 100)
        late = take(desk, goods, "113", "2026-03-13")
        must(desk.act("auditorPass", late))
        early = take(desk, goods, "100", "2026-03-06")
        must(desk.act("auditorPass", early))
        assert desk.info(early)["lines"][0]["superseded_by_no"] is None
        must(desk.act("antiAuditor", late))

    def test_one_that_gave_way_is_named_as_such(self, desk: Desk) -> None:
        goods = desk.world.spares[9]
        desk.stock_in(goods, 100)
        late = take(desk, goods, "113", "2026-03-13")
        must(desk.act("auditorPass", late))
        early = take(desk, goods, "101", "2026-03-06")
        must(desk.act("auditorPass", early, confirmed=True))
        answer = desk.act("antiAuditor", late)
        assert (answer.code, answer.msg) == (
            400,
            f"盘点单{early.no}以本单为准，没有改变账面，请先反审核或作废它",
        )


class Shelf:
    """One spot whose pieces come, go and vanish by day; clerks key in any order what happened, and tell the truth.

    Of each day the bills come before the count of its evening.
    """

    def __init__(self, desk: Desk, books: Books, goods: int, seed: int) -> None:
        self.desk, self.books, self.goods, self.chance = desk, books, goods, Random(seed)
        self.bills: list[Made] = []
        self.counts: dict[Made, tuple[str, str]] = {}
        there, self.true = 100, {}
        for day in DAYS:
            moved = self.chance.choice((0, 0, 5, 3, -2, -4))
            if moved:
                make = receipt if moved > 0 else issue
                self.bills.append(make(desk, goods, str(abs(moved)), day))
            there += moved - self.chance.choice((0, 0, 0, 1))
            self.true[day] = str(there)

    def step(self) -> None:
        """A clerk keys a count, or audits or takes back something; what is refused is left."""
        desk, chance = self.desk, self.chance
        if len(self.counts) < 5 and chance.random() < 0.25:
            # In the evening, or earlier than the day's bill is dated: only bills of days before are sure to be counted.
            day = chance.choice(DAYS[1:])
            if not any(on == day for on, _ in self.counts.values()):
                count = take(desk, self.goods, self.true[day], day)
                self.counts[count] = (day, self.true[day])
            return
        one = chance.choice([*self.bills, *self.counts])
        action = "antiAuditor" if desk.info(one)["status"] == 2 else "auditorPass"
        answer = desk.act(action, one)
        if answer.code == 363:
            answer = desk.act(action, one, counted=True, confirmed=True)
        assert answer.code in (200, 400), answer

    def wrong(self) -> list[Any]:
        """Audited counts that decide, and whose day's book is another."""
        found = []
        for count, (day, counted) in self.counts.items():
            info = self.desk.info(count)
            decides = info["status"] == 2 and info["lines"][0]["superseded_by_no"] is None
            if decides and (there := book(self.books, self.goods, day)) != counted:
                found.append((count.no, day, counted, there))
        return found


@pytest.mark.parametrize("seed", range(6))
def test_the_book_of_a_counted_day_is_what_was_counted_whatever_is_done_in_which_order(
    desk: Desk, books: Books, conn: Connection, seed: int
) -> None:
    goods = desk.world.spares[20 + seed]
    desk.stock_in(goods, 100, business_date="2026-03-01")
    shelf = Shelf(desk, books, goods, seed)
    for number in range(45):
        shelf.step()
        assert shelf.wrong() == [], number
    assert broken(conn) == {}
