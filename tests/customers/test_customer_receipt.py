"""KHSK 收款单: money enters an account and settles receivables, never past what is open."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks, fingerprint_tables
from tests.support.fixtures import Site


@pytest.fixture(scope="module")
def desk(site: Site) -> BillClient:
    found = BillClient(site)
    found.stock_in(site.world.oil, 10000)
    return found


@pytest.fixture
def receivable(desk: BillClient) -> SavedBill:
    """A receivable of 1130."""
    line = {"goods_id": desk.world.oil, "quantity": "10", "price": "113", "tax_rate": "13"}
    return desk.add_audited("sales_outbound", line)


def build_write_off(item: int, amount: str) -> dict[str, Any]:
    return {"settlement_id": item, "amount": amount}


class TestPostings:
    def test_money_write_off_and_advance(
        self, desk: BillClient, books: PostingReader, receivable: SavedBill
    ) -> None:
        world = desk.world
        bill = desk.add_audited(
            "customer_receipt", build_write_off(books.item(receivable), "1000"), amount="1200.55"
        )
        assert books.money(bill) == [(world.mode, "1200.55")]
        assert books.settlements(receivable)[0][3:5] == ("1130.00", "130.00")
        assert books.settlements(bill) == [
            ("customer", world.customer_a, "advance", "-200.55", "-200.55", "2026-03-05")
        ]

    def test_without_write_offs_all_is_an_advance(self, desk: BillClient, books: PostingReader) -> None:
        bill = desk.add_audited("customer_receipt", amount="50")
        assert [row[2:5] for row in books.settlements(bill)] == [("advance", "-50.00", "-50.00")]

    def test_an_advance_pays_a_later_receivable(
        self, desk: BillClient, books: PostingReader, conn: Connection, receivable: SavedBill
    ) -> None:
        """Both items are written off against each other; no money moves."""
        advance = desk.add_audited("customer_receipt", amount="500")
        bill = desk.add_audited(
            "customer_receipt",
            build_write_off(books.item(receivable), "500"),
            build_write_off(books.item(advance), "-500"),
            amount="0",
        )
        assert books.money(bill) == []
        assert books.settlements(receivable)[0][4] == "630.00"
        assert books.settlements(advance)[0][4] == "0.00"
        assert books.settlements(bill) == []
        assert find_broken_checks(conn) == {}

    def test_a_used_advance_is_not_taken_back(
        self, desk: BillClient, books: PostingReader, receivable: SavedBill
    ) -> None:
        advance = desk.add_audited("customer_receipt", amount="500")
        used = desk.add_audited(
            "customer_receipt",
            build_write_off(books.item(receivable), "100"),
            build_write_off(books.item(advance), "-100"),
            amount="0",
        )
        answer = desk.apply_action("antiAuditor", advance)
        assert answer.code == 400
        assert used.no in answer.msg

    def test_a_refund_gives_an_advance_back(
        self, desk: BillClient, books: PostingReader, conn: Connection
    ) -> None:
        world = desk.world
        advance = desk.add_audited("customer_receipt", amount="500")
        bill = desk.add_audited(
            "customer_receipt", build_write_off(books.item(advance), "-200"), amount="-200"
        )
        assert books.money(bill) == [(world.mode, "-200.00")]
        assert books.settlements(advance)[0][4] == "-300.00"
        assert books.settlements(bill) == []
        assert find_broken_checks(conn) == {}
        assert desk.apply_action("antiAuditor", bill).ok
        assert books.settlements(advance)[0][4] == "-500.00"

    def test_a_supplier_gives_back_what_he_was_paid_in_advance(
        self, desk: BillClient, books: PostingReader
    ) -> None:
        advance = desk.add_audited("supplier_payment", amount="500")
        bill = desk.add_audited(
            "supplier_payment", build_write_off(books.item(advance), "-500"), amount="-500"
        )
        assert books.money(bill) == [(desk.world.mode, "500.00")]
        assert books.settlements(advance)[0][4] == "0.00"


class TestWriteOff:
    @pytest.mark.parametrize("chosen", [None, "-99.99"])
    def test_a_refund_is_what_its_items_are(
        self, desk: BillClient, books: PostingReader, chosen: str | None
    ) -> None:
        """Without them it would leave a receivable that no bill explains."""
        advance = desk.add_audited("customer_receipt", amount="100")
        rows = [build_write_off(books.item(advance), chosen)] if chosen else []
        answer = desk.add("customer_receipt", *rows, amount="-100")
        told = f"退款须选出要退的预收预付或退货：已选 {chosen or '0.00'} 元，退款 -100.00 元"
        assert (answer.code, answer.msg) == (400, told)

    @pytest.mark.parametrize(
        ("amount", "why"),
        [
            ("1130.01", "核销金额超过未核销金额 1,130.00 元"),
            ("-1", "核销金额超过未核销金额 1,130.00 元"),
            ("0", "核销金额超过未核销金额 1,130.00 元"),
        ],
    )
    def test_beyond_the_open_amount_is_refused(
        self, desk: BillClient, books: PostingReader, receivable: SavedBill, amount: str, why: str
    ) -> None:
        answer = desk.add("customer_receipt", build_write_off(books.item(receivable), amount), amount="2000")
        assert (answer.code, answer.msg) == (400, f"第1行：{why}")

    def test_an_item_stands_once_in_a_bill(
        self, desk: BillClient, books: PostingReader, receivable: SavedBill
    ) -> None:
        item = books.item(receivable)
        answer = desk.add(
            "customer_receipt", build_write_off(item, "1"), build_write_off(item, "1"), amount="2"
        )
        assert (answer.code, answer.msg) == (400, "第2行：同一单据不能重复核销")

    def test_more_than_the_bill_is_refused(
        self, desk: BillClient, books: PostingReader, receivable: SavedBill
    ) -> None:
        answer = desk.add("customer_receipt", build_write_off(books.item(receivable), "10"), amount="9.99")
        assert (answer.code, answer.msg) == (400, "核销金额合计 10.00 元超过单据金额 9.99 元")

    def test_another_customers_item_is_refused(
        self, desk: BillClient, books: PostingReader, receivable: SavedBill
    ) -> None:
        answer = desk.add(
            "customer_receipt",
            build_write_off(books.item(receivable), "10"),
            amount="10",
            customer_id=desk.world.customer2_a,
        )
        assert (answer.code, answer.msg) == (400, "第1行：待核销单据不存在或不属于该往来单位")

    def test_a_suppliers_item_is_refused(self, desk: BillClient, books: PostingReader) -> None:
        bought = desk.add_audited(
            "purchase_inbound", {"goods_id": desk.world.oil, "quantity": "1", "price": "10"}
        )
        answer = desk.add("customer_receipt", build_write_off(books.item(bought), "1"), amount="10")
        assert answer.code == 400

    def test_nothing_at_all_is_refused(self, desk: BillClient) -> None:
        answer = desk.add("customer_receipt", amount="0")
        assert (answer.code, answer.msg) == (400, "请输入金额")

    def test_what_a_faster_receipt_took_is_refused_at_the_audit(
        self, desk: BillClient, books: PostingReader, conn: Connection, receivable: SavedBill
    ) -> None:
        item = books.item(receivable)
        one, other = (
            desk.draft("customer_receipt", build_write_off(item, "700"), amount="700") for _ in range(2)
        )
        assert desk.apply_action("auditorPass", one).ok
        before = fingerprint_tables(conn)
        conn.rollback()
        answer = desk.apply_action("auditorPass", other)
        assert answer.code == 400
        assert f"{receivable.no} 未核销 430.00，本次 700.00" in answer.msg
        assert fingerprint_tables(conn) == before

    def test_eight_cashiers_at_once_never_pass_the_open_amount(
        self, desk: BillClient, books: PostingReader, conn: Connection, receivable: SavedBill
    ) -> None:
        item = books.item(receivable)
        bills = [desk.draft("customer_receipt", build_write_off(item, "300"), amount="300") for _ in range(8)]
        answers: list[Answer] = []

        def audit(bill: SavedBill) -> None:
            answers.append(BillClient(desk.site).apply_action("auditorPass", bill))

        threads = [threading.Thread(target=audit, args=(bill,)) for bill in bills]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer.code for answer in answers) == [200] * 3 + [400] * 5
        assert books.settlements(receivable)[0][4] == "230.00"
        assert find_broken_checks(conn) == {}
