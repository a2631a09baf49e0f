"""Commission: sales are paid in parts, schemes come and go, and each part is compared with figures by hand."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import duckdb
import pytest
from sqlalchemy import text

from api.kit.scope import Principal
from api.ledger.periods import close_period, open_period
from api.reporting.lists.receipts.commissions import (
    Commission,
    CommissionRow,
    CommissionSummary,
    prorated_sql,
)
from api.reporting.snapshot.snapshot_connection import open_snapshot
from tests.reporting.report_client import fetch_page, fetch_rows, pick_numbers
from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Answer
from tests.support.fixtures import Site

SCHEMES = "v2/sales/CommissionScheme"
DETAIL, SUMMARY = "v2/report/Commission", "v2/report/CommissionSummary"
ALL_DAYS = {"day_start": "2026-01-01", "day_end": "2026-12-31"}


@dataclass(frozen=True)
class PaidSales:
    """The desk, the two sales, and the receipts by month."""

    desk: BillClient
    sale: SavedBill
    nobodys: SavedBill
    receipts: dict[int, SavedBill]

    def part(self, month: int, scheme: str | None) -> dict[str, Any]:
        """The part of a month's receipt that a scheme was for."""
        found = fetch_rows(self.desk, DETAIL, bill_no=self.receipts[month].no)
        [part] = [row for row in found if row["commission_scheme_name"] == scheme]
        return part


def add_scheme(desk: BillClient, name: str, **values: Any) -> Answer:
    body = {"company_id": desk.world.company_a, "starts_on": "2026-01-01", "basis": 1, **values}
    return desk.caller.post(f"{SCHEMES}/add", {"commission_scheme_name": name, **body})


@pytest.fixture(scope="module")
def paid(desk: BillClient, refresh: Callable[[], None]) -> PaidSales:
    """In January the salesperson sells 1,130 of spare parts (1,000 without tax, cost 400) and 452 of a brand of its own
    (400, cost 200). Half of the 1,582 comes in in February, a quarter in March, a quarter in April. Somebody else's
    sale of 113 is paid in February; April's receipt is taken back and posted again.
    """
    world = desk.world
    plain, branded = world.spares[0], world.spares[1]
    brand = world.brand
    assert desk.caller.post("v2/system/Goods/edit", {"id": branded, "brand_id": brand}).ok
    mine = world.ids["employee_a"]
    assert add_scheme(desk, "类型", goods_type_id=world.type2, rate="2").ok
    assert add_scheme(desk, "大类", goods_type_id=world.type1, rate="90").ok
    assert add_scheme(
        desk, "品牌", employee_id=mine, brand_id=brand, basis=2, rate="10", ends_on="2026-02-28"
    ).ok
    assert add_scheme(desk, "本人", employee_id=mine, rate="5", starts_on="2026-04-01").ok
    assert add_scheme(desk, "停用", employee_id=mine, rate="80", enabled=False).ok
    desk.stock_in(plain, 10, business_date="2026-01-10")
    desk.stock_in(branded, 10, business_date="2026-01-10")
    lines = (
        {"goods_id": plain, "quantity": "4", "price": "282.5", "tax_rate": "13"},
        {"goods_id": branded, "quantity": "2", "price": "226", "tax_rate": "13"},
    )
    sale = desk.add_audited("sales_outbound", *lines, business_date="2026-01-20", employee_id=mine)
    other = {"goods_id": plain, "quantity": "1", "price": "113", "tax_rate": "13"}
    customer = desk.caller.post(
        "v2/custom/Customer/add", {"customer_name": "无业务员", "company_id": world.company_a}
    ).data["id"]
    nobodys = desk.add_audited("sales_outbound", other, business_date="2026-01-21", customer_id=customer)
    receipts = {}
    for month, amount in ((2, "791"), (3, "395.5"), (4, "395.5")):
        day = f"2026-{month:02}-15"
        written = {"settlement_id": _find_item(desk, sale, world.customer_a), "amount": amount}
        receipts[month] = desk.add_audited("customer_receipt", written, amount=amount, business_date=day)
    assert desk.apply_action("antiAuditor", receipts[4]).ok
    assert desk.apply_action("auditorPass", receipts[4]).ok
    written = {"settlement_id": _find_item(desk, nobodys, customer), "amount": "113"}
    desk.add_audited(
        "customer_receipt", written, amount="113", business_date="2026-02-16", customer_id=customer
    )
    refresh()
    return PaidSales(desk, sale, nobodys, receipts)


def _find_item(desk: BillClient, bill: SavedBill, customer: int) -> int:
    call = "v2/custom/CustomerReceipt/getOpenItems"
    items = desk.caller.get(call, company_id=desk.world.company_a, customer_id=customer).data["data"]
    [found] = [item["settlement_id"] for item in items if item["bill_no"] == bill.no]
    return int(found)


class TestDetail:
    def test_the_salespersons_brand_goes_before_everybodys_type(self, paid: PaidSales) -> None:
        """Half of the brand's profit of 200 at 10 %; half of the others' revenue of 1,000 at the nearest type's 2 %."""
        names = ("amount", "revenue", "profit", "basis_amount", "rate", "commission")
        assert pick_numbers(paid.part(2, "品牌"), *names) == dict(
            zip(names, ("226", "200", "100", "100", "10", "10"), strict=True)
        )
        assert pick_numbers(paid.part(2, "类型"), *names) == dict(
            zip(names, ("565", "500", "300", "500", "2", "10"), strict=True)
        )

    def test_a_scheme_that_has_ended_no_longer_counts(self, paid: PaidSales) -> None:
        """A quarter of all the 1,400 of revenue at 2 %."""
        assert pick_numbers(paid.part(3, "类型"), "amount", "basis_amount", "commission") == {
            "amount": "395.5",
            "basis_amount": "350",
            "commission": "7",
        }

    def test_a_scheme_counts_on_its_first_and_its_last_day(
        self, paid: PaidSales, refresh: Callable[[], None]
    ) -> None:
        found = {row["commission_scheme_name"]: row for row in fetch_rows(paid.desk, f"{SCHEMES}")}
        key = {"id": found["类型"]["commission_scheme_id"]}
        edit = f"{SCHEMES}/edit"
        assert paid.desk.caller.post(edit, key | {"starts_on": "2026-03-15", "ends_on": "2026-03-15"}).ok
        refresh()
        assert pick_numbers(paid.part(3, "类型"), "amount", "commission") == {
            "amount": "395.5",
            "commission": "7",
        }
        assert not [row for row in fetch_rows(paid.desk, DETAIL) if row["commission_scheme_name"] == "类型"][
            1:
        ]
        assert paid.desk.caller.post(edit, key | {"starts_on": "2026-01-01", "ends_on": None}).ok
        refresh()

    def test_ones_own_scheme_for_all_goods_goes_before_everybodys_type(self, paid: PaidSales) -> None:
        assert pick_numbers(paid.part(4, "本人"), "basis_amount", "commission") == {
            "basis_amount": "350",
            "commission": "17.5",
        }

    def test_nobodys_sale_has_everybodys_scheme_only(self, paid: PaidSales) -> None:
        [found] = fetch_rows(paid.desk, DETAIL, employee_id=-1)
        assert (found["item_bill_no"], found["commission_scheme_name"]) == (paid.nobodys.no, "类型")
        assert pick_numbers(found, "commission") == {"commission": "2"}

    def test_a_part_leads_to_its_receipt_and_names_its_sale(self, paid: PaidSales) -> None:
        found = paid.part(3, "类型")
        assert found["route"].endswith(f"?id={paid.receipts[3].id}")
        assert found["item_bill_no"] == paid.sale.no

    def test_the_parts_are_what_was_written_off(self, paid: PaidSales) -> None:
        written = fetch_page(paid.desk, "v2/report/ReceiptWriteOff")["totals"]["amount"]
        assert fetch_page(paid.desk, DETAIL)["totals"]["amount"] == written == "1695.00"

    def test_goods_that_no_scheme_is_for_are_told_with_none(
        self, paid: PaidSales, refresh: Callable[[], None]
    ) -> None:
        found = {row["commission_scheme_name"]: row for row in fetch_rows(paid.desk, f"{SCHEMES}")}
        stop = {"id": found["类型"]["commission_scheme_id"], "ends_on": "2026-01-31"}
        over = {"id": found["大类"]["commission_scheme_id"], "ends_on": "2026-01-31"}
        for body in (stop, over):
            assert paid.desk.caller.post(f"{SCHEMES}/edit", body).ok
        refresh()
        assert pick_numbers(paid.part(3, None), "amount", "basis_amount", "commission") == {
            "amount": "395.5",
            "basis_amount": None,
            "commission": "0",
        }
        for body in (stop, over):
            assert paid.desk.caller.post(f"{SCHEMES}/edit", body | {"ends_on": None}).ok
        refresh()


class TestShare:
    def test_it_is_right_to_the_cent_halves_away_from_zero(self) -> None:
        """Divided in floats, 2.01 × 50 ÷ 100 is a little less than the half cent that it is."""
        query = f"select {prorated_sql('a', 'b', 'd')} from (select 50.00 as b, 100.00 as d, unnest(?::decimal(18, 2)[]) as a)"
        amounts = [Decimal(number) / 100 for number in range(-4999, 5000, 2)]
        with duckdb.connect() as conn:
            found = [share for (share,) in conn.execute(query, [amounts]).fetchall()]
        assert found == [(amount / 2).quantize(Decimal("0.01"), ROUND_HALF_UP) for amount in amounts]

    def test_what_does_not_fit_in_64_bits_is_no_less_exact(self) -> None:
        query = f"select {prorated_sql('a', 'b', 'd')} from (select 90000000000.01 as a, 40000000000.05 as b, 80000000000.10 as d)"
        with duckdb.connect() as conn:
            assert conn.execute(query).fetchall() == [(Decimal("45000000000.01"),)]


class TestSummary:
    def test_by_salesperson_and_month(self, paid: PaidSales) -> None:
        found = fetch_rows(paid.desk, SUMMARY, grouping="1,2", order_key="month", order_by="asc", **ALL_DAYS)
        mine = [row for row in found if row["employee_name"] == "A员工"]
        told = [(row["month"], *pick_numbers(row, "amount", "commission").values()) for row in mine]
        assert told == [
            ("2026-02-01", "791", "20"),
            ("2026-03-01", "395.5", "7"),
            ("2026-04-01", "395.5", "17.5"),
        ]

    def test_each_row_leads_to_the_parts_that_make_it(self, paid: PaidSales) -> None:
        screen = paid.desk.caller.get("v2/Open/Screen/getScreen", route="/report/commissionsum").data
        for grouping in ("1,2", "1", "3", "4", "2"):
            for row in fetch_rows(paid.desk, SUMMARY, grouping=grouping, **ALL_DAYS):
                query = {name: row[field] for name, field in screen["drill"]["by"].items() if row[field]}
                totals = fetch_page(paid.desk, DETAIL, **query)["totals"]
                assert (totals["amount"], totals["commission"]) == (row["amount"], row["commission"])

    def test_it_opens_with_this_month_by_salesperson_and_month(self, paid: PaidSales) -> None:
        screen = paid.desk.caller.get("v2/Open/Screen/getScreen", route="/report/commissionsum").data
        assert screen["usual"]["grouping"] == "1,2"


class TestRights:
    @pytest.mark.parametrize("report", [DETAIL, SUMMARY])
    def test_one_sees_ones_company_and_ones_own_documents(self, paid: PaidSales, report: str) -> None:
        days = ALL_DAYS if report == SUMMARY else {}
        assert fetch_page(paid.desk, report, "manager_b", **days)["total"] == 0
        assert fetch_page(paid.desk, report, "own_a", **days)["total"] == 0

    @pytest.mark.parametrize("report", [Commission, CommissionSummary])
    def test_a_branch_asks_for_its_own_companies_alone(
        self, paid: PaidSales, report: type[CommissionRow]
    ) -> None:
        """Of the statement itself: the condition around it comes too late to spare work."""

        def companies(*seen: int) -> set[int]:
            who = Principal(1, "", "", 1, 1, companies=frozenset(seen) if seen else None)
            sql, values = report.source(who, ALL_DAYS)
            with open_snapshot() as conn:
                return set(conn.scalars(text(f"select company_id from ({sql})"), values))

        mine, other = paid.desk.world.company_a, paid.desk.world.company_b
        assert companies() == companies(mine) == companies(mine, other) == {mine}
        assert companies(other) == set()

    def test_profit_and_commission_need_the_right_to_see_cost(self, paid: PaidSales) -> None:
        found = fetch_rows(paid.desk, DETAIL, "clerk_a")
        assert found
        assert {row[name] for row in found for name in ("profit", "basis_amount", "commission")} == {"无权限"}


class TestSchemes:
    def test_two_equal_ones_are_never_in_force_at_once(self, paid: PaidSales) -> None:
        mine = paid.desk.world.ids["employee_a"]
        answer = add_scheme(paid.desk, "再来", employee_id=mine, rate="6", starts_on="2027-01-01")
        assert (answer.code, answer.msg) == (
            400,
            "与提成方案“本人”的业务员、商品范围相同且日期重叠，请先停用它或调整日期",
        )
        assert add_scheme(paid.desk, "更早", employee_id=mine, rate="6", ends_on="2026-03-31").ok
        found = {row["commission_scheme_name"]: row for row in fetch_rows(paid.desk, SCHEMES)}
        body = {"id": found["停用"]["commission_scheme_id"], "enabled": True}

        assert not paid.desk.caller.post(f"{SCHEMES}/edit", body).ok

    def test_closed_months_keep_what_it_said_and_later_ones_may_change(
        self, site: Site, paid: PaidSales
    ) -> None:
        desk, company = paid.desk, paid.desk.world.company_a
        found = {row["commission_scheme_name"]: row for row in fetch_rows(desk, SCHEMES)}
        key, period = found["类型"]["commission_scheme_id"], "2026-05"
        with site.engine.begin() as conn:
            close_period(conn, company, period)
        try:
            for change in (
                {"rate": "3"},
                {"enabled": False},
                {"ends_on": "2026-05-30"},
                {"starts_on": "2026-02-01"},
            ):
                answer = desk.caller.post(f"{SCHEMES}/edit", {"id": key, **change})
                assert (answer.code, answer.msg[:15]) == (400, "2026-05 及以前已结账，"), change
            assert not desk.caller.post(f"{SCHEMES}/del", {"ids": [key]}).ok
            late = {"goods_type_id": desk.world.type2, "brand_id": None, "rate": "3"}
            assert "已结账" in add_scheme(desk, "补提", rate="1").msg
            for change in ({"remark": "旧"}, {"ends_on": "2026-05-31"}):
                assert desk.caller.post(f"{SCHEMES}/edit", {"id": key, **change}).ok
            assert add_scheme(desk, "新比例", **late, starts_on="2026-06-01").ok
            added = {row["commission_scheme_name"]: row for row in fetch_rows(desk, SCHEMES)}["新比例"]
            gone = {"ids": [added["commission_scheme_id"]]}
            assert desk.caller.post(f"{SCHEMES}/del", gone).ok
        finally:
            with site.engine.begin() as conn:
                open_period(conn, company, period)
        assert desk.caller.post(f"{SCHEMES}/edit", {"id": key, "ends_on": None, "remark": None}).ok

    def test_of_eight_that_come_at_once_one_stays(self, paid: PaidSales) -> None:
        world = paid.desk.world
        given = {"goods_type_id": world.type1, "company_id": world.company_b, "rate": "3"}
        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda number: add_scheme(paid.desk, f"同时{number}", **given), range(8)))
        assert sum(answer.ok for answer in made) == 1
        assert {answer.code for answer in made if not answer.ok} == {400}

    @pytest.mark.parametrize(
        ("values", "told"),
        [
            ({"rate": "0"}, "提成比例"),
            ({"rate": "101"}, "提成比例"),
            ({"rate": "5", "ends_on": "2025-12-31"}, "失效日期不能早于生效日期"),
        ],
    )
    def test_nonsense_is_refused(self, paid: PaidSales, values: dict[str, Any], told: str) -> None:
        answer = add_scheme(paid.desk, "错误", **values)
        assert not answer.ok
        assert told in answer.msg

    def test_brand_and_type_together_are_refused(self, paid: PaidSales) -> None:
        both = {"brand_id": paid.desk.world.brand, "goods_type_id": paid.desk.world.type1, "rate": "5"}
        assert add_scheme(paid.desk, "两者", **both).msg == "品牌与商品类型只能选一项，都不选为全部商品"
