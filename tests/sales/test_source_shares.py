"""Parts of a line (来源分摊): whatever the sequence in which a line is executed, its parts sum to it, and returns stay below it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, SavedBill
from tests.support.database_state import find_broken_checks
from tests.support.role_editor import changed_role


def audit_outbound(
    desk: BillClient, goods: int, quantity: str, price: str, discount: str = "0", **more: Any
) -> SavedBill:
    desk.stock_in(goods, quantity)
    line = {"goods_id": goods, "quantity": quantity, "price": price, "discount_amount": discount, **more}
    return desk.add_audited("sales_outbound", {"tax_rate": "13", **line})


def read_draft(desk: BillClient, resource: str, source: SavedBill, **params: Any) -> dict[str, Any]:
    answer = desk.caller.get(desk.path(resource, "getDraft"), id=source.id, **params)
    assert answer.ok, answer
    found: dict[str, Any] = answer.data
    return found


def save_drawn(desk: BillClient, resource: str, source: SavedBill, quantity: str, **more: Any) -> SavedBill:
    """Save a draft whose first line was cut to a quantity."""
    found = read_draft(desk, resource, source)
    [line, *_] = found["lines"]
    kept = {**found, "business_date": "2026-03-06", "lines": [{**line, "quantity": quantity, **more}]}
    answer = desk.caller.post(desk.path(resource, "add"), kept)
    assert answer.ok, answer
    return SavedBill(resource, answer.data["id"], answer.data["bill_no"])


def audit_bill(desk: BillClient, bill: SavedBill, **more: Any) -> SavedBill:
    answer = desk.apply_action("auditorPass", bill, **more)
    assert answer.ok, answer
    return bill


def read_money(desk: BillClient, bill: SavedBill) -> tuple[str, str, str]:
    [line] = desk.read_bill(bill)["lines"]
    return line["amount"], line["discount_amount"], line["tax_amount"]


class TestPartsOfALine:
    def test_seven_with_a_discount_come_back_one_by_one(self, desk: BillClient, conn: Connection) -> None:
        bill = audit_outbound(desk, desk.world.spares[0], "7", "33.33", "10.00")
        assert read_money(desk, bill) == ("223.31", "10.00", "25.69")
        parts = []
        for left in range(7, 0, -1):
            [line] = read_draft(desk, "sales_return", bill)["lines"]
            assert Decimal(line["quantity"]) == left
            parts.append(read_money(desk, audit_bill(desk, save_drawn(desk, "sales_return", bill, "1"))))
        sums = [sum(Decimal(part[place]) for part in parts) for place in range(3)]
        assert sums == [Decimal("223.31"), Decimal("10.00"), Decimal("25.69")]
        assert [part[0] for part in parts] == ["31.90", "31.90", "31.90", "31.91", "31.90", "31.90", "31.90"]
        assert find_broken_checks(conn) == {}

    def test_half_cents_come_back_once(self, desk: BillClient) -> None:
        bill = audit_outbound(desk, desk.world.spares[1], "3", "33.335")
        assert read_money(desk, bill)[0] == "100.01"
        parts = [
            read_money(desk, audit_bill(desk, save_drawn(desk, "sales_return", bill, "1")))[0]
            for _ in range(3)
        ]
        assert parts == ["33.34", "33.33", "33.34"]

    def test_the_rest_of_an_order_is_proposed_at_its_money(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[2]
        desk.stock_in(goods, 4)
        order = desk.add_audited(
            "sales_order", {"goods_id": goods, "quantity": "4", "price": "20", "discount_amount": "8"}
        )
        first = audit_bill(desk, save_drawn(desk, "sales_outbound", order, "1"))
        assert read_money(desk, first)[:2] == ("18.00", "2.00")
        [line] = read_draft(desk, "sales_outbound", order)["lines"]
        assert (line["quantity"], line["amount"], line["discount_amount"]) == ("3.000", "54.00", "6.00")
        rest = audit_bill(desk, save_drawn(desk, "sales_outbound", order, "3"))
        assert read_money(desk, rest)[:2] == ("54.00", "6.00")
        assert find_broken_checks(conn) == {}

    def test_drafts_made_side_by_side_count_each_other_once_audited(
        self, desk: BillClient, conn: Connection
    ) -> None:
        """All three are drawn from the same state; their audits share under the source's lock."""
        bill = audit_outbound(desk, desk.world.spares[3], "3", "33.335")
        backs = [save_drawn(desk, "sales_return", bill, "1") for _ in range(3)]
        assert {read_money(desk, back)[0] for back in backs} == {"33.34"}
        parts = [read_money(desk, audit_bill(desk, back))[0] for back in backs]
        assert parts == ["33.34", "33.33", "33.34"]
        headers = [desk.read_bill(back)["total_amount"] for back in backs]
        assert headers == parts
        assert find_broken_checks(conn) == {}

    def test_what_was_taken_back_in_between_is_shared_again(self, desk: BillClient) -> None:
        bill = audit_outbound(desk, desk.world.spares[4], "3", "33.335")
        first, second = (audit_bill(desk, save_drawn(desk, "sales_return", bill, "1")) for _ in range(2))
        assert desk.apply_action("antiAuditor", first).ok
        rest = audit_bill(desk, save_drawn(desk, "sales_return", bill, "1"))
        audit_bill(desk, first)
        amounts = [Decimal(read_money(desk, one)[0]) for one in (first, second, rest)]
        assert sum(amounts) == Decimal("100.01")

    def test_two_lines_of_one_bill_share_their_source(self, desk: BillClient) -> None:
        bill = audit_outbound(desk, desk.world.spares[5], "7", "200", "77")
        [line] = read_draft(desk, "sales_return", bill)["lines"]
        rows = [{**line, "quantity": "1"}, {**line, "quantity": "2"}]
        back = desk.draft("sales_return", *rows, business_date="2026-03-06")
        shown = [(row["discount_amount"], row["amount"]) for row in desk.read_bill(back)["lines"]]
        assert shown == [("11.00", "189.00"), ("22.00", "378.00")]

    def test_a_line_that_tells_no_price_has_its_source_s(self, desk: BillClient) -> None:
        goods = desk.world.spares[6]
        bill = audit_outbound(desk, goods, "7", "33.33", "10.00")
        [key] = desk.line_ids(bill)
        back = desk.draft("sales_return", {"goods_id": goods, "source_line_id": key, "quantity": "1"})
        assert read_money(desk, back) == ("31.90", "1.43", "3.67")

    def test_an_order_keeps_the_price_that_is_typed(self, desk: BillClient) -> None:
        goods = desk.world.spares[7]
        desk.stock_in(goods, 4)
        order = desk.add_audited(
            "sales_order", {"goods_id": goods, "quantity": "4", "price": "20", "discount_amount": "8"}
        )
        own = audit_bill(
            desk, save_drawn(desk, "sales_outbound", order, "1", price="25", discount_amount="0")
        )
        assert read_money(desk, own)[:2] == ("25.00", "0.00")
        rest = audit_bill(desk, save_drawn(desk, "sales_outbound", order, "3"))
        assert read_money(desk, rest)[:2] == ("54.00", "6.00")

    def test_the_browser_is_told_what_it_shares_by(self, desk: BillClient) -> None:
        bill = audit_outbound(desk, desk.world.spares[8], "7", "33.33", "10.00")
        first = audit_bill(desk, save_drawn(desk, "sales_return", bill, "3"))
        [line] = read_draft(desk, "sales_return", bill)["lines"]
        told = line["drawn"]
        assert (told["quantity"], told["amount"], told["taken_quantity"]) == ("7.000", "223.31", "3.000")
        assert told["taken_amount"] == read_money(desk, first)[0]
        waiting = save_drawn(desk, "sales_return", bill, "1", price="20", discount_amount="0")
        [stored] = desk.read_bill(waiting)["lines"]
        assert (stored["drawn"]["follows"], stored["drawn"]["capped"]) == (False, True)
        assert desk.read_bill(first)["lines"][0].get("drawn") is None


class TestReturnsStayBelowTheirSource:
    def test_no_more_is_credited_than_was_paid(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[9]
        bill = audit_outbound(desk, goods, "1", "50")
        [key] = desk.line_ids(bill)
        back = desk.draft(
            "sales_return", {"goods_id": goods, "source_line_id": key, "quantity": "1", "price": "5000"}
        )
        answer = desk.apply_action("auditorPass", back)
        assert (answer.code, answer.msg) == (
            363,
            f"第1行金额 5,000.00 元超过销售出库{bill.no}可退的金额 50.00 元，是否继续？",
        )
        assert desk.apply_action("auditorPass", back, confirmed=True).ok
        log = desk.caller.get(desk.path("sales_return", "getLog"), id=back.id).data
        reason = next(row["reason"] for row in log if row["action"] == "confirmed")
        assert reason == f"第1行金额超过销售出库{bill.no}可退的金额"
        assert find_broken_checks(conn) == {}

    def test_who_has_no_right_to_it_is_refused(self, desk: BillClient, limited_client: BillClient) -> None:
        goods = desk.world.spares[10]
        bill = audit_outbound(desk, goods, "1", "50")
        [key] = desk.line_ids(bill)
        back = desk.draft(
            "sales_return", {"goods_id": goods, "source_line_id": key, "quantity": "1", "price": "50.01"}
        )
        answer = limited_client.apply_action("auditorPass", back, confirmed=True)
        assert (answer.code, answer.msg) == (
            400,
            f"第1行金额 50.01 元超过销售出库{bill.no}可退的金额 50.00 元",
        )
        assert desk.read_bill(back)["status"] == 1

    def test_a_gift_comes_back_for_nothing(self, desk: BillClient, limited_client: BillClient) -> None:
        goods = desk.world.spares[11]
        bill = audit_outbound(desk, goods, "2", "0", is_gift=True)
        [line] = read_draft(desk, "sales_return", bill)["lines"]
        assert (line["is_gift"], line["amount"]) == (True, "0.00")
        [key] = desk.line_ids(bill)
        back = desk.draft(
            "sales_return",
            {"goods_id": goods, "source_line_id": key, "quantity": "1", "price": "20", "is_gift": False},
        )
        assert limited_client.apply_action("auditorPass", back, confirmed=True).code == 400

    def test_less_is_credited_without_a_question(self, desk: BillClient, conn: Connection) -> None:
        goods = desk.world.spares[12]
        bill = audit_outbound(desk, goods, "2", "50")
        [key] = desk.line_ids(bill)
        first = desk.add_audited(
            "sales_return",
            {"goods_id": goods, "source_line_id": key, "quantity": "1", "price": "20", "tax_rate": "9"},
        )
        assert read_money(desk, first) == ("20.00", "0.00", "2.30"), "at the rate of the sale"
        second = audit_bill(desk, save_drawn(desk, "sales_return", bill, "1"))
        assert read_money(desk, second)[0] == "50.00", "what was kept back is not given with the next piece"
        assert find_broken_checks(conn) == {}

    def test_what_is_left_is_counted_by_what_was_credited(
        self, desk: BillClient, limited_client: BillClient, conn: Connection
    ) -> None:
        """Of 100, 80 were let pass for the first piece: 20 are left and offered for the other, whatever it was sold at."""
        goods = desk.world.spares[20]
        bill = audit_outbound(desk, goods, "2", "50")
        [key] = desk.line_ids(bill)
        line = {"goods_id": goods, "source_line_id": key, "quantity": "1"}
        dear = desk.draft("sales_return", {**line, "price": "80"})
        early = save_drawn(desk, "sales_return", bill, "1")
        assert desk.apply_action("auditorPass", dear, confirmed=True).ok
        for other in (early, desk.draft("sales_return", {**line, "discount_amount": "0"})):
            answer = limited_client.apply_action("auditorPass", other, confirmed=True)
            assert answer.msg == f"第1行金额 50.00 元超过销售出库{bill.no}可退的金额 20.00 元"
        [offered] = read_draft(desk, "sales_return", bill)["lines"]
        assert (offered["amount"], offered["discount_amount"], offered["tax_amount"]) == (
            "20.00",
            "30.00",
            "2.30",
        )
        assert offered["drawn"]["own_tax"] == "9.20"
        rest = save_drawn(desk, "sales_return", bill, "1")
        assert (
            read_money(desk, rest)
            == read_money(desk, desk.draft("sales_return", line))
            == ("20.00", "30.00", "2.30")
        )
        assert limited_client.apply_action("auditorPass", rest).ok
        assert find_broken_checks(conn) == {}

    @pytest.mark.parametrize("audited", [False, True], ids=["draft", "audited before"])
    def test_what_was_bounded_has_its_share_once_more_is_left(
        self, desk: BillClient, limited_client: BillClient, conn: Connection, audited: bool
    ) -> None:
        """The dear return of the other piece is taken back: of 100 there are 50 for this one again."""
        goods = desk.world.spares[28]
        bill = audit_outbound(desk, goods, "2", "50")
        [key] = desk.line_ids(bill)
        dear = desk.draft(
            "sales_return", {"goods_id": goods, "source_line_id": key, "quantity": "1", "price": "80"}
        )
        assert desk.apply_action("auditorPass", dear, confirmed=True).ok
        rest = save_drawn(desk, "sales_return", bill, "1")
        assert read_money(desk, rest)[:2] == ("20.00", "30.00")
        [waiting] = desk.read_bill(rest)["lines"]
        assert (waiting["drawn"]["follows"], waiting["drawn"]["proposed_discount"]) == (True, "30.00")
        if audited:
            assert limited_client.apply_action("auditorPass", rest).ok
            assert read_money(desk, rest)[:2] == ("20.00", "30.00"), (
                "less is left as long as the other stands"
            )
        assert desk.apply_action("antiAuditor", dear).ok
        assert desk.apply_action("del", dear).ok
        if audited:
            assert desk.apply_action("antiAuditor", rest).ok
        assert limited_client.apply_action("auditorPass", rest).ok
        assert read_money(desk, rest) == ("50.00", "0.00", "5.75")
        assert desk.read_bill(rest)["total_amount"] == "50.00"
        query = "select bounded from sales_return_line where bill_id = %s"
        assert conn.exec_driver_sql(query, (rest.id,)).scalar_one() is False
        assert find_broken_checks(conn) == {}

    def test_a_discount_of_one_s_own_stays_though_it_looks_bounded(
        self, desk: BillClient, conn: Connection
    ) -> None:
        goods = desk.world.spares[28]
        [key] = desk.line_ids(audit_outbound(desk, goods, "2", "50"))
        line = {"goods_id": goods, "source_line_id": key, "quantity": "1"}
        dear = desk.draft("sales_return", {**line, "price": "80"})
        assert desk.apply_action("auditorPass", dear, confirmed=True).ok
        own = desk.draft("sales_return", {**line, "price": "50", "discount_amount": "30"})
        assert desk.apply_action("antiAuditor", dear).ok
        assert read_money(desk, audit_bill(desk, own))[:2] == ("20.00", "30.00")
        assert find_broken_checks(conn) == {}

    def test_what_was_let_pass_once_is_held_again_once_it_fits(
        self, desk: BillClient, conn: Connection
    ) -> None:
        goods = desk.world.spares[21]
        [key] = desk.line_ids(audit_outbound(desk, goods, "3", "50"))
        line = {"goods_id": goods, "source_line_id": key}
        dear = desk.draft("sales_return", {**line, "quantity": "2", "price": "70"})
        assert desk.apply_action("auditorPass", dear, confirmed=True).ok
        other = desk.draft("sales_return", {**line, "quantity": "1", "price": "50"})
        assert desk.apply_action("auditorPass", other, confirmed=True).ok
        query = "select beyond_source from sales_return_line where bill_id = %s"
        assert conn.exec_driver_sql(query, (other.id,)).scalar_one() is True
        conn.rollback()
        for bill in (other, dear):
            assert desk.apply_action("antiAuditor", bill).ok
        assert desk.apply_action("auditorPass", other).ok
        assert conn.exec_driver_sql(query, (other.id,)).scalar_one() is False
        assert find_broken_checks(conn) == {}

    def test_what_was_kept_back_may_be_credited_later(
        self, desk: BillClient, limited_client: BillClient, conn: Connection
    ) -> None:
        goods = desk.world.spares[21]
        bill = audit_outbound(desk, goods, "2", "50")
        [key] = desk.line_ids(bill)
        line = {"goods_id": goods, "source_line_id": key, "quantity": "1"}
        desk.add_audited("sales_return", {**line, "price": "20"})
        assert limited_client.apply_action(
            "auditorPass", desk.draft("sales_return", {**line, "price": "80"})
        ).ok
        assert find_broken_checks(conn) == {}


class TestToldInPart:
    """A line that tells only some of its money has the rest of its source: 7 × 33.33 − 10 is 31.90 and 1.43 a piece."""

    @pytest.mark.parametrize(
        ("told", "right"),
        [
            ({"tax_rate": "0"}, ("31.90", "1.43", "3.67")),
            ({"discount_amount": "5"}, ("28.33", "5.00", "3.26")),
            ({"discount_amount": "0"}, ("33.33", "0.00", "3.83")),
            ({"price": "20"}, ("18.57", "1.43", "2.14")),
            ({"price": "33.33"}, ("31.90", "1.43", "3.67")),
            ({"is_gift": True}, ("0.00", "0.00", "0.00")),
            ({"price": " ", "discount_amount": "无权限"}, ("31.90", "1.43", "3.67")),
        ],
        ids=lambda value: "-".join(value),
    )
    def test_what_is_not_told_is_the_source_s(
        self, desk: BillClient, told: dict[str, Any], right: tuple[str, str, str]
    ) -> None:
        goods = desk.world.spares[22]
        bill = audit_outbound(desk, goods, "7", "33.33", "10.00")
        [key] = desk.line_ids(bill)
        back = desk.draft("sales_return", {"goods_id": goods, "source_line_id": key, "quantity": "1", **told})
        assert read_money(desk, back) == right

    def test_an_order_s_line_may_have_its_own_tax_rate(self, desk: BillClient) -> None:
        goods = desk.world.spares[23]
        order = audit_order(desk, goods)
        [key] = desk.line_ids(order)
        out = desk.draft(
            "sales_outbound", {"goods_id": goods, "order_line_id": key, "quantity": "1", "tax_rate": "0"}
        )
        assert read_money(desk, out) == ("18.00", "2.00", "0.00")

    @pytest.mark.parametrize("discount", ["1.99", "2.00", "2.01", "2.02"])
    def test_what_is_typed_is_kept_to_the_cent(self, desk: BillClient, discount: str) -> None:
        goods = desk.world.spares[24]
        bill = audit_outbound(desk, goods, "4", "20", "8")
        [key] = desk.line_ids(bill)
        line = {
            "goods_id": goods,
            "source_line_id": key,
            "quantity": "1",
            "price": "20",
            "discount_amount": discount,
        }
        right = (str(20 - Decimal(discount)), discount)
        assert read_money(desk, desk.draft("sales_return", line))[:2] == right
        assert (
            read_money(desk, save_drawn(desk, "sales_return", bill, "1", discount_amount=discount))[:2]
            == right
        )

    def test_what_a_role_may_not_write_is_not_told(self, desk: BillClient, unpriced: BillClient) -> None:
        goods = desk.world.spares[25]
        bill = audit_outbound(desk, goods, "2", "75.77")
        [key] = desk.line_ids(bill)
        for price in ("5000", "无权限", "0"):
            back = unpriced.draft(
                "sales_return", {"goods_id": goods, "source_line_id": key, "quantity": "1", "price": price}
            )
            assert read_money(desk, back)[0] == "75.77"

    def test_what_a_role_may_not_see_stays_as_another_typed_it(
        self, desk: BillClient, unpriced: BillClient
    ) -> None:
        """What followed its source follows it still."""
        goods = desk.world.spares[26]
        bill = audit_outbound(desk, goods, "4", "20", "8")
        [key] = desk.line_ids(bill)
        for told, right in (({"price": "15"}, "28.00"), ({}, "36.00")):
            back = desk.draft(
                "sales_return", {"goods_id": goods, "source_line_id": key, "quantity": "1", **told}
            )
            found = unpriced.read_bill(back)
            [line] = found["lines"]
            body = {**found, "id": back.id, "lines": [{**line, "quantity": "2", "discount_amount": None}]}
            answer = unpriced.caller.post(unpriced.path("sales_return", "edit"), body)
            assert answer.ok, answer
            assert read_money(desk, back)[0] == ("26.00" if told else right)


HIDDEN = [
    ("sales_outbound_line", "tax_amount"),
    ("sales_outbound_line", "amount"),
    ("sales_outbound_line", "price"),
    ("sales_outbound_line", "discount_amount"),
    ("sales_return_line", "tax_amount"),
    ("sales_return_line", "amount"),
    ("sales_return_line", "discount_amount"),
]


class TestWhoMayNotSeeAllOfTheSource:
    """4 × 75.77 − 8.08 is 73.75 and 2.02 a piece, whatever figure of it is hidden."""

    @pytest.mark.parametrize(("screen", "name"), HIDDEN, ids=lambda told: told)
    def test_a_part_has_its_share(self, desk: BillClient, screen: str, name: str) -> None:
        bill = audit_outbound(desk, desk.world.spares[29], "4", "75.77", "8.08")
        with changed_role(desk.caller, desk.world.role_clerk_a, denied=build_hidden_fields(screen, name)):
            limited = BillClient(desk.site, "clerk_a")
            [line] = read_draft(limited, "sales_return", bill)["lines"]
            assert is_nothing_hidden(line)
            back = save_drawn(limited, "sales_return", bill, "1")
            assert read_money(desk, back)[:2] == ("73.75", "2.02")
            found = limited.read_bill(back)
            [line] = found["lines"]
            assert line["drawn"]["follows"] and is_nothing_hidden(line)
            body = {**found, "id": back.id, "lines": [{**line, "quantity": "2"}]}
            answer = limited.caller.post(limited.path("sales_return", "edit"), body)
            assert answer.ok, answer
            assert read_money(desk, back)[:2] == ("147.50", "4.04")

    @pytest.mark.parametrize("name", ["price", "amount", "tax_amount"])
    def test_so_has_what_ships_an_order(self, desk: BillClient, name: str) -> None:
        goods = desk.world.spares[29]
        desk.stock_in(goods, 4)
        order = desk.add_audited(
            "sales_order", {"goods_id": goods, "quantity": "4", "price": "75.77", "discount_amount": "8.08"}
        )
        with changed_role(
            desk.caller, desk.world.role_clerk_a, denied=build_hidden_fields("sales_outbound_line", name)
        ):
            out = save_drawn(BillClient(desk.site, "clerk_a"), "sales_outbound", order, "1")
        assert read_money(desk, out)[:2] == ("73.75", "2.02")

    def test_a_discount_of_its_own_is_kept(self, desk: BillClient) -> None:
        bill = audit_outbound(desk, desk.world.spares[29], "4", "75.77", "8.08")
        with changed_role(
            desk.caller,
            desk.world.role_clerk_a,
            denied=build_hidden_fields("sales_outbound_line", "tax_amount"),
        ):
            back = save_drawn(
                BillClient(desk.site, "clerk_a"), "sales_return", bill, "1", discount_amount="5", drawn=None
            )
        assert read_money(desk, back)[:2] == ("70.77", "5.00")


def is_nothing_hidden(line: dict[str, Any]) -> bool:
    """Return whether a source's description shows no figure beyond those of the line."""
    shown = {"price": line["price"], "proposed_discount": line["discount_amount"]}
    told = {
        name: value for name, value in line["drawn"].items() if name not in ("column", "capped", "follows")
    }
    return told == {name: value for name, value in shown.items() if value != "无权限"}


class TestDates:
    @pytest.mark.parametrize("day", ["2026-03-04", "2026-02-28"])
    def test_no_return_precedes_its_sale(self, desk: BillClient, day: str) -> None:
        goods = desk.world.spares[13]
        bill = audit_outbound(desk, goods, "1", "50")
        [key] = desk.line_ids(bill)
        answer = desk.add(
            "sales_return", {"goods_id": goods, "source_line_id": key, "quantity": "1"}, business_date=day
        )
        assert answer.code == 400
        assert answer.msg == f"业务日期不能早于来源销售出库{bill.no}的业务日期 2026-03-05"

    def test_a_source_taken_back_and_dated_later_is_asked_again(self, desk: BillClient) -> None:
        """What is drawn waits; its order may not be moved behind it."""
        goods = desk.world.spares[14]
        desk.stock_in(goods, 1)
        order = desk.add_audited("sales_order", {"goods_id": goods, "quantity": "1", "price": "20"})
        waiting = save_drawn(desk, "sales_outbound", order, "1")
        with desk.site.engine.begin() as conn:
            conn.exec_driver_sql(
                "update sales_order set business_date = '2026-03-07' where bill_id = %s", (order.id,)
            )
        answer = desk.apply_action("auditorPass", waiting)
        assert answer.msg == f"业务日期不能早于来源销售订单{order.no}的业务日期 2026-03-07"


class TestDiscounts:
    def test_a_discount_larger_than_its_line_is_refused(self, desk: BillClient) -> None:
        line = {
            "goods_id": desk.world.spares[15],
            "quantity": "2",
            "price": "50",
            "discount_amount": "100.01",
        }
        answer = desk.add("sales_order", line)
        assert (answer.code, answer.msg) == (400, "第1行：优惠金额 100.01 元大于金额 100.00 元，请核对")

    @pytest.mark.parametrize(
        ("told", "right"),
        [
            ({"discount_amount": "25"}, "优惠金额 25.00 元大于金额 20.00 元"),
            ({"price": "20", "discount_amount": "25"}, "优惠金额 25.00 元大于金额 20.00 元"),
            ({"price": "1"}, "优惠金额 2.00 元大于金额 1.00 元"),
            ({"price": "1", "discount_amount": "2"}, "优惠金额 2.00 元大于金额 1.00 元"),
        ],
        ids=["discount", "price and discount", "price", "small price"],
    )
    @pytest.mark.parametrize(
        "kind", ["sales_outbound", "sales_return", "purchase_inbound", "purchase_return"]
    )
    def test_so_it_is_on_a_drawn_line(
        self, desk: BillClient, kind: str, told: dict[str, str], right: str
    ) -> None:
        goods, line = desk.world.spares[27], {"quantity": "4", "price": "20", "discount_amount": "8"}
        column, source = {
            "sales_outbound": ("order_line_id", "sales_order"),
            "sales_return": ("source_line_id", "sales_outbound"),
            "purchase_inbound": ("order_line_id", "purchase_order"),
            "purchase_return": ("source_line_id", "purchase_inbound"),
        }[kind]
        desk.stock_in(goods, 4)
        [key] = desk.line_ids(desk.add_audited(source, {"goods_id": goods, **line}))
        answer = desk.add(kind, {"goods_id": goods, column: key, "quantity": "1", **told})
        assert (answer.code, answer.msg) == (400, f"第1行：{right}，请核对")


def audit_order(desk: BillClient, goods: int) -> SavedBill:
    desk.stock_in(goods, 4)
    return desk.add_audited(
        "sales_order", {"goods_id": goods, "quantity": "4", "price": "20", "discount_amount": "8"}
    )


@pytest.fixture
def unpriced(desk: BillClient) -> Iterator[BillClient]:
    """One who may not see the prices of returns."""
    with changed_role(
        desk.caller, desk.world.role_clerk_a, denied=build_hidden_fields("sales_return_line", "price")
    ):
        yield BillClient(desk.site, "clerk_a")


def build_hidden_fields(screen: str, *fields: str) -> list[dict[str, str]]:
    return [{"screen": screen, "field": name} for name in fields]


@pytest.fixture
def limited_client(desk: BillClient) -> BillClient:
    """One who audits returns, without the right to let them pass their source."""
    return BillClient(desk.site, "clerk_a")


class TestInvoices:
    def test_the_tax_of_parts_sums_to_the_line_s(self, desk: BillClient, conn: Connection) -> None:
        """Three parts of 0.05 round to a cent of tax each; the line of 0.15 has two."""
        goods = desk.world.spares[16]
        bill = audit_outbound(desk, goods, "3", "0.05")
        [key] = desk.line_ids(bill)
        told = {"invoice_date": "2026-03-06", "business_date": "2026-03-06"}
        drafts = [
            desk.draft(
                "sales_invoice", {"outbound_line_id": key, "amount": "0.05"}, invoice_no=f"PART{n}", **told
            )
            for n in range(3)
        ]
        lines = [desk.read_bill(audit_bill(desk, one))["lines"][0] for one in drafts]
        assert [line["quantity"] for line in lines] == ["1.000"] * 3
        assert [line["tax_amount"] for line in lines] == ["0.01", "0.00", "0.01"]
        assert read_money(desk, bill)[2] == "0.02"
        assert [desk.read_bill(one)["tax_amount"] for one in drafts] == ["0.01", "0.00", "0.01"]
        assert find_broken_checks(conn) == {}


CORRUPTIONS = {
    "sales_return_line_source_line_id_dates": "update sales_return set business_date = '2026-01-01' where bill_id = %s",
    "sales_return_line_source_line_id_capped": "update sales_return_line set amount = amount + 1 where bill_id = %s",
    "sales_return_line_source_line_id_shares": "update sales_return_line set source_tax = source_tax + 0.01 where bill_id = %s",
}


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_what_is_not_held_to_its_source_is_found(desk: BillClient, conn: Connection, name: str) -> None:
    bill = audit_outbound(desk, desk.world.spares[17 + list(CORRUPTIONS).index(name)], "2", "50")
    back = audit_bill(desk, save_drawn(desk, "sales_return", bill, "2"))
    assert find_broken_checks(conn) == {}
    conn.exec_driver_sql(CORRUPTIONS[name], (back.id,))
    assert name in find_broken_checks(conn)
    conn.rollback()
