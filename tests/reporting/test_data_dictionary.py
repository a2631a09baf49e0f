"""The data dictionary: a list of columns, and a page that runs nowhere but in a frame without an origin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.fixtures import Site
from warehouse.files import Files

LIST, LINEAGE = "v2/report/DataDictionary/getList", "v2/report/DataDictionary/getLineage"
ENTRIES = [
    {
        "table_name": "mart_inventory_aging", "table_label": "库存账龄", "column_name": "age_days",
        "column_label": "库龄：入库日期到业务日期的天数。", "data_type": "bigint", "reports": ["库存账龄", "DOT 库龄"],
    },
    {
        "table_name": "role_cost_scope", "table_label": "角色可以看成本的公司", "column_name": "role_id",
        "column_label": "角色编号。", "data_type": "bigint", "reports": [],
    },
]  # fmt: skip


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    monkeypatch.setenv("ERP_DATA_DIR", str(tmp_path))
    found = Files(tmp_path / "warehouse")
    found.create_directories()
    return found


class TestColumns:
    def test_they_are_a_list_with_the_reports_they_lead_to(self, site: Site, files: Files) -> None:
        files.dictionary.write_text(json.dumps({"version": "1", "entries": ENTRIES}), "utf-8")
        admin = site.as_("admin")
        rows = admin.get(LIST).data["data"]
        assert [(row["column_name"], row["data_type"], row["report_names"]) for row in rows] == [
            ("age_days", "bigint", "库存账龄、DOT 库龄"), ("role_id", "bigint", ""),
        ]  # fmt: skip
        assert [row["table_name"] for row in admin.get(LIST, column_label="库龄").data["data"]] == [
            "mart_inventory_aging"
        ]
        assert [row["column_name"] for row in admin.get(LIST, report_names="DOT").data["data"]] == [
            "age_days"
        ]

    def test_none_before_the_first_build(self, site: Site, files: Files) -> None:
        assert site.as_("admin").get(LIST).data["data"] == []


class TestLineage:
    def test_it_is_a_page_that_reaches_nothing(self, site: Site, files: Files) -> None:
        files.lineage.write_text("<p>dbt</p>", "utf-8")
        answer = site.as_("admin").raw("GET", LINEAGE)
        assert (answer.status_code, answer.text) == (200, "<p>dbt</p>")
        assert answer.headers["content-type"].startswith("text/html")
        assert "sandbox allow-scripts" in answer.headers["content-security-policy"]
        assert "default-src 'unsafe-inline'" in answer.headers["content-security-policy"]

    def test_there_is_none_before_the_first_build(self, site: Site, files: Files) -> None:
        refused = site.as_("admin").get(LINEAGE)
        assert (refused.code, refused.msg) == (400, "数据字典还没有生成，数据第一次发布之后再打开")

    def test_without_the_right_neither_is_shown(self, site: Site, files: Files) -> None:
        files.lineage.write_text("<p>dbt</p>", "utf-8")
        for path in (LIST, LINEAGE):
            assert site.as_("nobody").get(path).code == 403
