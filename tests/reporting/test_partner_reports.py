"""Reports of partners' balances: bills are posted, the warehouse refreshed, and each report compared with
figures by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl

import pytest
from sqlalchemy import Connection

from tests.reporting.report_client import fetch_page, fetch_row, fetch_rows, pick_numbers
from tests.support.bill_client import BillClient, SavedBill
from tests.warehouse.settlement import ADVANCE

CUSTOMERS, SUPPLIERS = "v2/report/CustomerSummary", "v2/report/SupplierSummary"
CUSTOMER, SUPPLIER = "v2/report/CustomerStatement", "v2/report/SupplierStatement"
WRITE_OFFS, BALANCES = "v2/report/ReceiptWriteOff", "v2/report/PartnerBalance"
FEBRUARY = {"day_start": "2026-02-01", "day_end": "2026-02-28"}
OF_FEBRUARY = {"business_date_start": "2026-02-01", "business_date_end": "2026-02-28"}
LABELS = ("opening_amount", "increase_amount", "settled_amount", "offset_amount", "closing_amount")


@dataclass(frozen=True)
class PostedBills:
    """The desk, and the bills that the tests name."""

    desk: BillClient
    sale: SavedBill
    receipt: SavedBill
    offset: SavedBill
    twin: int


def _build_line(goods: int, quantity: int, price: str = "113") -> dict[str, Any]:
    return {"goods_id": goods, "quantity": str(quantity), "price": price, "tax_rate": "13"}


def _find_open_items(desk: BillClient, party: str = "customer") -> dict[tuple[str, str], int]:
    """Return the open items of company A's first customer or supplier by bill number and kind."""
    world = desk.world
    call = {"customer": "v2/custom/CustomerReceipt", "supplier": "v2/purchase/Payment"}[party]
    key = {"customer": world.customer_a, "supplier": world.supplier}[party]
    found = desk.caller.get(
        f"{call}/getOpenItems", **{"company_id": world.company_a, f"{party}_id": key}
    ).data["data"]
    return {(item["bill_no"], item["kind"]): item["settlement_id"] for item in found}


@pytest.fixture(scope="module")
def posted(desk: BillClient, refresh: Callable[[], None]) -> PostedBills:
    """Customer A: 500 from before, 1,200 sold in January; in February 600 sold, 300 come back, 1,500 received for the
    500, 700 of January's sale and 300 in advance, of which 200 are then offset. One receipt and one sale are taken
    back. In March 300 are sold.

    The supplier: 1,130 bought, 113 go back, 1,000 paid for part of it, 200 in advance. A transfer to company B makes
    its receivable of 226 in A and its payable in B. A customer has the second supplier's name, and had advanced 30 before.

    Of the world, each partner that the bills name first owed, and had advanced, a million when the books opened.
    """
    world = desk.world
    goods = world.spares[0]
    answer = desk.caller.post(
        "v2/custom/Customer/add", {"customer_name": "双钱集团", "company_id": world.company_a}
    )
    assert answer.ok, answer
    twin = answer.data["id"]
    bought = desk.add_audited("purchase_inbound", _build_line(goods, 10), business_date="2026-01-10")
    opening = {"customer_id": world.customer_a, "due_date": "2026-01-31", "amount": "500"}
    advanced = {"customer_id": twin, "due_date": "2026-01-05", "amount": "-30"}
    first = desk.add_audited("opening_receivable", opening, advanced, business_date="2026-01-05")
    sale = desk.add_audited(
        "sales_outbound",
        _build_line(goods, 4, "300"),
        business_date="2026-01-20",
        employee_id=world.ids["employee_a"],
    )
    desk.add_audited("sales_outbound", _build_line(goods, 2, "300"), business_date="2026-02-03")
    desk.add_audited("sales_return", _build_line(goods, 1, "300"), business_date="2026-02-08")
    items = _find_open_items(desk)
    receipt = desk.add_audited(
        "customer_receipt",
        {"settlement_id": items[first.no, "opening"], "amount": "500"},
        {"settlement_id": items[sale.no, "bill"], "amount": "700"},
        amount="1500",
        business_date="2026-02-12",
    )
    items = _find_open_items(desk)
    offset = desk.add_audited(
        "customer_receipt",
        {"settlement_id": items[sale.no, "bill"], "amount": "200"},
        {"settlement_id": items[receipt.no, "advance"], "amount": "-200"},
        amount="0",
        business_date="2026-02-15",
    )
    gone = desk.add_audited(
        "customer_receipt",
        {"settlement_id": items[sale.no, "bill"], "amount": "50"},
        amount="70",
        business_date="2026-02-16",
    )
    assert desk.apply_action("antiAuditor", gone).ok
    void = desk.add_audited("sales_outbound", _build_line(goods, 1, "77"), business_date="2026-02-17")
    assert desk.apply_action("invalid", void).ok
    desk.draft("sales_outbound", _build_line(goods, 1, "99"), business_date="2026-02-18")
    desk.add_audited("sales_outbound", _build_line(goods, 1, "300"), business_date="2026-03-01")
    _post_purchases(desk, goods, bought)
    other = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
    desk.stock_in(goods, 5, business_date="2026-02-01", **other)
    desk.add_audited(
        "sales_outbound",
        _build_line(goods, 1, "80"),
        customer_id=world.customer_b,
        business_date="2026-02-04",
        **other,
    )
    desk.add_audited(
        "sales_outbound", _build_line(goods, 1, "40"), customer_id=twin, business_date="2026-02-04"
    )
    desk.add_audited(
        "purchase_inbound",
        _build_line(goods, 1, "90"),
        supplier_id=world.supplier2,
        business_date="2026-02-05",
    )
    refresh()
    return PostedBills(desk, sale, receipt, offset, twin)


def _post_purchases(desk: BillClient, goods: int, bought: SavedBill) -> None:
    world = desk.world
    desk.add_audited("purchase_return", _build_line(goods, 1), business_date="2026-02-06")
    item = _find_open_items(desk, "supplier")[bought.no, "bill"]
    desk.add_audited(
        "supplier_payment",
        {"settlement_id": item, "amount": "1000"},
        amount="1200",
        business_date="2026-02-20",
    )
    desk.stock_in(goods, 5, business_date="2026-02-20")
    desk.add_audited(
        "sales_transfer",
        _build_line(goods, 2),
        to_warehouse_id=world.warehouse_b,
        business_date="2026-02-21",
    )


class TestCustomerSummary:
    def test_a_month(self, posted: PostedBills) -> None:
        found = fetch_row(posted.desk, CUSTOMERS, customer_id=posted.desk.world.customer_a, **FEBRUARY)
        amounts = {name: Decimal(value) for name, value in found.items() if name.endswith("_amount")}
        assert {name: value for name, value in amounts.items() if value} == {
            "opening_amount": 1700,
            "delivery_amount": 600,
            "return_amount": 300,
            "increase_amount": 300,
            "settled_amount": 1500,
            "written_off_amount": 1400,
            "closing_amount": 500,
        }
        assert pick_numbers(found, "advance_change", "closing_owed", "closing_advance") == {
            "advance_change": "100",
            "closing_owed": "1000600",
            "closing_advance": "1000100",
        }
        assert found["employee_name"] == "A员工"

    def test_opening_bills_and_transfers_stand_apart(self, posted: PostedBills) -> None:
        world = posted.desk.world
        january = fetch_row(posted.desk, CUSTOMERS, customer_id=world.customer_a, day_end="2026-01-31")
        assert pick_numbers(january, "initial_amount", "delivery_amount", "closing_amount") == {
            "initial_amount": "500",
            "delivery_amount": "1200",
            "closing_amount": "1700",
        }
        found = fetch_row(posted.desk, CUSTOMERS, customer_id=world.inner_customer_a, **FEBRUARY)
        assert pick_numbers(found, "delivery_amount", "transfer_amount", "closing_amount") == {
            "delivery_amount": "0",
            "transfer_amount": "226",
            "closing_amount": "226",
        }

    def test_what_was_advanced_before_the_books_opened_is_an_advance(self, posted: PostedBills) -> None:
        found = fetch_row(posted.desk, CUSTOMERS, customer_id=posted.twin, day_end="2026-02-28")
        names = ("initial_amount", "advance_change", "closing_owed", "closing_advance", "closing_amount")
        assert list(pick_numbers(found, *names).values()) == ["-30", "0", "40", "30", "10"]

    def test_it_leads_to_the_statement_that_ends_where_it_closes(self, posted: PostedBills) -> None:
        screen = posted.desk.caller.get("v2/Open/Screen/getScreen", route="/report/customersumrpt").data
        for row in fetch_rows(posted.desk, CUSTOMERS, **FEBRUARY):
            query = {name: row[field] for name, field in screen["drill"]["by"].items()}
            entries = fetch_rows(posted.desk, CUSTOMER, **query)
            assert entries[-1]["balance_amount"] == row["closing_amount"]

    def test_found_by_the_names_of_partner_and_salesman(self, posted: PostedBills) -> None:
        world = posted.desk.world
        assert {row["customer_id"] for row in fetch_rows(posted.desk, CUSTOMERS, keyword="A客户")} == {
            world.customer_a,
        }
        found = fetch_rows(posted.desk, CUSTOMERS, employee_id=world.employee_b)
        assert {row["customer_id"] for row in found} == {world.customer_b, world.customer3_b}


class TestSupplierSummary:
    def test_a_month(self, posted: PostedBills) -> None:
        world = posted.desk.world
        found = fetch_row(
            posted.desk, SUPPLIERS, supplier_id=world.supplier, company_id=world.company_a, **FEBRUARY
        )
        assert pick_numbers(
            found, *LABELS, "return_amount", "advance_change", "closing_owed", "closing_advance"
        ) == {
            "opening_amount": "1130",
            "increase_amount": "-113",
            "settled_amount": "1200",
            "offset_amount": "0",
            "closing_amount": "-183",
            "return_amount": "113",
            "advance_change": "200",
            "closing_owed": "1000017",
            "closing_advance": "1000200",
        }

    def test_a_transfer_is_owed_by_the_company_that_receives_it(self, posted: PostedBills) -> None:
        world = posted.desk.world
        found = fetch_row(
            posted.desk, SUPPLIERS, supplier_id=world.inner_supplier_a, company_id=world.company_b
        )
        assert pick_numbers(found, "delivery_amount", "transfer_amount", "closing_amount") == {
            "delivery_amount": "0",
            "transfer_amount": "226",
            "closing_amount": "226",
        }

    def test_its_words_are_the_suppliers(self, posted: PostedBills) -> None:
        screen = posted.desk.caller.get("v2/Open/Screen/getScreen", route="/report/factorysumrpt").data
        labels = {field["name"]: field["label"] for field in screen["fields"]}
        assert (labels["delivery_amount"], labels["settled_amount"], labels["closing_advance"]) == (
            "本期采购",
            "本期付款",
            "期末预付",
        )


class TestTies:
    @pytest.mark.parametrize("report", [CUSTOMERS, SUPPLIERS])
    @pytest.mark.parametrize("first", ["2026-01-05", "2026-02-03", "2026-02-13", "2026-03-02"])
    @pytest.mark.parametrize("days", [0, 10, 300])
    def test_any_days(
        self, posted: PostedBills, conn: Connection, report: str, first: str, days: int
    ) -> None:
        """opening + increase − settled − offset = closing = owed − advance, in every row and in total; and the closing
        is what the core's ledger says was open then."""
        last = (date.fromisoformat(first) + timedelta(days)).isoformat()
        found = fetch_page(posted.desk, report, day_start=first, day_end=last)
        for row in [*found["data"], found["totals"]]:
            value = {name: Decimal(row[name]) for name in found["totals"]}
            settled = value["settled_amount"] + value["offset_amount"]
            assert value["opening_amount"] + value["increase_amount"] - settled == value["closing_amount"]
            assert value["written_off_amount"] + value["advance_change"] == settled
            assert value["closing_owed"] - value["closing_advance"] == value["closing_amount"]
        for name, total in found["totals"].items():
            assert Decimal(total) == sum(Decimal(row[name]) for row in found["data"])
        party = "customer" if report == CUSTOMERS else "supplier"
        ledger = conn.exec_driver_sql(
            "select company_id, party_id, sum(amount) from settlement_ledger"
            " where party_type = %s and business_date <= %s group by 1, 2 having sum(amount) <> 0",
            (party, last),
        )
        shown = {
            (row["company_id"], row[f"{party}_id"]): Decimal(row["closing_amount"])
            for row in found["data"]
            if Decimal(row["closing_amount"])
        }
        assert shown == {(company, key): amount for company, key, amount in ledger}

    @pytest.mark.usefixtures("posted")
    def test_the_figures_are_the_ledgers(self, prove: Callable[..., None]) -> None:
        prove(
            "settlement_entries_equal_items",
            "settlement_movements_make_the_balance",
            "receipts_equal_settlement_ledger",
            "fct_settlement_entry",
            "fct_receipt",
        )

    def test_open_items_are_the_closing_of_today(self, posted: PostedBills, conn: Connection) -> None:
        open_now = conn.exec_driver_sql(
            f"select sum(open_amount) filter (where not {ADVANCE}),"
            f" -sum(open_amount) filter (where {ADVANCE}) from settlement_item i where party_type = 'customer'"
        ).one()
        totals = fetch_page(posted.desk, CUSTOMERS)["totals"]
        assert (Decimal(totals["closing_owed"]), Decimal(totals["closing_advance"])) == tuple(open_now)


class TestStatement:
    def test_each_bill_with_the_balance_after_it(self, posted: PostedBills) -> None:
        found = fetch_rows(posted.desk, CUSTOMER, customer_id=posted.desk.world.customer_a, **OF_FEBRUARY)
        names = ("increase_amount", "settled_amount", "advance_change", "balance_amount")
        told = [
            (row["business_date"][-2:], row["bill_name"], *pick_numbers(row, *names).values())
            for row in found
        ]
        assert told == [
            ("01", None, None, None, None, "1700"),
            ("03", "销售出库", "600", "0", "0", "2300"),
            ("08", "销售退货", "-300", "0", "0", "2000"),
            ("12", "收款单", "0", "1500", "300", "500"),
            ("15", "收款单", "0", "0", "-200", "500"),
        ]
        assert [row["due_date"] for row in found] == [None, "2026-02-18", "2026-02-08", None, None]

    def test_a_row_leads_to_its_bill(self, posted: PostedBills) -> None:
        found = fetch_rows(posted.desk, CUSTOMER, customer_id=posted.desk.world.customer_a, **OF_FEBRUARY)
        route, query = found[3]["route"].split("?id=")
        screen = posted.desk.caller.get("v2/Open/Screen/getScreen", route=route).data
        assert (screen["name"], int(query)) == ("customer_receipt", posted.receipt.id)
        assert found[0]["route"] is None

    @pytest.mark.parametrize(("report", "summary"), [(CUSTOMER, CUSTOMERS), (SUPPLIER, SUPPLIERS)])
    def test_totals_are_the_summarys(self, posted: PostedBills, report: str, summary: str) -> None:
        entries, sums = (
            fetch_page(posted.desk, report)["totals"],
            fetch_page(posted.desk, summary)["totals"],
        )
        assert entries["increase_amount"] == sums["increase_amount"]
        assert Decimal(entries["settled_amount"]) == Decimal(sums["settled_amount"]) + Decimal(
            sums["offset_amount"]
        )
        assert entries["written_off_amount"] == sums["written_off_amount"]
        assert entries["advance_change"] == sums["advance_change"]

    def test_a_suppliers(self, posted: PostedBills) -> None:
        found = fetch_rows(posted.desk, SUPPLIER, supplier_id=posted.desk.world.supplier, **OF_FEBRUARY)
        assert [(row["bill_name"], row["balance_amount"]) for row in found] == [
            (None, "1130.00"),
            ("采购退货", "1017.00"),
            ("付款单", "-183.00"),
        ]


class TestWriteOffs:
    def test_each_with_both_its_bills(self, posted: PostedBills) -> None:
        found = fetch_rows(posted.desk, WRITE_OFFS, order_key="amount", order_by="desc", **OF_FEBRUARY)
        told = [
            (
                row["bill_no"],
                row["item_bill_name"],
                row["late_days"],
                *pick_numbers(row, "item_amount", "amount").values(),
            )
            for row in found
        ]
        assert told == [
            (posted.receipt.no, "销售出库", 8, "1200", "700"),
            (posted.receipt.no, "期初应收", 12, "500", "500"),
            (posted.offset.no, "销售出库", 11, "1200", "200"),
            (posted.offset.no, "收款单", 3, "-300", "-200"),
        ]
        assert [row["bill_name"] for row in found] == ["收款单"] * 4

    def test_found_by_either_bill(self, posted: PostedBills) -> None:
        by_item = fetch_rows(posted.desk, WRITE_OFFS, item_bill_no=posted.sale.no)
        assert {row["bill_no"] for row in by_item} == {posted.receipt.no, posted.offset.no}
        assert len(fetch_rows(posted.desk, WRITE_OFFS, keyword=posted.receipt.no)) == 3

    def test_a_salesperson_has_what_came_in_of_the_own_sales(self, posted: PostedBills) -> None:
        """700 of 1,200 (1,061.95 without tax) that cost 400: of a profit of 661.95 seven twelfths."""
        mine = {"employee_id": posted.desk.world.ids["employee_a"]}
        [found] = fetch_rows(posted.desk, WRITE_OFFS, bill_no=posted.receipt.no, **mine)
        assert found["item_bill_no"] == posted.sale.no
        assert pick_numbers(found, "amount", "profit") == {"amount": "700", "profit": "386.14"}
        assert fetch_page(posted.desk, WRITE_OFFS, **mine)["totals"]["amount"] == "900.00"

    def test_they_are_what_the_summary_wrote_off(self, posted: PostedBills) -> None:
        written = fetch_page(posted.desk, WRITE_OFFS)["totals"]["amount"]
        sums = fetch_page(posted.desk, CUSTOMERS)["totals"]
        # Taken in advance, and not by writing off.
        assert Decimal(written) == Decimal(sums["settled_amount"]) - 300


class TestBalances:
    def test_who_buys_and_sells_stands_once(self, posted: PostedBills) -> None:
        world = posted.desk.world
        found = fetch_row(posted.desk, BALANCES, customer_id=posted.twin)
        assert (found["partner_name"], found["kind"]) == ("双钱集团", 3)
        assert found == fetch_row(
            posted.desk, BALANCES, supplier_id=world.supplier2, company_id=world.company_a
        )
        names = (
            "receivable_amount",
            "advance_received",
            "receivable_balance",
            "payable_balance",
            "net_amount",
        )
        assert pick_numbers(found, *names) == {
            "receivable_amount": "40",
            "advance_received": "30",
            "receivable_balance": "10",
            "payable_balance": "90",
            "net_amount": "-80",
        }
        assert found["route"].startswith("/report/customerdetrpt?customer_id=")

    def test_advances_stand_apart(self, posted: PostedBills) -> None:
        mine = {"partner_name": "正新", "company_id": posted.desk.world.company_a}
        found = fetch_row(posted.desk, BALANCES, as_of_end="2026-02-28", **mine)
        assert found["kind"] == 2
        assert pick_numbers(found, "payable_amount", "advance_paid", "payable_balance", "net_amount") == {
            "payable_amount": "1000017",
            "advance_paid": "1000200",
            "payable_balance": "-183",
            "net_amount": "183",
        }

    @pytest.mark.parametrize("day", ["2026-01-31", "2026-02-28"])
    def test_it_leads_to_a_statement_that_ends_with_it(self, posted: PostedBills, day: str) -> None:
        mine = {"partner_name": "正新", "company_id": posted.desk.world.company_a}
        found = fetch_row(posted.desk, BALANCES, as_of_end=day, **mine)
        path, _, query = found["route"].partition("?")
        screen = posted.desk.caller.get("v2/Open/Screen/getScreen", route=path).data
        asked = dict(parse_qsl(query))
        lines = posted.desk.caller.get(f"{screen['api']}/getList", **asked, per_page=500).data["data"]
        assert lines[-1]["balance_amount"] == found["payable_balance"]

    @pytest.mark.parametrize("day", ["2026-01-31", "2026-02-14", "2026-12-31"])
    def test_it_ties_to_both_summaries(self, posted: PostedBills, day: str) -> None:
        totals = fetch_page(posted.desk, BALANCES, as_of_end=day)["totals"]
        customers, suppliers = (
            fetch_page(posted.desk, report, day_end=day)["totals"] for report in (CUSTOMERS, SUPPLIERS)
        )
        assert totals["receivable_balance"] == customers["closing_amount"]
        assert totals["payable_balance"] == suppliers["closing_amount"]
        assert Decimal(totals["net_amount"]) == Decimal(customers["closing_amount"]) - Decimal(
            suppliers["closing_amount"]
        )


@pytest.mark.parametrize("report", [CUSTOMERS, SUPPLIERS, CUSTOMER, SUPPLIER, WRITE_OFFS, BALANCES])
class TestScope:
    def test_one_sees_ones_companies(self, posted: PostedBills, report: str) -> None:
        world = posted.desk.world
        everything = fetch_page(posted.desk, report)["total"]
        for user, company in (("manager_a", world.company_a), ("manager_b", world.company_b)):
            found = fetch_page(posted.desk, report, user)
            asked = fetch_page(posted.desk, report, company_id=company)
            assert found["data"] == asked["data"]
            assert found["totals"] == asked["totals"]
            assert found["total"] < everything or company == world.company_a

    def test_who_sees_only_his_own_documents_sees_none(self, posted: PostedBills, report: str) -> None:
        for user in ("own_a", "department_a"):
            answer = posted.desk.site.as_(user).get(f"{report}/getList")
            if report in (CUSTOMER, SUPPLIER, WRITE_OFFS):  # their rows are bills
                assert (answer.code, "您的数据范围（本" in answer.msg) == (403, True)
            else:
                assert answer.data["total"] == 0
