"""Initialisation: quick when nothing changed, the same ids each time, nothing left of removed reports."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reports import metadata
from reports.assets import boards
from tests.kit.once import copy
from tests.kit.superset import Superset, boot, prepare

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


class TestLostFiles:
    """Of a file that is gone, or back from a backup: every board is there again, and what users made if it was. A torn
    one is set aside first (tests/launch/test_up.py)."""

    @pytest.fixture
    def environment(self, data_dir: Path, tmp_path: Path) -> dict[str, str]:
        copy(data_dir / "secrets.json", tmp_path)
        prepare(tmp_path)
        return {**os.environ, "ERP_DATA_DIR": str(tmp_path)}

    @pytest.fixture
    def file(self, environment: dict[str, str]) -> Path:
        return Path(environment["ERP_DATA_DIR"]) / "superset" / metadata.NAME

    def test_a_missing_one_is_made_again(self, environment: dict[str, str], file: Path):
        before = {row[:2] for row in identities(file.parent)}
        file.unlink()
        assert "已就绪" in boot(environment)
        assert {row[:2] for row in identities(file.parent)} == before

    def test_what_is_published_is_written_over_what_users_made(self, environment: dict[str, str], file: Path):
        insert(file.parent, "自己的图", managed=False)
        before = identities(file.parent)
        with closing(sqlite3.connect(file)) as conn:
            conn.execute("update slices set slice_name = '改过' where is_managed_externally")
            conn.execute("delete from embedded_dashboards where rowid % 2")
            conn.commit()
        saved = file.with_name("saved.db")
        metadata.copy(file, saved)
        (file.parent / metadata.STATE).unlink()
        saved.replace(file)
        assert "已就绪" in boot(environment)
        assert identities(file.parent) == before
        with closing(sqlite3.connect(file)) as conn:
            names = [name for (name,) in conn.execute("select slice_name from slices")]
        assert "自己的图" in names and "改过" not in names
