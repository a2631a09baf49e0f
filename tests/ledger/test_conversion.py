"""Goods that become others: what left and the labour is what is made worth, shared out to the cent, by hand."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from api.kit.declaration.posting import Conversion, Postings, Reservation, StockMove
from api.ledger import STRICT, Policy, close_period, post_bill
from api.ledger.recalculation import ReplayResult, list_next_goods, recalculate_costs
from api.ledger.refusals import (
    CostUsed,
    PastShortage,
    PeriodClosed,
    Shortage,
    StockFrozen,
    StockUsed,
    ValueUnknown,
)
from api.ledger.replay import CostPool, ReplayGoods, ReplayRow, replay_costs
from tests.ledger.test_recalculation import EARLY, FIRST, LATE, LATER, SOON, read_bill_value
from tests.support.ledger_builders import (
    COMPANY,
    DAY,
    NEGATIVE,
    WAREHOUSE,
    LedgerBench,
    build_move,
    build_ref,
    read_balances,
)

RIM, TYRE, WHEEL, NUT = 201, 202, 203, 204


def post_conversion(
    books: LedgerBench,
    bill_no: str,
    *moves: StockMove,
    labour: str = "0",
    day: date = DAY,
    policy: Policy = STRICT,
) -> None:
    conversion = Conversion(Decimal(labour))
    post_bill(books.conn, build_ref(bill_no, day), Postings(stock=moves, conversion=conversion), policy)


def read_made_rows(books: LedgerBench, bill_no: str) -> list[tuple[Any, ...]]:
    """Read (goods, quantity, amount) of what the bill made, as it was posted."""
    return books.rows(
        "select goods_id, quantity::float, amount::text from stock_ledger"
        f" where bill_no = '{bill_no}' and basis = 'converted' and reverses is null order by ledger_id"
    )


def read_gained_value(books: LedgerBench, bill_no: str) -> Decimal:
    """Return what a bill's goods gained in value: its labour."""
    found: Decimal = books.value(
        f"select coalesce(sum(amount), 0) from stock_ledger where bill_no = '{bill_no}'"
    )
    return found


@pytest.fixture
def parts(books: LedgerBench) -> LedgerBench:
    """Ten rims at 150.00 and ten tyres at 200.00 and one third: 2003.33."""
    books.post("CGRK1", build_move(10, RIM, amount="1500"), build_move(10, TYRE, line=2, amount="2003.33"))
    return books


class TestAssembly:
    def test_four_wheels_are_worth_their_rims_tyres_and_labour(self, parts: LedgerBench) -> None:
        moves = (build_move(-4, RIM), build_move(-4, TYRE, line=3), build_move(4, WHEEL, line=2))
        post_conversion(parts, "XTZH1", *moves, labour="80.00")
        # 4 × 150.00 + 801.33 (four tenths of 2003.33) + 80.00
        assert read_made_rows(parts, "XTZH1") == [(WHEEL, 4.0, "1481.33")]
        assert (parts.average(RIM), parts.average(TYRE)) == (("6", "900.00"), ("6", "1202.00"))
        assert parts.average(WHEEL) == ("4", "1481.33")
        assert parts.value("select last_unit_cost from cost_balance where goods_id = 203") == Decimal(
            "370.332500"
        )
        assert parts.list_broken_checks() == []

    def test_what_is_short_is_refused_by_its_line(self, parts: LedgerBench) -> None:
        with pytest.raises(Shortage) as refused:
            post_conversion(
                parts,
                "XTZH1",
                build_move(-4, RIM),
                build_move(-11, TYRE, line=3),
                build_move(4, WHEEL, line=2),
            )
        [cause] = refused.value.causes
        assert (cause["line_id"], cause["goods_id"], Decimal(cause["missing"])) == (3, TYRE, 1)

    def test_several_lines_of_one_goods_share_by_quantity(self, parts: LedgerBench) -> None:
        post_conversion(
            parts,
            "XTZH1",
            build_move(-3, RIM),
            build_move(1, WHEEL, line=2, batch_id=7),
            build_move(2, WHEEL, line=4),
        )
        assert read_made_rows(parts, "XTZH1") == [(WHEEL, 1.0, "150.00"), (WHEEL, 2.0, "300.00")]

    def test_it_waits_for_nobody_and_serves_who_waits(self, parts: LedgerBench) -> None:
        view = (
            "create or replace temporary view order_demand as select 77::bigint as order_line_id, 'XSDD'::text"
            " as bill_type, 9::bigint as bill_id, 'XSDD9'::text as bill_no, 1::bigint as company_id,"
            f" {WAREHOUSE}::bigint as warehouse_id, {WHEEL}::bigint as goods_id, 3::numeric as wanted,"
            " 3::numeric as ordered, 0::numeric as executed, 0 as priority, date '2026-01-20' as delivery_date,"
            " date '2026-01-10' as ordered_on, true as takes_arrivals"
        )
        parts.conn.exec_driver_sql(view)
        parts.conn.exec_driver_sql("set local search_path = pg_temp, public")
        claim = Reservation(77, WAREHOUSE, WHEEL, Decimal(3))
        post_bill(parts.conn, build_ref("XSDD9"), Postings(reservations=(claim,)))
        held = "select coalesce(sum(quantity), 0)::int from reservation_ledger where order_line_id = 77"
        assert parts.value(held) == 0
        post_conversion(parts, "XTZH1", build_move(-4, RIM), build_move(4, WHEEL, line=2))
        assert parts.value(held) == 3
        parts.reverse("XTZH1")
        assert parts.value(held) == 0


class TestShares:
    @pytest.fixture
    def wheels(self, books: LedgerBench) -> LedgerBench:
        books.post("CGRK1", build_move(1, WHEEL, amount="100.01"))
        return books

    def test_given_shares_and_the_cent_that_is_left(self, wheels: LedgerBench) -> None:
        post_conversion(
            wheels,
            "XTZH1",
            build_move(-1, WHEEL),
            build_move(1, RIM, line=2, share=Decimal(70)),
            build_move(1, TYRE, line=4, share=Decimal(30)),
        )
        assert read_made_rows(wheels, "XTZH1") == [(RIM, 1.0, "70.01"), (TYRE, 1.0, "30.00")]
        assert wheels.list_broken_checks() == []

    def test_thirds_take_the_whole(self, wheels: LedgerBench) -> None:
        third = Decimal("33.3333")
        post_conversion(
            wheels,
            "XTZH1",
            build_move(-1, WHEEL),
            *(build_move(1, goods, line=2 * at, share=third) for at, goods in enumerate((RIM, TYRE, NUT), 1)),
        )
        assert [row[2] for row in read_made_rows(wheels, "XTZH1")] == ["33.34", "33.34", "33.33"]

    def test_the_cent_that_is_left_goes_to_the_largest_remainder(self, wheels: LedgerBench) -> None:
        wheels.post("CGRK2", build_move(1, NUT, line=2, amount="12.04"))
        shares = ("33.33", "33.33", "33.34")
        moves = (
            build_move(1, goods, line=2 * at, share=Decimal(share))
            for at, (goods, share) in enumerate(zip((RIM, TYRE, WHEEL), shares, strict=True), 1)
        )
        post_conversion(wheels, "XTZH1", build_move(-1, NUT), *moves)
        assert [row[2] for row in read_made_rows(wheels, "XTZH1")] == ["4.01", "4.01", "4.02"]
        wheels.post("CGRK3", build_move(1, NUT, line=9, amount="12.10"), day=EARLY)
        recalculate_all(wheels, NUT)
        # Half of 24.14 is 12.07: 4.022931, 4.022931 and 4.024138.
        assert [wheels.average(goods) for goods in (RIM, TYRE)] == [("1", "4.02")] * 2
        assert wheels.average(WHEEL) == ("2", "104.04")

    def test_pieces_of_a_line_share_what_falls_to_the_line(self, wheels: LedgerBench) -> None:
        wheels.post("CGRK2", build_move(1, NUT, line=2, amount="10.01"))
        half = Decimal("25")
        moves = (
            build_move(1, RIM, line=2, share=half, batch_id=1),
            build_move(1, RIM, line=2, share=half, batch_id=2),
            build_move(1, TYRE, line=4, share=half + half),
        )
        post_conversion(wheels, "XTZH1", build_move(-1, NUT), *moves)
        assert [row[2] for row in read_made_rows(wheels, "XTZH1")] == ["2.51", "2.50", "5.00"]

    @pytest.mark.parametrize(("issued", "worths"), [(-1204, [601, 603]), (-1205, [603, 602])])
    def test_what_was_shared_otherwise_stays_until_another_value_leaves(
        self, issued: int, worths: list[int]
    ) -> None:
        rows = [
            (NUT, -1000, -1204, "issue", None),
            (RIM, 1000, 601, "converted", 1),
            (TYRE, 1000, 603, "converted", 1),
        ]
        books = {
            goods: (
                ReplayGoods(
                    {1: CostPool(1000, -issued) if quantity < 0 else CostPool()}, lambda _: (0, False)
                ),
                [ReplayRow(goods, 1, at, DAY, "XTZH", 1, at, quantity, amount, 0, basis, None, None, share)],
            )
            for at, (goods, quantity, amount, basis, share) in enumerate(rows)
        }
        differences = replay_costs(books)
        assert [books[goods][0].pools[1].amount for goods in (RIM, TYRE)] == worths
        assert bool(differences) == (issued != -1204)

    def test_one_that_has_none_is_worth_nothing(self, wheels: LedgerBench) -> None:
        whole, nothing = Decimal(100), Decimal(0)
        moves = (build_move(1, NUT, line=2, share=nothing), build_move(1, RIM, line=4, share=whole))
        post_conversion(wheels, "XTZH1", build_move(-1, WHEEL), *moves)
        assert read_made_rows(wheels, "XTZH1") == [(NUT, 1.0, "0.00"), (RIM, 1.0, "100.01")]

    def test_by_value_what_costs_twice_as_much_takes_twice_as_much(self, wheels: LedgerBench) -> None:
        wheels.post("CGRK2", build_move(1, RIM, amount="60"), build_move(2, TYRE, line=2, amount="240"))
        moves = (build_move(2, RIM, line=2), build_move(1, TYRE, line=4))
        post_conversion(wheels, "XTZH1", build_move(-1, WHEEL), *moves, labour="20")
        # 2 × 60 against 1 × 120: half each of 120.01.
        assert [row[2] for row in read_made_rows(wheels, "XTZH1")] == ["60.01", "60.00"]

    def test_without_stock_the_last_receipt_tells_and_else_the_given_price(self, wheels: LedgerBench) -> None:
        wheels.post("CGRK2", build_move(1, RIM, amount="30"))
        wheels.post("XSCK1", build_move(-1, RIM))
        moves = (
            build_move(1, RIM, line=2, fallback_unit_cost="99"),
            build_move(1, NUT, line=4, fallback_unit_cost="10"),
        )
        post_conversion(wheels, "XTZH1", build_move(-1, WHEEL), *moves)
        # 30 against 10.
        assert [row[2] for row in read_made_rows(wheels, "XTZH1")] == ["75.01", "25.00"]

    def test_what_nothing_tells_the_worth_of_is_refused(self, wheels: LedgerBench) -> None:
        wheels.post("CGRK2", build_move(1, RIM, amount="30"))
        with pytest.raises(ValueUnknown, match="商品 204没有成本可依，无法按价值分摊") as refused:
            post_conversion(
                wheels, "XTZH1", build_move(-1, WHEEL), build_move(1, RIM, line=2), build_move(1, NUT, line=4)
            )
        assert refused.value.causes == [{"line_id": 4, "goods_id": NUT}]

    def test_goods_may_change_their_batch(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(3, TYRE, amount="100", batch_id=1))
        post_conversion(
            books,
            "XTZH1",
            build_move(-2, TYRE, batch_id=1),
            build_move(2, TYRE, line=2, batch_id=2),
            labour="1.10",
        )
        assert read_made_rows(books, "XTZH1") == [(TYRE, 2.0, "67.77")]
        assert books.average(TYRE) == ("3", "101.10")
        assert books.rows(
            "select batch_id, quantity::int from stock_balance where goods_id = 202 order by batch_id"
        ) == [(1, 1), (2, 2)]
        assert books.list_broken_checks() == []


class TestReversal:
    def test_it_restores_every_balance(self, parts: LedgerBench) -> None:
        parts.post("CGRK3", build_move(2, WHEEL, line=9, amount="700.77"))
        before = read_balances(parts.conn)
        post_conversion(
            parts,
            "XTZH1",
            build_move(-4, RIM),
            build_move(-4, TYRE, line=3),
            build_move(4, WHEEL, line=2),
            labour="80",
        )
        parts.reverse("XTZH1")
        assert read_balances(parts.conn) == before
        assert read_gained_value(parts, "XTZH1") == 0
        assert parts.list_broken_checks() == []

    def test_what_was_made_and_left_stands_in_the_way(self, parts: LedgerBench) -> None:
        post_conversion(parts, "XTZH1", build_move(-4, RIM), build_move(4, WHEEL, line=2))
        parts.post("XSCK1", build_move(-1, WHEEL, line=8))
        with pytest.raises(StockUsed) as refused:
            parts.reverse("XTZH1")
        assert [bill["bill_no"] for bill in refused.value.causes["bills"]] == ["XSCK1"]

    def test_so_does_a_value_that_left_with_others(self, parts: LedgerBench) -> None:
        parts.post("CGRK3", build_move(1, WHEEL, line=9, amount="1"))
        post_conversion(parts, "XTZH1", build_move(-4, RIM), build_move(4, WHEEL, line=2))
        parts.post("XSCK1", build_move(-4, WHEEL, line=8, warehouse_id=WAREHOUSE))
        parts.post("CGRK4", build_move(4, WHEEL, line=10, amount="4"))
        with pytest.raises((CostUsed, StockUsed)):
            parts.reverse("XTZH1")


class TestWhere:
    def test_a_closed_month_is_refused(self, parts: LedgerBench) -> None:
        close_period(parts.conn, COMPANY, "2026-01")
        with pytest.raises(PeriodClosed), parts.conn.begin_nested():
            post_conversion(parts, "XTZH1", build_move(-1, RIM), build_move(1, WHEEL, line=2))

    @pytest.mark.parametrize("goods", [RIM, WHEEL])
    def test_neither_side_is_moved_while_it_is_counted(self, parts: LedgerBench, goods: int) -> None:
        parts.conn.exec_driver_sql(
            "insert into stock_hold (bill_id, bill_no, company_id, warehouse_id, goods_id, quantity)"
            f" values (5, 'KCPD5', {COMPANY}, {WAREHOUSE}, {goods}, 0)"
        )
        with pytest.raises(StockFrozen):
            post_conversion(parts, "XTZH1", build_move(-1, RIM), build_move(1, WHEEL, line=2))

    def test_a_day_that_is_over_keeps_its_stock(self, parts: LedgerBench) -> None:
        parts.post("XSCK1", build_move(-8, RIM, line=8), day=LATER)
        with pytest.raises(PastShortage):
            parts.post("CGRK2", build_move(5, RIM, line=9, amount="5"), day=LATE)
            post_conversion(parts, "XTZH1", build_move(-3, RIM), build_move(3, WHEEL, line=2), day=SOON)

    def test_what_is_made_pays_for_what_was_sold_short(self, parts: LedgerBench) -> None:
        parts.post("XSCK1", build_move(-1, WHEEL, line=8, fallback_unit_cost="100"), policy=NEGATIVE)
        post_conversion(parts, "XTZH1", build_move(-4, RIM), build_move(4, WHEEL, line=2), policy=NEGATIVE)
        assert read_made_rows(parts, "XTZH1") == [(WHEEL, 4.0, "600.00")]
        # One of the four had been sold at 0.00 or 100.00; what remains costs 150.00 a piece.
        assert parts.average(WHEEL) == ("3", "450.00")
        assert parts.list_broken_checks() == []


def recalculate_all(books: LedgerBench, *goods: int) -> ReplayResult:
    found = recalculate_costs(books.conn, COMPANY, FIRST, goods)
    assert recalculate_costs(books.conn, COMPANY, FIRST, (RIM, TYRE, WHEEL, NUT)).differences == 0
    assert books.list_broken_checks() == []
    return found


class TestRecalculation:
    def test_what_was_posted_in_order_stays(self, parts: LedgerBench) -> None:
        post_conversion(
            parts,
            "XTZH1",
            build_move(-4, RIM),
            build_move(-3, TYRE, line=3),
            build_move(3, WHEEL, line=2),
            labour="80",
        )
        post_conversion(
            parts,
            "XTZH2",
            build_move(-1, WHEEL, line=11),
            build_move(1, RIM, line=12, share=Decimal(70)),
            build_move(1, TYRE, line=14, share=Decimal(30)),
            day=SOON,
        )
        assert recalculate_all(parts, RIM).differences == 0

    def test_a_backdated_purchase_reaches_what_was_made_and_what_left_of_it(self, parts: LedgerBench) -> None:
        post_conversion(
            parts, "XTZH1", build_move(-4, RIM), build_move(4, WHEEL, line=2), labour="80", day=LATER
        )
        parts.post("XSCK1", build_move(-1, WHEEL, line=8), day=LATE)
        assert (read_bill_value(parts, "XSCK1"), read_gained_value(parts, "XTZH1")) == ("-170.00", 80)
        parts.post("CGRK2", build_move(10, RIM, line=9, amount="2500"), day=SOON)
        found = recalculate_all(parts, RIM)
        # 4000 over twenty rims: 200 a piece, 880 for four wheels.
        assert parts.average(RIM) == ("16", "3200.00")
        assert (read_bill_value(parts, "XSCK1"), parts.average(WHEEL)) == ("-220.00", ("3", "660.00"))
        assert read_gained_value(parts, "XTZH1") == 80
        assert (found.goods, found.left) == (2, ())

    def test_shares_are_those_that_were_told_though_it_was_worth_nothing(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(1, WHEEL, amount="0"))
        shares = (
            build_move(1, RIM, line=2, share=Decimal(70)),
            build_move(1, TYRE, line=4, share=Decimal(30)),
        )
        post_conversion(books, "XTZH1", build_move(-1, WHEEL), *shares, day=LATER)
        books.post("CGRK2", build_move(1, WHEEL, line=9, amount="200.02"), day=SOON)
        recalculate_all(books, WHEEL)
        assert (books.average(RIM), books.average(TYRE)) == (("1", "70.01"), ("1", "30.00"))
        assert read_gained_value(books, "XTZH1") == 0

    def test_a_chain_and_its_way_back_are_right_in_one_run(self, parts: LedgerBench) -> None:
        """Rims to wheels, wheels to tyres, tyres to rims again: each follows what it was made of."""
        post_conversion(parts, "XTZH1", build_move(-10, RIM), build_move(10, WHEEL, line=2), day=SOON)
        post_conversion(
            parts, "XTZH2", build_move(-10, WHEEL, line=11), build_move(10, TYRE, line=12), day=LATER
        )
        post_conversion(
            parts, "XTZH3", build_move(-20, TYRE, line=21), build_move(20, RIM, line=22), day=LATE
        )
        assert parts.average(RIM) == ("20", "3503.33")
        parts.post("CGRK2", build_move(1, RIM, line=9, amount="1000"), day=EARLY)
        recalculate_all(parts, TYRE)
        # 2500 over eleven: ten leave at 2272.73, and one stays at 227.27.
        assert [read_bill_value(parts, f"XTZH{number}") for number in (1, 2, 3)] == ["0.00", "0.00", "0.00"]
        assert parts.average(RIM) == ("21", "4503.33")
        assert (parts.average(WHEEL), parts.average(TYRE)) == (("0", "0.00"), ("0", "0.00"))

    def test_an_un_audit_takes_what_was_corrected_along(self, parts: LedgerBench) -> None:
        post_conversion(
            parts, "XTZH1", build_move(-4, RIM), build_move(4, WHEEL, line=2), labour="80", day=LATER
        )
        parts.post("CGRK2", build_move(10, RIM, line=9, amount="2500"), day=SOON)
        recalculate_all(parts, WHEEL)
        parts.reverse("XTZH1", day=LATER)
        assert (parts.average(RIM), parts.average(WHEEL)) == (("20", "4000.00"), ("0", "0.00"))
        assert read_gained_value(parts, "XTZH1") == 0
        assert recalculate_all(parts, RIM).differences == 0

    def test_stock_sold_short_and_what_it_is_made_of_are_kept_apart(self, parts: LedgerBench) -> None:
        post_conversion(
            parts, "XTZH1", build_move(-4, RIM), build_move(4, WHEEL, line=2), day=LATER, policy=NEGATIVE
        )
        parts.post("XSCK1", build_move(-1, WHEEL, line=8), day=SOON, policy=NEGATIVE)
        parts.post("CGRK2", build_move(10, RIM, line=9, amount="2500"), day=SOON)
        recalculate_all(parts, RIM)
        assert parts.average(WHEEL) == ("3", "600.00")
        told = parts.rows(
            "select basis, amount::text from stock_ledger where bill_no = 'XTZH1' and corrects is not null"
            " and goods_id = 203 order by basis nulls first"
        )
        assert told[0] == (None, "200.00")
        assert [basis for basis, _ in told] == [None, "correction"]

    def test_goods_that_are_not_in_order_leave_those_that_are_made_of_them_alone(
        self, parts: LedgerBench
    ) -> None:
        post_conversion(parts, "XTZH1", build_move(-4, RIM), build_move(4, WHEEL, line=2), day=LATER)
        parts.post("CGRK2", build_move(10, RIM, line=9, amount="2500"), day=SOON)
        parts.conn.exec_driver_sql("alter table cost_balance drop constraint ck_cost_balance_stock_has_value")
        parts.conn.exec_driver_sql("update cost_balance set amount = -5000 where goods_id = 203")
        found = recalculate_costs(parts.conn, COMPANY, FIRST, [RIM])
        assert (found.left, found.differences) == ((RIM, WHEEL), 0)

    def test_goods_that_are_made_of_each_other_are_replayed_once(self, parts: LedgerBench) -> None:
        post_conversion(parts, "XTZH1", build_move(-4, RIM), build_move(4, WHEEL, line=2), day=LATER)
        assert list_next_goods(parts.conn, COMPANY, FIRST, 0) == [RIM, TYRE]
        assert list_next_goods(parts.conn, COMPANY, LATER + timedelta(days=1), 0) == [RIM, TYRE, WHEEL]


def test_a_conversion_takes_something_and_makes_something() -> None:
    with pytest.raises(ValueError, match="takes something and makes something"):
        Postings(stock=(build_move(-1),), conversion=Conversion())
    with pytest.raises(ValueError, match="no amount, no origin"):
        Postings(stock=(build_move(-1), build_move(1, amount="5")), conversion=Conversion())
    with pytest.raises(ValueError, match="has a share"):
        moves = (build_move(-1), build_move(1, share=Decimal(5)), build_move(1))
        Postings(stock=moves, conversion=Conversion())
