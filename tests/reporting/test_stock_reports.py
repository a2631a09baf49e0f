"""Stock reports over the published figures: bills are posted, the warehouse refreshed, and each report compared with
figures worked out by hand; scope, masks, freshness and exports hold as on every list."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import openpyxl
import pytest

from api.kit.database import TIME_ZONE
from api.money import cost_recalculation
from api.reporting import snapshot
from api.shell import export_job
from tests.kit.desk import Desk
from tests.kit.fixtures import Site
from tests.reporting.asking import one, page, rows, some

OUT_IN, SUMMARY = "v2/report/InventoryOutIn", "v2/report/InventorySummary"
CARD, INFORMATION, BATCHES = (
    "v2/report/StockCard",
    "v2/report/InventoryInformation",
    "v2/report/BatchSummary",
)
REPORTS = (OUT_IN, SUMMARY, CARD, INFORMATION, BATCHES)
FEBRUARY = {"day_start": "2026-02-01", "day_end": "2026-02-28"}
TODAY = datetime.now(TIME_ZONE).date()

Refresh = Callable[[], None]


def test_before_the_first_snapshot_a_report_says_so(site: Site) -> None:
    for report in REPORTS:
        for call in ("getList", "getTotals"):
            answer = site.as_("admin").get(f"{report}/{call}")
            assert (answer.status, answer.code, answer.msg) == (
                400,
                400,
                "报表数据尚未发布，请稍后再查询",
            )


@pytest.fixture(scope="module")
def posted(desk: Desk, refresh: Refresh) -> Desk:
    """Of the first spare, in company A: 10 at 100 come in January; in February 10 at 200 are bought, 4 sold, 5 sent to
    the other warehouse, 1 comes back, and the other warehouse gets 5 at 400. Company B has 3.

    Of the second: 10 at 100, 4 sold in March; then 10 at 200 and 10 at 50 are dated before the sale, each recalculated.
    """
    world = desk.world
    first, second = world.spares[:2]
    desk.stock_in(first, 10, business_date="2026-01-10")
    _buy(desk, first, "226", "2026-02-05")
    _sell(desk, first, "2026-02-10")
    line = {"goods_id": first, "quantity": "5"}
    desk.audited(
        "transfer_out", line, to_warehouse_id=world.warehouse2_a, business_date="2026-02-12", reason="备货"
    )
    desk.audited(
        "sales_return", {"goods_id": first, "quantity": "1", "price": "300"}, business_date="2026-02-15"
    )
    desk.stock_in(first, 5, "452", business_date="2026-02-20", warehouse_id=world.warehouse2_a)
    desk.stock_in(
        first, 3, business_date="2026-02-20", company_id=world.company_b, warehouse_id=world.warehouse_b
    )
    desk.stock_in(second, 10, business_date="2026-01-10")
    _sell(desk, second, "2026-03-10")
    for price, day in (("226", "2026-02-10"), ("56.5", "2026-02-11")):
        _buy(desk, second, price, day)
        asked = {"company_id": world.company_a, "period": "2026-02"}
        started = desk.caller.post("v2/system/CostRecalculate/start", asked)
        assert started.ok, started
        cost_recalculation.run(started.data["recalculation_id"])
    desk.stock_in(world.tyre, 8, business_date="2026-02-20", batch="0124")
    _sell(desk, world.tyre, TODAY.isoformat(), "2")
    refresh()
    return desk


def _buy(desk: Desk, goods: int, price: str, day: str) -> None:
    line = {"goods_id": goods, "quantity": "10", "price": price, "tax_rate": "13"}
    desk.audited("purchase_inbound", line, business_date=day)


def _sell(desk: Desk, goods: int, day: str, quantity: str = "4") -> None:
    line = {"goods_id": goods, "quantity": quantity, "price": "300", "tax_rate": "13"}
    desk.audited("sales_outbound", line, business_date=day)


class TestOutIn:
    def test_a_month_of_a_warehouse(self, posted: Desk) -> None:
        world = posted.world
        found = one(posted, OUT_IN, goods_id=world.spares[0], warehouse_id=world.warehouse_a, **FEBRUARY)
        quantities = {name: value for name, value in found.items() if name.endswith("_quantity")}
        assert {name: Decimal(value) for name, value in quantities.items() if Decimal(value)} == {
            "opening_quantity": 10,
            "purchase_in_quantity": 10,
            "sale_in_quantity": 1,
            "in_quantity": 11,
            "sale_out_quantity": 4,
            "transfer_out_quantity": 5,
            "out_quantity": 9,
            "closing_quantity": 12,
        }
        amounts = {name: Decimal(value) for name, value in found.items() if name.endswith("_amount")}
        # Of 22 on hand worth 4,550, 12 lie here.
        closing = round(Decimal(4550) * 12 / 22, 2)
        assert {name: value for name, value in amounts.items() if value} == {
            "opening_amount": 1000,
            "purchase_in_amount": 2000,
            "sale_in_amount": 150,
            "revaluation_amount": closing - 1800,
            "in_amount": 2150 + closing - 1800,
            "sale_out_amount": 600,
            "transfer_out_amount": 750,
            "out_amount": 1350,
            "closing_amount": closing,
        }

    def test_a_company_gains_nothing_by_its_average(self, posted: Desk) -> None:
        totals = page(
            posted,
            OUT_IN,
            goods_id=posted.world.spares[0],
            company_id=posted.world.company_a,
            **FEBRUARY,
        )["totals"]
        assert some(totals, "opening_amount", "in_amount", "out_amount", "closing_amount") == {
            "opening_amount": "1000",
            "in_amount": "4900",
            "out_amount": "1350",
            "closing_amount": "4550",
        }
        assert some(totals, "revaluation_amount", "transfer_in_amount", "other_in_amount") == {
            "revaluation_amount": "0",
            "transfer_in_amount": "750",
            "other_in_amount": "2000",
        }

    @pytest.mark.parametrize("first", ["2026-01-02", "2026-02-06", "2026-02-12", "2026-02-20", "2026-03-10"])
    @pytest.mark.parametrize("days", [0, 8, 40, 400])
    def test_any_days_tie(self, posted: Desk, first: str, days: int) -> None:
        """opening + in − out = closing in every row and in total; the parts make up the sums."""
        last = date.fromisoformat(first) + timedelta(days)
        found = page(posted, OUT_IN, day_start=first, day_end=last.isoformat())
        kinds = ("purchase", "sale", "transfer", "stocktake", "other")
        assert found["total"] == len(found["data"]) > 0
        for row in [*found["data"], found["totals"]]:
            value = {name: Decimal(row[name]) for name in found["totals"]}
            for measure in ("quantity", "amount"):
                moved = value[f"in_{measure}"] - value[f"out_{measure}"]
                assert value[f"opening_{measure}"] + moved == value[f"closing_{measure}"]
                more = value["adjustment_amount"] + value["revaluation_amount"] if measure == "amount" else 0
                assert value[f"in_{measure}"] == more + sum(value[f"{kind}_in_{measure}"] for kind in kinds)
                assert value[f"out_{measure}"] == sum(value[f"{kind}_out_{measure}"] for kind in kinds)
        for name, total in found["totals"].items():
            assert Decimal(total) == sum(Decimal(row[name]) for row in found["data"])

    def test_a_closing_is_the_next_opening(self, posted: Desk) -> None:
        def figures(side: str, **days: str) -> dict[int, tuple[str, str]]:
            found = rows(posted, OUT_IN, **days)
            kept = [row for row in found if Decimal(row[f"{side}_quantity"])]
            return {
                row["inventory_out_in_id"]: (row[f"{side}_quantity"], row[f"{side}_amount"]) for row in kept
            }

        before = figures("closing", day_end="2026-02-14")
        assert before == figures("opening", day_start="2026-02-15", day_end="2026-02-15")
        assert before

    def test_a_correction_counts_with_the_issue_it_corrects(self, posted: Desk) -> None:
        """4 of 30 worth 3,500; the second correction gave some of the first one's cost back."""
        goods = posted.world.spares[1]
        found = one(posted, OUT_IN, goods_id=goods, day_start="2026-03-01", day_end="2026-03-31")
        assert some(found, "opening_amount", "in_amount", "out_amount", "sale_out_amount") == {
            "opening_amount": "3500",
            "in_amount": "0",
            "out_amount": "466.67",
            "sale_out_amount": "466.67",
        }

    def test_what_was_all_taken_back_is_no_row_and_sold_out_is_one(
        self, posted: Desk, refresh: Refresh
    ) -> None:
        """Places without stock at either end of the days are counted by their moves."""
        world = posted.world
        taken_back, sold_out = world.spares[4:6]
        assert posted.act("antiAuditor", posted.stock_in(taken_back, 2, business_date="2026-02-02")).ok
        posted.stock_in(sold_out, 1, business_date="2026-02-03")
        posted.audited(
            "transfer_out",
            {"goods_id": sold_out, "quantity": "1"},
            to_warehouse_id=world.warehouse2_a,
            business_date="2026-02-04",
            reason="备货",
        )
        refresh()
        assert page(posted, OUT_IN, goods_id=taken_back, **FEBRUARY)["total"] == 0
        found = page(posted, OUT_IN, goods_id=sold_out, warehouse_id=world.warehouse_a, **FEBRUARY)
        assert found["total"] == len(found["data"]) == 1
        assert some(
            found["data"][0], "opening_quantity", "in_quantity", "out_quantity", "closing_quantity"
        ) == {
            "opening_quantity": "0",
            "in_quantity": "1",
            "out_quantity": "1",
            "closing_quantity": "0",
        }

    def test_without_days_it_is_everything_until_today(self, posted: Desk) -> None:
        found = one(posted, OUT_IN, goods_id=posted.world.tyre, company_id=posted.world.company_a)
        assert some(found, "opening_quantity", "in_quantity", "out_quantity", "closing_quantity") == {
            "opening_quantity": "0",
            "in_quantity": "8",
            "out_quantity": "2",
            "closing_quantity": "6",
        }

    def test_its_page_opens_with_this_month_and_leads_to_the_card(self, posted: Desk) -> None:
        screen = posted.caller.get("v2/Open/Screen/getScreen", route="/report/inventoryoutin").data
        assert screen["usual"] == {
            "day_start": TODAY.replace(day=1).isoformat(),
            "day_end": TODAY.isoformat(),
        }
        row = rows(posted, OUT_IN, **FEBRUARY)[0]
        query = {name: row[field] for name, field in screen["drill"]["by"].items()}
        assert query["business_date_start"] == "2026-02-01"
        assert query["business_date_end"] == "2026-02-28"
        moves = rows(posted, CARD, **query)
        assert moves[-1]["balance_quantity"] == row["closing_quantity"]
        assert moves[-1]["balance_amount"] == row["closing_amount"]


class TestCard:
    def test_moves_in_business_order_with_their_balance(self, posted: Desk) -> None:
        world = posted.world
        found = rows(
            posted,
            CARD,
            goods_id=world.spares[0],
            warehouse_id=world.warehouse_a,
            business_date_start="2026-02-01",
            business_date_end="2026-02-28",
        )
        told = [
            (
                row["business_date"][-2:],
                row["entry"],
                row["bill_name"],
                *some(row, "balance_quantity", "balance_amount").values(),
            )
            for row in found
        ]
        assert told == [
            ("01", 0, None, "10", "1000"),
            ("05", 1, "采购入库", "20", "3000"),
            ("10", 1, "销售出库", "16", "2400"),
            ("12", 1, "仓库调拨", "11", "1650"),
            ("15", 1, "销售退货", "12", "1800"),
            ("28", 2, None, "12", "2481.82"),
        ]
        assert [row["unit_cost"] for row in found][:2] == ["100.000000", "150.000000"]
        assert all((row["route"] or "").startswith("/") == (row["entry"] == 1) for row in found)

    def test_every_card_ends_at_the_closing_stock(self, posted: Desk) -> None:
        ends = {
            (row["warehouse_id"], row["goods_id"]): (row["balance_quantity"], row["balance_amount"])
            for row in rows(posted, CARD, business_date_start="2026-02-06")
        }
        closings = {
            (row["warehouse_id"], row["goods_id"]): (row["closing_quantity"], row["closing_amount"])
            for row in rows(posted, OUT_IN, day_start="2026-02-06")
        }
        assert ends == closings

    def test_a_difference_follows_the_issue(self, posted: Desk) -> None:
        found = rows(posted, CARD, goods_id=posted.world.spares[1], business_date_start="2026-03-01")
        assert [(row["in_amount"], row["out_amount"]) for row in found] == [
            (None, None),
            (None, "400.00"),
            (None, "200.00"),
            (None, "-133.33"),
        ]


class TestSummary:
    def test_by_warehouse_on_a_day(self, posted: Desk) -> None:
        world = posted.world
        found = rows(posted, SUMMARY, goods_id=world.spares[0], as_of_end="2026-02-14")
        assert {row["warehouse_name"]: (row["quantity"], row["amount"]) for row in found} == {
            "A仓": ("11.000", "1650.00"),
            "A分公司在途": ("5.000", "750.00"),
        }
        assert {row["amount_share"] for row in found} == {"68.7500", "31.2500"}

    def test_by_company(self, posted: Desk) -> None:
        found = rows(posted, SUMMARY, goods_id=posted.world.spares[0], grouping="1")
        assert {row["company_name"]: (row["quantity"], row["goods_count"]) for row in found} == {
            "A分公司": ("22.000", 1),
            "B分公司": ("3.000", 1),
        }
        assert {row["warehouse_name"] for row in found} == {None}

    def test_groupings_go_together(self, posted: Desk) -> None:
        """By company and brand at once; the total is that of any grouping."""
        both = page(posted, SUMMARY, grouping="1,4")
        assert {(row["company_name"], row["brand_name"]) for row in both["data"]} >= {("A分公司", "米其林")}
        for grouping in ("1", "2", "3", "4"):
            assert page(posted, SUMMARY, grouping=grouping)["totals"] == both["totals"]

    def test_shares_are_of_what_one_may_see(self, posted: Desk) -> None:
        for user in ("manager_a", "keeper_a"):
            found = rows(posted, SUMMARY, user, grouping="2")
            assert abs(sum(Decimal(row["amount_share"]) for row in found) - 100) < Decimal("0.001")


class TestInformation:
    def test_history_and_cover(self, posted: Desk) -> None:
        found = one(posted, INFORMATION, goods_id=posted.world.tyre)
        assert some(found, "quantity", "unit_cost", "amount", "sales_30", "sales_90", "cover_days") == {
            "quantity": "6",
            "unit_cost": "100",
            "amount": "600",
            "sales_30": "2",
            "sales_90": "2",
            "cover_days": "270",
        }
        assert (found["first_receipt_date"], found["last_in_date"]) == ("2026-02-20", "2026-02-20")
        assert found["last_sale_date"] == TODAY.isoformat()

    def test_what_never_sold_has_no_cover(self, posted: Desk) -> None:
        found = one(posted, INFORMATION, goods_id=posted.world.spares[0], company_id=posted.world.company_b)
        assert (found["last_sale_date"], found["cover_days"]) == (None, None)


class TestBatches:
    def test_received_issued_held_and_age(self, posted: Desk) -> None:
        found = one(posted, BATCHES, goods_id=posted.world.tyre, quantity_start="1")
        assert found["batch"] == "0124"
        assert some(found, "in_quantity", "out_quantity", "quantity", "amount") == {
            "in_quantity": "8",
            "out_quantity": "2",
            "quantity": "6",
            "amount": "600",
        }
        monday = TODAY - timedelta(TODAY.weekday())
        assert found["age_weeks"] == (monday - date(2024, 1, 1)).days // 7


class TestRights:
    @pytest.mark.parametrize("report", REPORTS)
    def test_a_branch_sees_its_company_and_no_cost(self, posted: Desk, report: str) -> None:
        found = page(posted, report, "clerk_a")
        assert {row["company_name"] for row in found["data"]} == {"A分公司"}
        whole = page(posted, report)
        costly = [name for name in whole["data"][0] if name.endswith(("amount", "cost", "amount_share"))]
        assert costly
        assert {row[name] for row in found["data"] for name in costly} == {"无权限"}
        assert not set(costly) & found["totals"].keys()
        for name in costly:
            refused = posted.site.as_("clerk_a").get(f"{report}/getList", order_key=name)
            assert refused.code == 400

    @pytest.mark.parametrize("report", REPORTS)
    def test_a_keeper_sees_his_warehouse(self, posted: Desk, report: str) -> None:
        seen = {row["warehouse_name"] for row in rows(posted, report, "keeper_a")}
        assert seen == {"A仓"}

    def test_a_record_out_of_scope_is_not_there(self, posted: Desk) -> None:
        key = one(posted, INFORMATION, goods_id=posted.world.tyre)["inventory_information_id"]
        assert posted.site.as_("manager_a").get(f"{INFORMATION}/getInfo", id=key).ok
        assert posted.site.as_("manager_b").get(f"{INFORMATION}/getInfo", id=key).code == 400

    def test_figures_without_documents_are_closed_to_who_sees_only_his_own(
        self, posted: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from api.reporting.inventory_information import InventoryInformation

        assert page(posted, INFORMATION, "own_a")["total"] > 0
        monkeypatch.setattr(InventoryInformation, "everyones", False)
        for user in ("own_a", "department_a"):
            assert page(posted, INFORMATION, user)["total"] == 0
        assert page(posted, INFORMATION, "manager_a")["total"] > 0


class TestList:
    @pytest.mark.parametrize("report", REPORTS)
    @pytest.mark.parametrize("keyword", ["TYRE", "295/80R22", "MQL"])
    def test_goods_are_found_by_what_they_are_known_by(self, posted: Desk, report: str, keyword: str) -> None:
        by_keyword = page(posted, report, keyword=keyword)
        by_goods = page(posted, report, goods_id=posted.world.tyre)
        assert by_keyword["total"] == by_goods["total"] > 0
        assert by_keyword["totals"] == by_goods["totals"]

    @pytest.mark.parametrize(
        "order", [{}, {"order_key": "warehouse_id", "order_by": "desc"}], ids=["usual", "asked"]
    )
    @pytest.mark.parametrize("report", REPORTS)
    def test_its_pages_are_the_list_and_add_up_to_its_totals(
        self, posted: Desk, report: str, order: dict[str, str]
    ) -> None:
        """Also where a page is found before its rows are worked out, and what is counted isn't what is shown."""
        days = "business_date" if report == CARD else "day"
        asked = {} if report in (INFORMATION, BATCHES) else {f"{days}_start": "2026-02-06"}
        whole = page(posted, report, **asked, **order)
        pieces = [
            posted.caller.get(f"{report}/getList", per_page=3, page=number, **asked, **order).data
            for number in range(1, whole["total"] // 3 + 2)
        ]
        assert [row for piece in pieces for row in piece["data"]] == whole["data"]
        assert {piece["total"] for piece in pieces} == {whole["total"]} == {len(whole["data"])}
        assert len(whole["data"]) > 3 and whole["totals"]
        sums = {name: sum(Decimal(row[name] or 0) for row in whole["data"]) for name in whole["totals"]}
        assert sums == {name: Decimal(value) for name, value in whole["totals"].items()}

    @pytest.mark.parametrize("report", REPORTS)
    def test_it_says_how_fresh_it_is(self, posted: Desk, report: str) -> None:
        now = datetime.now(TIME_ZONE)
        told = datetime.fromisoformat(page(posted, report)["refreshed_at"]).replace(tzinfo=TIME_ZONE)
        assert now - timedelta(minutes=20) < told <= now

    def test_a_newer_snapshot_shows_at_once(self, posted: Desk, refresh: Refresh) -> None:
        goods = posted.world.spares[2]
        posted.stock_in(goods, 7, business_date="2026-02-01")
        assert rows(posted, INFORMATION, goods_id=goods) == []
        refresh()
        assert one(posted, INFORMATION, goods_id=goods)["quantity"] == "7.000"


class TestExport:
    def test_the_whole_filter_is_written_masked_and_from_one_snapshot(
        self, posted: Desk, refresh: Refresh, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Newer figures that are published, and old ones removed, while the export reads don't change it."""
        clerk = posted.site.as_("clerk_a")
        asked = clerk.post(f"{CARD}/export", query={"business_date_start": "2026-01-01"})
        assert asked.ok, asked
        expected = page(posted, CARD, "clerk_a", business_date_start="2026-01-01")
        real = export_job.write_workbook

        def interrupted(path: Any, title: str, fields: Any, rows: Any, **more: Any) -> int:
            first = next(rows)
            for _ in range(4):
                posted.stock_in(posted.world.spares[3], 1, business_date="2026-02-02")
                refresh()
            return real(path, title, fields, iter([first, *rows]), **more)

        monkeypatch.setattr(export_job, "write_workbook", interrupted)
        monkeypatch.setattr(export_job, "CHUNK", 2)
        export_job.export(export_id=asked.data["export_id"])
        sheet = openpyxl.load_workbook(export_job.file_of(asked.data["export_id"])).worksheets[0]
        heading, *written, sums = [[cell.value for cell in row] for row in sheet.iter_rows()]
        received = heading.index("入库数量")
        assert (sums[0], sums[received]) == ("合计", sum(row[received] or 0 for row in written))
        assert len(written) == expected["total"] > 8
        assert "结存金额" not in heading
        assert {row[heading.index("公司")] for row in written} == {"A分公司"}
        balances = [str(Decimal(str(row[heading.index("结存数量")]))) for row in written]
        assert [Decimal(value) for value in balances] == [
            Decimal(row["balance_quantity"]) for row in expected["data"]
        ]


def test_a_snapshot_of_an_older_version_says_so(posted: Desk) -> None:
    with snapshot.published() as conn:
        path = conn.engine.url.database
    assert path
    answer = None
    from api.reporting.batch_summary import BatchSummary

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BatchSummary, "source", classmethod(lambda *_: ("select * from facts.fct_gone", {})))
        answer = posted.caller.get(f"{BATCHES}/getList")
    assert (answer.code, answer.msg) == (400, "报表数据正在按新版本重新计算，请稍后再查询")
