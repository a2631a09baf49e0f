"""May of a parts dealer, bill by bill; ledgers, statements and reports tell what was worked out by hand.

A filter is bought at 20 net and sold at 30, a brake pad at 100 and 150; prices carry 13 % tax.

| day | bill                                          | filters (value) | pads (value)  | receivable |
|-----|-----------------------------------------------|-----------------|---------------|------------|
| 3   | 200 filters and 50 pads are bought            | 200 (4,000)     | 50 (5,000)    |            |
| 6   | 20 and 4 are sold as quoted and ordered       | 180 (3,600)     | 46 (4,600)    | 1,356.00   |
| 7   | they are brought to the customer, who signs   |                 |               |            |
| 9   | 50 filters leave for the second warehouse, 48 arrive | 180 (3,600) |            |            |
| 12  | 2 pads at 160 net over the counter            |                 | 44 (4,400)    | 1,717.60   |
| 18  | a count: one filter less, one pad more        | 179 (3,580)     | 45 (4,500)    |            |
| 20  | an invoice over what was sold on the 6th      |                 |               |            |
| 28  | one pad comes back                            |                 | 46 (4,600)    | 1,548.10   |
| now | the 2 pads are paid in cash and by bank; the checkstand dates what it takes | | | 1,186.50  |
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import Connection

from tests.reporting.frame_client import FrameClient
from tests.reporting.month_scenario import MonthScenario
from tests.reporting.report_client import fetch_page, fetch_rows, pick_numbers
from tests.support.bill_client import BillClient, PostingReader
from tests.support.database_state import find_broken_checks

MAY = {"day_start": "2026-05-01", "day_end": "2026-05-31"}


class Dealer(MonthScenario):
    """The dealer's goods and bills; his customer is the world's."""

    def __init__(self, desk: BillClient, books: PostingReader) -> None:
        super().__init__(desk, books, "2026-05", customer_id=desk.world.customer_a)
        self.filter, self.pad = desk.world.spares[5:7]

    def play(self) -> None:
        self.post(
            "bought",
            "purchase_inbound",
            3,
            self.line(self.filter, "200", "22.6"),
            self.line(self.pad, "50", "113"),
        )
        self._order()
        self._deliver()
        self._move()
        self._count()

    def _order(self) -> None:
        wanted = ((self.filter, "20", "33.9"), (self.pad, "4", "169.5"))
        for name, resource, day, source in (
            ("quoted", "sales_quote", 4, {}),
            ("ordered", "sales_order", 5, {"of": "quoted", "by": "quote_line_id"}),
            ("sold", "sales_outbound", 6, {"of": "ordered", "by": "order_line_id"}),
        ):
            more = {"valid_until": "2026-12-31"} if resource == "sales_quote" else {}
            lines = [self.line(*one, **source, at=at) for at, one in enumerate(wanted)]
            self.post(name, resource, day, *lines, **more)

    def _deliver(self) -> None:
        world = self.desk.world
        lines = [
            {"source_line_id": key, "quantity": quantity}
            for key, quantity in zip(self.desk.line_ids(self.bills["sold"]), ("20", "4"), strict=True)
        ]
        kinds = {
            "delivery_mode_id": world.delivery_mode,
            "logistics_id": world.logistics,
            "logistics_driver_id": world.logistics_driver,
        }
        made = self.post("delivered", "sales_delivery", 7, *lines, **kinds)
        assert self.desk.apply_action("sign", made, signed_by="周敏", signed_at="2026-05-07 15:00:00").ok

    def _move(self) -> None:
        there = {"to_warehouse_id": self.desk.world.warehouse2_a}
        sent = self.post("sent", "transfer_out", 9, {"goods_id": self.filter, "quantity": "50"}, **there)
        draft = self.desk.caller.get(self.desk.path("transfer_in", "getDraft"), id=sent.id).data
        [line] = draft.pop("lines")
        self.post(
            "arrived", "transfer_in", 9, {**line, "quantity": "48"}, **draft | {"business_date": "2026-05-09"}
        )

    def _count(self) -> None:
        self.post("counter", "sales_outbound", 12, self.line(self.pad, "2", "180.8"))
        world = self.desk.world
        body = {
            "company_id": world.company_a,
            "customer_id": self.usual["customer_id"],
            "payments": [
                {"receivables_mode_id": world.mode, "amount": "200"},
                {"receivables_mode_id": world.mode2, "amount": "161.6"},
            ],
            "items": [self.write_off("counter", "361.6")],
        }
        answer = self.desk.caller.post("v2/money/Checkstand/collect", body)
        assert answer.ok, answer
        self.post("less", "stock_loss", 18, {"goods_id": self.filter, "quantity": "1"})
        self.post("more", "stock_surplus", 18, {"goods_id": self.pad, "quantity": "1"})
        billed = [
            {"outbound_line_id": key, "amount": "678"} for key in self.desk.line_ids(self.bills["sold"])
        ]
        self.post("invoice", "sales_invoice", 20, *billed, invoice_no="31000001", invoice_date="2026-05-20")
        back = self.line(self.pad, "1", "169.5", of="sold", by="source_line_id", at=1)
        self.post("back", "sales_return", 28, back)


@pytest.fixture(scope="module")
def may(desk: BillClient, refresh: Callable[[], None]) -> Dealer:
    with desk.site.engine.connect() as conn:
        month = Dealer(desk, PostingReader(conn))
        month.play()
        refresh()
        return month


@pytest.fixture
def books(conn: Connection) -> PostingReader:
    return PostingReader(conn)


def test_stock_lies_where_it_was_moved(may: Dealer, books: PostingReader) -> None:
    world = may.desk.world
    assert books.cost(may.filter, world.company_a) == ("179", "3580.00")
    assert books.cost(may.pad, world.company_a) == ("46", "4600.00")
    assert books.available(may.filter, world.warehouse_a) == ("129", "0", "129")
    assert books.available(may.filter, world.warehouse2_a) == ("48", "0", "48")


def test_money_and_what_is_owed(may: Dealer, books: PostingReader) -> None:
    may.books = books
    assert may.open_amounts("bought", "sold", "counter", "back") == {
        "bought": ["10170.00"],
        "sold": ["1356.00"],
        "counter": ["0.00"],
        "back": ["-169.50"],
    }
    world = may.desk.world
    assert dict(
        books.rows(
            "select receivables_mode_id, sum(amount) from money_ledger where bill_type = 'KHSK' group by 1"
        )
    ) == {world.mode: "200.00", world.mode2: "161.60"}


def test_what_was_delivered_and_invoiced(may: Dealer) -> None:
    sold = may.desk.read_bill(may.bills["sold"])
    assert [
        (line["delivered_quantity"], line["invoiced_amount"], line["returned_quantity"])
        for line in sold["lines"]
    ] == [("20.000", "678.00", "0.000"), ("4.000", "678.00", "1.000")]
    refused = may.desk.apply_action("antiAuditor", may.bills["sold"])
    assert refused.code == 400


def test_what_the_reports_tell(may: Dealer) -> None:
    names = ("quantity", "revenue", "cost", "profit")
    told = fetch_page(
        may.desk, "v2/report/SalesSummary", grouping="7", company_id=may.desk.world.company_a, **MAY
    )
    assert pick_numbers(told["totals"], *names) == {
        "quantity": "25",
        "revenue": "1370",
        "cost": "900",
        "profit": "470",
    }
    by_goods = fetch_rows(may.desk, "v2/report/SalesSummary", goods_id=may.pad, **MAY)
    assert [pick_numbers(row, *names) for row in by_goods] == [
        {"quantity": "5", "revenue": "770", "cost": "500", "profit": "270"}
    ]


def test_the_statement_that_the_customer_gets(may: Dealer) -> None:
    told = may.statement(may.usual["customer_id"])
    assert [(line["business_date"], line["balance_amount"]) for line in told["lines"]] == [
        ("2026-05-06", "1356.00"),
        ("2026-05-12", "1717.60"),
        ("2026-05-28", "1548.10"),
    ]


def test_what_the_frames_show(may: Dealer, frames: FrameClient) -> None:
    owed = frames.fetch_row("ScheduleAccountsReceivable", month_label="2026-05", customer_name="A客户")
    flows = ("opening", "delivery", "return", "settled", "closing")
    assert [owed[name] for name in flows] == [0, 1717.6, 169.5, 0, 1548.1]
    earned = frames.fetch_rows("CommodityProfit", month_label="2026-05")
    figures = ("quantity", "revenue", "profit")
    assert sorted([row[name] for name in figures] for row in earned) == [
        [5, 770, 270],
        [20, 600, 200],
    ]
    bought = frames.fetch_rows("inPurchasingAnalysisTable", month_label="2026-05")
    assert sorted((row["quantity"], row["bought"]) for row in bought) == [(50, 5000), (200, 4000)]


def test_the_books_tie(may: Dealer, conn: Connection) -> None:
    assert find_broken_checks(conn) == {}
