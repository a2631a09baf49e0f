"""Purchases, their orders, and receipts as reports tell of them: bills are posted, figures worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.reporting.report_client import fetch_page, fetch_row, fetch_rows, pick_numbers
from tests.support.bill_client import BillClient, SavedBill

SUMMARY, DETAIL, ORDERS = "v2/report/PurchaseSummary", "v2/report/PurchaseDetail", "v2/report/OrderDetail"
RECEIPTS, RECEIVED = "v2/report/ReceiptDetail", "v2/report/ReceiptSummary"
FEBRUARY = {"day_start": "2026-02-01", "day_end": "2026-02-28"}
OF_FEBRUARY = {"business_date_start": "2026-02-01", "business_date_end": "2026-02-28"}


def _build_line(goods: int, quantity: str, price: str = "113", **more: Any) -> dict[str, Any]:
    return {"goods_id": goods, "quantity": quantity, "price": price, "tax_rate": "13", **more}


def _post_order(
    desk: BillClient, goods: int, quantity: str, day: str, *arrivals: tuple[str, str], **header: Any
) -> SavedBill:
    """An order, and what came of it: (quantity, day)."""
    order = desk.add_audited("purchase_order", _build_line(goods, quantity), business_date=day, **header)
    [line] = desk.line_ids(order)
    for arrived, when in arrivals:
        desk.add_audited(
            "purchase_inbound", _build_line(goods, arrived, order_line_id=line), business_date=when
        )
    return order


@pytest.fixture(scope="module")
def orders(desk: BillClient) -> dict[str, SavedBill]:
    """Of the first goods 10 are ordered and come in two parts; of the second 8, of which 3 come before it is closed; of
    the third 5, of which none does; of the fourth 6, whose arrival is taken back."""
    goods = desk.world.spares
    made = {
        "whole": _post_order(
            desk,
            goods[0],
            "10",
            "2026-02-02",
            ("4", "2026-02-05"),
            ("6", "2026-02-12"),
            delivery_date="2026-02-10",
        ),
        "closed": _post_order(
            desk, goods[1], "8", "2026-02-03", ("3", "2026-02-04"), delivery_date="2026-02-20"
        ),
        "waiting": _post_order(desk, goods[2], "5", "2026-02-04"),
    }
    assert desk.apply_action("close", made["closed"]).ok
    made["undone"] = desk.add_audited(
        "purchase_order", _build_line(goods[3], "6"), business_date="2026-02-06"
    )
    [line] = desk.line_ids(made["undone"])
    inbound = desk.add_audited(
        "purchase_inbound", _build_line(goods[3], "6", order_line_id=line), business_date="2026-02-07"
    )
    assert desk.apply_action("antiAuditor", inbound).ok
    return made


@pytest.fixture(scope="module")
def posted(desk: BillClient, orders: dict[str, SavedBill], refresh: Callable[[], None]) -> BillClient:
    """Beside what the orders brought: 1 of the first goods goes back, another supplier brings 2 at 226, company B buys 1.

    Customer A pays 300 and 200 in advance in cash; one receipt is void."""
    world = desk.world
    goods = world.spares[0]
    desk.add_audited("purchase_return", _build_line(goods, "1"), business_date="2026-02-15")
    desk.add_audited(
        "purchase_inbound",
        _build_line(goods, "2", "226"),
        supplier_id=world.supplier2,
        employee_id=world.employee_a,
        business_date="2026-02-16",
    )
    other = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
    desk.add_audited("purchase_inbound", _build_line(goods, "1"), business_date="2026-02-17", **other)
    sold = desk.add_audited("sales_outbound", _build_line(goods, "3"), business_date="2026-02-18")
    desk.add_audited("customer_receipt", amount="200", business_date="2026-02-19")
    query = {"company_id": world.company_a, "customer_id": world.customer_a}
    items = {
        item["bill_no"]: item["settlement_id"]
        for item in desk.caller.get("v2/custom/CustomerReceipt/getOpenItems", **query).data["data"]
    }
    desk.add_audited(
        "customer_receipt",
        {"settlement_id": items[sold.no], "amount": "300"},
        amount="300",
        business_date="2026-02-20",
        employee_id=world.employee_a,
    )
    void = desk.add_audited("customer_receipt", amount="70", business_date="2026-02-21")
    assert desk.apply_action("invalid", void).ok
    desk.add_audited(
        "customer_receipt",
        amount="50",
        customer_id=world.customer_b,
        company_id=world.company_b,
        business_date="2026-02-21",
    )
    refresh()
    return desk


class TestPurchases:
    def test_by_supplier(self, posted: BillClient) -> None:
        found = {row["supplier_name"]: row for row in fetch_rows(posted, SUMMARY, **FEBRUARY)}
        names = (
            "received_quantity",
            "returned_quantity",
            "quantity",
            "amount",
            "no_tax_amount",
            "mean_price",
        )
        assert pick_numbers(found["正新橡胶"], *names) == {
            "received_quantity": "14",
            "returned_quantity": "1",
            "quantity": "13",
            "amount": "1469",
            "no_tax_amount": "1300",
            "mean_price": "113",
        }
        assert pick_numbers(found["双钱集团"], "quantity", "amount", "mean_price") == {
            "quantity": "2",
            "amount": "452",
            "mean_price": "226",
        }

    def test_every_grouping_adds_up_to_the_lines(self, posted: BillClient) -> None:
        lines = fetch_page(posted, DETAIL, **OF_FEBRUARY)["totals"]
        for grouping in "12345678":
            found = fetch_page(posted, SUMMARY, grouping=grouping, **FEBRUARY)
            for name in ("quantity", "amount", "no_tax_amount"):
                assert found["totals"][name] == lines[name]
                assert Decimal(lines[name]) == sum(Decimal(row[name]) for row in found["data"])

    def test_lines_lead_to_their_bills(self, posted: BillClient) -> None:
        found = fetch_rows(posted, DETAIL, goods_id=posted.world.spares[0], **OF_FEBRUARY)
        assert {(row["bill_name"], row["quantity"]) for row in found} == {
            ("采购入库", "4.000"),
            ("采购入库", "6.000"),
            ("采购入库", "2.000"),
            ("采购入库", "1.000"),
            ("采购退货", "-1.000"),
        }
        back = next(row for row in found if row["quantity"] == "-1.000")
        assert back["route"].startswith("/purchase/refundSee?id=")


class TestOrders:
    @pytest.mark.parametrize(
        ("name", "expected"),
        [
            ("whole", (2, "10", "10", "0", "0", "100", 3, 10, 2)),
            ("closed", (3, "8", "3", "0", "5", "37.5", 1, None, None)),
            ("waiting", (1, "5", "0", "5", "0", "0", None, None, None)),
            ("undone", (1, "6", "0", "6", "0", "0", None, None, None)),
        ],
    )
    def test_what_came_of_an_order(
        self, posted: BillClient, orders: dict[str, SavedBill], name: str, expected: tuple[Any, ...]
    ) -> None:
        found = fetch_row(posted, ORDERS, bill_no=orders[name].no)
        amounts = pick_numbers(
            found, "quantity", "received_quantity", "rest_quantity", "cancelled_quantity", "received_rate"
        )
        days = [found[label] for label in ("first_days", "lead_days", "late_days")]
        assert (found["receiving_status"], *amounts.values(), *days) == expected
        assert found["route"] == f"/purchase/orderSee?id={orders[name].id}"

    def test_what_is_still_to_come(self, posted: BillClient, orders: dict[str, SavedBill]) -> None:
        found = fetch_rows(posted, ORDERS, rest_quantity_start="0.001")
        assert {row["bill_no"] for row in found} == {orders["waiting"].no, orders["undone"].no}

    def test_what_is_late_today(
        self, posted: BillClient, refresh: Callable[[], None], desk: BillClient, orders: dict[str, SavedBill]
    ) -> None:
        assert {row["bill_no"] for row in fetch_rows(posted, ORDERS, late_days_start="1")} == {
            orders["whole"].no
        }
        late = _post_order(desk, desk.world.spares[4], "1", "2026-02-04", delivery_date="2026-02-05")
        refresh()
        assert fetch_row(posted, ORDERS, bill_no=late.no)["late_days"] > 30


@pytest.mark.usefixtures("posted")
def test_the_figures_are_the_bills_and_the_ledgers(prove: Callable[..., None]) -> None:
    prove(
        "purchase_lines_equal_bills",
        "order_lines_received_equal_executed",
        "receipts_equal_settlement_ledger",
        "fct_purchase_line",
        "fct_purchase_order_line",
        "fct_receipt",
    )


class TestReceipts:
    def test_one_by_one(self, posted: BillClient) -> None:
        found = fetch_rows(posted, RECEIPTS, company_id=posted.world.company_a)
        told = [
            pick_numbers(row, "amount", "written_off_amount", "advance_change")
            | {"mode": row["receivables_mode_name"]}
            for row in found
        ]
        assert told == [
            {"amount": "300", "written_off_amount": "300", "advance_change": "0", "mode": "现金"},
            {"amount": "200", "written_off_amount": "0", "advance_change": "200", "mode": "现金"},
        ]
        assert found[0]["route"].startswith("/custom/receiptmanage_search?id=")

    @pytest.mark.parametrize(
        ("grouping", "expected"),
        [
            ("1", {("A分公司", None, None): (2, "500"), ("B分公司", None, None): (1, "50")}),
            ("3", {(None, None, "现金"): (3, "550")}),
            ("2,3", {("A分公司", "A客户", "现金"): (2, "500"), ("B分公司", "B客户", "现金"): (1, "50")}),
        ],
    )
    def test_summed_up_as_chosen(self, posted: BillClient, grouping: str, expected: dict[Any, Any]) -> None:
        found = fetch_rows(posted, RECEIVED, grouping=grouping, **FEBRUARY)
        names = ("company_name", "customer_name", "receivables_mode_name")
        assert {
            tuple(row[name] for name in names): (row["bill_count"], pick_numbers(row, "amount")["amount"])
            for row in found
        } == expected

    def test_they_are_what_the_customers_summary_received(self, posted: BillClient) -> None:
        receipts = fetch_page(posted, RECEIVED, **FEBRUARY)["totals"]
        customers = fetch_page(posted, "v2/report/CustomerSummary", **FEBRUARY)["totals"]
        assert receipts["amount"] == customers["settled_amount"]
        assert receipts["written_off_amount"] == customers["written_off_amount"]
        assert receipts["advance_change"] == customers["advance_change"]


class TestScope:
    @pytest.mark.parametrize("report", [SUMMARY, DETAIL, ORDERS, RECEIPTS, RECEIVED])
    def test_one_sees_ones_companies_and_documents(self, posted: BillClient, report: str) -> None:
        world = posted.world
        for user, company in (("manager_a", world.company_a), ("manager_b", world.company_b)):
            found, asked = fetch_page(posted, report, user), fetch_page(posted, report, company_id=company)
            assert (found["data"], found["totals"]) == (asked["data"], asked["totals"])
        assert fetch_page(posted, report, "own_a")["total"] == 0


def test_ones_own_purchase_shows_to_its_maker(posted: BillClient, refresh: Callable[[], None]) -> None:
    own = BillClient(posted.site, "own_a")
    bill = own.add_audited(
        "purchase_inbound", _build_line(posted.world.spares[5], "2"), business_date="2026-04-01"
    )
    refresh()
    assert [row["bill_no"] for row in fetch_rows(posted, DETAIL, "own_a")] == [bill.no]
    assert fetch_row(posted, SUMMARY, "own_a")["quantity"] == "2.000"
    assert fetch_page(posted, DETAIL, "own2_a")["total"] == 0
