"""Initialisation: quick when nothing changed, the same ids each time, nothing left of removed reports."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reports.superset import metadata
from reports.superset.assets import dataset_uuid, list_dashboards
from tests.support.shared_artifacts import copy_artifact
from tests.support.superset import SupersetClient, copy_reports, run_boot

IDENTITIES = """
select 'dashboard', hex(uuid), id from dashboards union all select 'chart', hex(uuid), id from slices
union all select 'dataset', hex(uuid), id from tables union all select 'embedded', hex(uuid), dashboard_id
from embedded_dashboards order by 1, 2
"""
MANAGED = """
select 'dashboard', hex(uuid) from dashboards where is_managed_externally
union all select 'chart', hex(uuid) from slices where is_managed_externally
union all select 'dataset', hex(uuid) from tables where is_managed_externally
union all select 'embedded', hex(e.uuid) from embedded_dashboards e join dashboards d on d.id = e.dashboard_id
where d.is_managed_externally
"""
"""What is the catalogue's: analysts' own stands beside it."""


@pytest.fixture
def place(superset: SupersetClient) -> Path:
    return Path(superset.environment["ERP_DATA_DIR"]) / "superset"


def read_identities(place: Path) -> list[tuple]:
    with sqlite3.connect(place / "metadata.db") as conn:
        return conn.execute(IDENTITIES).fetchall()


def insert_chart(place: Path, chart: str, managed: bool) -> None:
    with sqlite3.connect(place / "metadata.db") as conn:
        conn.execute(
            "insert into slices (slice_name, datasource_type, viz_type, params, is_managed_externally, uuid,"
            " created_on, changed_on) values (?, 'table', 'table', '{}', ?, randomblob(16),"
            " current_timestamp, current_timestamp)",
            [chart, managed],
        )


class TestBoot:
    def test_nothing_to_do_is_told_at_once(self, superset: SupersetClient):
        assert "没有变化" in run_boot(superset.environment)

    def test_all_that_is_declared_is_there_under_its_uuid(self, place: Path, tmp_path: Path):
        """So whatever is built anew has the uuids of what it replaces. What an analyst drew himself isn't declared."""
        metadata.copy_metadata(place / metadata.NAME, tmp_path / metadata.NAME)
        insert_chart(tmp_path, "自己的图", managed=False)
        placed = list(list_dashboards())
        declared = (
            {("dashboard", item.dashboard_uuid) for item in placed}
            | {("embedded", item.embedded_uuid) for item in placed}
            | {("chart", item.chart_uuid(chart.key)) for item in placed for chart in item.board.charts}
            | {("dataset", dataset_uuid(dataset)) for item in placed for dataset in item.board.datasets}
        )
        with closing(sqlite3.connect(tmp_path / metadata.NAME)) as conn:
            found = set(conn.execute(MANAGED))
        assert found == {(kind, uuid.replace("-", "").upper()) for kind, uuid in declared}

    def test_guest_role_is_minimal(self, superset: SupersetClient, place: Path):
        with sqlite3.connect(place / "metadata.db") as conn:
            rights = conn.execute(
                """
                select p.name, v.name from ab_role r
                join ab_permission_view_role j on j.role_id = r.id
                join ab_permission_view pv on pv.id = j.permission_view_id
                join ab_permission p on p.id = pv.permission_id
                join ab_view_menu v on v.id = pv.view_menu_id
                where r.name = 'ReportGuest'
                """
            ).fetchall()
        assert {view for _, view in rights} <= {
            "Dashboard", "Chart", "EmbeddedDashboard", "CurrentUserRestApi", "Theme", "CssTemplate",
            "DashboardFilterStateRestApi", "Api", "Superset",
        }  # fmt: skip
        writes = {
            right for right in rights if right[0] in ("can_write", "can_export", "can_explore", "can_sqllab")
        }
        assert writes == {("can_write", "DashboardFilterStateRestApi")}


class TestInstallingAgain:
    """Into a file that is back from a backup, or of which it isn't known what was installed. One that is missing or torn
    is built as at the first start (tests/launch/test_report_metadata.py, tests/launch/test_up.py)."""

    @pytest.fixture
    def environment(self, data_dir: Path, tmp_path: Path) -> dict[str, str]:
        copy_artifact(data_dir / "secrets.json", tmp_path)
        copy_reports(tmp_path)
        return {**os.environ, "ERP_DATA_DIR": str(tmp_path)}

    def test_keeps_ids_and_what_users_made_and_writes_over_or_removes_the_rest(
        self, environment: dict[str, str]
    ):
        """What an analyst drew himself is no orphan: it isn't managed by the catalogue."""
        place = Path(environment["ERP_DATA_DIR"]) / "superset"
        file = place / metadata.NAME
        insert_chart(place, "自己的图", managed=False)
        before = read_identities(place)
        insert_chart(place, "旧图", managed=True)
        with closing(sqlite3.connect(file)) as conn:
            conn.execute("update slices set slice_name = '改过' where is_managed_externally")
            conn.execute("delete from embedded_dashboards where rowid % 2")
            conn.commit()
        saved = file.with_name("saved.db")
        metadata.copy_metadata(file, saved)
        saved.replace(file)
        (place / metadata.STATE).write_text("{")
        assert "已就绪" in run_boot(environment)
        assert read_identities(place) == before
        with closing(sqlite3.connect(file)) as conn:
            names = [name for (name,) in conn.execute("select slice_name from slices")]
        assert "自己的图" in names
        assert not {"改过", "旧图"} & set(names)
