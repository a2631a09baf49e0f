"""Moving weighted average: golden figures, rounding, returns, and stock sold short."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from api.ledger import read_unit_costs
from api.ledger.refusals import ReturnExceeds
from tests.support.ledger_builders import COMPANY, DAY, NEGATIVE, TYRE, WAREHOUSE, LedgerBench, build_move


class TestAverage:
    def test_two_receipts_blend(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, amount="1000"))
        books.post("CGRK2", build_move(5, amount="650"))
        books.post("XSCK1", build_move(-6))
        assert books.amounts("XSCK1") == ["-660.00"]
        assert books.average() == ("9", "990.00")

    def test_gifts_count_into_the_average(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(10, line=1, amount="1100"), build_move(1, line=2, amount=0))
        books.post("XSCK1", build_move(-1))
        assert books.amounts("XSCK1") == ["-100.00"]

    def test_a_backdated_bill_gets_the_present_average(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(1, amount="10"))
        books.post("CGRK2", build_move(1, amount="30"))
        books.post("XSCK1", build_move(-1), day=DAY - timedelta(days=7), policy=NEGATIVE)
        assert books.amounts("XSCK1") == ["-20.00"]

    def test_goods_and_companies_do_not_mix(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(1, amount="10"), build_move(1, 101, line=2, amount="90"))
        books.post("XSCK1", build_move(-1))
        assert books.amounts("XSCK1") == ["-10.00"]
        assert read_unit_costs(books.conn, COMPANY, [TYRE, 101, 999]) == {TYRE: Decimal(10), 101: Decimal(90)}
        assert read_unit_costs(books.conn, COMPANY + 1, [TYRE]) == {}


class TestRounding:
    def test_the_last_unit_takes_the_whole_rest(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(3, amount="100"))
        for number in (1, 2, 3):
            books.post(f"XSCK{number}", build_move(-1))
        assert [books.amounts(f"XSCK{number}")[0] for number in (1, 2, 3)] == ["-33.33", "-33.34", "-33.33"]
        assert books.average() == ("0", "0.00")

    def test_lines_of_one_bill_share_the_cents(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(7, amount="100"))
        books.post("XSCK1", *(build_move(-1, line=line) for line in range(1, 8)))
        amounts = [Decimal(amount) for amount in books.amounts("XSCK1")]
        assert sum(amounts) == -100
        assert set(amounts) == {Decimal("-14.29"), Decimal("-14.28")}

    def test_thirds_of_a_unit(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move("0.300", amount="0.01"))
        books.post("XSCK1", *(build_move("-0.100", line=line) for line in (1, 2, 3)))
        assert sum(map(Decimal, books.amounts("XSCK1"))) == Decimal("-0.01")
        assert books.average() == ("0", "0.00")

    def test_unit_cost_has_six_decimals(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(3, amount="100"))
        books.post("XSCK1", build_move(-2))
        assert str(books.value("select unit_cost from stock_ledger where bill_no = 'XSCK1'")) == "33.333333"


class TestReturns:
    @pytest.fixture(autouse=True)
    def sold(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(3, amount="100"))
        books.post("XSCK1", build_move(-3, line=11))
        books.post("CGRK2", build_move(10, amount="2000"))

    def test_linked_comes_back_at_its_issue_cost(self, books: LedgerBench) -> None:
        books.post("XSTH1", build_move(1, line=21, origin=("XSCK", 11)))
        assert books.amounts("XSTH1") == ["33.33"]

    def test_in_parts_it_brings_back_every_cent(self, books: LedgerBench) -> None:
        books.post("XSTH1", build_move(1, line=21, origin=("XSCK", 11)))
        books.post(
            "XSTH2", build_move(1, line=31, origin=("XSCK", 11)), build_move(1, line=32, origin=("XSCK", 11))
        )
        back = books.amounts("XSTH1") + books.amounts("XSTH2")
        assert sum(map(Decimal, back)) == 100
        assert books.list_broken_checks() == []

    def test_never_more_than_delivered(self, books: LedgerBench) -> None:
        books.post("XSTH1", build_move(2, line=21, origin=("XSCK", 11)))
        with pytest.raises(ReturnExceeds) as refusal:
            books.post(
                "XSTH2",
                build_move(1, line=31, origin=("XSCK", 11)),
                build_move(2, line=32, origin=("XSCK", 11)),
            )
        assert [(row["line_id"], Decimal(row["missing"])) for row in refusal.value.causes] == [(32, 2)]
        assert "退货数量超过原单可退数量" in refusal.value.msg

    def test_a_reversed_return_can_be_made_again(self, books: LedgerBench) -> None:
        books.post("XSTH1", build_move(3, line=21, origin=("XSCK", 11)))
        books.reverse("XSTH1")
        books.post("XSTH2", build_move(3, line=31, origin=("XSCK", 11)))
        assert books.amounts("XSTH2") == ["100.00"]

    def test_of_other_goods_or_an_unknown_line_is_refused(self, books: LedgerBench) -> None:
        with pytest.raises(ReturnExceeds), books.conn.begin_nested():
            books.post("XSTH1", build_move(1, 101, line=21, origin=("XSCK", 11)))
        with pytest.raises(ReturnExceeds):
            books.post("XSTH1", build_move(1, line=21, origin=("XSCK", 99)))

    def test_unlinked_comes_back_at_the_average(self, books: LedgerBench) -> None:
        books.post("XSTH1", build_move(2, line=21))
        assert books.amounts("XSTH1") == ["400.00"]
        assert books.average() == ("12", "2400.00")


class TestWithoutStock:
    def test_unlinked_return_takes_the_last_unit_cost(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(2, amount="50"))
        books.post("XSCK1", build_move(-2))
        books.post("XSTH1", build_move(1, fallback_unit_cost="99"))
        assert books.amounts("XSTH1") == ["25.00"]

    def test_what_was_bought_keeps_its_last_purchase_price(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(1, amount="100"))
        books.post("QTRK1", build_move(1, amount="17.70"))
        books.post("XSCK1", build_move(-2))
        books.post("PYRK1", build_move(3, fallback_unit_cost="99"))
        assert books.amounts("PYRK1") == ["300.00"]
        assert books.list_broken_checks() == []
        books.reverse("PYRK1")
        books.post("XSTH1", build_move(1))
        assert books.amounts("XSTH1") == ["100.00"]

    def test_what_was_never_bought_keeps_what_last_came_in(self, books: LedgerBench) -> None:
        books.post("QTRK1", build_move(1, amount="17.70"))
        books.post("XSCK1", build_move(-1))
        books.post("PYRK1", build_move(3))
        assert books.amounts("PYRK1") == ["53.10"]

    def test_a_purchase_that_is_taken_back_tells_nothing(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(1, amount="100"))
        books.post("QTRK1", build_move(1, amount="17.70"))
        books.reverse("CGRK1")
        assert books.value("select last_unit_cost from cost_balance") == Decimal("17.7")
        assert books.list_broken_checks() == []

    def test_then_the_fallback(self, books: LedgerBench) -> None:
        books.post("XSTH1", build_move(1, fallback_unit_cost="99"))
        assert books.amounts("XSTH1") == ["99.00"]

    def test_then_nothing(self, books: LedgerBench) -> None:
        books.post("XSTH1", build_move(1))
        assert books.amounts("XSTH1") == ["0.00"]


class TestSoldShort:
    def test_leaves_at_the_last_known_cost(self, books: LedgerBench) -> None:
        books.post("CGRK1", build_move(2, amount="50"))
        books.post("XSCK1", build_move(-5), policy=NEGATIVE)
        assert books.amounts("XSCK1") == ["-125.00"]
        assert books.average() == ("-3", "-75.00")
        assert books.value(f"select quantity from stock_balance where warehouse_id = {WAREHOUSE}") == -3

    @pytest.mark.parametrize(
        ("quantity", "amount", "correction", "left"),
        [
            (3, "90", "-15.00", ("0", "0.00")),
            (1, "30", "-5.00", ("-2", "-50.00")),
            (10, "300", "-15.00", ("7", "210.00")),
            (10, "0", "75.00", ("7", "0.00")),
        ],
    )
    def test_the_next_receipt_takes_the_difference_out(
        self, books: LedgerBench, quantity: int, amount: str, correction: str, left: tuple[str, str]
    ) -> None:
        books.post("CGRK1", build_move(2, amount="50"))
        books.post("XSCK1", build_move(-5), policy=NEGATIVE)
        books.post("CGRK2", build_move(quantity, amount=amount), policy=NEGATIVE)
        assert books.amounts("CGRK2") == [f"{Decimal(amount):.2f}", correction]
        assert books.average() == left
        assert books.list_broken_checks() == []
        books.reverse("CGRK2", NEGATIVE)
        assert books.average() == ("-3", "-75.00")
