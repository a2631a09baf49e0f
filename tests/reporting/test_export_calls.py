"""Asking for a framed report as a file: a task like every export, for who may export, within his companies and rights."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, text

from api.exporting import report_job
from api.exporting.report_header import read_export_metadata
from api.reporting.snapshot.snapshot_connection import read_refreshed_at
from api.shell.files import export_job
from api.shell.files.export_tasks import DONE, FAILED
from reports.catalogue import find_report
from tests.reporting.report_files import HEAD, STAMP, read_cells
from tests.support.fixtures import Site

EXPORT, CHOICES = "v2/report/Frame/export", "v2/report/Frame/getPivotChoices"
pytestmark = pytest.mark.usefixtures("companies_apart")


class TestCalls:
    def ask(self, site: Site, user: str, **body: Any) -> Any:
        asked = {"code": "CustomerProfit", "tab": "all", "form": "detail", **body}
        return site.as_(user).post(EXPORT, asked)

    def test_it_is_a_task_like_every_export(self, site: Site) -> None:
        answer = self.ask(site, "manager_a", filters={"company": ["上海公司"]})
        assert answer.ok, answer
        key = answer.data["export_id"]
        with site.engine.connect() as conn:
            jobs = conn.exec_driver_sql(
                "select args from procrastinate_jobs where task_name = 'export_report'"
            )
            assert {"export_id": key} in [row.args for row in jobs]
        report_job.export_report(export_id=key)
        caller = site.as_("manager_a")
        row = caller.get("v2/open/ExportLog/getExportLogList").data["data"][0]
        assert (row["export_status"], row["failure"], row["rows"]) == (DONE, None, 4)
        assert row["file_name"].startswith("客户毛利分析_按月分析_明细_") and row["file_name"].endswith(
            ".xlsx"
        )
        assert caller.raw("GET", row["url"]).content[:2] == b"PK"
        found, *_ = read_cells(export_job.export_path(key))
        assert "导出人公司：A分公司" in found[1][0] and STAMP in found[2][0]
        assert [row[0] for row in found[HEAD + 1 :]] == ["上海公司", "合计"]

    def test_cost_is_in_nobodys_who_may_not_see_it(self, site: Site) -> None:
        key = self.ask(site, "clerk_a").data["export_id"]
        report_job.export_report(export_id=key)
        found, *_ = read_cells(export_job.export_path(key))
        assert not [label for label in found[HEAD] if "毛利" in label] and "销售收入" in found[HEAD]
        assert [row[0] for row in found[HEAD + 1 :]] == ["苏州公司", "合计"]
        refused = self.ask(site, "clerk_a", form="pivot", metrics=["profit"])
        assert (refused.code, refused.msg) == (400, "此报表的透视没有维度或指标“profit”，请重新选择")
        offered = site.as_("clerk_a").get(CHOICES, code="CustomerProfit", tab="all").data
        assert "profit" not in {item["name"] for item in offered["measures"]}
        assert offered["rows"] == ["company_name"] and offered["columns"] == ["month_label"]

    @pytest.mark.parametrize(
        ("body", "told_"),
        [
            ({"filters": {"price": ["1"]}}, "此报表没有筛选项“price”，请在报表上重新选择筛选后再导出"),
            ({"filters": {"period": ["2026-10", "2026-11"]}}, "“月”只能选一个值，请重新选择后再导出"),
            ({"form": "pivot", "rows": ["cost"]}, "此报表的透视没有维度或指标“cost”，请重新选择"),
            ({"form": "pivot", "columns": ["month_label"]}, "请至少选择一个行维度"),
            (
                {"form": "pivot", "rows": ["company_name"], "columns": ["company_name"]},
                "同一个维度不能在行和列上重复选择",
            ),
            ({"tab": "nowhere"}, "报表页签不存在或无权访问"),
            ({"code": "nothing"}, "报表不存在或无权访问"),
        ],
    )
    def test_what_the_report_does_not_have_is_refused(
        self, site: Site, body: dict[str, Any], told_: str
    ) -> None:
        answer = self.ask(site, "manager_a", **body)
        assert (answer.code, answer.msg) == (400, told_)

    def test_looking_is_not_exporting(self, site: Site) -> None:
        """Whoever may only look is refused when he asks, and when the work begins."""
        report = find_report("CustomerProfit")
        assert report
        role = {"role": site.world.role_manager_a, "code": report.export_right}
        key = self.ask(site, "manager_a").data["export_id"]
        with site.engine.begin() as conn:
            conn.execute(text("delete from role_right where role_id = :role and code = :code"), role)
            conn.execute(text("update role set version = version + 1 where role_id = :role"), role)
        try:
            caller = site.as_("manager_a")
            assert self.ask(site, "manager_a").code == 403
            assert caller.get(CHOICES, code=report.code, tab="all").code == 403
            frame = caller.get("v2/report/Frame/getFrame", code=report.code).data
            assert frame["may_export"] is False
            actions = caller.get("open/RequestOpen/getRequestOpenList", code=report.code).data["role_list"]
            assert actions == ["view"]
            report_job.export_report(export_id=key)
            row = caller.get("v2/open/ExportLog/getExportLogList").data["data"][0]
            assert row["export_status"] == FAILED
        finally:
            with site.engine.begin() as conn:
                conn.execute(text("insert into role_right (role_id, code) values (:role, :code)"), role)
                conn.execute(text("update role set version = version + 1 where role_id = :role"), role)

    def test_the_asker_and_the_warning_stand_in_the_head(self, site: Site, source: Connection) -> None:
        from api.identity.sessions import read_principal

        with site.engine.connect() as conn:
            me = read_principal(conn, site.world.user_manager_a)
            found = read_export_metadata(conn, me, read_refreshed_at(source), ["数据刷新失败"])
        assert found.company == "A分公司" and found.role and found.realname
        assert STAMP in found.time_line and "注意：数据刷新失败" in found.time_line
