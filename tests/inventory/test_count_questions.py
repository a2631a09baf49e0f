"""Several counts, bills and goods: each has its own question, and corrections are reversed when a bill
changes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection

from tests.inventory.test_count_chains import require_ok
from tests.inventory.test_count_coverage import (
    DAY,
    EARLY,
    draft_issue,
    draft_receipt,
    draft_stock_take,
    edit_bill,
    list_questions,
    read_quantity,
    spares,
)
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks

__all__ = ["spares"]
LATER, LAST = "2026-03-20", "2026-03-31"


def answer_questions(desk: BillClient, bill: SavedBill, *counted: str, action: str = "auditorPass") -> Answer:
    """Act and answer the questions: those that contain one of these names were counted, the others not."""
    answers: dict[str, bool] = {}
    while (answer := desk.apply_action(action, bill, answers=answers)).code == 363:
        told = list_questions(answer)
        assert not told.keys() & answers.keys()
        answers |= {key: any(name in msg for name in counted) for key, msg in told.items()}
    return answer


class TestSeveralCounts:
    @pytest.mark.parametrize(
        ("seen", "of_day", "of_later", "left"),
        [("both", "20", "27", "27"), ("later", "20", "27", "27"), ("neither", "20", "27", "34")],
    )
    def test_a_bill_late_to_both_is_asked_about_each_until_one_saw_it(
        self,
        desk: BillClient,
        spares: Iterator[int],
        books: PostingReader,
        conn: Connection,
        seen: str,
        of_day: str,
        of_later: str,
        left: str,
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        first, second = draft_stock_take(desk, goods, of_day), draft_stock_take(desk, goods, of_later, LATER)
        for count in (first, second):
            require_ok(desk.apply_action("auditorPass", count))
        bill = draft_receipt(desk, {"goods_id": goods, "quantity": "7"})
        names = {"both": (first.no, second.no), "later": (second.no,), "neither": ()}[seen]
        require_ok(answer_questions(desk, bill, *names))
        assert read_quantity(desk, books, goods, LAST) == left
        assert read_quantity(desk, books, goods, DAY) == (of_day if seen == "both" else "27")
        conn.rollback()
        assert find_broken_checks(conn) == {}
        # Undone, and done again the same way.
        require_ok(answer_questions(desk, bill, *names, action="antiAuditor"))
        require_ok(answer_questions(desk, bill, *names))
        assert read_quantity(desk, books, goods, LAST) == left
        conn.rollback()
        assert find_broken_checks(conn) == {}

    def test_of_three_the_first_that_saw_it_decides(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        counts = [
            draft_stock_take(desk, goods, of, day) for of, day in (("20", DAY), ("20", LATER), ("27", LAST))
        ]
        for count in counts:
            require_ok(desk.apply_action("auditorPass", count))
        require_ok(
            answer_questions(desk, draft_receipt(desk, {"goods_id": goods, "quantity": "7"}), counts[2].no)
        )
        assert read_quantity(desk, books, goods, LAST) == "27"


class TestOneByOne:
    def test_goods_of_one_bill_differ(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader
    ) -> None:
        one, other = spares
        for goods in (one, other):
            desk.stock_in(goods, 20)
        lines = [{"goods_id": one, "counted_quantity": "25"}, {"goods_id": other, "counted_quantity": "20"}]
        count = desk.draft("stock_take", *lines, business_date=DAY)
        require_ok(desk.apply_action("auditorPass", count))
        bill = draft_receipt(desk, *({"goods_id": goods, "quantity": "5"} for goods in (one, other)))
        asked = list_questions(desk.apply_action("auditorPass", bill))
        assert len(asked) == 2
        [(name,)] = books.rows("select goods_name from goods where goods_id = %s", one)
        answers = {key: f"{name} " in msg for key, msg in asked.items()}
        assert sorted(answers.values()) == [False, True]
        require_ok(desk.apply_action("auditorPass", bill, answers=answers))
        assert (read_quantity(desk, books, one), read_quantity(desk, books, other)) == ("25", "25")

    def test_bills_before_the_audit_of_a_count_differ(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader, conn: Connection
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        count = draft_stock_take(desk, goods, "27")
        seen, unseen = (draft_receipt(desk, {"goods_id": goods, "quantity": of}) for of in ("7", "3"))
        for bill in (seen, unseen):
            require_ok(desk.apply_action("auditorPass", bill))
        require_ok(answer_questions(desk, count, seen.no))
        assert read_quantity(desk, books, goods) == "30"
        conn.rollback()
        assert find_broken_checks(conn) == {}

    def test_all_bills_are_named(self, desk: BillClient, spares: Iterator[int]) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        count = draft_stock_take(desk, goods, "20")
        bills = [draft_receipt(desk, {"goods_id": goods, "quantity": "1"}) for _ in range(8)]
        require_ok(desk.apply_action("auditorPass", *bills))
        asked = list_questions(desk.apply_action("auditorPass", count))
        assert all(any(bill.no in msg for msg in asked.values()) for bill in bills)

    def test_a_count_that_a_later_one_overrules_asks_nothing(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        early, late = draft_stock_take(desk, goods, "18"), draft_stock_take(desk, goods, "25", LATER)
        require_ok(
            desk.apply_action("auditorPass", draft_receipt(desk, {"goods_id": goods, "quantity": "7"}))
        )
        require_ok(answer_questions(desk, late))
        answer = desk.apply_action("auditorPass", early)
        assert (answer.code, "是否已盘在内" in answer.msg) == (363, False), "it asks whether to go on"
        require_ok(desk.apply_action("auditorPass", early, confirmed=True))
        assert read_quantity(desk, books, goods, LAST) == "32"


class TestChangedBill:
    """A sale of 3 that a count of 15 saw is taken back as counted; then it is changed and audited again."""

    @pytest.fixture
    def sale(self, desk: BillClient, spares: Iterator[int]) -> tuple[SavedBill, int, int]:
        goods, other = spares
        for one in (goods, other):
            desk.stock_in(one, 20)
        bill = draft_issue(desk, goods, "3", EARLY)
        require_ok(desk.apply_action("auditorPass", bill))
        require_ok(desk.apply_action("auditorPass", draft_stock_take(desk, goods, "15")))
        require_ok(answer_questions(desk, bill, "备件", action="antiAuditor"))
        return bill, goods, other

    def test_another_day(
        self, desk: BillClient, sale: tuple[SavedBill, int, int], books: PostingReader, conn: Connection
    ) -> None:
        bill, goods, _ = sale
        require_ok(edit_bill(desk, bill, business_date=LATER))
        require_ok(answer_questions(desk, bill, "备件"))
        assert (read_quantity(desk, books, goods), read_quantity(desk, books, goods, LAST)) == ("15", "12")
        conn.rollback()
        assert find_broken_checks(conn) == {}

    def test_other_goods(
        self, desk: BillClient, sale: tuple[SavedBill, int, int], books: PostingReader, conn: Connection
    ) -> None:
        bill, goods, other = sale
        require_ok(edit_bill(desk, bill, {"goods_id": other}))
        require_ok(answer_questions(desk, bill, "备件"))
        assert (read_quantity(desk, books, goods), read_quantity(desk, books, other)) == ("15", "17")
        conn.rollback()
        assert find_broken_checks(conn) == {}

    def test_what_it_differs_by_is_what_is_asked(
        self, desk: BillClient, sale: tuple[SavedBill, int, int], books: PostingReader
    ) -> None:
        bill, goods, _ = sale
        require_ok(edit_bill(desk, bill, {"quantity": "5"}))
        [told] = list_questions(desk.apply_action("auditorPass", bill)).values()
        assert " -2）" in told
        require_ok(answer_questions(desk, bill))
        assert read_quantity(desk, books, goods) == "13"


class TestMissedSlip:
    def test_who_is_refused_for_what_a_count_took_is_shown_the_count(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        count = draft_stock_take(desk, goods, "5")
        require_ok(desk.apply_action("auditorPass", count))
        slip = draft_issue(desk, goods, "15", EARLY)
        refused = desk.apply_action("auditorPass", slip)
        assert refused.code == 400
        [reason] = refused.data["reasons"]
        way = next(way for way in reason["ways"] if count.no in way["label"])
        assert way["label"] == f"若盘点单{count.no}已盘在内：先反审核它，审核本单，再审核它"
        assert way["route"].endswith(f"?id={count.id}")
        # As it says.
        require_ok(desk.apply_action("antiAuditor", count))
        require_ok(desk.apply_action("auditorPass", slip))
        require_ok(answer_questions(desk, count, slip.no))
        assert read_quantity(desk, books, goods, LAST) == "5"
