"""Sales as reports tell of them: bills are posted, the warehouse refreshed, and each figure worked out by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from api.identity.sessions import read_principal
from api.kit.declaration.view import View
from api.kit.storage.list_charts import group_by_month
from api.reporting import prior_periods
from api.reporting.lists.sales.goods_stockout import GoodsShortage
from api.reporting.lists.sales.sales_summary import SalesSummary
from api.reporting.lists.sales.station_rebate import StationRebate
from api.reporting.prior_periods import clip_to_today, find_previous_period
from api.reporting.snapshot.snapshot_connection import open_snapshot
from reports.catalogue import find_report
from reports.semantics.period_offsets import find_same_day, shift_months_back
from tests.reporting.report_client import fetch_page, fetch_row, fetch_rows, pick_numbers
from tests.support.bill_client import BillClient, SavedBill

DETAIL, SUMMARY = "v2/report/SalesDetail", "v2/report/SalesSummary"
ANALYSIS = "v2/report/CustomerAnalysis"
MARCH = {"day_start": "2026-03-01", "day_end": "2026-03-31"}
OF_MARCH = {"business_date_start": "2026-03-01", "business_date_end": "2026-03-31"}
RATIOS = {"margin", "previous_change", "last_year_change"}
LABELS = ("sold_quantity", "returned_quantity", "quantity", "revenue", "cost", "profit")


def _sell_goods(
    desk: BillClient, day: str, goods: int, quantity: int, price: str, **header: Any
) -> SavedBill:
    line = {"goods_id": goods, "quantity": str(quantity), "price": price, "tax_rate": "13"}
    return desk.add_audited("sales_outbound", line, business_date=day, **header)


@pytest.fixture(scope="module")
def posted(desk: BillClient, refresh: Callable[[], None]) -> BillClient:
    """Of goods at a cost of 100: company A sells 4 at 200 net in March, 1 comes back, 2 at 150 go to another customer by
    a salesman; 3 at 200 in February, 1 at 300 in March a year before; a void one and a draft. Company B sells 1 at 110.
    Of the second goods one is given away. Company A's customer had advanced 50 before, and has a rebate of 45 to use."""
    world = desk.world
    first, second = world.spares[:2]
    for goods in (first, second):
        desk.stock_in(goods, 100, business_date="2025-01-01")
    other = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
    desk.stock_in(first, 100, business_date="2025-01-01", **other)
    _sell_goods(desk, "2025-03-31", first, 1, "339")
    _sell_goods(desk, "2026-02-28", first, 3, "226")
    sold = _sell_goods(desk, "2026-03-05", first, 4, "226", department_id=world.department_a)
    back = {"goods_id": first, "quantity": "1", "price": "226", "tax_rate": "13"}
    line = desk.line_ids(sold)[0]
    desk.add_audited(
        "sales_return",
        {**back, "source_line_id": line},
        business_date="2026-03-09",
        department_id=world.department_a,
    )
    _sell_goods(
        desk,
        "2026-03-10",
        first,
        2,
        "169.5",
        customer_id=world.customer2_a,
        employee_id=world.employee_a,
        department_id=world.department_a,
    )
    void = _sell_goods(desk, "2026-03-11", first, 7, "226")
    assert desk.apply_action("invalid", void).ok
    desk.draft("sales_outbound", back, business_date="2026-03-12")
    gift = {"goods_id": second, "quantity": "1", "price": "0", "tax_rate": "13", "is_gift": True}
    desk.add_audited("sales_outbound", gift, business_date="2026-03-15", department_id=world.department_a)
    advanced = {"customer_id": world.customer_a, "due_date": "2025-01-01", "amount": "-50"}
    desk.add_audited("opening_receivable", advanced, business_date="2025-01-01")
    desk.add_audited(
        "customer_rebate",
        policy_id=world.ids["customer_rebate_policy_a"],
        cycle_start="2024-12-01",
        amount="45",
        business_date="2026-03-16",
        remark="补返利",
    )
    _sell_goods(desk, "2026-03-20", first, 1, "124.3", customer_id=world.customer_b, **other)
    refresh()
    return desk


class TestSummary:
    def test_by_company_with_what_was_before(self, posted: BillClient) -> None:
        found = fetch_row(posted, SUMMARY, company_id=posted.world.company_a, **MARCH)
        assert pick_numbers(found, *LABELS) == {
            "sold_quantity": "7",
            "returned_quantity": "1",
            "quantity": "6",
            "revenue": "900",
            "cost": "600",
            "profit": "300",
        }
        assert pick_numbers(found, "margin", "previous_revenue", "previous_change") == {
            "margin": f"{round(Decimal(100) / 3, 4)}",
            "previous_revenue": "600",
            "previous_change": "50",
        }
        assert pick_numbers(found, "last_year_revenue", "last_year_change") == {
            "last_year_revenue": "300",
            "last_year_change": "200",
        }

    @pytest.mark.parametrize(("now", "change"), [("2026-03-31", None), ("2026-04-01", "-100.0000")])
    def test_a_day_is_compared_with_a_whole_one_when_it_is_over(
        self, posted: BillClient, monkeypatch: pytest.MonkeyPatch, now: str, change: str | None
    ) -> None:
        """What a year ago was sold all day stands beside it at any hour; in its totals too."""
        monkeypatch.setattr(prior_periods, "today", lambda: date.fromisoformat(now))
        day = {"day_start": "2026-03-31", "day_end": "2026-03-31", "company_id": posted.world.company_a}
        found = fetch_row(posted, SUMMARY, **day)
        assert pick_numbers(found, "revenue", "last_year_revenue") == {
            "revenue": "0",
            "last_year_revenue": "300",
        }
        assert found["last_year_change"] == change
        totals = posted.caller.get(f"{SUMMARY}/getTotals", **day).data["totals"]
        assert (totals["last_year_revenue"], totals.get("last_year_change")) == ("300.00", change)

    def test_ratios_without_a_base_are_empty(self, posted: BillClient) -> None:
        found = fetch_row(posted, SUMMARY, company_id=posted.world.company_b, **MARCH)
        assert (found["previous_change"], found["last_year_change"]) == (None, None)
        gifts = fetch_row(posted, SUMMARY, goods_id=posted.world.spares[1], **MARCH)
        assert (gifts["revenue"], gifts["cost"], gifts["margin"]) == ("0.00", "100.00", None)

    def test_by_customer_and_salesman(self, posted: BillClient) -> None:
        found = fetch_rows(posted, SUMMARY, grouping="3,4", company_id=posted.world.company_a, **MARCH)
        assert {(row["customer_name"], row["employee_name"]): row["revenue"] for row in found} == {
            ("A客户", "A员工"): "600.00",
            ("A客户2", "A员工"): "300.00",
        }

    def test_every_grouping_adds_up_to_the_same(self, posted: BillClient) -> None:
        totals = fetch_page(posted, SUMMARY, **MARCH)["totals"]
        assert totals["revenue"] == "1010.00"
        for grouping in "2345678":
            found = fetch_page(posted, SUMMARY, grouping=grouping, **MARCH)
            assert found["totals"] == totals
            for name in totals.keys() - RATIOS:
                assert Decimal(totals[name]) == sum(Decimal(row[name]) for row in found["data"])

    def test_ratios_of_all_are_of_the_sums(self, posted: BillClient) -> None:
        """Company B: 110 at a cost of 100. A part of the rows has no base, the whole has."""
        totals = fetch_page(posted, SUMMARY, **MARCH)["totals"]
        assert pick_numbers(totals, *RATIOS) == {
            "margin": f"{round(Decimal(100 * 310) / 1010, 4)}",
            "previous_change": f"{round(Decimal(100 * 410) / 600, 4)}",
            "last_year_change": f"{round(Decimal(100 * 710) / 300, 4)}",
        }
        alone = fetch_page(posted, SUMMARY, company_id=posted.world.company_b, **MARCH)["totals"]
        assert RATIOS & alone.keys() == {"margin"}
        assert RATIOS & fetch_page(posted, SUMMARY, "clerk_a", **MARCH)["totals"].keys() == RATIOS - {
            "margin"
        }
        year = fetch_page(posted, ANALYSIS, company_id=posted.world.company_a, day_end="2026-03-31")["totals"]
        assert Decimal(year["bill_revenue"]) == round(
            (Decimal(year["revenue"]) + 200) / Decimal(year["bill_count"]), 2
        )

    def test_it_leads_to_its_lines(self, posted: BillClient) -> None:
        screen = posted.caller.get("v2/Open/Screen/getScreen", route="/report/salesmulrpt").data
        for row in fetch_rows(posted, SUMMARY, grouping="2,7", **MARCH):
            query = {
                name: row[field] for name, field in screen["drill"]["by"].items() if row[field] is not None
            }
            lines = fetch_page(posted, DETAIL, **query)
            for name in ("quantity", "amount", "revenue", "cost", "profit"):
                assert lines["totals"][name] == row[name]

    def test_what_has_no_department_leads_to_what_has_none(self, posted: BillClient) -> None:
        found = fetch_rows(posted, SUMMARY, grouping="2", department_id="-1", **MARCH)
        assert {row["department_name"] for row in found} == {"未指定"}
        assert sum(Decimal(row["revenue"]) for row in found) == sum(
            Decimal(row["revenue"])
            for row in fetch_rows(posted, DETAIL, **OF_MARCH)
            if row["department_id"] is None
        )


class TestChart:
    """One figure of the whole filter by one column, over the rows that the list shows."""

    def chart(self, desk: BillClient, report: str, user: str = "admin", **query: Any) -> dict[str, Any]:
        answer = desk.site.as_(user).get(f"{report}/getChart", **query)
        assert answer.ok, answer
        found: dict[str, Any] = answer.data
        return found

    def points(self, chart: dict[str, Any]) -> dict[str, str]:
        return {point["name"]: point["value"] for point in chart["points"]}

    def test_by_what_the_report_is_summed_up_by(self, posted: BillClient) -> None:
        found = self.chart(posted, SUMMARY, axis="customer_id", measure="revenue", grouping="4", **MARCH)
        assert list(self.points(found).items()) == [
            ("A客户", "600.00"),
            ("A客户2", "300.00"),
            ("B客户", "110.00"),
        ]
        assert (found["groups"], found["total"]) == (3, "1010.00")

    def test_a_point_is_what_the_list_shows_of_it(self, posted: BillClient) -> None:
        query = {**MARCH, "grouping": "2"}
        found = self.chart(posted, SUMMARY, axis="department_id", measure="revenue", **query)
        assert "未指定" in self.points(found)
        for point in found["points"]:
            totals = fetch_page(posted, SUMMARY, department_id=point["key"], **query)["totals"]
            assert totals["revenue"] == point["value"]

    def test_days_stand_in_their_order(self, posted: BillClient) -> None:
        found = self.chart(posted, DETAIL, axis="business_date", measure="revenue", **OF_MARCH)
        assert self.points(found) == {
            "2026-03-05": "800.00",
            "2026-03-09": "-200.00",
            "2026-03-10": "300.00",
            "2026-03-15": "0.00",
            "2026-03-20": "110.00",
        }
        assert list(self.points(found)) == sorted(self.points(found))

    def test_many_days_are_months(self) -> None:
        days = [(date(2026, 1, 1) + timedelta(days=n), None, Decimal(1)) for n in range(93)]
        assert group_by_month(days[:92]) == days[:92]
        assert [(key, value) for key, _, value in group_by_month(days)] == [
            ("2026-01", 31),
            ("2026-02", 28),
            ("2026-03", 31),
            ("2026-04", 3),
        ]
        assert group_by_month(days[:2], "month") == [("2026-01", "2026-01", 2)]

    def test_only_what_one_may_see(self, posted: BillClient) -> None:
        clerk = posted.site.as_("clerk_a")
        offered = clerk.get("v2/Open/Screen/getScreen", route="/report/salesmulrpt").data["chart"]
        assert "revenue" in offered["measures"] and "profit" not in offered["measures"]
        refused = clerk.get(f"{SUMMARY}/getChart", axis="customer_id", measure="profit", **MARCH)
        assert (refused.code, refused.msg) == (400, "该字段不能用于图表")
        assert clerk.get(f"{SUMMARY}/getChart", axis="price", measure="revenue", **MARCH).code == 400
        own = self.chart(posted, SUMMARY, "clerk_a", axis="company_id", grouping="1", **MARCH)
        assert set(self.points(own)) == {"A分公司"}


class TestPeriods:
    @pytest.mark.parametrize(
        ("days", "before"),
        [
            (("2026-03-01", "2026-03-31"), ("2026-02-01", "2026-02-28")),
            (("2026-03-01", "2026-03-30"), ("2026-02-01", "2026-02-28")),
            (("2026-03-01", "2026-03-10"), ("2026-02-01", "2026-02-10")),
            (("2026-01-01", "2026-03-31"), ("2025-10-01", "2025-12-31")),
            (("2026-03-10", "2026-03-16"), ("2026-03-03", "2026-03-09")),
            (("9999-12-31", "1900-01-01"), ("9999-12-30", "9999-12-30")),
            (("1900-01-01", "9999-12-30"), ("0001-01-01", "1899-12-30")),
            (("1900-01-02", "9999-12-30"), ("0001-01-01", "1900-01-01")),
        ],
    )
    def test_the_period_before(self, days: tuple[str, str], before: tuple[str, str]) -> None:
        first, last = map(date.fromisoformat, days)
        assert find_previous_period(first, last) == tuple(map(date.fromisoformat, before))

    @pytest.mark.parametrize("cls", [SalesSummary, StationRebate, GoodsShortage])
    def test_a_running_month_is_beside_the_same_part_of_the_other(
        self, posted: BillClient, monkeypatch: pytest.MonkeyPatch, cls: type[View]
    ) -> None:
        """Whatever days to come are asked for with it."""
        monkeypatch.setattr(prior_periods, "today", lambda: date(2026, 3, 15))
        with posted.site.engine.connect() as conn:
            me = read_principal(conn, posted.world.user_admin)
        asked = {
            "day_start": "2026-03-01",
            "day_end": "2026-03-31",
            "grouping": cls.default_filters().get("grouping", ""),
        }
        _, values = cls.source(me, asked)
        assert (values["previous_first"], values["previous_last"]) == (date(2026, 2, 1), date(2026, 2, 15))
        assert values.get("year_last", date(2025, 3, 15)) == date(2025, 3, 15)
        assert clip_to_today(date(2026, 4, 1), date(2026, 4, 30)) == (date(2026, 4, 1), date(2026, 4, 30)), (
            "none has come"
        )

    @pytest.mark.parametrize(
        ("days", "before"),
        [
            (("2026-08-01", "2026-08-31"), ("2026-07-01", "2026-07-10")),
            (("2026-07-01", "2026-09-30"), ("2026-04-01", "2026-05-10")),
            (("2026-01-01", "2026-12-31"), ("2025-01-01", "2025-08-10")),
            (("2026-08-03", "2026-08-16"), ("2026-07-26", "2026-08-02")),
        ],
    )
    @pytest.mark.parametrize("cls", [SalesSummary, StationRebate, GoodsShortage])
    def test_a_running_period_is_beside_the_same_part_of_the_one_before(
        self,
        posted: BillClient,
        monkeypatch: pytest.MonkeyPatch,
        cls: type[View],
        days: tuple[str, str],
        before: tuple[str, str],
    ) -> None:
        monkeypatch.setattr(prior_periods, "today", lambda: date(2026, 8, 10))
        with posted.site.engine.connect() as conn:
            me = read_principal(conn, posted.world.user_admin)
        asked = {
            "day_start": days[0],
            "day_end": days[1],
            "grouping": cls.default_filters().get("grouping", ""),
        }
        _, values = cls.source(me, asked)
        assert (values["previous_first"], values["previous_last"]) == tuple(map(date.fromisoformat, before))

    def test_a_year_before_the_end_of_february_is_its_end(self) -> None:
        assert shift_months_back(date(2025, 2, 28), 12) == date(2024, 2, 29)
        assert shift_months_back(date(2024, 2, 29), 12) == date(2023, 2, 28)
        assert find_same_day(date(2025, 2, 28), 12) == date(2024, 2, 28)
        assert find_same_day(date(2024, 2, 29), 12) == date(2023, 2, 28)


class TestDetail:
    def test_lines_with_cost_and_margin(self, posted: BillClient) -> None:
        world = posted.world
        found = fetch_rows(
            posted,
            DETAIL,
            goods_id=world.spares[0],
            company_id=world.company_a,
            order_key="business_date",
            order_by="asc",
            **OF_MARCH,
        )
        names = ("quantity", "revenue", "cost", "profit", "margin")
        assert [(row["bill_name"], *pick_numbers(row, *names).values()) for row in found] == [
            ("销售出库", "4", "800", "400", "400", "50"),
            ("销售退货", "-1", "-200", "-100", "-100", "50"),
            ("销售出库", "2", "300", "200", "100", f"{round(Decimal(100) / 3, 4)}"),
        ]
        assert all(row["route"].startswith("/sales/") for row in found)

    def test_found_by_bill_customer_and_goods(self, posted: BillClient) -> None:
        bill = fetch_rows(posted, DETAIL, **OF_MARCH)[0]["bill_no"]
        assert {row["bill_no"] for row in fetch_rows(posted, DETAIL, keyword=bill)} == {bill}
        assert len(fetch_rows(posted, DETAIL, keyword="A客户2")) == 1
        assert {
            row["goods_num"]
            for row in fetch_rows(posted, DETAIL, keyword="备件1", goods_id=posted.world.spares[1])
        } == {"SPARE1"}

    def test_cost_is_told_with_the_right_alone(self, posted: BillClient) -> None:
        found = fetch_rows(posted, DETAIL, "clerk_a", **OF_MARCH)
        for row in found:
            assert {row[name] for name in ("cost", "profit", "margin")} == {"无权限"}
        assert "cost" not in fetch_page(posted, SUMMARY, "clerk_a", **MARCH)["totals"]


class TestScope:
    @pytest.mark.parametrize("report", [DETAIL, SUMMARY])
    def test_by_company_and_warehouse(self, posted: BillClient, report: str) -> None:
        world = posted.world
        for user, scope in (
            ("manager_b", {"company_id": world.company_b}),
            ("keeper_a", {"warehouse_id": world.warehouse_a}),
        ):
            found, asked = fetch_page(posted, report, user), fetch_page(posted, report, **scope)
            assert (found["data"], found["totals"]) == (asked["data"], asked["totals"])

    @pytest.mark.parametrize("report", [DETAIL, SUMMARY])
    def test_ones_own_documents(self, posted: BillClient, refresh: Callable[[], None], report: str) -> None:
        assert fetch_page(posted, report, "own_a")["total"] == 0
        assert {
            row["revenue"] for row in fetch_rows(posted, SUMMARY, "department_a", day_end="2026-03-31")
        } == {"900.00"}
        assert fetch_page(posted, DETAIL, "department_a", business_date_end="2026-03-31")["total"] == 4


class TestCustomerAnalysis:
    def test_a_page_has_the_customers_that_its_order_brings(self, posted: BillClient) -> None:
        order = {"order_key": "revenue", "order_by": "asc"}
        whole = fetch_rows(posted, ANALYSIS, **order)
        single = [
            posted.caller.get(f"{ANALYSIS}/getList", per_page=1, page=at + 1, **order).data["data"]
            for at in range(len(whole))
        ]
        assert single == [[row] for row in whole]
        assert len(whole) > 1

    def test_the_year_up_to_a_day(self, posted: BillClient) -> None:
        found = fetch_row(posted, ANALYSIS, customer_id=posted.world.customer_a, day_end="2026-03-31")
        assert pick_numbers(found, "revenue", "previous_revenue", "change", "month_revenue", "profit") == {
            "revenue": "1200",
            "previous_revenue": "300",
            "change": "300",
            "month_revenue": "600",
            "profit": "500",
        }
        assert pick_numbers(found, "bill_revenue", "returned_rate", "open_amount", "overdue_amount") == {
            "bill_revenue": "466.67",
            "returned_rate": "14.2857",
            "open_amount": "1600",
            "overdue_amount": "1695",
        }
        assert (found["bill_count"], found["goods_count"], found["idle_days"], found["kind"]) == (3, 2, 16, 2)
        assert (found["first_sale"], found["last_sale"]) == ("2025-03-31", "2026-03-15")

    def test_what_is_overdue_is_told_alike_everywhere(self, posted: BillClient) -> None:
        """Of late bills comes off what came back; not the rebate, nor what was advanced before the books opened."""
        mine = {"company_id": posted.world.company_a}
        analysed = {row["customer_id"]: row["overdue_amount"] for row in fetch_rows(posted, ANALYSIS, **mine)}
        accounts = fetch_rows(posted, "v2/custom/CustomerAccount", **mine)
        data = find_report("accountsReceivable").first_tab.plain.dataset("receivable_aging")
        with open_snapshot() as conn:
            aged = conn.exec_driver_sql(
                f"select customer_id, {data.metric('overdue').sql} from {data.source}"
                f" where company_id = {mine['company_id']} and month = (select max(month) from {data.source})"
                " group by customer_id"
            ).all()
        told = {customer: f"{amount:.2f}" for customer, amount in aged}
        assert told[posted.world.customer_a] == "1695.00"
        assert told == analysed == {row["customer_id"]: row["overdue"] for row in accounts}
        funds = posted.caller.get("v2/money/MoneyHome/getSummary", **mine).data["receivable"]
        assert Decimal(funds["overdue"]) == sum(map(Decimal, told.values()))

    def test_what_a_customer_is_depends_on_the_day(self, posted: BillClient) -> None:
        kinds = {
            (name, day): fetch_row(posted, ANALYSIS, customer_id=posted.world.ids[name], day_end=day)["kind"]
            for name, day in (
                ("customer2_a", "2026-03-31"),
                ("customer2_a", "2026-06-20"),
                ("customer_a", "2025-09-20"),
                ("customer_a", "2025-09-27"),
            )
        }
        assert list(kinds.values()) == [1, 4, 4, 5]
        assert fetch_rows(posted, ANALYSIS, customer_id=posted.world.customer2_a, day_end="2026-03-09") == []

    def test_it_leads_to_the_lines_of_the_year(self, posted: BillClient) -> None:
        screen = posted.caller.get("v2/Open/Screen/getScreen", route="/custom/analyze_see").data
        found = fetch_row(posted, ANALYSIS, customer_id=posted.world.customer_a, day_end="2026-03-31")
        query = {name: found[field] for name, field in screen["drill"]["by"].items()}
        lines = fetch_rows(posted, DETAIL, **query)
        assert sum(Decimal(line["revenue"]) for line in lines) == Decimal(found["revenue"])
