"""Stock reports as lists: scope, masks, pages, freshness and exports hold as on every list."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import openpyxl
import pytest
from sqlalchemy.exc import ProgrammingError

from api.kit.storage.database import TIME_ZONE
from api.reporting.snapshot import snapshot_connection
from api.shell.files import export_job
from tests.reporting.report_client import fetch_page, fetch_row, fetch_rows
from tests.reporting.stock_scenario import (
    BATCHES,
    CARD,
    INFORMATION,
    REPORTS,
    Refresh,
)
from tests.support.bill_client import BillClient

PRESENT = ("v2/inventory/InventorySummer", "v2/inventory/InventoryGoods", "v2/inventory/CostPrice")
"""Reports that read the books."""


class TestTypes:
    @pytest.mark.parametrize("report", [*REPORTS, *PRESENT])
    def test_a_type_stands_for_those_below_it(self, stocked: BillClient, report: str) -> None:
        """As in every list, whether rows are published or read off the books."""
        world = stocked.world
        below = fetch_rows(stocked, report, goods_type_id=world.type2)
        assert below
        assert fetch_rows(stocked, report, goods_type_id=world.type1) == below
        assert fetch_rows(stocked, report, goods_type_id=f"{world.type1},{world.type2}") == below


class TestRights:
    @pytest.mark.parametrize("report", REPORTS)
    def test_a_branch_sees_its_company_and_no_cost(self, stocked: BillClient, report: str) -> None:
        found = fetch_page(stocked, report, "clerk_a")
        assert {row["company_name"] for row in found["data"]} == {"A分公司"}
        whole = fetch_page(stocked, report)
        costly = [name for name in whole["data"][0] if name.endswith(("amount", "cost", "amount_share"))]
        assert costly
        assert {row[name] for row in found["data"] for name in costly} == {"无权限"}
        assert not set(costly) & found["totals"].keys()
        for name in costly:
            refused = stocked.site.as_("clerk_a").get(f"{report}/getList", order_key=name)
            assert refused.code == 400

    @pytest.mark.parametrize("report", REPORTS)
    def test_a_keeper_sees_his_warehouse(self, stocked: BillClient, report: str) -> None:
        seen = {row["warehouse_name"] for row in fetch_rows(stocked, report, "keeper_a")}
        assert seen == {"A仓"}

    def test_a_keeper_is_told_of_a_move_without_the_bill_of_another_warehouse(
        self, stocked: BillClient, refresh: Refresh
    ) -> None:
        """What left another warehouse for his is on his card, by a bill that he may not open."""
        world, goods = stocked.world, stocked.world.spares[12]
        day, line = {"business_date": "2026-02-03"}, {"goods_id": goods, "quantity": "2"}
        other, spoilt = ({"warehouse_id": key} for key in (world.warehouse2_a, world.warehouse4_a))
        stocked.stock_in(goods, 5, **other, **day)
        stocked.add_audited("defective", line, to_warehouse_id=world.warehouse4_a, kind=1, **other, **day)
        brought = stocked.add_audited(
            "defective", line, to_warehouse_id=world.warehouse_a, kind=2, **spoilt, **day
        )
        taken = stocked.add_audited("other_outbound", line, business_date="2026-02-04")
        refresh()
        asked = {"goods_id": goods, "business_date_start": "2026-02-01", "business_date_end": "2026-02-28"}
        told = [
            [
                (row["bill_no"], row["route"] is None, row["balance_quantity"])
                for row in fetch_rows(stocked, CARD, user, warehouse_id=world.warehouse_a, **asked)
            ]
            for user in ("keeper_a", "manager_a")
        ]
        assert told == [
            [(number, number == "无权限", balance) for number, balance in moves]
            for moves in (
                [("无权限", "2.000"), (taken.no, "0.000")],
                [(brought.no, "2.000"), (taken.no, "0.000")],
            )
        ]

    @pytest.mark.parametrize("user", ["own_a", "department_a"])
    def test_moves_are_not_told_to_who_sees_only_some_bills(self, stocked: BillClient, user: str) -> None:
        refused = stocked.site.as_(user).get(f"{CARD}/getList")
        assert (refused.code, "不限于您的数据范围" in refused.msg) == (403, True)

    def test_a_record_out_of_scope_is_not_there(self, stocked: BillClient) -> None:
        key = fetch_row(stocked, INFORMATION, goods_id=stocked.world.tyre)["inventory_information_id"]
        assert stocked.site.as_("manager_a").get(f"{INFORMATION}/getInfo", id=key).ok
        assert stocked.site.as_("manager_b").get(f"{INFORMATION}/getInfo", id=key).code == 400

    def test_figures_without_documents_are_closed_to_who_sees_only_his_own(
        self, stocked: BillClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from api.reporting.lists.stock.inventory_information import InventoryInformation

        assert fetch_page(stocked, INFORMATION, "own_a")["total"] > 0
        monkeypatch.setattr(InventoryInformation, "is_for_everyone", False)
        for user in ("own_a", "department_a"):
            assert fetch_page(stocked, INFORMATION, user)["total"] == 0
        assert fetch_page(stocked, INFORMATION, "manager_a")["total"] > 0


class TestList:
    @pytest.mark.parametrize("report", REPORTS)
    @pytest.mark.parametrize("keyword", ["TYRE", "295/80R22", "MQL"])
    def test_goods_are_found_by_what_they_are_known_by(
        self, stocked: BillClient, report: str, keyword: str
    ) -> None:
        by_keyword = fetch_page(stocked, report, keyword=keyword)
        by_goods = fetch_page(stocked, report, goods_id=stocked.world.tyre)
        assert by_keyword["total"] == by_goods["total"] > 0
        assert by_keyword["totals"] == by_goods["totals"]

    @pytest.mark.parametrize(
        "order", [{}, {"order_key": "warehouse_id", "order_by": "desc"}], ids=["usual", "asked"]
    )
    @pytest.mark.parametrize("report", REPORTS)
    def test_its_pages_are_the_list_and_add_up_to_its_totals(
        self, stocked: BillClient, report: str, order: dict[str, str]
    ) -> None:
        """Also where a page is found before its rows are worked out, and what is counted isn't what is shown."""
        days = "business_date" if report == CARD else "day"
        asked = {} if report in (INFORMATION, BATCHES) else {f"{days}_start": "2026-02-06"}
        whole = fetch_page(stocked, report, **asked, **order)
        pieces = [
            stocked.caller.get(f"{report}/getList", per_page=3, page=number, **asked, **order).data
            for number in range(1, whole["total"] // 3 + 2)
        ]
        assert [row for piece in pieces for row in piece["data"]] == whole["data"]
        assert {piece["total"] for piece in pieces} == {whole["total"]} == {len(whole["data"])}
        assert len(whole["data"]) > 3 and whole["totals"]
        sums = {name: Decimal(value) for name, value in whole["totals"].items() if name != "cover_days"}
        assert sums == {name: sum(Decimal(row[name] or 0) for row in whole["data"]) for name in sums}

    @pytest.mark.parametrize("report", REPORTS)
    def test_it_says_how_fresh_it_is(self, stocked: BillClient, report: str) -> None:
        now = datetime.now(TIME_ZONE)
        told = datetime.fromisoformat(fetch_page(stocked, report)["refreshed_at"]).replace(tzinfo=TIME_ZONE)
        assert now - timedelta(minutes=20) < told <= now

    def test_a_newer_snapshot_shows_at_once(self, stocked: BillClient, refresh: Refresh) -> None:
        goods = stocked.world.spares[2]
        stocked.stock_in(goods, 7, business_date="2026-02-01")
        assert fetch_rows(stocked, INFORMATION, goods_id=goods) == []
        refresh()
        assert fetch_row(stocked, INFORMATION, goods_id=goods)["quantity"] == "7.000"


class TestExport:
    def test_the_whole_filter_is_written_masked_and_from_one_snapshot(
        self, stocked: BillClient, refresh: Refresh, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Newer figures that are published, and old ones removed, while the export reads don't change it."""
        clerk = stocked.site.as_("clerk_a")
        asked = clerk.post(f"{CARD}/export", query={"business_date_start": "2026-01-01"})
        assert asked.ok, asked
        expected = fetch_page(stocked, CARD, "clerk_a", business_date_start="2026-01-01")
        real = export_job.write_workbook

        def interrupted(path: Any, title: str, fields: Any, rows: Any, **more: Any) -> int:
            first = next(rows)
            for _ in range(4):
                stocked.stock_in(stocked.world.spares[3], 1, business_date="2026-02-02")
                refresh()
            return real(path, title, fields, iter([first, *rows]), **more)

        monkeypatch.setattr(export_job, "write_workbook", interrupted)
        monkeypatch.setattr(export_job, "CHUNK", 2)
        export_job.export_list(export_id=asked.data["export_id"])
        sheet = openpyxl.load_workbook(export_job.export_path(asked.data["export_id"])).worksheets[0]
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


def test_a_snapshot_of_an_older_version_says_so(stocked: BillClient) -> None:
    with snapshot_connection.open_snapshot() as conn:
        path = conn.engine.url.database
    assert path
    answer = None
    from api.reporting.lists.stock.batch_summary import BatchSummary

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshot_connection, "project_digest", lambda: "of another version")
        patch.setattr(BatchSummary, "source", classmethod(lambda *_: ("select * from facts.fct_gone", {})))
        answer = stocked.caller.get(f"{BATCHES}/getList")
    assert (answer.code, answer.msg) == (400, "报表数据正在按新版本重新计算，请稍后再查询")


@pytest.mark.parametrize("broken", ["select * from facts.fct_gone", "select gone from refreshed_at"])
def test_what_a_snapshot_of_this_version_lacks_is_no_matter_of_waiting(
    stocked: BillClient, broken: str
) -> None:
    with pytest.raises(ProgrammingError, match="gone"), snapshot_connection.open_snapshot() as conn:
        conn.exec_driver_sql(broken)
