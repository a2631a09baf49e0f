"""Coverage of a count: net movements of bills since, uncounted places, defective goods, and concurrent
changes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from sqlalchemy import Connection

from api.identity import sessions
from api.kit.bills import transitions
from api.kit.context import Context
from api.kit.declaration import registry
from tests.inventory.test_count_chains import require_ok
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site
from tests.support.lock_waiters import await_waiters
from tests.support.payloads import payload_of

EARLY, DAY = "2026-03-05", "2026-03-10"


@pytest.fixture
def spares(desk: BillClient) -> Iterator[int]:
    """Goods that no other test here has touched."""
    at = next(_TOUCHED) * 2
    return iter(desk.world.spares[at : at + 2])


@pytest.fixture
def batched(desk: BillClient) -> int:
    """New goods that are kept by batch."""
    body = payload_of(registry.get_resource("goods"), desk.world)
    body |= {"goods_num": f"PC{next(_TOUCHED)}", "shorthand_code": "", "is_batch": True, "is_numbered": False}
    found: int = desk.caller.post(desk.path("goods", "add"), body).data["id"]
    return found


_TOUCHED = count()


def draft_receipt(desk: BillClient, *lines: dict[str, Any], day: str = EARLY, **header: Any) -> SavedBill:
    priced = [{"price": "113", "tax_rate": "13", **line} for line in lines]
    return desk.draft("other_inbound", *priced, business_date=day, **header)


def draft_issue(desk: BillClient, goods: int, quantity: str, day: str) -> SavedBill:
    return desk.draft("other_outbound", {"goods_id": goods, "quantity": quantity}, business_date=day)


def draft_stock_take(desk: BillClient, goods: int, counted: str, day: str = DAY, **more: Any) -> SavedBill:
    places = {name: more.pop(name) for name in ("allocation_id", "batch") if name in more}
    line = {"goods_id": goods, "counted_quantity": counted, **places}
    # A place that a line names lies within the range of its stocktake.
    within = {"allocation_id": places["allocation_id"]} if "allocation_id" in places else {}
    return desk.draft("stock_take", line, business_date=day, **within, **more)


def list_questions(answer: Answer) -> dict[str, str]:
    """Return the questions of an answer: their messages by key."""
    assert (answer.code, answer.data["asks"]) == (363, "counted"), answer
    return {one["question"]: one["msg"] for one in answer.data["questions"]}


def edit_bill(desk: BillClient, bill: SavedBill, line: dict[str, Any] | None = None, **header: Any) -> Answer:
    info = desk.read_bill(bill)
    lines = [{**info["lines"][0], **(line or {})}]
    return desk.caller.post(
        desk.path(bill.resource, "edit"), {**info, "id": bill.id, **header, "lines": lines}
    )


def read_places(
    books: PostingReader, goods: int, warehouse: int, day: str = "2026-03-31"
) -> dict[tuple[int, int], str]:
    """Read quantities by (location, batch)."""
    sql = """select allocation_id, batch_id, sum(quantity)::numeric(16, 0)::text from stock_ledger
        where goods_id = %s and warehouse_id = %s and business_date <= %s group by 1, 2"""
    return {(place, batch): held for place, batch, held in books.rows(sql, goods, warehouse, day)}


def read_quantity(desk: BillClient, books: PostingReader, goods: int, day: str = DAY) -> str:
    return read_places(books, goods, desk.world.warehouse_a, day)[0, 0]


def stock_single_batch(desk: BillClient, books: PostingReader, goods: int, **there: Any) -> int:
    """Stock ten pieces of batch 0126 only; return the batch."""
    desk.stock_in(goods, 10, batch="0126", **there)
    [(key,)] = books.rows("select batch_id from goods_batch where goods_id = %s", goods)
    return int(key)


def create_location(desk: BillClient, name: str) -> int:
    body = {"allocation_name": name, "warehouse_id": desk.world.warehouse_a}
    found: int = desk.caller.post(desk.path("allocation", "add"), body).data["id"]
    return found


class TestWhatIsLeftOfABill:
    """A bill and its correction by one count affect another count by their net movement at its own place."""

    def test_a_correction_of_other_goods_says_nothing_of_these(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader, conn: Connection
    ) -> None:
        one, other = spares
        for goods in (one, other):
            desk.stock_in(goods, 20)
        open_ = draft_stock_take(desk, other, "20")
        require_ok(desk.apply_action("auditorPass", draft_stock_take(desk, one, "27")))
        both = draft_receipt(desk, {"goods_id": one, "quantity": "7"}, {"goods_id": other, "quantity": "7"})
        require_ok(desk.apply_action("auditorPass", both, counted=True))
        more = draft_receipt(desk, {"goods_id": other, "quantity": "5"})
        require_ok(desk.apply_action("auditorPass", more))
        asked = desk.apply_action("auditorPass", open_)
        assert asked.code == 363
        assert both.no in asked.msg
        assert more.no in asked.msg
        require_ok(desk.apply_action("auditorPass", open_, counted=False))
        assert read_quantity(desk, books, other) == "32"
        assert find_broken_checks(conn) == {}

    def test_a_correction_of_a_part_leaves_the_rest_to_be_asked_about(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        later = draft_stock_take(desk, goods, "20", "2026-03-12")
        bill = draft_receipt(desk, {"goods_id": goods, "quantity": "7"})
        require_ok(desk.apply_action("auditorPass", bill))
        require_ok(desk.apply_action("auditorPass", draft_stock_take(desk, goods, "27")))
        require_ok(desk.apply_action("antiAuditor", bill, counted=True))
        require_ok(edit_bill(desk, bill, {"quantity": "9"}))
        require_ok(desk.apply_action("auditorPass", bill, counted=True))
        asked = desk.apply_action("auditorPass", later)
        assert (asked.code, "+7" in asked.msg) == (363, True), asked.msg
        require_ok(desk.apply_action("auditorPass", later, counted=False))
        assert read_quantity(desk, books, goods, "2026-03-12") == "27"

    def test_taken_back_and_audited_again_it_moved_nothing(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader, conn: Connection
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        bill = draft_receipt(desk, {"goods_id": goods, "quantity": "4"}, day="2026-03-06")
        require_ok(desk.apply_action("auditorPass", bill))
        require_ok(desk.apply_action("auditorPass", draft_stock_take(desk, goods, "24", "2026-03-07")))
        require_ok(desk.apply_action("antiAuditor", bill, counted=True))
        later = draft_stock_take(desk, goods, "24", "2026-03-12")
        require_ok(desk.apply_action("auditorPass", bill))
        sold = draft_issue(desk, goods, "3", "2026-03-11")
        require_ok(desk.apply_action("auditorPass", sold, counted=False))
        asked = desk.apply_action("auditorPass", later)
        assert (asked.code, sold.no in asked.msg, bill.no in asked.msg) == (363, True, False)
        require_ok(desk.apply_action("auditorPass", later, counted=False))
        assert read_quantity(desk, books, goods, "2026-03-12") == "21"
        assert find_broken_checks(conn) == {}

    def test_what_was_set_right_by_hand_and_taken_back_at_a_count_moved_nothing(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader, conn: Connection
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        later = draft_stock_take(desk, goods, "20", "2026-03-12")
        require_ok(desk.apply_action("auditorPass", draft_stock_take(desk, goods, "20")))
        found = desk.draft("stock_surplus", {"goods_id": goods, "quantity": "7"}, business_date=EARLY)
        require_ok(desk.apply_action("auditorPass", found, counted=True))
        require_ok(desk.apply_action("auditorPass", later))
        assert read_quantity(desk, books, goods, "2026-03-12") == "20"
        assert find_broken_checks(conn) == {}

    def test_of_one_day_the_last_count_is_kept_alone(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader, conn: Connection
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        require_ok(desk.apply_action("auditorPass", draft_stock_take(desk, goods, "20", "2026-03-12")))
        bill = draft_receipt(desk, {"goods_id": goods, "quantity": "4"}, day="2026-03-06")
        require_ok(desk.apply_action("auditorPass", bill, counted=False))
        for day in ("2026-03-09", "2026-03-12"):
            require_ok(desk.apply_action("auditorPass", draft_stock_take(desk, goods, "24", day)))
        require_ok(desk.apply_action("antiAuditor", bill, counted=True))
        assert [read_quantity(desk, books, goods, day) for day in ("2026-03-09", "2026-03-12")] == [
            "24",
            "24",
        ]
        [(made,)] = books.rows("select count(*) from stock_surplus where late_bill_no = %s", bill.no)
        assert made == 1
        assert find_broken_checks(conn) == {}


class TestWhatACountCovers:
    def test_another_location_stays_as_it_is(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader, conn: Connection
    ) -> None:
        goods, counted, other = next(spares), desk.world.allocation_a, create_location(desk, "乙区")
        desk.stock_in(goods, 10, allocation_id=counted)
        require_ok(
            desk.apply_action("auditorPass", draft_stock_take(desk, goods, "6", allocation_id=counted))
        )
        line = {"goods_id": goods, "quantity": "4", "allocation_id": counted, "to_allocation_id": other}
        moved = desk.draft("location_move", line, business_date=EARLY)
        assert desk.apply_action("auditorPass", moved).code == 363
        require_ok(desk.apply_action("auditorPass", moved, counted=True))
        assert read_places(books, goods, desk.world.warehouse_a) == {(counted, 0): "6", (other, 0): "4"}
        assert find_broken_checks(conn) == {}

    def test_what_comes_to_another_location_alone_asks_nothing(
        self, desk: BillClient, spares: Iterator[int]
    ) -> None:
        goods, counted, other = next(spares), desk.world.allocation_a, create_location(desk, "丙区")
        desk.stock_in(goods, 10, allocation_id=counted)
        require_ok(
            desk.apply_action("auditorPass", draft_stock_take(desk, goods, "10", allocation_id=counted))
        )
        require_ok(
            desk.apply_action(
                "auditorPass",
                draft_receipt(desk, {"goods_id": goods, "quantity": "5", "allocation_id": other}),
            )
        )

    def test_a_batch_that_was_left_out_stays_as_it_is(
        self, desk: BillClient, batched: int, books: PostingReader, conn: Connection
    ) -> None:
        goods, there = batched, {"warehouse_id": desk.world.warehouse2_a}
        for batch in ("0126", "0226"):
            desk.stock_in(goods, 10, batch=batch, **there)
        keys = dict(books.rows("select batch, batch_id from goods_batch where goods_id = %s", goods))
        require_ok(
            desk.apply_action("auditorPass", draft_stock_take(desk, goods, "12", batch="0126", **there))
        )
        lines = [
            {"goods_id": goods, "quantity": quantity, "batch": batch}
            for quantity, batch in (("2", "0126"), ("5", "0226"))
        ]
        require_ok(desk.apply_action("auditorPass", draft_receipt(desk, *lines, **there), counted=True))
        found = read_places(books, goods, desk.world.warehouse2_a)
        assert (found[0, keys["0126"]], found[0, keys["0226"]]) == ("12", "15")
        assert find_broken_checks(conn) == {}

    def test_a_new_batch_of_goods_that_were_counted_whole_was_counted_among_them(
        self, desk: BillClient, batched: int, books: PostingReader, conn: Connection
    ) -> None:
        goods, there = batched, {"warehouse_id": desk.world.warehouse2_a}
        stock_single_batch(desk, books, goods, **there)
        require_ok(
            desk.apply_action("auditorPass", draft_stock_take(desk, goods, "15", batch="0126", **there))
        )
        bill = draft_receipt(desk, {"goods_id": goods, "quantity": "5", "batch": "0326"}, **there)
        asked = desk.apply_action("auditorPass", bill)
        assert (asked.code, "明细中没有的库位或批次" in asked.msg) == (363, True)
        require_ok(desk.apply_action("auditorPass", bill, counted=True))
        assert sorted(read_places(books, goods, desk.world.warehouse2_a).values()) == ["0", "15"]
        assert find_broken_checks(conn) == {}

    def test_a_new_batch_that_came_before_the_audit_is_to_be_counted(
        self, desk: BillClient, batched: int, books: PostingReader, conn: Connection
    ) -> None:
        goods, there = batched, {"warehouse_id": desk.world.warehouse2_a}
        stock_single_batch(desk, books, goods, **there)
        count = draft_stock_take(desk, goods, "15", batch="0126", **there)
        bill = draft_receipt(desk, {"goods_id": goods, "quantity": "5", "batch": "0326"}, **there)
        require_ok(desk.apply_action("auditorPass", bill))
        assert desk.apply_action("auditorPass", count).code == 363
        refused = desk.apply_action("auditorPass", count, counted=True)
        assert (refused.code, "不在盘点明细中，请添加该行" in refused.msg) == (400, True)
        require_ok(desk.apply_action("auditorPass", count, counted=False))
        assert sorted(read_places(books, goods, desk.world.warehouse2_a).values()) == ["15", "5"]
        assert find_broken_checks(conn) == {}


class TestDefectiveGoods:
    def test_both_warehouses_stay_as_they_were_counted(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader, conn: Connection
    ) -> None:
        world, goods = desk.world, next(spares)
        desk.stock_in(goods, 20)
        for counted, warehouse in (("17", world.warehouse_a), ("3", world.warehouse4_a)):
            require_ok(
                desk.apply_action(
                    "auditorPass", draft_stock_take(desk, goods, counted, warehouse_id=warehouse)
                )
            )
        line = {"goods_id": goods, "quantity": "3"}
        moved = desk.draft("defective", line, business_date=EARLY, to_warehouse_id=world.warehouse4_a)
        require_ok(desk.apply_action("auditorPass", moved, counted=True))
        found = [
            read_places(books, goods, warehouse) for warehouse in (world.warehouse_a, world.warehouse4_a)
        ]
        assert found == [{(0, 0): "17"}, {(0, 0): "3"}]
        assert find_broken_checks(conn) == {}

    def test_what_is_missing_and_what_is_found_there_is_frozen(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader, conn: Connection
    ) -> None:
        world, goods = desk.world, next(spares)
        desk.stock_in(goods, 20)
        line = {"goods_id": goods, "quantity": "3"}
        desk.add_audited("defective", line, business_date=EARLY, to_warehouse_id=world.warehouse4_a)
        sql = "select quantity::int, frozen::int from stock_total where goods_id = %s and warehouse_id = %s"
        for counted, day in (("2", DAY), ("4", "2026-03-12")):
            require_ok(
                desk.apply_action(
                    "auditorPass",
                    draft_stock_take(desk, goods, counted, day, warehouse_id=world.warehouse4_a),
                )
            )
            assert books.rows(sql, goods, world.warehouse4_a) == [(int(counted), int(counted))]
        assert find_broken_checks(conn) == {}


class TestAtTheSameMoment:
    def test_what_is_being_posted_while_a_count_is_entered_is_asked_about(
        self, site: Site, desk: BillClient, spares: Iterator[int], books: PostingReader, conn: Connection
    ) -> None:
        """A count waits for what is being posted; its book knows it, whenever that began."""
        goods = next(spares)
        desk.stock_in(goods, 20)
        bill = draft_receipt(desk, {"goods_id": goods, "quantity": "7"})
        with ThreadPoolExecutor(1) as pool:
            with site.engine.begin() as writing:
                ctx = Context(writing, sessions.read_principal(writing, desk.world.user_admin))
                transitions.apply_transition(
                    ctx, registry.get_resource("other_inbound"), "auditorPass", bill.id
                )
                entering = pool.submit(draft_stock_take, desk, goods, "20")
                await_waiters(conn)
            count = entering.result()
        assert desk.read_bill(count)["lines"][0]["book_quantity"] == "27.000"
        require_ok(desk.apply_action("auditorPass", count))
        assert read_quantity(desk, books, goods) == "20"
        assert find_broken_checks(conn) == {}

    def test_goods_that_are_first_counted_while_a_bill_waits_for_others_are_asked_about(
        self, site: Site, desk: BillClient, spares: Iterator[int], books: PostingReader, conn: Connection
    ) -> None:
        one, other = sorted(spares)
        for goods in (one, other):
            desk.stock_in(goods, 20)
        before = draft_receipt(desk, {"goods_id": one, "quantity": "1"})
        bill = draft_receipt(desk, {"goods_id": one, "quantity": "7"}, {"goods_id": other, "quantity": "7"})
        with ThreadPoolExecutor(1) as pool:
            with site.engine.begin() as writing:
                ctx = Context(writing, sessions.read_principal(writing, desk.world.user_admin))
                transitions.apply_transition(
                    ctx, registry.get_resource("other_inbound"), "auditorPass", before.id
                )
                late = pool.submit(desk.apply_action, "auditorPass", bill)
                await_waiters(conn)
                require_ok(desk.apply_action("auditorPass", draft_stock_take(desk, other, "20")))
            assert late.result().code == 363
        require_ok(desk.apply_action("auditorPass", bill, counted=True))
        assert read_quantity(desk, books, other) == "20"
        conn.rollback()
        assert find_broken_checks(conn) == {}

    def test_an_answer_is_of_what_was_asked(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader
    ) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        count = draft_stock_take(desk, goods, "20")
        first, second = (draft_receipt(desk, {"goods_id": goods, "quantity": of}) for of in ("7", "5"))
        require_ok(desk.apply_action("auditorPass", first))
        asked = desk.apply_action("auditorPass", count)
        answers = dict.fromkeys(list_questions(asked), False)
        require_ok(desk.apply_action("auditorPass", second))
        again = desk.apply_action("auditorPass", count, answers=answers)
        assert (again.code, second.no in again.msg) == (363, True)
        [anew] = list_questions(again)
        assert anew not in answers
        require_ok(desk.apply_action("auditorPass", count, answers=answers | {anew: False}))
        assert read_quantity(desk, books, goods) == "32"

    def test_a_bill_asked_about_one_count_is_asked_about_the_next(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader
    ) -> None:
        one, other = spares
        for goods in (one, other):
            desk.stock_in(goods, 20)
        require_ok(desk.apply_action("auditorPass", draft_stock_take(desk, one, "27")))
        bill = draft_receipt(desk, {"goods_id": one, "quantity": "7"}, {"goods_id": other, "quantity": "5"})
        asked = desk.apply_action("auditorPass", bill)
        require_ok(desk.apply_action("auditorPass", draft_stock_take(desk, other, "20")))
        assert (
            desk.apply_action("auditorPass", bill, answers=dict.fromkeys(list_questions(asked), True)).code
            == 363
        )
        assert read_quantity(desk, books, other) == "20"

    def test_another_day_leaves_what_the_count_knew(self, desk: BillClient, spares: Iterator[int]) -> None:
        goods = next(spares)
        desk.stock_in(goods, 20)
        count = draft_stock_take(desk, goods, "20")
        bill = draft_receipt(desk, {"goods_id": goods, "quantity": "7"})
        require_ok(desk.apply_action("auditorPass", bill))
        require_ok(edit_bill(desk, count, business_date="2026-03-11"))
        assert desk.read_bill(count)["lines"][0]["book_quantity"] == "20.000"
        asked = desk.apply_action("auditorPass", count)
        assert (asked.code, bill.no in asked.msg) == (363, True)


class TestTakingBack:
    def test_goods_that_never_came_before_go_as_they_came(
        self, desk: BillClient, spares: Iterator[int], books: PostingReader, conn: Connection
    ) -> None:
        goods = next(spares)
        line = {"goods_id": goods, "counted_quantity": "12", "unit_cost": "12.5"}
        count = desk.draft("stock_take", line, business_date=DAY)
        require_ok(desk.apply_action("auditorPass", count))
        require_ok(
            desk.apply_action(
                "auditorPass", draft_receipt(desk, {"goods_id": goods, "quantity": "7"}), counted=True
            )
        )
        require_ok(desk.apply_action("antiAuditor", count))
        assert read_quantity(desk, books, goods) == "7"
        assert find_broken_checks(conn) == {}

    def test_a_number_that_came_late_and_is_missing_is_named(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        goods, there = desk.world.numbered, {"warehouse_id": desk.world.warehouse2_a}

        def came(number: str, day: str) -> SavedBill:
            return draft_receipt(
                desk, {"goods_id": goods, "quantity": "1", "tire_numbers": number}, day=day, **there
            )

        require_ok(desk.apply_action("auditorPass", came("K-1", "2026-03-01")))
        count = draft_stock_take(desk, goods, "1", **there)
        require_ok(desk.apply_action("auditorPass", came("K-2", EARLY)))
        assert "胎号" in desk.apply_action("auditorPass", count, counted=True).msg
        require_ok(edit_bill(desk, count, {"tire_numbers": "K-2"}))
        require_ok(desk.apply_action("auditorPass", count, counted=True))
        assert read_places(books, goods, desk.world.warehouse2_a)[0, 0] == "1"
        assert find_broken_checks(conn) == {}
