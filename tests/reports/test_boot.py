"""Initialisation: quick when nothing changed, the same ids each time, nothing left of removed reports."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from reports.assets import boards
from tests.kit.superset import Superset, boot

IDENTITIES = """
select 'dashboard', hex(uuid), id from dashboards union all select 'chart', hex(uuid), id from slices
union all select 'dataset', hex(uuid), id from tables union all select 'embedded', hex(uuid), dashboard_id
from embedded_dashboards order by 1, 2
"""


@pytest.fixture
def place(superset: Superset) -> Path:
    return Path(superset.environment["ERP_DATA_DIR"]) / "superset"


def identities(place: Path) -> list[tuple]:
    with sqlite3.connect(place / "metadata.db") as conn:
        return conn.execute(IDENTITIES).fetchall()


def insert(place: Path, chart: str, managed: bool) -> None:
    with sqlite3.connect(place / "metadata.db") as conn:
        conn.execute(
            "insert into slices (slice_name, datasource_type, viz_type, params, is_managed_externally, uuid,"
            " created_on, changed_on) values (?, 'table', 'table', '{}', ?, randomblob(16),"
            " current_timestamp, current_timestamp)",
            [chart, managed],
        )


class TestBoot:
    def test_nothing_to_do_is_told_at_once(self, superset: Superset):
        assert "没有变化" in boot(superset.environment)

    def test_a_second_import_keeps_ids_and_removes_orphans(self, superset: Superset, place: Path):
        """What an analyst drew himself is none: it isn't managed by the catalogue."""
        insert(place, "自己的图", managed=False)
        before = identities(place)
        insert(place, "旧图", managed=True)
        (place / "installed.json").write_text("{")
        assert "已就绪" in boot(superset.environment)
        assert identities(place) == before
        with sqlite3.connect(place / "metadata.db") as conn:
            conn.execute("delete from slices where slice_name = '自己的图'")

    def test_every_board_is_there_and_embeddable(self, superset: Superset, place: Path):
        found = {(kind, uuid) for kind, uuid, _ in identities(place)}
        for item in boards():
            assert ("dashboard", item.dashboard_uuid.replace("-", "").upper()) in found
            assert ("embedded", item.embedded_uuid.replace("-", "").upper()) in found

    def test_guest_role_is_minimal(self, superset: Superset, place: Path):
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
