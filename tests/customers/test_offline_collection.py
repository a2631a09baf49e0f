"""Offline collection (线下收款), XXSK: its audit creates a receipt, which is audited and voided with it."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site


@pytest.fixture(scope="module")
def desk(site: Site) -> BillClient:
    found = BillClient(site)
    found.stock_in(site.world.oil, 1000)
    return found


@pytest.fixture
def receivable(desk: BillClient) -> SavedBill:
    """A receivable of 1130."""
    line = {"goods_id": desk.world.oil, "quantity": "10", "price": "113", "tax_rate": "13"}
    return desk.add_audited("sales_outbound", line)


def build_write_off(item: int, amount: str) -> dict[str, Any]:
    return {"settlement_id": item, "amount": amount}


def find_receipt(desk: BillClient, books: PostingReader, collection: SavedBill) -> SavedBill:
    query = "select bill_id, bill_no from customer_receipt where collection_id = %s order by bill_id desc"
    [key, number] = books.rows(query, collection.id)[0]
    return SavedBill("customer_receipt", int(key), str(number))


def test_a_pass_makes_the_receipt_and_the_advance(
    desk: BillClient, books: PostingReader, conn: Connection, receivable: SavedBill
) -> None:
    made = desk.add_audited(
        "offline_collection", build_write_off(books.item(receivable), "1000"), amount="1200"
    )
    receipt = find_receipt(desk, books, made)
    assert books.money(receipt) == [(desk.world.mode, "1200.00")]
    assert books.settlements(receivable)[0][4] == "130.00"
    assert [row[2:5] for row in books.settlements(receipt)] == [("advance", "-200.00", "-200.00")]
    assert books.money(made) == []
    assert desk.read_bill(made)["receipt_no"] == receipt.no
    assert desk.read_bill(receipt)["collection_no"] == made.no
    assert find_broken_checks(conn) == {}


def test_a_refusal_keeps_its_reason_and_posts_nothing(desk: BillClient, books: PostingReader) -> None:
    made = desk.draft("offline_collection", amount="50")
    assert desk.apply_action("auditorNoPass", made).msg == "请填写驳回原因"
    assert desk.apply_action("auditorNoPass", made, reason="未到账").ok
    found = desk.read_bill(made)
    assert (found["status"], found["reject_reason"], found["receipt_no"]) == (1, "未到账", None)


def test_the_receipt_goes_with_the_collection_alone(
    desk: BillClient, books: PostingReader, receivable: SavedBill
) -> None:
    made = desk.add_audited(
        "offline_collection", build_write_off(books.item(receivable), "1130"), amount="1130"
    )
    receipt = find_receipt(desk, books, made)
    answer = desk.apply_action("invalid", receipt)
    assert (answer.code, answer.msg) == (400, f"该收款单由线下收款{made.no}生成，请反审核或作废线下收款")
    assert desk.apply_action("antiAuditor", made).ok
    assert books.settlements(receivable)[0][4] == "1130.00"
    assert desk.read_bill(receipt)["status"] == 3
    assert desk.apply_action("auditorPass", made).ok
    assert find_receipt(desk, books, made).id != receipt.id
    assert books.settlements(receivable)[0][4] == "0.00"


def test_a_used_advance_holds_the_collection(
    desk: BillClient, books: PostingReader, receivable: SavedBill
) -> None:
    made = desk.add_audited("offline_collection", amount="500")
    advance = books.item(find_receipt(desk, books, made))
    desk.add_audited(
        "deposit", build_write_off(books.item(receivable), "100"), build_write_off(advance, "-100")
    )
    assert desk.apply_action("antiAuditor", made).code == 400
    assert desk.read_bill(made)["status"] == 2


def test_a_bank_number_is_booked_once(desk: BillClient) -> None:
    first = desk.draft("offline_collection", amount="50", voucher_no="ICBC2026030501")
    answer = desk.add("offline_collection", amount="60", voucher_no="ICBC2026030501")
    assert (answer.code, answer.msg) == (400, "银行流水号已存在，请更换")
    assert desk.apply_action("invalid", first).ok
    assert desk.add("offline_collection", amount="60", voucher_no="ICBC2026030501").ok
