"""June of a company that buys for three branches: two warehouses of its own and another company of the group.

Goods are bought at 100 net; with 90 of freight on the way to the second warehouse a piece is worth 101.

| day | bill                                                | A: pieces (value) | B: pieces (value) | A is owed | B is owed |
|-----|-----------------------------------------------------|-------------------|-------------------|-----------|-----------|
| 2   | A buys 90 for 10,170 with tax                       | 90 (9,000)        |                   |           |           |
| 4   | 20 go to A's second warehouse, freight 90           | 90 (9,090)        |                   |           |           |
| 8   | 30 go to B for 3,600                                | 60 (6,060)        | 30 (3,030)        | 3,600.00  |           |
| 12  | B sells 10 at 200 net                               |                   | 20 (2,020)        |           | 2,260.00  |
| 15  | the second warehouse sells 5 at 150 net             | 55 (5,555)        |                   | 4,447.50  |           |
| 20  | B pays A                                            |                   |                   | 847.50    |           |
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import Connection

from tests.kit.desk import Books, Desk
from tests.kit.state import broken
from tests.reporting.asking import one, some
from tests.reporting.story import Story

JUNE = {"day_start": "2026-06-01", "day_end": "2026-06-30"}


class Buyer(Story):
    """Company A buys; B and A's second warehouse sell."""

    def __init__(self, desk: Desk, books: Books) -> None:
        super().__init__(desk, books, "2026-06")
        self.goods, self.world = desk.world.spares[8], desk.world

    def play(self) -> None:
        self.post("bought", "purchase_inbound", 2, self.line(self.goods, "90", "113"))
        there = {"to_warehouse_id": self.world.warehouse2_a}
        sent = self.post("sent", "transfer_out", 4, {"goods_id": self.goods, "quantity": "20"}, **there)
        draft = self.desk.caller.get(self.desk.path("transfer_in", "getDraft"), id=sent.id).data
        lines = draft.pop("lines")
        given = draft | {"business_date": "2026-06-04", "freight_amount": "90"}
        self.post("arrived", "transfer_in", 4, *lines, **given)
        to_b = {"to_warehouse_id": self.world.warehouse_b, "customer_id": self.world.customer2_a}
        line = {"goods_id": self.goods, "quantity": "30", "price": "120"}
        self.post("shared", "sales_transfer", 8, line, **to_b)
        of_b = {"company_id": self.world.company_b, "warehouse_id": self.world.warehouse_b}
        sold = self.line(self.goods, "10", "226")
        self.post("sold by b", "sales_outbound", 12, sold, **of_b, customer_id=self.world.customer_b)
        second = {"warehouse_id": self.world.warehouse2_a}
        self.post("sold by a", "sales_outbound", 15, self.line(self.goods, "5", "169.5"), **second)
        got = {"amount": "3600", "customer_id": self.world.customer2_a}
        self.post("received", "customer_receipt", 20, self.off("shared", "3600"), **got)
        paid = {"amount": "3600", "company_id": self.world.company_b}
        self.post("paid", "supplier_payment", 20, self.off("shared", "3600", at=1), **paid)


@pytest.fixture(scope="module")
def june(desk: Desk, refresh: Callable[[], None]) -> Buyer:
    with desk.site.engine.connect() as conn:
        month = Buyer(desk, Books(conn))
        month.play()
        refresh()
        return month


@pytest.fixture
def books(conn: Connection) -> Books:
    return Books(conn)


def test_stock_and_value_of_both_companies(june: Buyer, books: Books) -> None:
    world = june.world
    assert books.cost(june.goods, world.company_a) == ("55", "5555.00")
    assert books.cost(june.goods, world.company_b) == ("20", "2020.00")
    places = (world.warehouse_a, world.warehouse2_a, world.warehouse_b)
    assert [books.available(june.goods, place)[0] for place in places] == ["40", "15", "20"]


def test_what_each_is_owed(june: Buyer, books: Books) -> None:
    june.books = books
    assert june.open_amounts("bought", "shared", "sold by b", "sold by a") == {
        "bought": ["10170.00"],
        "shared": ["0.00", "0.00"],
        "sold by b": ["2260.00"],
        "sold by a": ["847.50"],
    }


def test_only_sales_to_others_are_sales(june: Buyer) -> None:
    names = ("quantity", "revenue", "cost", "profit")
    told = {
        company: some(
            one(june.desk, "v2/report/SalesSummary", goods_id=june.goods, company_id=key, **JUNE), *names
        )
        for company, key in (("a", june.world.company_a), ("b", june.world.company_b))
    }
    assert told == {
        "a": {"quantity": "5", "revenue": "750", "cost": "505", "profit": "245"},
        "b": {"quantity": "10", "revenue": "2000", "cost": "1010", "profit": "990"},
    }


def test_the_books_tie(june: Buyer, conn: Connection) -> None:
    assert broken(conn) == {}
