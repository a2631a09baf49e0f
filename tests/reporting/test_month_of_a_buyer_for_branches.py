"""June of a company that buys for three branches: two warehouses of its own and another company of the group.

Goods are bought at 100 net; with 90 of freight on the way to the second warehouse a piece is worth 101.

| day | bill                                                | A: pieces (value) | B: pieces (value) | A is owed | B is owed |
|-----|-----------------------------------------------------|-------------------|-------------------|-----------|-----------|
| 1   | the second warehouse plans 20, B 30; A orders 90 by a plan of its own | |                   |           |           |
| 2   | 50 of them come                                     | 50 (5,000)        |                   |           |           |
| 3   | the other 40: 10,170 with tax in all                | 90 (9,000)        |                   |           |           |
| 4   | what came is shared out by the plans; 20 go to the second warehouse, freight 90 | 90 (9,090) | |  |           |
| 4   | and 30 to B for 3,600                               | 60 (6,060)        | 30 (3,030)        | 3,600.00  |           |
| 12  | B sells 10 at 200 net                               |                   | 20 (2,020)        |           | 2,260.00  |
| 15  | the second warehouse sells 5 at 150 net             | 55 (5,555)        |                   | 4,447.50  |           |
| 20  | B pays A                                            |                   |                   | 847.50    |           |
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import Connection

from tests.reporting.frame_client import FrameClient
from tests.reporting.month_scenario import MonthScenario
from tests.reporting.report_client import fetch_row, pick_numbers
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.database_state import find_broken_checks

JUNE = {"day_start": "2026-06-01", "day_end": "2026-06-30"}


class Buyer(MonthScenario):
    """Company A buys; B and A's second warehouse sell."""

    def __init__(self, desk: BillClient, books: PostingReader) -> None:
        super().__init__(desk, books, "2026-06")
        self.goods, self.world = desk.world.spares[8], desk.world

    def play(self) -> None:
        self._buy()
        sent, shared = self._share_out()
        draft = self.desk.caller.get(self.desk.path("transfer_in", "getDraft"), id=sent.id).data
        lines = draft.pop("lines")
        given = draft | {"business_date": "2026-06-04", "freight_amount": "90"}
        self.post("arrived", "transfer_in", 4, *lines, **given)
        assert self.desk.apply_action("auditorPass", shared).ok
        of_b = {"company_id": self.world.company_b, "warehouse_id": self.world.warehouse_b}
        sold = self.line(self.goods, "10", "226")
        self.post("sold by b", "sales_outbound", 12, sold, **of_b, customer_id=self.world.customer_b)
        second = {"warehouse_id": self.world.warehouse2_a}
        self.post("sold by a", "sales_outbound", 15, self.line(self.goods, "5", "169.5"), **second)
        got = {"amount": "3600", "customer_id": self.world.inner_customer_a}
        self.post("received", "customer_receipt", 20, self.write_off("sales_transfer", "3600"), **got)
        paid = {
            "amount": "3600",
            "company_id": self.world.company_b,
            "supplier_id": self.world.inner_supplier_a,
        }
        self.post("paid", "supplier_payment", 20, self.write_off("sales_transfer", "3600", at=1), **paid)

    def _buy(self) -> None:
        """Each branch says what it wants; the group's own plan becomes one order, which comes in two parts."""
        second, of_b = self.world.warehouse2_a, {"company_id": self.world.company_b}
        self.post("wanted here", "purchase_plan", 1, self.line(self.goods, "20"), warehouse_id=second)
        self.post(
            "wanted by b",
            "purchase_plan",
            1,
            self.line(self.goods, "30"),
            **of_b,
            warehouse_id=self.world.warehouse_b,
        )
        line = {"goods_id": self.goods, "quantity": "90", "price": "113", "supplier_id": self.world.supplier}
        planned = self.post("planned", "purchase_plan", 1, line)
        assert self.desk.apply_action("turnOrder", planned).ok
        [order] = self.desk.caller.get(
            self.desk.path("purchase_order_detail", "getList"), plan_no=planned.no
        ).data["data"]
        ordered = self.bills["ordered"] = SavedBill("purchase_order", order["bill_id"], order["bill_no"])
        # It was made today, and what comes is not from before its order.
        body = {**self.desk.read_bill(ordered), "id": ordered.id, "business_date": "2026-06-01"}
        assert self.desk.caller.post(self.desk.path("purchase_order", "edit"), body).ok
        assert self.desk.apply_action("auditorPass", self.bills["ordered"]).ok
        come = {"of": "ordered", "by": "order_line_id"}
        self.post("first", "purchase_inbound", 2, self.line(self.goods, "50", "113", **come))
        self.post("rest", "purchase_inbound", 3, self.line(self.goods, "40", "113", **come))

    def _share_out(self) -> tuple[SavedBill, SavedBill]:
        """The transfers that the branches' plans lead to; the one within the company is audited."""
        place = {"company_id": self.world.company_a, "warehouse_id": self.world.warehouse_a}
        proposal = self.desk.caller.get(self.desk.path("purchase_allocation", "getProposal"), **place).data
        rows = [row | {"price": "120"} for row in proposal if row["goods_id"] == self.goods]
        allotted = self.post("allotted", "purchase_allocation", 4, *rows)
        for resource in ("transfer_out", "sales_transfer"):
            [made] = self.books.rows(
                f"select bill_id, bill_no from {resource} where purchase_allocation_id = %s", allotted.id
            )
            self.bills[resource] = SavedBill(resource, *made)
        sent, shared = self.bills["transfer_out"], self.bills["sales_transfer"]
        assert self.desk.apply_action("auditorPass", sent).ok
        return sent, shared


@pytest.fixture(scope="module")
def june(desk: BillClient, refresh: Callable[[], None]) -> Buyer:
    with desk.site.engine.connect() as conn:
        month = Buyer(desk, PostingReader(conn))
        month.play()
        refresh()
        return month


@pytest.fixture
def books(conn: Connection) -> PostingReader:
    return PostingReader(conn)


def test_stock_and_value_of_both_companies(june: Buyer, books: PostingReader) -> None:
    world = june.world
    assert books.cost(june.goods, world.company_a) == ("55", "5555.00")
    assert books.cost(june.goods, world.company_b) == ("20", "2020.00")
    places = (world.warehouse_a, world.warehouse2_a, world.warehouse_b)
    assert [books.available(june.goods, place)[0] for place in places] == ["40", "15", "20"]


def test_what_each_is_owed(june: Buyer, books: PostingReader) -> None:
    june.books = books
    assert june.open_amounts("first", "rest", "sales_transfer", "sold by b", "sold by a") == {
        "first": ["5650.00"],
        "rest": ["4520.00"],
        "sales_transfer": ["0.00", "0.00"],
        "sold by b": ["2260.00"],
        "sold by a": ["847.50"],
    }


def test_only_sales_to_others_are_sales(june: Buyer) -> None:
    names = ("quantity", "revenue", "cost", "profit")
    told = {
        company: pick_numbers(
            fetch_row(june.desk, "v2/report/SalesSummary", goods_id=june.goods, company_id=key, **JUNE),
            *names,
        )
        for company, key in (("a", june.world.company_a), ("b", june.world.company_b))
    }
    assert told == {
        "a": {"quantity": "5", "revenue": "750", "cost": "505", "profit": "245"},
        "b": {"quantity": "10", "revenue": "2000", "cost": "1010", "profit": "990"},
    }


def test_the_plans_are_fulfilled(june: Buyer) -> None:
    told = {
        name: june.desk.read_bill(june.bills[name])["lines"]
        for name in ("wanted here", "wanted by b", "planned")
    }
    assert {name: [line["executed_quantity"] for line in lines] for name, lines in told.items()} == {
        "wanted here": ["20.000"],
        "wanted by b": ["30.000"],
        "planned": ["90.000"],
    }


def test_the_statement_that_the_other_company_gets(june: Buyer) -> None:
    told = june.statement(june.world.inner_customer_a)
    assert [(line["business_date"], line["balance_amount"]) for line in told["lines"]] == [
        ("2026-06-04", "3600.00"),
        ("2026-06-20", "0.00"),
    ]


def test_what_the_frames_show(june: Buyer, frames: FrameClient) -> None:
    """Between the companies money is owed and paid; revenue is only what others bought."""
    flows = ("opening", "delivery", "other", "settled", "closing")
    owed = frames.fetch_rows("ScheduleAccountsReceivable", month_label="2026-06")
    moved = {
        row["customer_name"]: [row[name] for name in flows] for row in owed if row["delivery"] or row["other"]
    }
    assert moved == {
        "B分公司": [0, 0, 3600, 3600, 0],
        "A客户": [0, 847.5, 0, 0, 847.5],
        "B客户": [0, 2260, 0, 0, 2260],
    }
    earned = frames.fetch_rows("CommodityProfit", month_label="2026-06")
    figures = ("quantity", "revenue", "profit")
    assert [[row[name] for name in figures] for row in earned] == [[15, 2750, 1235]]
    bought = frames.fetch_rows("inPurchasingAnalysisTable", month_label="2026-06")
    assert [(row["quantity"], row["bought"]) for row in bought if row["bought"]] == [(90, 9000)]
    plans = frames.fetch_rows("inPurchasingAnalysisTable", "plans", month_label="2026-06")
    figures = ("planned", "planned_pieces", "carried", "ordered", "in_plan", "unplanned")
    assert sorted([row[name] or 0 for name in figures] for row in plans) == [
        [0, 20, 20, 0, 0, 0],
        [0, 30, 30, 0, 0, 0],
        [9000, 90, 90, 9000, 9000, 0],
    ]


def test_the_books_tie(june: Buyer, conn: Connection) -> None:
    assert find_broken_checks(conn) == {}
