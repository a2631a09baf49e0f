"""The console's figures, the days behind them and the stock wall: bills posted today, each figure worked out by hand, in
the scope of who asks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from api.reporting.snapshot.snapshot_connection import open_snapshot
from reports.catalogue import find_report
from reports.semantics.period_offsets import find_same_day
from tests.reporting.report_client import fetch_page, fetch_row, fetch_rows, pick_numbers
from tests.support.bill_client import BillClient, SavedBill

CONSOLE, WALL = "v2/system/Console", "v2/report/InventoryBigData"
FIGURES = (
    "getTodaySalesCaseList",
    "getMonthCctivityList",
    "getSalesmanCharts",
    "getMonthlyProvinces",
    "getRankingList",
)
MASK = "无权限"


def fetch_console(desk: BillClient, call: str, user: str = "admin", **query: Any) -> Any:
    answer = desk.site.as_(user).get(f"{CONSOLE}/{call}", **query)
    assert answer.ok, answer
    return answer.data


def fetch_overview(desk: BillClient, user: str = "admin", **query: Any) -> Any:
    answer = desk.site.as_(user).get(f"{WALL}/getOverview", **query)
    assert answer.ok, answer
    return answer.data


def fetch_case(desk: BillClient, key: str, user: str = "admin", **query: Any) -> dict[str, Any]:
    [found] = [
        row
        for row in fetch_console(desk, "getTodaySalesCaseList", user, **query)["cases"]
        if row["key"] == key
    ]
    return dict(found)


def _sell_goods(
    desk: BillClient, day: date, goods: int, quantity: int, price: str, **header: Any
) -> SavedBill:
    line = {
        "goods_id": goods,
        "quantity": str(quantity),
        "price": price,
        "tax_rate": "13",
        "is_gift": price == "0",
    }
    return desk.add_audited("sales_outbound", line, business_date=str(day), **header)


@pytest.fixture(scope="module")
def posted(desk: BillClient, now: date, refresh: Callable[[], None]) -> BillClient:
    """Of goods at a cost of 100, sold net of tax. Company A, in 浙江省, today: 3 at 200 by a salesman and 1 of the second
    goods at 300 from the second warehouse by one of its own clerks; yesterday 2 at 150, a year ago 1 at 500. Company B,
    in 江苏省, today: 5 at 120. An order of 2 at 226 with tax, a receipt of 50, a purchase of 10 at 113 with tax. Of the
    third goods all is sold; the fourth has lain for 200 days."""
    world = desk.world
    first, second, third, fourth = world.spares[:4]
    other = {"company_id": world.company_b, "warehouse_id": world.warehouse_b}
    old = str(now - timedelta(days=900))
    for goods in (first, second):
        desk.stock_in(goods, 100, business_date=old)
    desk.stock_in(second, 10, business_date=old, warehouse_id=world.warehouse2_a)
    desk.stock_in(first, 100, business_date=old, **other)
    provinces = desk.caller.get("v2/system/Province/getList", per_page=500).data["data"]
    named = {row["province_name"]: row["province_id"] for row in provinces}
    for mark, province in (("a", "浙江省"), ("b", "江苏省")):
        for resource, name in (
            ("v2/system/Company", f"company_{mark}"),
            ("v2/custom/Customer", f"customer_{mark}"),
        ):
            answer = desk.caller.post(
                f"{resource}/edit", {"id": world.ids[name], "province_id": named[province]}
            )
            assert answer.ok, answer
    _sell_goods(desk, now, first, 3, "226", employee_id=world.employee_a)
    BillClient(desk.site, "own_a").add_audited(
        "sales_outbound",
        {"goods_id": second, "quantity": "1", "price": "339", "tax_rate": "13"},
        business_date=str(now),
        warehouse_id=world.warehouse2_a,
    )
    _sell_goods(desk, now - timedelta(days=1), first, 2, "169.5")
    _sell_goods(desk, find_same_day(now, 12), first, 1, "565")
    _sell_goods(desk, now, first, 5, "135.6", customer_id=world.customer_b, **other)
    desk.stock_in(third, 4, business_date=str(now))
    _sell_goods(desk, now, third, 4, "0", customer_id=world.customer_a)
    desk.stock_in(fourth, 7, business_date=str(now - timedelta(days=200)))
    line = {"goods_id": first, "quantity": "2", "price": "226", "tax_rate": "13"}
    desk.add_audited("sales_order", line, business_date=str(now))
    bought = {"goods_id": first, "quantity": "10", "price": "113", "tax_rate": "13"}
    desk.add_audited("purchase_inbound", bought, business_date=str(now))
    desk.add_audited("customer_receipt", business_date=str(now), amount="50")
    refresh()
    return desk


class TestToday:
    def test_today_beside_yesterday_and_a_year_ago(self, posted: BillClient) -> None:
        mine = {"company_id": posted.world.company_a}
        found = fetch_case(posted, "today", **mine)
        assert pick_numbers(found, "bill_count", "quantity", "amount", "revenue", "profit", "receipts") == {
            "bill_count": "3",
            "quantity": "8",
            "amount": "1017",
            "revenue": "900",
            "profit": "100",
            "receipts": "50",
        }
        assert (found["margin"], found["order_count"], found["order_amount"]) == ("11.11", 1, "452.00")
        assert (
            fetch_case(posted, "yesterday", **mine)["revenue"],
            fetch_case(posted, "yesterday", **mine)["profit"],
        ) == (
            "300.00",
            "100.00",
        )
        assert fetch_case(posted, "last_year", **mine)["revenue"] == "500.00"
        days = fetch_console(posted, "getTodaySalesCaseList", **mine)["days"]
        assert len(days) == 30
        assert [(row["revenue"], row["last_year_revenue"]) for row in days[-2:]] == [
            ("300.00", "0.00"),
            ("900.00", "500.00"),
        ]

    def test_the_group_is_the_sum_of_its_companies(self, posted: BillClient) -> None:
        every = fetch_case(posted, "today")
        parts = [fetch_case(posted, "today", company_id=posted.world.ids[f"company_{mark}"]) for mark in "ab"]
        for name in ("revenue", "profit", "receipts", "quantity"):
            assert Decimal(every[name]) == sum(Decimal(part[name]) for part in parts)
        assert every["revenue"] == "1500.00"

    @pytest.mark.parametrize(
        ("user", "revenue"),
        [("manager_a", "900.00"), ("manager_b", "600.00"), ("own_a", "300.00"), ("keeper_a", "600.00")],
    )
    def test_everybody_sees_what_is_in_his_scope(self, posted: BillClient, user: str, revenue: str) -> None:
        found = fetch_case(posted, "today", user)
        assert found["revenue"] == revenue
        # What a company took in is told to those who see all of it.
        assert (found["receipts"] is None) == (user in ("own_a", "keeper_a"))

    def test_cost_stays_hidden(self, posted: BillClient) -> None:
        assert (
            fetch_case(posted, "today", "clerk_a")["profit"],
            fetch_case(posted, "today", "clerk_a")["margin"],
        ) == (
            MASK,
            MASK,
        )
        for call in FIGURES:
            assert "cost" not in str(fetch_console(posted, call, "clerk_a"))
        [ranked, *_] = fetch_console(posted, "getRankingList", "clerk_a")
        assert ranked["profit"] == MASK
        refused = posted.site.as_("clerk_a").get(f"{CONSOLE}/getRankingList", measure="profit")
        assert (refused.code, refused.msg) == (403, "您无权按“毛利”排名")

    @pytest.mark.parametrize("call", [*(f"{CONSOLE}/{name}" for name in FIGURES), f"{WALL}/getOverview"])
    def test_another_company_and_no_right_are_refused(self, posted: BillClient, call: str) -> None:
        foreign = posted.site.as_("manager_a").get(call, company_id=posted.world.company_b)
        assert (foreign.code, foreign.msg) == (403, "只能查看自己数据范围内的公司")
        assert posted.site.as_("nobody").get(call).code == 403


class TestMonth:
    def test_days_add_up_to_the_month(self, posted: BillClient, now: date) -> None:
        found = fetch_console(posted, "getMonthCctivityList", company_id=posted.world.company_a)
        assert len(found["days"]) == now.day
        month, previous, last_year = found["months"]
        for name in ("revenue", "profit", "purchase", "receipts", "payments"):
            assert Decimal(month[name]) == sum(Decimal(day[name]) for day in found["days"])
        yesterday = Decimal(300) if now.day > 1 else 0
        assert Decimal(month["revenue"]) == 900 + yesterday
        assert (month["purchase"], month["receipts"]) == ("1000.00", "50.00")
        assert Decimal(previous["revenue"]) == 0
        assert last_year["revenue"] == "500.00"

    def test_purchases_and_receipts_are_for_whole_companies(self, posted: BillClient) -> None:
        for user in ("own_a", "keeper_a"):
            [month, *_] = fetch_console(posted, "getMonthCctivityList", user)["months"]
            assert (month["purchase"], month["receipts"], month["payments"]) == (None, None, None)
            assert Decimal(month["revenue"]) > 0
            assert fetch_rows(posted, "v2/report/BusinessData", user) == []

    def test_its_days_are_listed_and_lead_to_their_lines(self, posted: BillClient, now: date) -> None:
        found = fetch_row(posted, "v2/report/BusinessData", "manager_a", day_start=str(now), day_end=str(now))
        assert pick_numbers(found, "sales", "sales_bills", "profit", "purchase", "receipts") == {
            "sales": "900",
            "sales_bills": "3",
            "profit": "100",
            "purchase": "1000",
            "receipts": "50",
        }
        every = fetch_rows(posted, "v2/report/BusinessData", day_start="2024-01-01")
        told = ("sales", "sales_bills", "sales_cost", "purchase", "receipts", "payments", "new_overdue")
        assert all(any(Decimal(row[name]) for name in told) for row in every), "days without business"
        hidden = fetch_row(posted, "v2/report/BusinessData", "clerk_a", day_start=str(now), day_end=str(now))
        assert (hidden["sales_cost"], hidden["profit"]) == (MASK, MASK)
        screen = posted.caller.get("v2/Open/Screen/getScreen", route="/system/businessData").data
        query = {name: found[field] for name, field in screen["drill"]["by"].items()}
        lines = fetch_rows(posted, "v2/report/SalesDetail", **query)
        assert sum(Decimal(line["revenue"]) for line in lines) == 900


class TestRankings:
    def test_salesmen_with_their_curves(self, posted: BillClient, now: date) -> None:
        """What no bill gives to somebody counts for the customers' salesman."""
        found = fetch_console(posted, "getSalesmanCharts", company_id=posted.world.company_a)
        assert found["days"][-1] == str(now)
        people = {person["employee_name"]: person for person in found["people"]}
        yesterday = 300 if now.day > 1 else 0
        assert Decimal(people["A员工"]["revenue"]) == 900 + yesterday
        for person in found["people"]:
            assert len(person["curve"]) == now.day
            assert person["curve"][-1] == person["revenue"]

    def test_provinces_by_the_customers(self, posted: BillClient) -> None:
        found = {row["province_name"]: row for row in fetch_console(posted, "getMonthlyProvinces")}
        assert found["江苏省"]["revenue"] == "600.00"
        assert (found["江苏省"]["customer_count"], found["江苏省"]["bill_count"]) == (1, 1)
        assert sum(Decimal(row["share"]) for row in found.values()) == pytest.approx(100, abs=Decimal("0.02"))
        [only] = fetch_console(posted, "getRankingList", type="customer", province_name="江苏省")
        assert (only["name"], only["revenue"]) == ("B客户", "600.00")
        assert [
            row["province_name"] for row in fetch_console(posted, "getMonthlyProvinces", "manager_b")
        ] == ["江苏省"]

    @pytest.mark.parametrize("kind", ["company", "goods", "customer", "brand"])
    def test_every_ranking_is_ordered_and_adds_up(self, posted: BillClient, kind: str) -> None:
        found = fetch_console(posted, "getRankingList", type=kind, num=50)
        values = [Decimal(row["revenue"]) for row in found]
        assert values == sorted(values, reverse=True)
        [month, *_] = fetch_console(posted, "getMonthCctivityList")["months"]
        assert sum(values) == Decimal(month["revenue"])
        [best] = fetch_console(posted, "getRankingList", type=kind, num=1, measure="quantity")
        assert Decimal(best["quantity"]) == max(Decimal(row["quantity"]) for row in found)

    def test_companies_of_a_manager(self, posted: BillClient) -> None:
        assert {
            row["name"] for row in fetch_console(posted, "getRankingList", "manager_a", type="company")
        } == {"A分公司"}


class TestStockWall:
    def test_it_ties_to_the_stock_reports(self, posted: BillClient) -> None:
        mine = {"company_id": posted.world.company_a}
        found = fetch_overview(posted, **mine)
        goods = fetch_rows(posted, "v2/report/InventoryInformation", **mine)
        assert Decimal(found["whole"]["quantity"]) == sum(Decimal(row["quantity"]) for row in goods)
        assert Decimal(found["whole"]["amount"]) == sum(Decimal(row["amount"]) for row in goods)
        assert sum(Decimal(row["amount"]) for row in found["aging"]) == Decimal(found["whole"]["amount"])
        assert found["months"][-1]["closing_amount"] == found["whole"]["amount"]
        assert found["by_value"]

    def test_health_by_hand(self, posted: BillClient) -> None:
        """Sold out: the third goods. Sluggish: the fourth and what else lies longer than 180 days."""
        before = [row for row in fetch_rows(posted, WALL) if row["warehouse_id"] == posted.world.warehouse_a]
        [row] = before
        assert row["province_name"] == "浙江省"
        assert row["sold_out_count"] == 1
        assert Decimal(row["sluggish_quantity"]) >= 7
        assert Decimal(row["sales_30"]) >= 3 + 2 + 4
        days = round(30 * Decimal(row["quantity"]) / Decimal(row["sales_30"]), 1)
        assert Decimal(row["cover_days"]) == days

    def test_goods_that_lie_in_several_warehouses_are_not_added_up(self, posted: BillClient) -> None:
        totals = fetch_page(posted, WALL)["totals"]
        assert {"quantity", "sluggish_quantity", "sales_30"} <= totals.keys()
        assert not {"goods_count", "sold_out_count"} & totals.keys()
        days = 30 * Decimal(totals["quantity"]) / Decimal(totals["sales_30"])
        assert Decimal(totals["cover_days"]) == round(days, 1)

    def test_its_figures_are_those_of_the_reports_that_they_lead_to(self, posted: BillClient) -> None:
        whole, role = fetch_overview(posted, "manager_a")["whole"], posted.world.role_manager_a

        def read(code: str, dataset: str, figure: str, condition: str = "true") -> Any:
            data = find_report(code).first_tab.cost.dataset(f"{dataset}_cost")
            sql = data.metric(figure).sql if figure else "count(*)"
            with open_snapshot() as conn:
                return conn.exec_driver_sql(
                    f"select {sql} from ({data.sql}) where role_id = {role} and {condition}"
                ).scalar()

        assert whole["sold_out_count"] > 0
        sold_out = read("goodsinventoryrpt", "goods_stock", "", "cover_range = '断货'")
        assert sold_out == whole["sold_out_count"]
        longer = "threshold = '180天以上' and month = (select max(month) from mart_inventory_aging)"
        told = {
            "sluggish_rate": 100 * read("sluggishstock", "sluggish_stock", "share", longer),
            "cover_days": read("goodsinventoryrpt", "goods_stock", "cover"),
            "turnover_days": read("CompanyInventoryreport", "company_stock", "turnover_days"),
        }
        assert told == {name: pytest.approx(float(whole[name]), abs=0.05) for name in told}

    def test_by_province_and_company_within_the_scope(self, posted: BillClient) -> None:
        found = fetch_overview(posted)
        assert {row["province_name"] for row in found["provinces"]} >= {"浙江省", "江苏省"}
        for parts in ("provinces", "companies"):
            assert sum(Decimal(row["amount"]) for row in found[parts]) == Decimal(found["whole"]["amount"])
        assert [row["company_name"] for row in fetch_overview(posted, "manager_b")["companies"]] == [
            "B分公司"
        ]
        kept = fetch_overview(posted, "keeper_a")["whole"]
        [place] = fetch_rows(posted, WALL, "keeper_a")
        assert (place["warehouse_id"], place["quantity"]) == (posted.world.warehouse_a, kept["quantity"])

    def test_values_stay_hidden(self, posted: BillClient) -> None:
        found = fetch_overview(posted, "clerk_a")
        assert (found["by_value"], found["whole"]["amount"], found["whole"]["sluggish_amount"]) == (
            False,
            MASK,
            MASK,
        )
        assert {row["amount"] for row in (*found["provinces"], *found["companies"], *found["aging"])} == {
            MASK
        }
        assert {row["closing_amount"] for row in found["months"]} == {MASK}

    def test_the_ticker_tells_of_bills_that_one_may_open(self, posted: BillClient, now: date) -> None:
        def ticker(user: str) -> list[dict[str, Any]]:
            answer = posted.site.as_(user).get(f"{WALL}/getTicker", num=50)
            assert answer.ok, answer
            return list(answer.data)

        last = _sell_goods(posted, now, posted.world.spares[0], 1, "226")
        newest, *_ = ticker("admin")
        assert (newest["label"], newest["bill_no"], newest["amount"]) == ("销售出库", last.no, "226.00")
        assert newest["url"].endswith(f"?id={last.id}")
        assert newest["bill_no"] in [row["bill_no"] for row in ticker("keeper_a")]
        for user in ("manager_b", "own_a"):
            assert last.no not in [row["bill_no"] for row in ticker(user)]
        assert posted.apply_action("antiAuditor", last).ok
        assert last.no not in [row["bill_no"] for row in ticker("admin")]
        assert posted.site.as_("nobody").get(f"{WALL}/getTicker").code == 403
