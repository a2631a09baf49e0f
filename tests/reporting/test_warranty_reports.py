"""Goods under guarantee as reports tell of them: stock bills are posted, claims stand in their tables, figures by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import insert

from api.aftersale.claims import (
    CompanyClaim,
    CompanyClaimLine,
    FactoryClaim,
    FactoryClaimLine,
    GuaranteeRegister,
    GuaranteeRegisterLine,
)
from api.kit.declaration.document import Bill, BillLine
from api.kit.storage.projection import MASK
from tests.reporting.report_client import fetch_page, fetch_row, fetch_rows, pick_numbers
from tests.support.bill_client import BillClient, SavedBill
from tests.support.fixtures import Site

LINES, PIECES = "v2/report/AftersalesDetail", "v2/report/GuaranteeClaim"
MARCH = {"business_date_start": "2026-03-01", "business_date_end": "2026-03-31"}


def insert_bill(
    desk: BillClient, bill: type[Bill], lines: type[BillLine], day: date, *rows: Any, **header: Any
) -> list[int]:
    """Insert an audited bill by SQL: its rows are (goods, quantity, further columns); returns the keys of its
    lines."""
    world = desk.world
    amounts = [row[2].get("amount") for row in rows]
    if amounts[0] is not None:
        header["total_amount"] = sum(Decimal(amount) for amount in amounts)
    with desk.site.engine.begin() as conn:
        number = f"{bill.name()}-{desk.user}-{day}"
        values = {
            **{"bill_no": number, "business_date": day, "status": 2, "company_id": world.company_a},
            **{"maker_id": world.ids[f"user_{desk.user}"], "total_quantity": sum(row[1] for row in rows)},
        }
        key = conn.execute(insert(bill.table()).values(**values, **header)).inserted_primary_key[0]
        return [
            conn.execute(
                insert(lines.table()).values(
                    bill_id=key, line_no=place, goods_id=goods, quantity=quantity, **more
                )
            ).inserted_primary_key[0]
            for place, (goods, quantity, more) in enumerate(rows, 1)
        ]


@pytest.fixture(scope="module")
def empty(desk: BillClient, refresh: Callable[[], None]) -> dict[str, dict[str, Any]]:
    """Answers of the reports before there are any warranty goods."""
    refresh()
    return {report: fetch_page(desk, report) for report in (LINES, PIECES)}


@pytest.fixture(scope="module")
def paid_on(now: date) -> date:
    return now - timedelta(days=40)


@pytest.fixture(scope="module")
def posted(
    desk: BillClient, paid_on: date, empty: dict[str, Any], refresh: Callable[[], None]
) -> dict[str, SavedBill]:
    """Three of a goods come in at 50 net, one goes back to the factory, one is given out; two others come in unpriced.

    A piece of the first that came in is registered with another: both are paid for, the first is settled in full.
    """
    goods, other, world = desk.world.spares[0], desk.world.spares[1], desk.world
    kept = {"warehouse_id": world.warehouse3_a}
    priced = {"goods_id": goods, "quantity": "3", "price": "56.5", "tax_rate": "13"}
    made = {
        "came": desk.add_audited("three_inbound", priced, reason="鼓包", business_date="2026-03-02", **kept),
        "plain": desk.add_audited(
            "three_inbound", {"goods_id": other, "quantity": "2"}, business_date="2026-03-03", **kept
        ),
    }
    (line,) = desk.line_ids(made["came"])
    returned = {"goods_id": goods, "quantity": "1", "source_line_id": line}
    made["back"] = desk.add_audited(
        "tire_back", returned, claim_no="LP-7", business_date="2026-03-05", **kept
    )
    made["given"] = desk.add_audited(
        "three_outbound", {"goods_id": goods, "quantity": "1"}, business_date="2026-03-06", **kept
    )
    undone = desk.add_audited("three_outbound", {"goods_id": other, "quantity": "1"}, **kept)
    assert desk.apply_action("invalid", undone).ok
    what = {"supplier_id": world.supplier, "symptom_id": world.symptom}
    first, second = insert_bill(
        desk,
        GuaranteeRegister,
        GuaranteeRegisterLine,
        date(2026, 3, 1),
        (goods, 3, {**what, "tire_number": "T1", "inbound_line_id": line}),
        (other, 1, what),
        customer_id=world.customer_a,
    )
    insert_bill(
        desk,
        CompanyClaim,
        CompanyClaimLine,
        paid_on,
        (goods, 3, {"source_line_id": first, "judged_rate": 80, "amount": "300.10"}),
        (other, 1, {"source_line_id": second, "judged_rate": 50, "amount": "99.95"}),
        customer_id=world.customer_a,
    )
    insert_bill(
        desk,
        FactoryClaim,
        FactoryClaimLine,
        paid_on + timedelta(days=9),
        (goods, 3, {"source_line_id": first, "judged_rate": 80, "amount": "225.08"}),
        supplier_id=world.supplier,
        claim_no="FC-1",
    )
    refresh()
    return made


class TestNothing:
    def test_reports_of_nothing_answer(self, empty: dict[str, Any]) -> None:
        for found in empty.values():
            assert (found["data"], found["total"]) == ([], 0)
            assert {Decimal(value) for value in found["totals"].values()} == {0}


class TestLines:
    def test_bills_by_line_move_stock_or_money(self, desk: BillClient, posted: dict[str, SavedBill]) -> None:
        found = [
            (row["kind"], *pick_numbers(row, "stock_quantity", "stock_value", "registered_quantity").values())
            for row in fetch_rows(desk, LINES, **MARCH)
        ]
        assert sorted(found) == [
            (1, "0", "0", "1"),
            (1, "0", "0", "3"),
            (2, "2", "0", "0"),
            (2, "3", "150", "0"),
            (3, "-1", "-50", "0"),
            (4, "-1", "-50", "0"),
        ]
        totals = fetch_page(desk, LINES)["totals"]
        assert pick_numbers(totals, "compensation_amount", "factory_amount", "net_amount") == {
            "compensation_amount": "400.05",
            "factory_amount": "225.08",
            "net_amount": "174.97",
        }

    def test_stock_bills_lead_to_their_pages(self, desk: BillClient, posted: dict[str, SavedBill]) -> None:
        routes = {row["bill_no"]: row["route"] for row in fetch_rows(desk, LINES, **MARCH)}
        assert routes[posted["came"].no] == f"/inventory/threeinstorageSee?id={posted['came'].id}"
        assert routes[posted["back"].no] == f"/inventory/tirebackSee?id={posted['back'].id}"
        assert [number for number, route in routes.items() if route is None] == [
            f"guarantee_register-admin-{date(2026, 3, 1)}"
        ]

    def test_claims_are_found_by_what_their_piece_is(
        self, desk: BillClient, posted: dict[str, SavedBill]
    ) -> None:
        world = desk.world
        for asked in ({"symptom_id": world.symptom}, {"supplier_id": world.supplier, "kind": "1,5,6"}):
            assert sorted(row["kind"] for row in fetch_rows(desk, LINES, **asked)) == [1, 1, 5, 5, 6]
        assert {row["kind"] for row in fetch_rows(desk, LINES, symptom_id=-1)} == {2, 3, 4}

    def test_what_stock_is_worth_is_cost(self, desk: BillClient, posted: dict[str, SavedBill]) -> None:
        assert {row["stock_value"] for row in fetch_rows(desk, LINES, "clerk_a", **MARCH)} == {"无权限"}

    def test_a_chart_tells_which_factory_leaves_the_company_to_pay(
        self, desk: BillClient, posted: dict[str, SavedBill]
    ) -> None:
        answer = desk.caller.get(f"{LINES}/getChart", axis="symptom_id", measure="net_amount")
        assert [
            (point["name"], point["value"]) for point in answer.data["points"] if point["key"] != "-1"
        ] == [("通用", "174.97")]


class TestPieces:
    def test_a_piece_that_came_in_and_was_registered_stands_once(
        self, desk: BillClient, paid_on: date, posted: dict[str, SavedBill]
    ) -> None:
        assert fetch_page(desk, PIECES)["total"] == 3
        found = fetch_row(desk, PIECES, tire_number="T1")
        names = ("quantity", "returned_quantity", "compensation_amount", "factory_amount", "net_amount")
        assert list(pick_numbers(found, *names, "recovery_rate").values()) == [
            *("3", "1", "300.1", "225.08", "75.02", "75.0017")
        ]
        assert (found["stage"], found["waited_days"], found["company_claim_no"]) == (
            *(4, None),
            f"company_claim-admin-{paid_on}",
        )

    def test_what_is_paid_waits_for_its_factory(self, desk: BillClient, posted: dict[str, SavedBill]) -> None:
        found = fetch_row(desk, PIECES, stage=2)
        assert (found["waited_days"], found["net_amount"], found["factory_claim_no"]) == (40, "99.95", None)
        assert fetch_rows(desk, PIECES, waited_days_start="41") == []

    def test_what_came_in_unregistered_leads_to_its_bill(
        self, desk: BillClient, posted: dict[str, SavedBill]
    ) -> None:
        found = fetch_row(desk, PIECES, stage=1)
        assert (found["bill_no"], found["quantity"]) == (posted["plain"].no, "2.000")
        assert found["route"] == f"/inventory/threeinstorageSee?id={posted['plain'].id}"

    @pytest.mark.parametrize("report", [LINES, PIECES])
    def test_one_sees_ones_companies_and_documents(
        self, desk: BillClient, posted: dict[str, SavedBill], report: str
    ) -> None:
        mine, all_ = (
            fetch_page(desk, report, "manager_a"),
            fetch_page(desk, report, company_id=desk.world.company_a),
        )
        assert (mine["data"], mine["totals"]) == (all_["data"], all_["totals"])
        assert mine["total"] > 0
        for user in ("manager_b", "own_a"):
            assert fetch_page(desk, report, user)["total"] == 0


@pytest.mark.usefixtures("posted")
def test_the_figures_are_the_bills_and_the_ledger(prove: Callable[..., None]) -> None:
    prove(
        "guarantee_lines_equal_bills_and_ledger",
        "guarantee_reports_equal_lines",
        "fct_guarantee_line",
        "mart_guarantee_claim",
        "mart_guarantee_month",
    )


def test_ones_own_piece_does_not_name_anothers_claim(
    site: Site, paid_on: date, posted: dict[str, SavedBill], refresh: Callable[[], None]
) -> None:
    """Neither in its row, nor to who looks for it by the number."""
    own, desk, goods = BillClient(site, "own_a"), BillClient(site), site.world.spares[2]
    customer = {"customer_id": site.world.customer_a}
    what = {"supplier_id": site.world.supplier, "symptom_id": site.world.symptom, "tire_number": "T9"}
    registered = date(2026, 3, 2), (goods, 2, what)
    (piece,) = insert_bill(own, GuaranteeRegister, GuaranteeRegisterLine, *registered, **customer)
    day = paid_on - timedelta(days=1)
    row = goods, 1, {"source_line_id": piece, "judged_rate": 50, "amount": "10"}
    insert_bill(desk, CompanyClaim, CompanyClaimLine, day, row, **customer)
    insert_bill(
        own, FactoryClaim, FactoryClaimLine, day, row, supplier_id=site.world.supplier, claim_no="FC-9"
    )
    refresh()
    theirs, mine = f"company_claim-admin-{day}", f"factory_claim-own_a-{day}"
    [seen] = fetch_page(desk, PIECES, "own_a")["data"]
    assert (seen["company_claim_no"], seen["factory_claim_no"]) == (MASK, mine)
    [whole] = fetch_page(desk, PIECES, "manager_a", tire_number="T9")["data"]
    assert (whole["company_claim_no"], whole["factory_claim_no"]) == (theirs, mine)
    for asked in ("company_claim_no", "keyword"):
        found = [
            fetch_page(desk, PIECES, user, **{asked: theirs})["total"] for user in ("own_a", "manager_a")
        ]
        assert found == [0, 1]
