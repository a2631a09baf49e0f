"""保留期限: what grows has a declared end, which docs/retention.md lists and the hourly job enforces."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.view import View
from api.kit.settings import read_settings
from api.kit.storage.database import Base
from api.shell.jobs import app
from api.shell.operations import retention
from api.shell.operations.retention_job import sweep_retention
from tests.support.fixtures import Site
from tests.support.shared_artifacts import PROJECT

BY_TABLE = {kept.place: kept for kept in retention.SWEPT}
QUEUES = {
    "procrastinate_jobs",
    "procrastinate_events",
    "procrastinate_periodic_defers",
    "procrastinate_workers",
}


def list_declared() -> list[str]:
    kept = [name for one in (*retention.SWEPT, *retention.BOUNDED) for name in (one.place, *one.along)]
    return kept + [name for one in retention.PERMANENT for name in one.tables]


def list_stored_tables() -> tuple[set[str], set[str]]:
    """Return every table, and those of bills and their lines."""
    classes = [mapper.class_ for mapper in Base.registry.mappers]
    views = {cls.__tablename__ for cls in classes if issubclass(cls, View)}
    bills = [cls for cls in classes if issubclass(cls, Bill)]
    lines = {block.cls.__tablename__ for cls in bills if cls.bill for block in cls.bill.blocks}
    logs = {"business_log", "report_visit"}  # lists of the same names read them
    return (set(Base.metadata.tables) - views) | logs, {cls.__tablename__ for cls in bills} | lines


def execute_sql(site: Site, sql: str) -> None:
    with site.engine.begin() as conn:
        conn.execute(text(sql))


def select_values(site: Site, sql: str) -> list[object]:
    with site.engine.connect() as conn:
        return list(conn.execute(text(sql)).scalars())


class TestDeclared:
    def test_every_table_has_an_end_or_stays_on_purpose(self, site: Site) -> None:
        tables, bills = list_stored_tables()
        names = list_declared()
        assert sorted(tables - bills - set(names)) == []
        assert sorted({name for name in names if names.count(name) > 1}) == []
        unknown = {name for name in names if "/" not in name and "." not in name} - tables - QUEUES
        assert sorted(unknown) == []

    def test_the_documentation_has_the_same_table(self) -> None:
        told = (PROJECT / "docs" / "retention.md").read_text("utf-8")
        assert retention.render_table() in told

    def test_the_worker_runs_it_each_hour(self) -> None:
        app.perform_import_paths()
        [job] = [
            one
            for one in app.periodic_registry.periodic_tasks.values()
            if one.task.name == "end_what_is_past"
        ]
        assert job.cron == "40 * * * *"


class TestSwept:
    @pytest.mark.parametrize("kept", retention.SWEPT, ids=lambda kept: kept.place)
    def test_each_runs(self, site: Site, kept: retention.RetentionRule) -> None:
        assert kept.sweep is not None
        assert kept.sweep() >= 0
        assert kept.sweep() == 0

    def test_keys_of_commands_go_after_a_week(self, site: Site) -> None:
        admin = site.as_("admin")
        for key in ("old", "young"):
            assert admin.post("v2/system/Unit/add", {"unit_name": f"单位{key}"}, key=f"kept-{key}").ok
        execute_sql(
            site, "update idempotency_key set made_at = now() - interval '8 days' where key = 'kept-old'"
        )
        sweep_retention(0)
        assert select_values(site, "select key from idempotency_key where key like 'kept-%'") == [
            "kept-young"
        ]

    def test_drafts_go_and_other_preferences_stay(self, site: Site) -> None:
        admin = site.as_("admin")
        for kind, name in (("draft", "旧"), ("draft", "新"), ("columns", "旧")):
            body = {"kind": kind, "screen": "retained", "name": name, "value": {}}
            assert admin.post("v2/open/UserPreference/save", body).ok
        execute_sql(
            site,
            "update user_preference set kept_at = now() - interval '91 days' where screen = 'retained' and name = '旧'",
        )
        assert BY_TABLE["user_preference"].sweep() == 1  # type: ignore[misc]
        left = select_values(
            site, "select kind || name from user_preference where screen = 'retained' order by 1"
        )
        assert left == ["columns旧", "draft新"]

    def test_what_failed_does_not_keep_the_rest_from_its_turn(
        self, site: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        turns: list[str] = []

        def fail() -> int:
            raise OSError("full")

        def count() -> int:
            turns.append("second")
            return 0

        kinds = (
            retention.RetentionRule("a", "a", "", "", fail),
            retention.RetentionRule("b", "b", "", "", count),
        )
        monkeypatch.setattr(retention, "SWEPT", kinds)
        with pytest.raises(ExceptionGroup) as told:
            sweep_retention(0)
        assert [type(one) for one in told.value.exceptions] == [OSError]
        assert turns == ["second"]


class TestFiles:
    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("ERP_DATA_DIR", str(tmp_path))
        return tmp_path

    def test_a_long_log_is_turned_while_it_is_written_to(self, place: Path) -> None:
        log = place / "logs" / "api.log"
        log.parent.mkdir()
        (place / "logs" / "short.log").write_bytes(b"short")
        with log.open("ab", buffering=0) as writer:
            writer.write(b"x" * (retention.LOG_BYTES + 1))
            assert BY_TABLE["logs/"].sweep() == 1  # type: ignore[misc]
            writer.write(b"next")
        assert log.read_bytes() == b"next"
        assert (place / "logs" / "api.log.1").stat().st_size == retention.LOG_BYTES + 1
        assert (place / "logs" / "short.log").read_bytes() == b"short"

    def test_uploads_are_left_alone_while_not_every_record_is_known_of(
        self, site: Site, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What no known record holds might be held by one that isn't declared yet."""
        monkeypatch.setattr(registry, "_whole", [])
        with pytest.raises(RuntimeError, match=r"import api\.catalogue first"):
            BY_TABLE["upload_file"].sweep()  # type: ignore[misc]
        failed = {
            kept.place: outcome
            for kept, outcome in retention.sweep_expired()
            if isinstance(outcome, Exception)
        }
        assert failed.keys() == {"upload_file"}

    def test_files_that_no_upload_knows_go_after_a_day(self, site: Site, place: Path) -> None:
        folder = read_settings().uploads_dir / "files" / "ab"
        folder.mkdir(parents=True)
        for name, age in (("abold.png", 2), ("abyoung.png", 0)):
            (folder / name).write_bytes(b"x")
            then = time.time() - age * retention.DAY
            os.utime(folder / name, (then, then))
        assert BY_TABLE["upload_file"].sweep() == 1  # type: ignore[misc]
        assert [path.name for path in folder.iterdir()] == ["abyoung.png"]
