"""XXSK 线下收款: its audit makes a receipt, which stands and falls with it."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from tests.kit.desk import Books, Desk, Made
from tests.kit.fixtures import Site
from tests.kit.state import broken


@pytest.fixture(scope="module")
def desk(site: Site) -> Desk:
    found = Desk(site)
    found.stock_in(site.world.oil, 1000)
    return found


@pytest.fixture
def owed(desk: Desk) -> Made:
    """A receivable of 1130."""
    line = {"goods_id": desk.world.oil, "quantity": "10", "price": "113", "tax_rate": "13"}
    return desk.audited("sales_outbound", line)


def off(item: int, amount: str) -> dict[str, Any]:
    return {"settlement_id": item, "amount": amount}


def receipt_of(desk: Desk, books: Books, collection: Made) -> Made:
    query = "select bill_id, bill_no from customer_receipt where collection_id = %s order by bill_id desc"
    [key, number] = books.rows(query, collection.id)[0]
    return Made("customer_receipt", int(key), str(number))


def test_a_pass_makes_the_receipt_and_the_advance(
    desk: Desk, books: Books, conn: Connection, owed: Made
) -> None:
    made = desk.audited("offline_collection", off(books.item(owed), "1000"), amount="1200")
    receipt = receipt_of(desk, books, made)
    assert books.money(receipt) == [(desk.world.mode, "1200.00")]
    assert books.settlements(owed)[0][4] == "130.00"
    assert [row[2:5] for row in books.settlements(receipt)] == [("advance", "-200.00", "-200.00")]
    assert books.money(made) == []
    assert desk.info(made)["receipt_no"] == receipt.no
    assert desk.info(receipt)["collection_no"] == made.no
    assert broken(conn) == {}


def test_a_refusal_keeps_its_reason_and_posts_nothing(desk: Desk, books: Books) -> None:
    made = desk.draft("offline_collection", amount="50")
    assert desk.act("auditorNoPass", made).msg == "请填写驳回原因"
    assert desk.act("auditorNoPass", made, reason="未到账").ok
    found = desk.info(made)
    assert (found["status"], found["reject_reason"], found["receipt_no"]) == (1, "未到账", None)


def test_the_receipt_goes_with_the_collection_alone(desk: Desk, books: Books, owed: Made) -> None:
    made = desk.audited("offline_collection", off(books.item(owed), "1130"), amount="1130")
    receipt = receipt_of(desk, books, made)
    answer = desk.act("invalid", receipt)
    assert (answer.code, answer.msg) == (400, f"该收款单由线下收款{made.no}生成，请反审核或作废线下收款")
    assert desk.act("antiAuditor", made).ok
    assert books.settlements(owed)[0][4] == "1130.00"
    assert desk.info(receipt)["status"] == 3
    assert desk.act("auditorPass", made).ok
    assert receipt_of(desk, books, made).id != receipt.id
    assert books.settlements(owed)[0][4] == "0.00"


def test_a_used_advance_holds_the_collection(desk: Desk, books: Books, owed: Made) -> None:
    made = desk.audited("offline_collection", amount="500")
    advance = books.item(receipt_of(desk, books, made))
    desk.audited("deposit", off(books.item(owed), "100"), off(advance, "-100"))
    assert desk.act("antiAuditor", made).code == 400
    assert desk.info(made)["status"] == 2


def test_a_bank_number_is_booked_once(desk: Desk) -> None:
    first = desk.draft("offline_collection", amount="50", voucher_no="ICBC2026030501")
    answer = desk.add("offline_collection", amount="60", voucher_no="ICBC2026030501")
    assert (answer.code, answer.msg) == (400, "银行流水号已存在，请更换")
    assert desk.act("invalid", first).ok
    assert desk.add("offline_collection", amount="60", voucher_no="ICBC2026030501").ok
