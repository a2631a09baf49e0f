"""April of a tyre wholesaler, bill by bill; ledgers, statement, rebate and reports tell what was worked out by hand.

Tyres are bought at 226 with tax, 200 net, and sold at 339, 300 net.

| day   | bill                                     | pieces | stock value | receivable | payable   |
|-------|------------------------------------------|--------|-------------|------------|-----------|
| 2     | 60 of 100 ordered come, freight 120      | 60     | 12,120.00   |            | 13,560.00 |
| 5     | the other 40 come                        | 100    | 20,120.00   |            | 22,600.00 |
| 7     | 30 of 50 ordered are shipped, at 201.20  | 70     | 14,084.00   | 10,170.00  |           |
| 10    | the other 20                             | 50     | 10,060.00   | 16,950.00  |           |
| 12    | 5 of the 30 come back at what they cost  | 55     | 11,066.00   | 15,255.00  |           |
| 15    | 8,000 received for the 30                |        |             | 7,255.00   |           |
| 20    | 10 go back to the supplier               | 45     | 9,054.00    |            | 20,340.00 |
| 22    | 15,000 paid: the 60, and 1,440 of the 40 |        |             |            | 5,340.00  |
| 25    | 1 was lost                               | 44     | 8,852.80    |            |           |
| 30    | rebate of 2 % on 20,340 bought           |        |             |            | 4,933.20  |
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection

from tests.kit.desk import Books, Desk, Made
from tests.kit.state import broken
from tests.reporting.asking import one, some

APRIL = {"day_start": "2026-04-01", "day_end": "2026-04-30"}


class Month:
    """The wholesaler's partners, goods and bills."""

    def __init__(self, desk: Desk, books: Books) -> None:
        self.desk, self.books, world = desk, books, desk.world
        self.goods, self.supplier = world.spares[3], world.supplier2
        body = {
            "customer_name": "城东轮胎行",
            "company_id": world.company_a,
            "payment_days": 30,
            "credit_limit": "17000",
        }
        self.customer: int = desk.caller.post("v2/custom/Customer/add", body).data["id"]
        self.bills: dict[str, Made] = {}

    def play(self) -> None:
        self._buy()
        self._sell()
        self._settle()

    def _buy(self) -> None:
        kinds = {
            "rebate_type_id": self.desk.world.rebate_type,
            "rebate_cycle_id": self.desk.world.rebate_cycle,
        }
        days = {"starts_on": "2026-04-01", "ends_on": "2026-12-31"}
        given = {**kinds, **days, "policy_name": "月返", "measure": 2, "rebate_mode": 2}
        self._post(
            "policy", "supplier_rebate_policy", 1, {"starts_from": "1", "rate": "2"}, **given, goods=[]
        )
        self._post("ordered", "purchase_order", 1, self._line("100", "226"))
        self._post("first", "purchase_inbound", 2, self._line("60", "226", "ordered"), freight_amount="120")
        self._post("second", "purchase_inbound", 5, self._line("40", "226", "ordered"))
        self._post("returned", "purchase_return", 20, self._line("10", "226", "first"))

    def _sell(self) -> None:
        """The order would not fit the limit with one piece more."""
        over = self._draft("sales_order", 6, self._line("51", "339"))
        refused = Desk(self.desk.site, "clerk_a").act("auditorPass", over)
        assert (refused.code, refused.msg) == (
            400,
            "客户信用额度 17000.00 元，欠款与未出库订单将达 17289.00 元，超出 289.00 元",
        )
        self._post("wanted", "sales_order", 6, self._line("50", "339"))
        self._post("thirty", "sales_outbound", 7, self._line("30", "339", "wanted"))
        self._post("twenty", "sales_outbound", 10, self._line("20", "339", "wanted"))
        self._post("back", "sales_return", 12, self._line("5", "339", "thirty"))

    def _settle(self) -> None:
        item = self.books.item
        self._post("received", "customer_receipt", 15, self._off("thirty", "8000"), amount="8000")
        parts = [self._off("first", "13560"), self._off("second", "1440")]
        self._post("paid", "supplier_payment", 22, *parts, amount="15000")
        lost = {"goods_id": self.goods, "quantity": "1", "price": "0"}
        self._post("lost", "other_outbound", 25, lost)
        given = {"policy_id": self.bills["policy"].id, "cycle_start": "2026-04-01", "amount": "406.8"}
        self._post("rebate", "supplier_rebate", 30, **given)
        assert item(self.bills["rebate"])

    def _line(self, quantity: str, price: str, source: str | None = None) -> dict[str, Any]:
        line: dict[str, Any] = {
            "goods_id": self.goods,
            "quantity": quantity,
            "price": price,
            "tax_rate": "13",
        }
        if source:
            column = "order_line_id" if source in ("ordered", "wanted") else "source_line_id"
            [line[column]] = self.desk.line_ids(self.bills[source])
        return line

    def _off(self, bill: str, amount: str) -> dict[str, Any]:
        return {"settlement_id": self.books.item(self.bills[bill]), "amount": amount}

    def _draft(self, resource: str, day: int, *rows: dict[str, Any], **header: Any) -> Made:
        parties = {"customer_id": self.customer, "supplier_id": self.supplier}
        names = self.desk.header(resource)
        known = {name: key for name, key in parties.items() if name in names}
        return self.desk.draft(resource, *rows, business_date=f"2026-04-{day:02}", **known, **header)

    def _post(self, name: str, resource: str, day: int, *rows: dict[str, Any], **header: Any) -> None:
        made = self.bills[name] = self._draft(resource, day, *rows, **header)
        answer = self.desk.act("auditorPass", made)
        assert answer.ok, (name, answer)


@pytest.fixture(scope="module")
def april(desk: Desk, refresh: Callable[[], None]) -> Month:
    with desk.site.engine.connect() as conn:
        month = Month(desk, Books(conn))
        month.play()
        refresh()
        return month


@pytest.fixture
def books(conn: Connection) -> Books:
    return Books(conn)


def test_stock_and_what_it_cost(april: Month, books: Books) -> None:
    assert books.cost(april.goods, april.desk.world.company_a) == ("44", "8852.80")
    assert books.available(april.goods, april.desk.world.warehouse_a) == ("44", "0", "44")
    costs = {
        name: books.stock(april.bills[name])[0][2:]
        for name in ("thirty", "twenty", "back", "returned", "lost")
    }
    assert costs == {
        "thirty": ("201.2", "-6036.00"),
        "twenty": ("201.2", "-4024.00"),
        "back": ("201.2", "1006.00"),
        "returned": ("201.2", "-2012.00"),
        "lost": ("201.2", "-201.20"),
    }


def test_what_is_owed(april: Month, books: Books) -> None:
    named = ("thirty", "twenty", "back", "first", "second", "returned", "rebate")
    open_amounts = {name: books.settlements(april.bills[name])[0][3:] for name in named}
    assert open_amounts == {
        "thirty": ("10170.00", "2170.00", "2026-05-07"),
        "twenty": ("6780.00", "6780.00", "2026-05-10"),
        "back": ("-1695.00", "-1695.00", "2026-04-12"),
        "first": ("13560.00", "0.00", "2026-04-02"),
        "second": ("9040.00", "7600.00", "2026-04-05"),
        "returned": ("-2260.00", "-2260.00", "2026-04-20"),
        "rebate": ("-406.80", "-406.80", "2026-04-30"),
    }


def test_the_statement_that_the_customer_gets(april: Month) -> None:
    desk = april.desk
    told = desk.info(
        desk.audited(
            "account_statement",
            customer_id=april.customer,
            starts_on="2026-04-01",
            ends_on="2026-04-30",
            business_date="2026-05-02",
        )
    )
    sums = ("opening_amount", "increase_amount", "settled_amount", "closing_amount")
    assert [told[name] for name in sums] == ["0.00", "16950.00", "9695.00", "7255.00"]
    assert [(line["business_date"], line["balance_amount"]) for line in told["lines"]] == [
        ("2026-04-07", "10170.00"),
        ("2026-04-10", "16950.00"),
        ("2026-04-12", "15255.00"),
        ("2026-04-15", "7255.00"),
    ]


def test_what_the_reports_tell(april: Month) -> None:
    sold = one(april.desk, "v2/report/SalesSummary", goods_id=april.goods, **APRIL)
    assert some(sold, "sold_quantity", "returned_quantity", "quantity", "revenue", "cost", "profit") == {
        "sold_quantity": "50",
        "returned_quantity": "5",
        "quantity": "45",
        "revenue": "13500",
        "cost": "9054",
        "profit": "4446",
    }


def test_nothing_is_taken_back_out_of_its_order(april: Month, conn: Connection) -> None:
    for name in ("ordered", "first", "wanted", "thirty"):
        assert april.desk.act("antiAuditor", april.bills[name]).code == 400, name
    assert broken(conn) == {}
