"""Counts, and bills before them, reversed and audited again in any order: the book of a counted day stays as
counted."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks

DAYS = [f"2026-03-{day:02}" for day in range(4, 20)]


def draft_receipt(desk: BillClient, goods: int, quantity: str, day: str) -> SavedBill:
    line = {"goods_id": goods, "quantity": quantity, "price": "113", "tax_rate": "13"}
    return desk.draft("other_inbound", line, business_date=day)


def draft_issue(desk: BillClient, goods: int, quantity: str, day: str) -> SavedBill:
    return desk.draft("other_outbound", {"goods_id": goods, "quantity": quantity}, business_date=day)


def draft_stock_take(desk: BillClient, goods: int, counted: str, day: str) -> SavedBill:
    line = {"goods_id": goods, "counted_quantity": counted}
    return desk.draft("stock_take", line, business_date=day)


def read_book(books: PostingReader, goods: int, day: str) -> str:
    sql = "select coalesce(sum(quantity), 0)::numeric(16, 0)::text from stock_ledger where goods_id = %s and business_date <= %s"
    [(found,)] = books.rows(sql, goods, day)
    return str(found)


def edit_quantity(desk: BillClient, bill: SavedBill, quantity: str) -> Answer:
    info = desk.read_bill(bill)
    lines = [{**info["lines"][0], "quantity": quantity}]
    return desk.caller.post(desk.path(bill.resource, "edit"), {**info, "id": bill.id, "lines": lines})


def require_ok(answer: Answer) -> None:
    assert answer.ok, answer


class TestBillsOfTheBook:
    """A bill that was in the book when the count was entered, changed before the stocktake is audited."""

    def test_audited_again_as_it_was_it_asks_nothing(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[0]
        desk.stock_in(goods, 100)
        bill = draft_receipt(desk, goods, "5", "2026-03-06")
        require_ok(desk.apply_action("auditorPass", bill))
        count = draft_stock_take(desk, goods, "105", "2026-03-10")
        require_ok(desk.apply_action("antiAuditor", bill))
        require_ok(desk.apply_action("auditorPass", bill))
        require_ok(desk.apply_action("auditorPass", count))
        assert read_book(books, goods, "2026-03-10") == "105"
        assert find_broken_checks(conn) == {}

    def test_taken_back_it_moved_nothing_that_was_counted(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[1]
        desk.stock_in(goods, 100)
        false = draft_receipt(desk, goods, "5", "2026-03-06")
        require_ok(desk.apply_action("auditorPass", false))
        count = draft_stock_take(desk, goods, "100", "2026-03-10")
        require_ok(desk.apply_action("antiAuditor", false))
        require_ok(desk.apply_action("auditorPass", count))
        assert read_book(books, goods, "2026-03-10") == "100"
        assert find_broken_checks(conn) == {}

    @pytest.mark.parametrize(("told", "spare"), [(True, 2), (False, 3)])
    def test_of_more_pieces_it_is_asked_of_those(
        self, desk: BillClient, books: PostingReader, conn: Connection, told: bool, spare: int
    ) -> None:
        goods = desk.world.spares[spare]
        desk.stock_in(goods, 100)
        bill = draft_receipt(desk, goods, "5", "2026-03-06")
        require_ok(desk.apply_action("auditorPass", bill))
        count = draft_stock_take(desk, goods, "107" if told else "105", "2026-03-10")
        require_ok(desk.apply_action("antiAuditor", bill))
        require_ok(edit_quantity(desk, bill, "7"))
        require_ok(desk.apply_action("auditorPass", bill))
        assert desk.apply_action("auditorPass", count).code == 363
        require_ok(desk.apply_action("auditorPass", count, counted=told))
        assert read_book(books, goods, "2026-03-10") == "107"
        [line] = desk.read_bill(count)["lines"]
        assert (line["late_quantity"], line["uncounted_quantity"]) == (
            ("2.000", "0.000") if told else ("0.000", "2.000")
        )
        assert find_broken_checks(conn) == {}


class TestLateCorrections:
    """Corrections keep a count right against a bill that was audited after it."""

    def test_a_count_taken_back_and_audited_again_leaves_the_next_one_right(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[4]
        desk.stock_in(goods, 100)
        first = draft_stock_take(desk, goods, "100", "2026-03-10")
        require_ok(desk.apply_action("auditorPass", first))
        require_ok(
            desk.apply_action("auditorPass", draft_receipt(desk, goods, "4", "2026-03-09"), counted=True)
        )
        second = draft_stock_take(desk, goods, "100", "2026-03-11")
        require_ok(desk.apply_action("antiAuditor", first))
        require_ok(desk.apply_action("auditorPass", first, counted=True))
        require_ok(desk.apply_action("auditorPass", second, counted=True))
        assert [read_book(books, goods, f"2026-03-{day}") for day in (10, 11)] == ["100", "100"]
        assert find_broken_checks(conn) == {}

    def test_one_that_is_relied_on_stays(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[5]
        desk.stock_in(goods, 100)
        first, second = (draft_stock_take(desk, goods, "100", f"2026-03-{day}") for day in (10, 11))
        for count in (first, second):
            require_ok(desk.apply_action("auditorPass", count))
        require_ok(
            desk.apply_action("auditorPass", draft_receipt(desk, goods, "4", "2026-03-09"), counted=True)
        )
        answer = desk.apply_action("antiAuditor", first)
        assert (answer.code, second.no in answer.msg) == (400, True)
        assert find_broken_checks(conn) == {}

    def test_the_advised_way_sets_every_day_right(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[6]
        desk.stock_in(goods, 100)
        middle = draft_stock_take(desk, goods, "100", "2026-03-10")
        require_ok(desk.apply_action("auditorPass", middle))
        require_ok(
            desk.apply_action("auditorPass", draft_receipt(desk, goods, "4", "2026-03-09"), counted=True)
        )
        last = draft_stock_take(desk, goods, "100", "2026-03-11")
        require_ok(desk.apply_action("auditorPass", last))
        early = draft_stock_take(desk, goods, "97", "2026-03-05")
        assert desk.apply_action("auditorPass", early).code == 363
        for count in (last, middle):
            require_ok(desk.apply_action("antiAuditor", count))
        require_ok(desk.apply_action("auditorPass", early))
        for count in (middle, last):
            require_ok(desk.apply_action("auditorPass", count, counted=True))
        assert [read_book(books, goods, f"2026-03-{day}") for day in ("05", "10", "11")] == [
            "97",
            "100",
            "100",
        ]
        assert find_broken_checks(conn) == {}

    def test_a_counted_bill_taken_back_and_audited_again_changes_no_counted_day(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods = desk.world.spares[7]
        desk.stock_in(goods, 100)
        late = draft_stock_take(desk, goods, "94", "2026-03-08")
        require_ok(desk.apply_action("auditorPass", late))
        bill = draft_issue(desk, goods, "4", "2026-03-06")
        require_ok(desk.apply_action("auditorPass", bill, counted=True))
        early = draft_stock_take(desk, goods, "94", "2026-03-07")
        assert desk.apply_action("auditorPass", early).code == 363
        require_ok(desk.apply_action("antiAuditor", late))
        require_ok(desk.apply_action("auditorPass", early))
        require_ok(desk.apply_action("auditorPass", late, counted=True))
        for action in ("antiAuditor", "auditorPass"):
            asked = desk.apply_action(action, bill)
            assert asked.code == (363 if action == "antiAuditor" else 200), "as it was, it asks nothing"
            assert asked.ok or desk.apply_action(action, bill, counted=True).ok
            assert [read_book(books, goods, f"2026-03-{day}") for day in ("07", "08")] == ["94", "94"], action
            assert find_broken_checks(conn) == {}

    def test_an_early_count_that_differed_from_nothing_bars_no_later_one(self, desk: BillClient) -> None:
        goods = desk.world.spares[8]
        desk.stock_in(goods, 100)
        late = draft_stock_take(desk, goods, "113", "2026-03-13")
        require_ok(desk.apply_action("auditorPass", late))
        early = draft_stock_take(desk, goods, "100", "2026-03-06")
        require_ok(desk.apply_action("auditorPass", early))
        assert desk.read_bill(early)["lines"][0]["superseded_by_no"] is None
        require_ok(desk.apply_action("antiAuditor", late))

    def test_one_that_gave_way_is_named_as_such(self, desk: BillClient) -> None:
        goods = desk.world.spares[9]
        desk.stock_in(goods, 100)
        late = draft_stock_take(desk, goods, "113", "2026-03-13")
        require_ok(desk.apply_action("auditorPass", late))
        early = draft_stock_take(desk, goods, "101", "2026-03-06")
        require_ok(desk.apply_action("auditorPass", early, confirmed=True))
        answer = desk.apply_action("antiAuditor", late)
        assert (answer.code, answer.msg) == (
            400,
            f"盘点单{early.no}以本单为准，没有改变账面，请先反审核或作废它",
        )


class SpotSimulator:
    """One spot whose pieces come, go and vanish by day; counts and bills are entered in random order,
    truthfully.

    Of each day the bills come before the count of its evening.
    """

    def __init__(self, desk: BillClient, books: PostingReader, goods: int, seed: int) -> None:
        self.desk, self.books, self.goods, self.chance = desk, books, goods, Random(seed)
        self.bills: list[SavedBill] = []
        self.counts: dict[SavedBill, tuple[str, str]] = {}
        there, self.true = 100, {}
        for day in DAYS:
            moved = self.chance.choice((0, 0, 5, 3, -2, -4))
            if moved:
                make = draft_receipt if moved > 0 else draft_issue
                self.bills.append(make(desk, goods, str(abs(moved)), day))
            there += moved - self.chance.choice((0, 0, 0, 1))
            self.true[day] = str(there)

    def step(self) -> None:
        """Enter a count, or audit or reverse something; refusals are ignored."""
        desk, chance = self.desk, self.chance
        if len(self.counts) < 5 and chance.random() < 0.25:
            # In the evening, or earlier than the day's bill is dated: only bills of days before are sure to be counted.
            day = chance.choice(DAYS[1:])
            if not any(on == day for on, _ in self.counts.values()):
                count = draft_stock_take(desk, self.goods, self.true[day], day)
                self.counts[count] = (day, self.true[day])
            return
        one = chance.choice([*self.bills, *self.counts])
        action = "antiAuditor" if desk.read_bill(one)["status"] == 2 else "auditorPass"
        answer = desk.apply_action(action, one)
        if answer.code == 363:
            answer = desk.apply_action(action, one, counted=True, confirmed=True)
        assert answer.code in (200, 400), answer

    def list_mismatches(self) -> list[Any]:
        """List audited counts that decide, but whose day's book differs."""
        found = []
        for count, (day, counted) in self.counts.items():
            info = self.desk.read_bill(count)
            decides = info["status"] == 2 and info["lines"][0]["superseded_by_no"] is None
            if decides and (there := read_book(self.books, self.goods, day)) != counted:
                found.append((count.no, day, counted, there))
        return found


@pytest.mark.parametrize("seed", range(6))
def test_the_book_of_a_counted_day_is_what_was_counted_whatever_is_done_in_which_order(
    desk: BillClient, books: PostingReader, conn: Connection, seed: int
) -> None:
    goods = desk.world.spares[20 + seed]
    desk.stock_in(goods, 100, business_date="2026-03-01")
    shelf = SpotSimulator(desk, books, goods, seed)
    for number in range(45):
        shelf.step()
        assert shelf.list_mismatches() == [], number
    assert find_broken_checks(conn) == {}
