"""What a count knows and covers: bills that moved since by what is left of them, places that nobody counted, defective
goods, and what was posted, audited or changed while somebody counted or answered."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from sqlalchemy import Connection

from api.identity import sessions
from api.kit import registry, transitions
from api.kit.context import Context
from tests.inventory.test_count_chains import must
from tests.kit.client import Answer
from tests.kit.desk import Books, Desk, Made
from tests.kit.fixtures import Site
from tests.kit.payloads import payload_of
from tests.kit.state import broken
from tests.kit.waiters import await_waiters

EARLY, DAY = "2026-03-05", "2026-03-10"


@pytest.fixture
def spares(desk: Desk) -> Iterator[int]:
    """Goods that no other test here has touched."""
    at = next(_TOUCHED) * 2
    return iter(desk.world.spares[at : at + 2])


@pytest.fixture
def batched(desk: Desk) -> int:
    """New goods that are kept by batch."""
    body = payload_of(registry.get("goods"), desk.world)
    body |= {"goods_num": f"PC{next(_TOUCHED)}", "shorthand_code": "", "is_batch": True, "is_numbered": False}
    found: int = desk.caller.post(desk.path("goods", "add"), body).data["id"]
    return found


_TOUCHED = count()


def receipt(desk: Desk, *lines: dict[str, Any], day: str = EARLY, **header: Any) -> Made:
    priced = [{"price": "113", "tax_rate": "13", **line} for line in lines]
    return desk.draft("other_inbound", *priced, business_date=day, **header)


def issue(desk: Desk, goods: int, quantity: str, day: str) -> Made:
    return desk.draft("other_outbound", {"goods_id": goods, "quantity": quantity}, business_date=day)


def take(desk: Desk, goods: int, counted: str, day: str = DAY, **more: Any) -> Made:
    places = {name: more.pop(name) for name in ("allocation_id", "batch") if name in more}
    line = {"goods_id": goods, "counted_quantity": counted, **places}
    # A place that a line names lies within the range of its stocktake.
    within = {"allocation_id": places["allocation_id"]} if "allocation_id" in places else {}
    return desk.draft("stock_take", line, business_date=day, **within, **more)


def questions(asked: Answer) -> dict[str, str]:
    """What each question that was asked is about."""
    assert (asked.code, asked.data["asks"]) == (363, "counted"), asked
    return {one["question"]: one["msg"] for one in asked.data["questions"]}


def edited(desk: Desk, bill: Made, line: dict[str, Any] | None = None, **header: Any) -> Answer:
    info = desk.info(bill)
    lines = [{**info["lines"][0], **(line or {})}]
    return desk.caller.post(
        desk.path(bill.resource, "edit"), {**info, "id": bill.id, **header, "lines": lines}
    )


def places(books: Books, goods: int, warehouse: int, day: str = "2026-03-31") -> dict[tuple[int, int], str]:
    """What lies where, by location and batch."""
    sql = """select allocation_id, batch_id, sum(quantity)::numeric(16, 0)::text from stock_ledger
        where goods_id = %s and warehouse_id = %s and business_date <= %s group by 1, 2"""
    return {(place, batch): held for place, batch, held in books.rows(sql, goods, warehouse, day)}


def held(desk: Desk, books: Books, goods: int, day: str = DAY) -> str:
    return places(books, goods, desk.world.warehouse_a, day)[0, 0]


def only_batch(desk: Desk, books: Books, goods: int, **there: Any) -> int:
    """Ten pieces of batch 0126 and of no other; the batch."""
    desk.stock_in(goods, 10, batch="0126", **there)
    [(key,)] = books.rows("select batch_id from goods_batch where goods_id = %s", goods)
    return int(key)


def location(desk: Desk, name: str) -> int:
    body = {"allocation_name": name, "warehouse_id": desk.world.warehouse_a}
    found: int = desk.caller.post(desk.path("allocation", "add"), body).data["id"]
    return found


class TestWhatIsLeftOfABill:
    """Of a bill and what takes it back at one count, another count knows what they come to at its own place."""

    def test_a_correction_of_other_goods_says_nothing_of_these(
        self, desk: Desk, spares: Iterator[int], books: Books, conn: Connection
    ) -> None:
        one, other = spares
        for goods in (one, other):
            desk.stock_in(goods, 20)
        open_ = take(desk, other, "20")
        must(desk.act("auditorPass", take(desk, one, "27")))
        both = receipt(desk, {"goods_id": one, "quantity": "7"}, {"goods_id": other, "quantity": "7"})
        must(desk.act("auditorPass", both, counted=True))
        more = receipt(desk, {"goods_id": other, "quantity": "5"})
        must(desk.act("auditorPass", more))
        asked = desk.act("auditorPass", open_)
        assert asked.code == 363
        assert both.no in asked.msg
        assert more.no in asked.msg
        must(desk.act("auditorPass", open_, counted=False))
        assert held(desk, books, other) == "32"
        assert broken(conn) == {}

    def test_a_correction_of_a_part_leaves_the_rest_to_be_asked_about(
        self, desk: Desk, spares: Iterator[int], books: Books
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        later = take(desk, goods, "20", "2026-03-12")
        bill = receipt(desk, {"goods_id": goods, "quantity": "7"})
        must(desk.act("auditorPass", bill))
        must(desk.act("auditorPass", take(desk, goods, "27")))
        must(desk.act("antiAuditor", bill, counted=True))
        must(edited(desk, bill, {"quantity": "9"}))
        must(desk.act("auditorPass", bill, counted=True))
        asked = desk.act("auditorPass", later)
        assert (asked.code, "+7" in asked.msg) == (363, True), asked.msg
        must(desk.act("auditorPass", later, counted=False))
        assert held(desk, books, goods, "2026-03-12") == "27"

    def test_taken_back_and_audited_again_it_moved_nothing(
        self, desk: Desk, spares: Iterator[int], books: Books, conn: Connection
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        bill = receipt(desk, {"goods_id": goods, "quantity": "4"}, day="2026-03-06")
        must(desk.act("auditorPass", bill))
        must(desk.act("auditorPass", take(desk, goods, "24", "2026-03-07")))
        must(desk.act("antiAuditor", bill, counted=True))
        later = take(desk, goods, "24", "2026-03-12")
        must(desk.act("auditorPass", bill))
        sold = issue(desk, goods, "3", "2026-03-11")
        must(desk.act("auditorPass", sold, counted=False))
        asked = desk.act("auditorPass", later)
        assert (asked.code, sold.no in asked.msg, bill.no in asked.msg) == (363, True, False)
        must(desk.act("auditorPass", later, counted=False))
        assert held(desk, books, goods, "2026-03-12") == "21"
        assert broken(conn) == {}

    def test_what_was_set_right_by_hand_and_taken_back_at_a_count_moved_nothing(
        self, desk: Desk, spares: Iterator[int], books: Books, conn: Connection
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        later = take(desk, goods, "20", "2026-03-12")
        must(desk.act("auditorPass", take(desk, goods, "20")))
        found = desk.draft("stock_surplus", {"goods_id": goods, "quantity": "7"}, business_date=EARLY)
        must(desk.act("auditorPass", found, counted=True))
        must(desk.act("auditorPass", later))
        assert held(desk, books, goods, "2026-03-12") == "20"
        assert broken(conn) == {}

    def test_of_one_day_the_last_count_is_kept_alone(
        self, desk: Desk, spares: Iterator[int], books: Books, conn: Connection
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        must(desk.act("auditorPass", take(desk, goods, "20", "2026-03-12")))
        bill = receipt(desk, {"goods_id": goods, "quantity": "4"}, day="2026-03-06")
        must(desk.act("auditorPass", bill, counted=False))
        for day in ("2026-03-09", "2026-03-12"):
            must(desk.act("auditorPass", take(desk, goods, "24", day)))
        must(desk.act("antiAuditor", bill, counted=True))
        assert [held(desk, books, goods, day) for day in ("2026-03-09", "2026-03-12")] == ["24", "24"]
        [(made,)] = books.rows("select count(*) from stock_surplus where late_bill_no = %s", bill.no)
        assert made == 1
        assert broken(conn) == {}


class TestWhatACountCovers:
    def test_another_location_stays_as_it_is(
        self, desk: Desk, spares: Iterator[int], books: Books, conn: Connection
    ) -> None:
        goods, counted, other = next(spares), desk.world.allocation_a, location(desk, "乙区")
        desk.stock_in(goods, 10, allocation_id=counted)
        must(desk.act("auditorPass", take(desk, goods, "6", allocation_id=counted)))
        line = {"goods_id": goods, "quantity": "4", "allocation_id": counted, "to_allocation_id": other}
        moved = desk.draft("location_move", line, business_date=EARLY)
        assert desk.act("auditorPass", moved).code == 363
        must(desk.act("auditorPass", moved, counted=True))
        assert places(books, goods, desk.world.warehouse_a) == {(counted, 0): "6", (other, 0): "4"}
        assert broken(conn) == {}

    def test_what_comes_to_another_location_alone_asks_nothing(
        self, desk: Desk, spares: Iterator[int]
    ) -> None:
        goods, counted, other = next(spares), desk.world.allocation_a, location(desk, "丙区")
        desk.stock_in(goods, 10, allocation_id=counted)
        must(desk.act("auditorPass", take(desk, goods, "10", allocation_id=counted)))
        must(
            desk.act(
                "auditorPass", receipt(desk, {"goods_id": goods, "quantity": "5", "allocation_id": other})
            )
        )

    def test_a_batch_that_was_left_out_stays_as_it_is(
        self, desk: Desk, batched: int, books: Books, conn: Connection
    ) -> None:
        goods, there = batched, {"warehouse_id": desk.world.warehouse2_a}
        for batch in ("0126", "0226"):
            desk.stock_in(goods, 10, batch=batch, **there)
        keys = dict(books.rows("select batch, batch_id from goods_batch where goods_id = %s", goods))
        must(desk.act("auditorPass", take(desk, goods, "12", batch="0126", **there)))
        lines = [
            {"goods_id": goods, "quantity": quantity, "batch": batch}
            for quantity, batch in (("2", "0126"), ("5", "0226"))
        ]
        must(desk.act("auditorPass", receipt(desk, *lines, **there), counted=True))
        found = places(books, goods, desk.world.warehouse2_a)
        assert (found[0, keys["0126"]], found[0, keys["0226"]]) == ("12", "15")
        assert broken(conn) == {}

    def test_a_new_batch_of_goods_that_were_counted_whole_was_counted_among_them(
        self, desk: Desk, batched: int, books: Books, conn: Connection
    ) -> None:
        goods, there = batched, {"warehouse_id": desk.world.warehouse2_a}
        only_batch(desk, books, goods, **there)
        must(desk.act("auditorPass", take(desk, goods, "15", batch="0126", **there)))
        bill = receipt(desk, {"goods_id": goods, "quantity": "5", "batch": "0326"}, **there)
        asked = desk.act("auditorPass", bill)
        assert (asked.code, "明细中没有的库位或批次" in asked.msg) == (363, True)
        must(desk.act("auditorPass", bill, counted=True))
        assert sorted(places(books, goods, desk.world.warehouse2_a).values()) == ["0", "15"]
        assert broken(conn) == {}

    def test_a_new_batch_that_came_before_the_audit_is_to_be_counted(
        self, desk: Desk, batched: int, books: Books, conn: Connection
    ) -> None:
        goods, there = batched, {"warehouse_id": desk.world.warehouse2_a}
        only_batch(desk, books, goods, **there)
        count = take(desk, goods, "15", batch="0126", **there)
        bill = receipt(desk, {"goods_id": goods, "quantity": "5", "batch": "0326"}, **there)
        must(desk.act("auditorPass", bill))
        assert desk.act("auditorPass", count).code == 363
        refused = desk.act("auditorPass", count, counted=True)
        assert (refused.code, "不在盘点明细中，请添加该行" in refused.msg) == (400, True)
        must(desk.act("auditorPass", count, counted=False))
        assert sorted(places(books, goods, desk.world.warehouse2_a).values()) == ["15", "5"]
        assert broken(conn) == {}


class TestDefectiveGoods:
    def test_both_warehouses_stay_as_they_were_counted(
        self, desk: Desk, spares: Iterator[int], books: Books, conn: Connection
    ) -> None:
        world, goods = desk.world, next(spares)
        desk.stock_in(goods, 20)
        for counted, warehouse in (("17", world.warehouse_a), ("3", world.warehouse4_a)):
            must(desk.act("auditorPass", take(desk, goods, counted, warehouse_id=warehouse)))
        line = {"goods_id": goods, "quantity": "3"}
        moved = desk.draft("defective", line, business_date=EARLY, to_warehouse_id=world.warehouse4_a)
        must(desk.act("auditorPass", moved, counted=True))
        found = [places(books, goods, warehouse) for warehouse in (world.warehouse_a, world.warehouse4_a)]
        assert found == [{(0, 0): "17"}, {(0, 0): "3"}]
        assert broken(conn) == {}

    def test_what_is_missing_and_what_is_found_there_is_frozen(
        self, desk: Desk, spares: Iterator[int], books: Books, conn: Connection
    ) -> None:
        world, goods = desk.world, next(spares)
        desk.stock_in(goods, 20)
        line = {"goods_id": goods, "quantity": "3"}
        desk.audited("defective", line, business_date=EARLY, to_warehouse_id=world.warehouse4_a)
        sql = "select quantity::int, frozen::int from stock_total where goods_id = %s and warehouse_id = %s"
        for counted, day in (("2", DAY), ("4", "2026-03-12")):
            must(desk.act("auditorPass", take(desk, goods, counted, day, warehouse_id=world.warehouse4_a)))
            assert books.rows(sql, goods, world.warehouse4_a) == [(int(counted), int(counted))]
        assert broken(conn) == {}


class TestAtTheSameMoment:
    def test_what_is_being_posted_while_a_count_is_entered_is_asked_about(
        self, site: Site, desk: Desk, spares: Iterator[int], books: Books, conn: Connection
    ) -> None:
        """A count waits for what is being posted; its book knows it, whenever that began."""
        goods = next(spares)
        desk.stock_in(goods, 20)
        bill = receipt(desk, {"goods_id": goods, "quantity": "7"})
        with ThreadPoolExecutor(1) as pool:
            with site.engine.begin() as writing:
                ctx = Context(writing, sessions.principal_of(writing, desk.world.user_admin))
                transitions.move(ctx, registry.get("other_inbound"), "auditorPass", bill.id)
                entering = pool.submit(take, desk, goods, "20")
                await_waiters(conn)
            count = entering.result()
        assert desk.info(count)["lines"][0]["book_quantity"] == "27.000"
        must(desk.act("auditorPass", count))
        assert held(desk, books, goods) == "20"
        assert broken(conn) == {}

    def test_goods_that_are_first_counted_while_a_bill_waits_for_others_are_asked_about(
        self, site: Site, desk: Desk, spares: Iterator[int], books: Books, conn: Connection
    ) -> None:
        one, other = sorted(spares)
        for goods in (one, other):
            desk.stock_in(goods, 20)
        before = receipt(desk, {"goods_id": one, "quantity": "1"})
        bill = receipt(desk, {"goods_id": one, "quantity": "7"}, {"goods_id": other, "quantity": "7"})
        with ThreadPoolExecutor(1) as pool:
            with site.engine.begin() as writing:
                ctx = Context(writing, sessions.principal_of(writing, desk.world.user_admin))
                transitions.move(ctx, registry.get("other_inbound"), "auditorPass", before.id)
                late = pool.submit(desk.act, "auditorPass", bill)
                await_waiters(conn)
                must(desk.act("auditorPass", take(desk, other, "20")))
            assert late.result().code == 363
        must(desk.act("auditorPass", bill, counted=True))
        assert held(desk, books, other) == "20"
        conn.rollback()
        assert broken(conn) == {}

    def test_an_answer_is_of_what_was_asked(self, desk: Desk, spares: Iterator[int], books: Books) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        count = take(desk, goods, "20")
        first, second = (receipt(desk, {"goods_id": goods, "quantity": of}) for of in ("7", "5"))
        must(desk.act("auditorPass", first))
        asked = desk.act("auditorPass", count)
        answers = dict.fromkeys(questions(asked), False)
        must(desk.act("auditorPass", second))
        again = desk.act("auditorPass", count, answers=answers)
        assert (again.code, second.no in again.msg) == (363, True)
        [anew] = questions(again)
        assert anew not in answers
        must(desk.act("auditorPass", count, answers=answers | {anew: False}))
        assert held(desk, books, goods) == "32"

    def test_a_bill_asked_about_one_count_is_asked_about_the_next(
        self, desk: Desk, spares: Iterator[int], books: Books
    ) -> None:
        one, other = spares
        for goods in (one, other):
            desk.stock_in(goods, 20)
        must(desk.act("auditorPass", take(desk, one, "27")))
        bill = receipt(desk, {"goods_id": one, "quantity": "7"}, {"goods_id": other, "quantity": "5"})
        asked = desk.act("auditorPass", bill)
        must(desk.act("auditorPass", take(desk, other, "20")))
        assert desk.act("auditorPass", bill, answers=dict.fromkeys(questions(asked), True)).code == 363
        assert held(desk, books, other) == "20"

    def test_another_day_leaves_what_the_count_knew(self, desk: Desk, spares: Iterator[int]) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        count = take(desk, goods, "20")
        bill = receipt(desk, {"goods_id": goods, "quantity": "7"})
        must(desk.act("auditorPass", bill))
        must(edited(desk, count, business_date="2026-03-11"))
        assert desk.info(count)["lines"][0]["book_quantity"] == "20.000"
        asked = desk.act("auditorPass", count)
        assert (asked.code, bill.no in asked.msg) == (363, True)


class TestTakingBack:
    def test_goods_that_never_came_before_go_as_they_came(
        self, desk: Desk, spares: Iterator[int], books: Books, conn: Connection
    ) -> None:
        goods = next(spares)
        line = {"goods_id": goods, "counted_quantity": "12", "unit_cost": "12.5"}
        count = desk.draft("stock_take", line, business_date=DAY)
        must(desk.act("auditorPass", count))
        must(desk.act("auditorPass", receipt(desk, {"goods_id": goods, "quantity": "7"}), counted=True))
        must(desk.act("antiAuditor", count))
        assert held(desk, books, goods) == "7"
        assert broken(conn) == {}

    def test_a_number_that_came_late_and_is_missing_is_named(
        self, desk: Desk, books: Books, conn: Connection
    ) -> None:
        goods, there = desk.world.numbered, {"warehouse_id": desk.world.warehouse2_a}

        def came(number: str, day: str) -> Made:
            return receipt(
                desk, {"goods_id": goods, "quantity": "1", "tire_numbers": number}, day=day, **there
            )

        must(desk.act("auditorPass", came("K-1", "2026-03-01")))
        count = take(desk, goods, "1", **there)
        must(desk.act("auditorPass", came("K-2", EARLY)))
        assert "胎号" in desk.act("auditorPass", count, counted=True).msg
        must(edited(desk, count, {"tire_numbers": "K-2"}))
        must(desk.act("auditorPass", count, counted=True))
        assert places(books, goods, desk.world.warehouse2_a)[0, 0] == "1"
        assert broken(conn) == {}
