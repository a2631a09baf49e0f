"""Credit: what a customer owes and has ordered never passes his limit, whoever audits at the same time."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from api.kit.storage.database import today
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.fixtures import Site

_names = itertools.count(1)


@pytest.fixture(autouse=True)
def blocked(site: Site) -> Iterator[None]:
    """Passing the limit is refused, as companies begin."""
    _set_credit_mode(site, 1)
    yield
    _set_credit_mode(site, 1)


def _set_credit_mode(site: Site, mode: int) -> None:
    """Set the credit mode, and turn off reservation of arrivals: other tests' orders wait for the same goods."""
    with site.engine.begin() as conn:
        told = "update bill_setting set credit_mode = %s, arrival_mode = 1 where type = 2"
        conn.exec_driver_sql(told, (mode,))


def create_customer(desk: BillClient, limit: str | None) -> int:
    return desk.partner("customer", f"信用客户{next(_names)}", credit_limit=limit)


def read_limit(desk: BillClient, customer: int) -> str | None:
    found: str | None = desk.caller.get("v2/custom/Customer/getInfo", id=customer).data["credit_limit"]
    return found


def draft_order(desk: BillClient, customer: int, quantity: str, price: str = "100") -> SavedBill:
    line = {"goods_id": desk.world.spares[30], "quantity": quantity, "price": price}
    return desk.draft("sales_order", line, customer_id=customer)


def draft_outbound(
    desk: BillClient, customer: int, quantity: str, price: str = "100", **more: Any
) -> SavedBill:
    desk.stock_in(desk.world.spares[30], 200)
    line = {"goods_id": desk.world.spares[30], "quantity": quantity, "price": price, **more}
    return desk.draft("sales_outbound", line, customer_id=customer)


def grant_credit(desk: BillClient, customer: int, amount: str, **more: Any) -> SavedBill:
    return desk.add_audited("customer_credit", customer_id=customer, amount=amount, **{"kind": 1, **more})


def build_message(limit: str, exposure: str, by: str) -> str:
    told = [f"{Decimal(amount):,.2f} 元" for amount in (limit, exposure, by)]
    return "客户已超信用额度（额度 {}，欠款与未出库订单将达 {}，超出 {}）".format(*told)


class TestLimit:
    def test_an_order_beyond_it_is_refused_with_the_figures(self, desk: BillClient) -> None:
        customer = create_customer(desk, "1000")
        assert desk.apply_action("auditorPass", draft_order(desk, customer, "6")).ok
        bill = draft_order(desk, customer, "5")
        answer = desk.apply_action("auditorPass", bill)
        assert (answer.code, answer.msg) == (
            363,
            f"{build_message('1000.00', '1100.00', '100.00')}，是否继续？",
        )
        assert desk.read_bill(bill)["status"] == 1
        clerk = BillClient(desk.site, "clerk_a").apply_action("auditorPass", bill)
        assert (clerk.code, clerk.msg) == (400, build_message("1000.00", "1100.00", "100.00"))
        assert desk.apply_action("auditorPass", draft_order(desk, customer, "4")).ok

    def test_an_outbound_moves_what_was_ordered_to_what_is_owed(self, desk: BillClient) -> None:
        customer = create_customer(desk, "1000")
        ordered = draft_order(desk, customer, "10")
        assert desk.apply_action("auditorPass", ordered).ok
        [line] = desk.line_ids(ordered)
        assert desk.apply_action("auditorPass", draft_outbound(desk, customer, "4", order_line_id=line)).ok
        beyond = desk.apply_action("auditorPass", draft_outbound(desk, customer, "1", price="0.01"))
        assert (beyond.code, beyond.msg) == (
            363,
            f"{build_message('1000.00', '1000.01', '0.01')}，是否继续？",
        )
        dearer = desk.apply_action(
            "auditorPass", draft_outbound(desk, customer, "6", price="101", order_line_id=line)
        )
        assert dearer.msg == f"{build_message('1000.00', '1006.00', '6.00')}，是否继续？"
        assert desk.apply_action("auditorPass", draft_outbound(desk, customer, "6", order_line_id=line)).ok

    def test_receipts_and_advances_make_room(self, desk: BillClient) -> None:
        customer = create_customer(desk, "500")
        owed = draft_outbound(desk, customer, "5")
        assert desk.apply_action("auditorPass", owed).ok
        assert desk.apply_action("auditorPass", draft_outbound(desk, customer, "3")).code == 363
        desk.add_audited("customer_receipt", customer_id=customer, amount="300")
        assert desk.apply_action("auditorPass", draft_outbound(desk, customer, "3")).ok

    def test_closing_an_order_makes_room_and_reopening_asks_again(self, desk: BillClient) -> None:
        customer, clerk = create_customer(desk, "1000"), BillClient(desk.site, "clerk_a")
        first = draft_order(desk, customer, "10")
        assert desk.apply_action("auditorPass", first).ok
        assert desk.apply_action("close", first).ok
        assert desk.apply_action("auditorPass", draft_order(desk, customer, "5")).ok
        answer = desk.apply_action("open", first)
        assert (answer.code, answer.msg) == (
            363,
            f"{build_message('1000.00', '1500.00', '500.00')}，是否继续？",
        )
        assert clerk.apply_action("open", first).code in (400, 403)
        assert desk.read_bill(first)["status"] == 4

    def test_none_is_not_controlled_and_nothing_is_cash_only(self, desk: BillClient) -> None:
        assert desk.apply_action("auditorPass", draft_order(desk, create_customer(desk, None), "99999")).ok
        assert (
            desk.apply_action("auditorPass", draft_order(desk, create_customer(desk, "0"), "1", "0.01")).code
            == 363
        )

    def test_a_company_may_leave_it_alone(self, desk: BillClient) -> None:
        _set_credit_mode(desk.site, 0)
        assert desk.apply_action("auditorPass", draft_order(desk, create_customer(desk, "0"), "1")).ok

    def test_who_may_override_is_asked_and_logged(self, desk: BillClient) -> None:
        bill = draft_order(desk, create_customer(desk, "0"), "1")
        assert desk.apply_action("auditorPass", bill, confirmed=True).ok
        log = desk.caller.get(desk.path("sales_order", "getLog"), id=bill.id).data
        told = next(row for row in log if row["action"] == "confirmed")["reason"]
        assert told == "客户已超信用额度", "amounts stay out of a log that others read"

    def test_confirming_is_not_overriding(self, desk: BillClient) -> None:
        bill = draft_order(desk, create_customer(desk, "0"), "1")
        answer = BillClient(desk.site, "clerk_a").apply_action("auditorPass", bill, confirmed=True)
        assert answer.code == 400


class TestRace:
    def test_orders_audited_at_once_count_each_other(self, desk: BillClient) -> None:
        """Sixteen clerks, ten orders' worth of credit: ten pass."""
        customer = create_customer(desk, "1000")
        bills = [draft_order(desk, customer, "1") for _ in range(16)]
        answers: list[Answer] = []
        start = threading.Barrier(len(bills))

        def audit(bill: SavedBill) -> None:
            clerk = BillClient(desk.site, "clerk_a")
            start.wait()
            answers.append(clerk.apply_action("auditorPass", bill))

        threads = [threading.Thread(target=audit, args=(bill,)) for bill in bills]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer.code for answer in answers) == [200] * 10 + [400] * 6


class TestCreditBill:
    def test_its_audit_sets_the_limit_and_un_audit_brings_the_old_one_back(self, desk: BillClient) -> None:
        customer = create_customer(desk, "100")
        bill = grant_credit(desk, customer, "900")
        assert read_limit(desk, customer) == "900.00"
        assert desk.read_bill(bill)["previous_amount"] == "100.00"
        assert desk.apply_action("antiAuditor", bill).ok
        assert read_limit(desk, customer) == "100.00"

    def test_a_limit_that_was_set_again_is_not_taken_back(self, desk: BillClient) -> None:
        customer = create_customer(desk, None)
        first = grant_credit(desk, customer, "500")
        grant_credit(desk, customer, "700")
        answer = desk.apply_action("antiAuditor", first)
        assert (answer.code, answer.msg) == (
            400,
            "该客户的额度之后已调整过，请先处理后来的额度单，或另建额度单调整",
        )
        assert read_limit(desk, customer) == "700.00"

    def test_a_temporary_one_adds_within_its_days_until_it_is_closed(self, desk: BillClient) -> None:
        customer, now = create_customer(desk, "1000"), today()
        days = {"kind": 2, "starts_on": str(now), "ends_on": str(now)}
        past = {"kind": 2, "starts_on": str(now - timedelta(9)), "ends_on": str(now - timedelta(1))}
        grant_credit(desk, customer, "5000", **past)
        assert desk.apply_action("auditorPass", draft_order(desk, customer, "11")).code == 363
        extra = grant_credit(desk, customer, "100", **days)
        assert read_limit(desk, customer) == "1000.00"
        bill = draft_order(desk, customer, "11")
        assert desk.apply_action("auditorPass", bill).ok
        assert desk.apply_action("antiAuditor", bill).ok
        assert desk.apply_action("close", extra).ok
        assert desk.apply_action("auditorPass", bill).code == 363

    @pytest.mark.parametrize(
        ("days", "msg"),
        [
            ({}, "临时额度请填写生效日期和失效日期"),
            ({"starts_on": "2026-03-02", "ends_on": "2026-03-01"}, "失效日期不能早于生效日期"),
        ],
    )
    def test_temporary_ones_have_their_days(self, desk: BillClient, days: dict[str, str], msg: str) -> None:
        customer = create_customer(desk, "1")
        answer = desk.add("customer_credit", customer_id=customer, kind=2, amount="1", **days)
        assert (answer.code, answer.msg) == (400, msg)

    @pytest.mark.parametrize("before", [None, "100.00"])
    def test_a_lasting_one_holds_until_it_is_closed(self, desk: BillClient, before: str | None) -> None:
        customer = create_customer(desk, before)
        bill = grant_credit(desk, customer, "900")
        assert desk.apply_action("close", bill).ok
        assert read_limit(desk, customer) == before
        log = desk.caller.get("v2/custom/Customer/getLog", id=customer).data[0]
        assert (log["after"]["credit_limit"], log["reason"]) == (before, f"客户信用额度 {bill.no}")
        assert desk.apply_action("open", bill).ok
        assert read_limit(desk, customer) == "900.00"
        assert desk.apply_action("antiAuditor", bill).ok
        assert read_limit(desk, customer) == before

    def test_one_that_another_took_the_place_of_is_not_closed(self, desk: BillClient) -> None:
        customer = create_customer(desk, None)
        first = grant_credit(desk, customer, "500")
        grant_credit(desk, customer, "700")
        assert desk.apply_action("close", first).msg.startswith("该客户的额度之后已调整过")
        assert read_limit(desk, customer) == "700.00"


class TestQueries:
    def test_the_query_shows_what_uses_a_limit_up_and_leads_to_it(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        customer = create_customer(desk, "2000")
        owed = draft_outbound(desk, customer, "3")
        assert desk.apply_action("auditorPass", owed).ok
        ordered = draft_order(desk, customer, "10")
        assert desk.apply_action("auditorPass", ordered).ok
        [line] = desk.line_ids(ordered)
        assert desk.apply_action("auditorPass", draft_outbound(desk, customer, "4", order_line_id=line)).ok
        desk.add_audited("customer_receipt", customer_id=customer, amount="50")

        [row] = desk.caller.get("v2/custom/CreditUse/getList", customer_id=customer).data["data"]

        names = ("limit_amount", "receivable", "advance", "ordered", "exposure", "available", "used_rate")
        assert [row[name] for name in names] == [
            "2000.00",
            "700.00",
            "-50.00",
            "600.00",
            "1250.00",
            "750.00",
            "62.5000",
        ]
        items = desk.caller.get("v2/custom/CreditItem/getList", customer_id=customer).data
        assert sum(float(item["used_amount"]) for item in items["data"]) == 1250
        assert {item["use"] for item in items["data"]} == {1, 2, 3}
        assert f"/sales/salesorderSee?id={ordered.id}" in {item["route"] for item in items["data"]}

    def test_what_was_repaid_is_listed_with_how_late_it_was(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        customer, free = create_customer(desk, "1000"), create_customer(desk, None)
        for one in (customer, free):
            line = {"goods_id": desk.world.spares[30], "quantity": "2", "price": "100"}
            desk.stock_in(desk.world.spares[30], 200)
            sold = desk.add_audited("sales_outbound", line, customer_id=one, due_date="2026-03-10")
            for on, amount in (("2026-03-10", "50"), ("2026-03-20", "150")):
                part = {"settlement_id": books.item(sold), "amount": amount}
                desk.add_audited("customer_receipt", part, customer_id=one, amount="200", business_date=on)
        api = desk.path("credit_repayment", "getList")
        rows = desk.caller.get(api, customer_id=customer, order_key="business_date", order_by="asc").data[
            "data"
        ]
        shown = [(row["business_date"], row["amount"], row["late_amount"], row["late_days"]) for row in rows]
        assert shown == [("2026-03-10", "50.00", "0.00", 0), ("2026-03-20", "150.00", "150.00", 10)]
        assert desk.caller.get(api, customer_id=free).data["data"] == []
