"""Receivables, payables and money: opened, written off within bounds, reversed only when nobody built on them."""

from __future__ import annotations

from decimal import Decimal

import pytest

from api.kit.declaration.posting import MoneyEntry, Postings, SettlementOpen, WriteOff
from api.ledger import post_bill
from api.ledger.refusals import AlreadyWrittenOff, OverWriteOff
from tests.support.ledger_builders import COMPANY, DUE, LedgerBench, build_ref, read_balances


def write_off(books: LedgerBench, bill_no: str, *entries: tuple[int, str], **more: tuple) -> None:  # type: ignore[type-arg]
    write_offs = tuple(WriteOff(item, Decimal(amount)) for item, amount in entries)
    books.post(bill_no, write_offs=write_offs, **more)


def read_open_amount(books: LedgerBench, item: int) -> str:
    return str(books.value(f"select open_amount from settlement_item where settlement_id = {item}"))


class TestWriteOff:
    def test_in_parts(self, books: LedgerBench) -> None:
        item = books.open_receivable("XSCK1", "100.00")
        write_off(books, "KHSK1", (item, "40"))
        write_off(books, "KHSK2", (item, "60"))
        assert read_open_amount(books, item) == "0.00"
        assert books.list_broken_checks() == []

    def test_never_past_what_is_open(self, books: LedgerBench) -> None:
        item = books.open_receivable("XSCK1", "100.00")
        write_off(books, "KHSK1", (item, "40"))
        with pytest.raises(OverWriteOff) as refusal:
            write_off(books, "KHSK2", (item, "30"), (item, "30.01"))
        assert refusal.value.causes == [
            {"settlement_id": item, "bill_no": "XSCK1", "open_amount": "60.00", "amount": "60.01"}
        ]

    @pytest.mark.parametrize(
        ("amount", "entry"), [("100", "-1"), ("-100", "1"), ("100", "0"), ("-100", "-100.01")]
    )
    def test_keeps_the_item_s_sign(self, books: LedgerBench, amount: str, entry: str) -> None:
        item = books.open_receivable("XSTH1", amount)
        with pytest.raises(OverWriteOff):
            write_off(books, "KHSK1", (item, entry))

    def test_returns_settle_against_sales(self, books: LedgerBench) -> None:
        sale, back = books.open_receivable("XSCK1", "100"), books.open_receivable("XSTH1", "-30")
        write_off(books, "KHSK1", (sale, "100"), (back, "-30"), money=(MoneyEntry(1, Decimal(70)),))
        assert (read_open_amount(books, sale), read_open_amount(books, back)) == ("0.00", "0.00")

    def test_another_company_s_item_is_unknown(self, books: LedgerBench) -> None:
        item = books.open_receivable("XSCK1", "100.00")
        with pytest.raises(OverWriteOff) as refusal:
            post_bill(
                books.conn,
                build_ref("KHSK1", company_id=COMPANY + 1),
                Postings(write_offs=(WriteOff(item, Decimal(1)),)),
            )
        assert refusal.value.causes[0]["bill_no"] is None
        assert "不存在" in refusal.value.msg

    def test_nothing_owed_opens_nothing(self, books: LedgerBench) -> None:
        books.post("XSCK1", settlements=(SettlementOpen("customer", 5, Decimal(0), DUE),))
        assert books.value("select count(*) from settlement_item") == 0


class TestReversal:
    def test_restores_items_and_accounts(self, books: LedgerBench) -> None:
        item = books.open_receivable("XSCK1", "100.00")
        before = read_balances(books.conn)
        advance = SettlementOpen("customer", 5, Decimal(-20), DUE, "advance")
        write_off(books, "KHSK1", (item, "100"), settlements=(advance,), money=(MoneyEntry(1, Decimal(120)),))
        assert books.value("select amount from money_balance") == 120
        books.reverse("KHSK1")
        assert read_balances(books.conn) == before
        assert books.list_broken_checks() == []

    def test_is_refused_while_another_bill_settled_it(self, books: LedgerBench) -> None:
        item = books.open_receivable("XSCK1", "100.00")
        write_off(books, "KHSK1", (item, "40"))
        write_off(books, "KHSK2", (item, "40"))
        books.reverse("KHSK1")
        with pytest.raises(AlreadyWrittenOff) as refusal:
            books.reverse("XSCK1")
        assert [bill["bill_no"] for bill in refusal.value.causes["bills"]] == ["KHSK2"]
        assert "KHSK2" in refusal.value.msg

    def test_is_possible_once_they_are_taken_back(self, books: LedgerBench) -> None:
        item = books.open_receivable("XSCK1", "100.00")
        write_off(books, "KHSK1", (item, "40"))
        books.reverse("KHSK1")
        books.reverse("XSCK1")
        assert read_open_amount(books, item) == "0.00"
        books.open_receivable("XSCK1", "90.00")
        assert books.value("select sum(open_amount) from settlement_item") == 90
        assert books.list_broken_checks() == []
