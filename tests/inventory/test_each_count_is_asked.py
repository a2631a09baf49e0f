"""Several counts, bills and goods: each is asked about by itself, and what was taken back stays so when a bill changes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection

from tests.inventory.test_count_chains import must
from tests.inventory.test_what_a_count_knows import (
    DAY,
    EARLY,
    edited,
    held,
    issue,
    questions,
    receipt,
    spares,
    take,
)
from tests.kit.client import Answer
from tests.kit.desk import Books, Desk, Made
from tests.kit.state import broken

__all__ = ["spares"]
LATER, LAST = "2026-03-20", "2026-03-31"


def answered(desk: Desk, bill: Made, *counted: str, action: str = "auditorPass") -> Answer:
    """An action, its questions answered: those that name one of these were counted, the others not."""
    answers: dict[str, bool] = {}
    while (answer := desk.act(action, bill, answers=answers)).code == 363:
        told = questions(answer)
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
        desk: Desk,
        spares: Iterator[int],
        books: Books,
        conn: Connection,
        seen: str,
        of_day: str,
        of_later: str,
        left: str,
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        first, second = take(desk, goods, of_day), take(desk, goods, of_later, LATER)
        for count in (first, second):
            must(desk.act("auditorPass", count))
        bill = receipt(desk, {"goods_id": goods, "quantity": "7"})
        names = {"both": (first.no, second.no), "later": (second.no,), "neither": ()}[seen]
        must(answered(desk, bill, *names))
        assert held(desk, books, goods, LAST) == left
        assert held(desk, books, goods, DAY) == (of_day if seen == "both" else "27")
        conn.rollback()
        assert broken(conn) == {}
        # Undone, and done again the same way.
        must(answered(desk, bill, *names, action="antiAuditor"))
        must(answered(desk, bill, *names))
        assert held(desk, books, goods, LAST) == left
        conn.rollback()
        assert broken(conn) == {}

    def test_of_three_the_first_that_saw_it_decides(
        self, desk: Desk, spares: Iterator[int], books: Books
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        counts = [take(desk, goods, of, day) for of, day in (("20", DAY), ("20", LATER), ("27", LAST))]
        for count in counts:
            must(desk.act("auditorPass", count))
        must(answered(desk, receipt(desk, {"goods_id": goods, "quantity": "7"}), counts[2].no))
        assert held(desk, books, goods, LAST) == "27"


class TestOneByOne:
    def test_goods_of_one_bill_differ(self, desk: Desk, spares: Iterator[int], books: Books) -> None:
        one, other = spares
        for goods in (one, other):
            desk.stock_in(goods, 20)
        lines = [{"goods_id": one, "counted_quantity": "25"}, {"goods_id": other, "counted_quantity": "20"}]
        count = desk.draft("stock_take", *lines, business_date=DAY)
        must(desk.act("auditorPass", count))
        bill = receipt(desk, *({"goods_id": goods, "quantity": "5"} for goods in (one, other)))
        asked = questions(desk.act("auditorPass", bill))
        assert len(asked) == 2
        [(name,)] = books.rows("select goods_name from goods where goods_id = %s", one)
        answers = {key: f"{name} " in msg for key, msg in asked.items()}
        assert sorted(answers.values()) == [False, True]
        must(desk.act("auditorPass", bill, answers=answers))
        assert (held(desk, books, one), held(desk, books, other)) == ("25", "25")

    def test_bills_before_the_audit_of_a_count_differ(
        self, desk: Desk, spares: Iterator[int], books: Books, conn: Connection
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        count = take(desk, goods, "27")
        seen, unseen = (receipt(desk, {"goods_id": goods, "quantity": of}) for of in ("7", "3"))
        for bill in (seen, unseen):
            must(desk.act("auditorPass", bill))
        must(answered(desk, count, seen.no))
        assert held(desk, books, goods) == "30"
        conn.rollback()
        assert broken(conn) == {}

    def test_all_bills_are_named(self, desk: Desk, spares: Iterator[int]) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        count = take(desk, goods, "20")
        bills = [receipt(desk, {"goods_id": goods, "quantity": "1"}) for _ in range(8)]
        must(desk.act("auditorPass", *bills))
        asked = questions(desk.act("auditorPass", count))
        assert all(any(bill.no in msg for msg in asked.values()) for bill in bills)

    def test_a_count_that_a_later_one_overrules_asks_nothing(
        self, desk: Desk, spares: Iterator[int], books: Books
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        early, late = take(desk, goods, "18"), take(desk, goods, "25", LATER)
        must(desk.act("auditorPass", receipt(desk, {"goods_id": goods, "quantity": "7"})))
        must(answered(desk, late))
        answer = desk.act("auditorPass", early)
        assert (answer.code, "是否已盘在内" in answer.msg) == (363, False), "it asks whether to go on"
        must(desk.act("auditorPass", early, confirmed=True))
        assert held(desk, books, goods, LAST) == "32"


class TestChangedBill:
    """A sale of 3 that a count of 15 saw is taken back as counted; then it is changed and audited again."""

    @pytest.fixture
    def sale(self, desk: Desk, spares: Iterator[int]) -> tuple[Made, int, int]:
        goods, other = spares
        for one in (goods, other):
            desk.stock_in(one, 20)
        bill = issue(desk, goods, "3", EARLY)
        must(desk.act("auditorPass", bill))
        must(desk.act("auditorPass", take(desk, goods, "15")))
        must(answered(desk, bill, "备件", action="antiAuditor"))
        return bill, goods, other

    def test_another_day(
        self, desk: Desk, sale: tuple[Made, int, int], books: Books, conn: Connection
    ) -> None:
        bill, goods, _ = sale
        must(edited(desk, bill, business_date=LATER))
        must(answered(desk, bill, "备件"))
        assert (held(desk, books, goods), held(desk, books, goods, LAST)) == ("15", "12")
        conn.rollback()
        assert broken(conn) == {}

    def test_other_goods(
        self, desk: Desk, sale: tuple[Made, int, int], books: Books, conn: Connection
    ) -> None:
        bill, goods, other = sale
        must(edited(desk, bill, {"goods_id": other}))
        must(answered(desk, bill, "备件"))
        assert (held(desk, books, goods), held(desk, books, other)) == ("15", "17")
        conn.rollback()
        assert broken(conn) == {}

    def test_what_it_differs_by_is_what_is_asked(
        self, desk: Desk, sale: tuple[Made, int, int], books: Books
    ) -> None:
        bill, goods, _ = sale
        must(edited(desk, bill, {"quantity": "5"}))
        [told] = questions(desk.act("auditorPass", bill)).values()
        assert " -2）" in told
        must(answered(desk, bill))
        assert held(desk, books, goods) == "13"


class TestMissedSlip:
    def test_who_is_refused_for_what_a_count_took_is_shown_the_count(
        self, desk: Desk, spares: Iterator[int], books: Books
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        count = take(desk, goods, "5")
        must(desk.act("auditorPass", count))
        slip = issue(desk, goods, "15", EARLY)
        refused = desk.act("auditorPass", slip)
        assert refused.code == 400
        [reason] = refused.data["reasons"]
        way = next(way for way in reason["ways"] if count.no in way["label"])
        assert way["label"] == f"若盘点单{count.no}已盘在内：先反审核它，审核本单，再审核它"
        assert way["route"].endswith(f"?id={count.id}")
        # As it says.
        must(desk.act("antiAuditor", count))
        must(desk.act("auditorPass", slip))
        must(answered(desk, count, slip.no))
        assert held(desk, books, goods, LAST) == "5"
