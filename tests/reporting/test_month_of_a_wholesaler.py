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

import pytest
from sqlalchemy import Connection

from tests.reporting.frame_client import FrameClient
from tests.reporting.month_scenario import MonthScenario
from tests.reporting.report_client import fetch_row, pick_numbers
from tests.support.bill_client import BillClient, PostingReader
from tests.support.database_state import find_broken_checks

APRIL = {"day_start": "2026-04-01", "day_end": "2026-04-30"}


class Wholesaler(MonthScenario):
    """The wholesaler's partners, goods and bills."""

    def __init__(self, desk: BillClient, books: PostingReader) -> None:
        world = desk.world
        self.customer = desk.partner("customer", "城东轮胎行", payment_days=30, credit_limit="17000")
        self.tyre = world.spares[3]
        super().__init__(desk, books, "2026-04", customer_id=self.customer, supplier_id=world.supplier2)

    def play(self) -> None:
        self._buy()
        self._sell()
        self._pay_and_return()

    def _buy(self) -> None:
        world = self.desk.world
        kinds = {"rebate_type_id": world.rebate_type, "rebate_cycle_id": world.rebate_cycle}
        days = {"starts_on": "2026-04-01", "ends_on": "2026-12-31"}
        given = {**kinds, **days, "policy_name": "月返", "measure": 2, "rebate_mode": 2, "goods": []}
        self.post("policy", "supplier_rebate_policy", 1, {"starts_from": "1", "rate": "2"}, **given)
        self.post("ordered", "purchase_order", 1, self.line(self.tyre, "100", "226"))
        come = {"of": "ordered", "by": "order_line_id"}
        self.post(
            "first", "purchase_inbound", 2, self.line(self.tyre, "60", "226", **come), freight_amount="120"
        )
        self.post("second", "purchase_inbound", 5, self.line(self.tyre, "40", "226", **come))

    def _sell(self) -> None:
        """The order would not fit the limit with one piece more."""
        over = self.draft("sales_order", 6, self.line(self.tyre, "51", "339"))
        refused = BillClient(self.desk.site, "clerk_a").apply_action("auditorPass", over)
        assert (refused.code, refused.msg) == (
            400,
            "客户已超信用额度（额度 17,000.00 元，欠款与未出库订单将达 17,289.00 元，超出 289.00 元）",
        )
        self.post("wanted", "sales_order", 6, self.line(self.tyre, "50", "339"))
        shipped = {"of": "wanted", "by": "order_line_id"}
        self.post("thirty", "sales_outbound", 7, self.line(self.tyre, "30", "339", **shipped))
        self.post("twenty", "sales_outbound", 10, self.line(self.tyre, "20", "339", **shipped))
        back = self.line(self.tyre, "5", "339", of="thirty", by="source_line_id")
        self.post("back", "sales_return", 12, back)

    def _pay_and_return(self) -> None:
        self.post("received", "customer_receipt", 15, self.write_off("thirty", "8000"), amount="8000")
        back = self.line(self.tyre, "10", "226", of="first", by="source_line_id")
        self.post("returned", "purchase_return", 20, back)
        parts = [self.write_off("first", "13560"), self.write_off("second", "1440")]
        self.post("paid", "supplier_payment", 22, *parts, amount="15000")
        self.post("lost", "other_outbound", 25, self.line(self.tyre, "1"))
        given = {"policy_id": self.bills["policy"].id, "cycle_start": "2026-04-01", "amount": "406.8"}
        self.post("rebate", "supplier_rebate", 30, **given)


@pytest.fixture(scope="module")
def april(desk: BillClient, refresh: Callable[[], None]) -> Wholesaler:
    with desk.site.engine.connect() as conn:
        month = Wholesaler(desk, PostingReader(conn))
        month.play()
        refresh()
        return month


@pytest.fixture
def books(conn: Connection) -> PostingReader:
    return PostingReader(conn)


def test_stock_and_what_it_cost(april: Wholesaler, books: PostingReader) -> None:
    assert books.cost(april.tyre, april.desk.world.company_a) == ("44", "8852.80")
    assert books.available(april.tyre, april.desk.world.warehouse_a) == ("44", "0", "44")
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


def test_what_is_owed(april: Wholesaler, books: PostingReader) -> None:
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


def test_the_statement_that_the_customer_gets(april: Wholesaler) -> None:
    told = april.statement(april.customer)
    sums = ("opening_amount", "increase_amount", "settled_amount", "closing_amount")
    assert [told[name] for name in sums] == ["0.00", "16950.00", "9695.00", "7255.00"]
    assert [(line["business_date"], line["balance_amount"]) for line in told["lines"]] == [
        ("2026-04-07", "10170.00"),
        ("2026-04-10", "16950.00"),
        ("2026-04-12", "15255.00"),
        ("2026-04-15", "7255.00"),
    ]


def test_what_the_reports_tell(april: Wholesaler) -> None:
    sold = fetch_row(april.desk, "v2/report/SalesSummary", goods_id=april.tyre, **APRIL)
    assert pick_numbers(
        sold, "sold_quantity", "returned_quantity", "quantity", "revenue", "cost", "profit"
    ) == {
        "sold_quantity": "50",
        "returned_quantity": "5",
        "quantity": "45",
        "revenue": "13500",
        "cost": "9054",
        "profit": "4446",
    }


def test_what_the_frames_show(april: Wholesaler, frames: FrameClient) -> None:
    flows = ("opening", "delivery", "return", "other", "settled", "closing")
    owed = frames.fetch_row("ScheduleAccountsReceivable", month_label="2026-04", customer_name="城东轮胎行")
    assert [owed[name] for name in flows] == [0, 16950, 1695, 0, 8000, 7255]
    owing = frames.fetch_row(
        "ScheduleAccountsPayable", tab="months", month_label="2026-04", supplier_name="双钱集团"
    )
    assert [owing[name] for name in flows] == [0, 22600, 2260, -406.8, 15000, 4933.2]
    earned = frames.fetch_row("CommodityProfit", month_label="2026-04")
    assert [earned[name] for name in ("quantity", "revenue", "profit")] == [45, 13500, 4446]
    bought = frames.fetch_row("inPurchasingAnalysisTable", month_label="2026-04")
    assert [bought[name] for name in ("quantity", "bought", "returned")] == [90, 18000, 2000]


def test_nothing_is_taken_back_out_of_its_order(april: Wholesaler, conn: Connection) -> None:
    for name in ("ordered", "first", "wanted", "thirty"):
        assert april.desk.apply_action("antiAuditor", april.bills[name]).code == 400, name
    assert find_broken_checks(conn) == {}
