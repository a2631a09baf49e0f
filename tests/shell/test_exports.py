"""Exports: every filtered row, texts that stay texts, rights of the asker at the moment of the work."""

from __future__ import annotations

import os
import time
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from sqlalchemy import text

from api.kit.declaration import registry
from api.reporting.lists.sales.coupon_analysis import CouponAnalysis
from api.shell import jobs
from api.shell.files import export_job
from api.shell.files.export_tasks import DONE, FAILED
from tests.support.bill_client import BillClient
from tests.support.client import Caller
from tests.support.fixtures import Site
from tests.support.world import insert_recalculation

UNITS = "v2/system/Unit"
DANGEROUS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "http://x.cn", "00123", '=HYPERLINK("x")']


def request_export(caller: Caller, api: str, **query: Any) -> int:
    answer = caller.post(f"{api}/export", query=query)
    assert answer.ok, answer
    key: int = answer.data["export_id"]
    return key


def read_task(site: Site, user: str, key: int) -> dict[str, Any]:
    rows = site.as_(user).get("v2/open/ExportLog/getExportLogList").data["data"]
    [row] = [row for row in rows if row["export_id"] == key]
    found: dict[str, Any] = row
    return found


def read_cells(key: int) -> list[list[Any]]:
    sheet = openpyxl.load_workbook(export_job.export_path(key)).worksheets[0]
    return [[cell.value for cell in row] for row in sheet.iter_rows()]


class TestExport:
    def test_dangerous_texts_stay_texts(self, site: Site) -> None:
        admin = site.as_("admin")
        for name in DANGEROUS:
            assert admin.post(f"{UNITS}/add", {"unit_name": name}).ok
        key = request_export(admin, UNITS, order_key="unit_id", order_by="asc")
        export_job.export_list(export_id=key)
        stored = [row["unit_name"] for row in admin.get(f"{UNITS}/getList", per_page=500).data["data"]]
        assert sorted(row[0] for row in read_cells(key)[1:]) == sorted(stored)
        with zipfile.ZipFile(export_job.export_path(key)) as book:
            sheet = book.read("xl/worksheets/sheet1.xml").decode()
        assert "<f>" not in sheet
        assert "hyperlink" not in sheet

    def test_numbers_stay_numbers(self, site: Site) -> None:
        key = request_export(site.as_("admin"), "v2/custom/Customer", order_key="customer_id", order_by="asc")
        export_job.export_list(export_id=key)
        heading, *rows = read_cells(key)
        assert {row[heading.index("账期（天）")] for row in rows} == {15}
        assert {row[heading.index("公司")] for row in rows} == {"A分公司", "B分公司"}

    def test_a_full_sheet_goes_on_in_the_next(self, tmp_path: Path) -> None:
        fields = [item for item in registry.get_resource("unit").fields() if item.name == "unit_name"]
        rows = iter([{"unit_name": f"U{n}"} for n in range(5)])
        assert export_job.write_workbook(tmp_path / "x.xlsx", "计量单位", fields, rows, sheet_rows=2) == 5
        sheets = openpyxl.load_workbook(tmp_path / "x.xlsx").worksheets
        found = [[cell.value for cell in sheet["A"]] for sheet in sheets]
        assert found == [["单位名称", "U0", "U1"], ["单位名称", "U2", "U3"], ["单位名称", "U4"]]

    def test_the_filter_of_the_list_is_the_exports(self, site: Site) -> None:
        key = request_export(site.as_("admin"), "v2/custom/Customer", company_id=str(site.world.company_b))
        export_job.export_list(export_id=key)
        assert len(read_cells(key)) == 5

    def test_when_done_it_is_downloaded_by_its_asker_alone(self, site: Site) -> None:
        manager = site.as_("manager_a")
        key = request_export(manager, UNITS)
        path = "/v2/open/ExportLog/download"
        early = manager.get(path, export_id=key)
        assert (early.code, early.msg) == (400, "导出文件不存在或无权访问")
        assert read_task(site, "manager_a", key)["url"] == ""
        export_job.export_list(export_id=key)
        row = read_task(site, "manager_a", key)
        assert row["export_status"] == DONE
        got = manager.raw("GET", row["url"])
        assert got.status_code == 200
        assert got.content[:2] == b"PK"
        assert got.headers["cache-control"] == "no-store"
        assert site.as_("admin").get(path, export_id=key).code == 400

    def test_another_filter_is_another_export(self, site: Site) -> None:
        admin, path, key = site.as_("admin"), f"{UNITS}/export", "export-by-filter"
        first = admin.post(path, query={"unit_name": "条", "timeStamp": 1}, key=key)
        again = admin.post(path, query={"timeStamp": 2, "unit_name": "条"}, key=key)
        assert (first.ok, again.data) == (True, first.data)
        other = admin.post(path, query={"unit_name": "箱", "timeStamp": 3}, key=key)
        assert (other.code, other.msg) == (400, "同一请求标识不能用于不同的内容，请刷新页面后重试")

    def test_a_right_lost_meanwhile_stops_it(self, site: Site) -> None:
        key = request_export(site.as_("own_a"), UNITS)
        # The run's databases share one data directory, and number their exports alike.
        export_job.export_path(key).unlink(missing_ok=True)
        with site.engine.begin() as conn:
            where = {"role": site.world.role_own_a}
            conn.execute(text("delete from role_right where role_id = :role and code = 'unit:export'"), where)
            conn.execute(text("update role set version = version + 1 where role_id = :role"), where)
        export_job.export_list(export_id=key)
        row = read_task(site, "own_a", key)
        assert (row["export_status"], row["failure"]) == (FAILED, "您没有此列表的导出权限")
        assert not export_job.export_path(key).exists()

    def test_a_right_lost_since_keeps_the_file_here(self, site: Site) -> None:
        caller, path = site.as_("manager_b"), "/v2/open/ExportLog/download"
        key = request_export(caller, UNITS)
        export_job.export_list(export_id=key)
        assert caller.raw("GET", path, query={"export_id": key}).status_code == 200
        with site.engine.begin() as conn:
            where = {"role": site.world.role_manager_b}
            conn.execute(text("delete from role_right where role_id = :role and code = 'unit:export'"), where)
            conn.execute(text("update role set version = version + 1 where role_id = :role"), where)
        answer = caller.get(path, export_id=key)
        assert (answer.code, answer.msg) == (403, "您已没有导出或查看这些数据的权限")

    def test_a_disabled_asker_gets_nothing(self, site: Site) -> None:
        key = request_export(site.as_("own2_a"), UNITS)
        change = text("update user_account set enabled = :enabled where user_name = 'own2_a'")
        with site.engine.begin() as conn:
            conn.execute(change, {"enabled": False})
        export_job.export_list(export_id=key)
        with site.engine.begin() as conn:
            conn.execute(change, {"enabled": True})
        assert read_task(site, "own2_a", key)["export_status"] == FAILED

    def test_a_refused_filter_is_told_in_the_list(self, site: Site) -> None:
        key = request_export(site.as_("admin"), UNITS, order_key="no_such_field")
        export_job.export_list(export_id=key)
        row = read_task(site, "admin", key)
        assert (row["export_status"], row["failure"]) == (FAILED, "不能按该字段排序")

    def test_filters_moment_and_totals_stand_in_the_file(self, site: Site, desk: BillClient) -> None:
        """Habit 13: the filters printed in the file; the footer totals the whole filter."""
        desk.stock_in(site.world.tube, 2, "113")
        desk.stock_in(site.world.tube, 3, "226")
        company = str(site.world.company_a)
        query = {"company_id": company, "status": "2", "business_date_start": "2026-01-02", "keyword": "QTRK"}
        key = request_export(site.as_("admin"), "v2/inventory/OtherInStorage", **query)
        export_job.export_list(export_id=key)
        book = openpyxl.load_workbook(export_job.export_path(key))
        told = {row[0].value: row[1].value for row in book["导出说明"].iter_rows()}
        assert (told["列表"], told["导出人"], told["公司"], told["状态"]) == (
            "其他入库",
            "管理员",
            "A分公司",
            "已审核",
        )
        assert (told["业务日期"], told["关键字"]) == ("2026-01-02 至 不限", "QTRK")
        assert told["导出时间"][:2] == "20"
        heading, *rows = [[cell.value for cell in row] for row in book.worksheets[0].iter_rows()]
        assert told["行数"] == str(len(rows) - 1)
        amount = heading.index("金额合计")
        assert rows[-1][0] == "合计（不含已作废）"
        assert rows[-1][amount] == pytest.approx(sum(float(row[amount]) for row in rows[:-1]))

    @pytest.mark.usefixtures("figures")
    def test_the_day_until_which_a_report_counts_stands_alone(self, site: Site) -> None:
        key = request_export(site.as_("admin"), "v2/report/InventorySummary", as_of_end="2026-02-14")
        export_job.export_list(export_id=key)
        sheet = openpyxl.load_workbook(export_job.export_path(key))["导出说明"]
        assert {row[0].value: row[1].value for row in sheet.iter_rows()}["截止日期"] == "2026-02-14"

    def test_a_month_stands_without_the_day_that_stands_for_it(self) -> None:
        month = CouponAnalysis.field("month")
        assert export_job.format_cell_text(month, date(2026, 11, 1)) == "2026-11"

    @pytest.mark.usefixtures("figures")
    def test_a_report_carries_its_freshness_and_what_may_change(self, site: Site) -> None:
        with site.engine.begin() as conn:
            insert_recalculation(conn, site.world.company_a, "2026-09")
        key = request_export(site.as_("admin"), "v2/report/InventoryInformation")
        export_job.export_list(export_id=key)
        assert read_task(site, "admin", key)["failure"] is None
        sheet = openpyxl.load_workbook(export_job.export_path(key))["导出说明"]
        told = {row[0].value: row[1].value for row in sheet.iter_rows()}
        listed = site.as_("admin").get("v2/report/InventoryInformation/getList").data
        assert told["数据时间"] == listed["refreshed_at"]
        assert [told["数据提示"]] == listed["notices"]
        assert told["数据提示"] == "A分公司、2026-09 起的期间正在重算成本（4 / 9 个商品），数字可能变化"

    def test_masked_fields_stay_masked(self, site: Site, desk: BillClient) -> None:
        desk.stock_in(site.world.tube, 1, "113")
        desk.add_audited(
            "sales_outbound", {"goods_id": site.world.tube, "quantity": "1", "price": "200", "tax_rate": "13"}
        )
        for user, seen in (("admin", True), ("clerk_a", False)):
            key = request_export(site.as_(user), "v2/system/CompanyGoods")
            export_job.export_list(export_id=key)
            assert ("采购价" in read_cells(key)[0]) == seen

    def test_a_task_that_was_never_begun_or_left_half_way_is_taken_up(self, site: Site) -> None:
        waiting, broken = request_export(site.as_("admin"), UNITS), request_export(site.as_("admin"), UNITS)
        with site.engine.begin() as conn:
            conn.execute(text("delete from procrastinate_jobs where task_name = 'export'"))
            conn.execute(text("update export_task set asked_at = now() - interval '5 minutes'"))
            conn.execute(text("update export_task set status = 2 where export_id = :id"), {"id": broken})
        for _ in range(2):
            export_job.recover_exports(0)
        with site.engine.connect() as conn:
            found = conn.exec_driver_sql("select args from procrastinate_jobs where task_name = 'export'")
            queued = [row.args["export_id"] for row in found]
        assert sorted(key for key in queued if key in (waiting, broken)) == [waiting, broken], "once each"
        for key in (waiting, broken):
            export_job.export_list(export_id=key)
            assert read_task(site, "admin", key)["export_status"] == DONE

    def test_one_that_is_being_written_is_left_alone(self, site: Site) -> None:
        key = request_export(site.as_("admin"), UNITS)
        with export_job.lock_task(export_job.KIND, key) as mine:
            assert mine
            export_job.export_list(export_id=key)
            assert read_task(site, "admin", key)["export_status"] == 0

    def test_old_files_expire(self, site: Site) -> None:
        key, young = request_export(site.as_("admin"), UNITS), request_export(site.as_("admin"), UNITS)
        for one in (key, young):
            export_job.export_list(export_id=one)
        with site.engine.begin() as conn:
            conn.execute(
                text("update export_task set done_at = now() - interval '8 days' where export_id = :id"),
                {"id": key},
            )
        export_job.expire_exports(0)
        row = read_task(site, "admin", key)
        assert (row["export_status_name"], row["url"]) == ("已过期", "")
        assert (export_job.export_path(key).exists(), export_job.export_path(young).exists()) == (False, True)

    def test_nothing_is_left_of_one_that_breaks_off(self, site: Site) -> None:
        unfinished = export_job.export_path(9_999_999).with_suffix(export_job.UNFINISHED)
        with pytest.raises(OSError, match="full"), export_job.open_export_file(9_999_999) as place:
            place.write_bytes(b"half")
            raise OSError("full")
        assert not unfinished.exists() and not export_job.export_path(9_999_999).exists()

    def test_what_a_killed_worker_left_goes_after_a_day(self, site: Site) -> None:
        old, new = (
            export_job.export_path(key).with_suffix(export_job.UNFINISHED) for key in (9_999_997, 9_999_998)
        )
        for place in (old, new):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(b"half")
        then = time.time() - export_job.ORPHAN_AGE.total_seconds() - 60
        os.utime(old, (then, then))
        export_job.expire_exports(0)
        assert (old.exists(), new.exists()) == (False, True)
        new.unlink()

    def test_an_export_that_is_not_committed_is_not_queued(self, site: Site) -> None:
        with site.engine.connect() as conn:
            before = conn.exec_driver_sql("select count(*) from procrastinate_jobs").scalar()
            jobs.defer_in_transaction(conn, "export", export_id=-1)
            conn.rollback()
            assert conn.exec_driver_sql("select count(*) from procrastinate_jobs").scalar() == before

    def test_the_job_is_queued_for_the_worker(self, site: Site) -> None:
        key = request_export(site.as_("admin"), UNITS)
        with site.engine.connect() as conn:
            found = conn.exec_driver_sql("select args from procrastinate_jobs where task_name = 'export'")
            assert {"export_id": key} in [row.args for row in found]


class TestHealth:
    def test_it_answers_without_a_login(self, site: Site) -> None:
        answer = site.anonymous().get("healthz")
        assert (answer.status, answer.data["status"]) == (200, "ok")
        assert answer.data["reports"] in ("ok", "down", "unknown")


class TestKeeping:
    def test_nothing_on_their_way_keeps_answers(self, site: Site) -> None:
        for caller in (site.as_("admin"), site.anonymous()):
            answer = caller.raw("GET", f"{UNITS}/getList")
            assert answer.headers["cache-control"] == "no-store"


class TestErrors:
    @pytest.mark.parametrize(
        ("method", "path", "code", "msg"),
        [
            ("GET", "v2/no/such/call", 404, "请求的地址不存在"),
            ("POST", "v2/no/such/call", 404, "请求的地址不存在"),
            ("GET", "v2/system/Unit/add", 404, "请求的地址不存在"),
        ],
    )
    def test_an_unknown_address_answers_in_an_envelope(
        self, site: Site, method: str, path: str, code: int, msg: str
    ) -> None:
        answer = site.as_("admin").send(method, path)
        assert (answer.status, answer.code, answer.msg) == (code, code, msg)
