"""Account log (账户日志): movements of a customer's account tie to his open items."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.support.bill_client import BillClient, PostingReader
from tests.support.fixtures import Site

DAYS = {"start": "2026-03-01", "end": "2026-03-31"}


@pytest.fixture(scope="module")
def customer(site: Site) -> int:
    world = site.world
    body = {"customer_name": "账户日志客户", "company_id": world.company_a}
    made: int = site.as_("admin").post("v2/custom/Customer/add", body).data["id"]
    return made


@pytest.fixture(scope="module")
def traded(site: Site, customer: int) -> BillClient:
    """Sold for 1130 in March after 113 in February; paid 1200, of which 1000 is written off; 50 set off; one taken back."""
    desk = BillClient(site)
    with site.engine.connect() as conn:
        books = PostingReader(conn)
        line = {"goods_id": desk.world.oil, "price": "113", "tax_rate": "13"}
        desk.stock_in(desk.world.oil, 100, business_date="2023-12-01")
        desk.add_audited(
            "sales_outbound", {**line, "quantity": "1"}, customer_id=customer, business_date="2026-02-20"
        )
        sold = desk.add_audited("sales_outbound", {**line, "quantity": "10"}, customer_id=customer)
        off = {"settlement_id": books.item(sold), "amount": "1000"}
        paid = desk.add_audited("customer_receipt", off, customer_id=customer, amount="1200")
        both = [(books.item(sold), "50"), (books.item(paid), "-50")]
        lines = [{"settlement_id": item, "amount": amount} for item, amount in both]
        desk.add_audited("deposit", *lines, customer_id=customer)
        back = desk.add_audited("sales_outbound", {**line, "quantity": "2"}, customer_id=customer)
        assert desk.apply_action("antiAuditor", back).ok
    return desk


def list_rows(desk: BillClient, resource: str, field: str, **params: Any) -> list[dict[str, Any]]:
    days = {f"{field}_{end}": value for end, value in DAYS.items()}
    answer = desk.caller.get(desk.path(resource, "getList"), **days, **params)
    assert answer.ok, answer
    found: list[dict[str, Any]] = answer.data["data"]
    return found


def test_a_month_of_a_customer(traded: BillClient, customer: int) -> None:
    [row] = list_rows(traded, "customer_account_log", "days", customer_id=customer)
    assert [row[name] for name in ("opening", "receivable", "advance", "closing", "bills")] == [
        "113.00",
        "80.00",
        "150.00",
        "43.00",
        4,
    ]
    drill = traded.caller.get("v2/Open/Screen/getScreen", route="/custom/accountlog").data["drill"]["by"]
    led = {name: row[field] for name, field in drill.items()}
    assert led == {
        "company_id": row["company_id"],
        "customer_id": customer,
        "business_date_start": DAYS["start"],
        "business_date_end": DAYS["end"],
    }


def test_each_posting_with_the_balance_after_it(traded: BillClient, customer: int) -> None:
    found = list_rows(traded, "customer_account_entry", "business_date", customer_id=customer)
    assert [
        (row["receivable"], row["advance"], row["balance"], row["reversal"]) for row in reversed(found)
    ] == [
        ("1130.00", "0.00", "1243.00", False),
        ("-1000.00", "200.00", "43.00", False),
        ("-50.00", "-50.00", "43.00", False),
        ("226.00", "0.00", "269.00", False),
        ("-226.00", "0.00", "43.00", True),
    ]
    assert found[0]["route"].startswith("/sales/salesamend?id=")


def test_the_balance_is_what_is_open(traded: BillClient, customer: int, books: PostingReader) -> None:
    [row] = list_rows(traded, "customer_account_log", "days", customer_id=customer)
    query = "select sum(open_amount) from settlement_item where party_type = 'customer' and party_id = %s"
    [(open_amount,)] = books.rows(query, customer)
    assert Decimal(row["closing"]) == Decimal(open_amount)


def test_others_companies_are_not_told(traded: BillClient, customer: int) -> None:
    other = BillClient(traded.site, "manager_b")
    assert list_rows(other, "customer_account_entry", "business_date", customer_id=customer) == []
    assert list_rows(other, "customer_account_log", "days", customer_id=customer) == []
