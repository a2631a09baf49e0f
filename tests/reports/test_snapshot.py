"""How Superset opens the published snapshot: the newest one, read-only, with nothing outside the file in reach."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from socket import gethostname

import duckdb
import pytest
from sqlalchemy import literal, select
from sqlalchemy.engine import make_url

from reports.superset.snapshot import (
    ABANDONED_SECONDS,
    LOCKED_CONFIG,
    SNAPSHOT_URI,
    TEMP_FOLDER,
    SnapshotCache,
    connect_to_snapshot,
    current_snapshot,
    snapshot_mark,
)
from tests.support.superset import publish_snapshot


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ERP_DATA_DIR", str(tmp_path))
    publish_snapshot(tmp_path / "warehouse", 1)
    return tmp_path / "warehouse"


def resolve_connection() -> tuple[str, dict]:
    url, params = connect_to_snapshot(make_url(SNAPSHOT_URI), {}, None, None, None)
    return url.database, params["connect_args"]


class TestSnapshot:
    def test_each_connection_opens_the_newest(self, place: Path):
        assert resolve_connection()[0] == str(place / "snap" / "1" / "wh.duckdb")
        publish_snapshot(place, 2)
        assert resolve_connection()[0] == str(place / "snap" / "2" / "wh.duckdb")

    def test_no_two_snapshots_share_a_mark(self, place: Path):
        marks = {snapshot_mark(current_snapshot())}
        publish_snapshot(place, 2)
        marks.add(snapshot_mark(current_snapshot()))
        shutil.rmtree(place / "snap" / "2")
        marks.add(snapshot_mark(current_snapshot()))
        publish_snapshot(place, 2)
        marks.add(snapshot_mark(current_snapshot()))
        assert len(marks) == 4

    def test_each_process_has_its_memory_and_its_own_place_for_what_is_more(self, place: Path):
        told = "select current_setting('memory_limit'), current_setting('temp_directory')"
        read = f"from reports.superset.snapshot import SnapshotCache; print(*SnapshotCache().newest().engine.connect().exec_driver_sql({told!r}).one())"
        ours = SnapshotCache().newest().engine.connect().exec_driver_sql(told).one()
        theirs = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, check=True)
        (limit, own), other = ours, theirs.stdout.split()[-1]
        assert limit == "1.8 GiB" and theirs.stdout.startswith(limit)
        assert Path(own).parent == Path(other).parent == place / TEMP_FOLDER
        assert own != other

    def test_what_memory_cant_hold_is_put_aside_and_removed(self, place: Path):
        database, arguments = resolve_connection()
        small = {**arguments["config"], "memory_limit": "100MB"}
        numbers = (
            "select range as a, 'x' || range || repeat('y', 40) as b from range(3000000) order by b desc"
        )
        with duckdb.connect(database, read_only=True, config=small) as conn:
            rows = conn.execute(numbers)
            assert [path.name for path in (place / TEMP_FOLDER).glob("*/*.tmp")]
            shutil.rmtree(place / "snap" / "1")
            assert rows.fetchone(), "a snapshot that is being read may go"
            assert conn.execute(numbers).fetchone()
        assert list((place / TEMP_FOLDER).iterdir()) == []

    def test_what_a_killed_process_put_aside_goes_and_what_others_need_stays(self, place: Path):
        places = place / TEMP_FOLDER
        ended = subprocess.Popen(["true"])
        ended.wait()
        week_ago = time.time() - ABANDONED_SECONDS - 60
        for name in (f"{gethostname()}-{ended.pid}", f"{gethostname()}-{os.getppid()}", "other-1", "other-2"):
            (places / name).mkdir(parents=True)
        os.utime(places / "other-1", (week_ago, week_ago))
        SnapshotCache().newest()
        assert {path.name for path in places.iterdir()} == {f"{gethostname()}-{os.getppid()}", "other-2"}

    def test_a_name_with_a_backslash_is_found(self, place: Path):
        said = select(literal("A\\B")).compile(
            dialect=SnapshotCache().newest().engine.dialect, compile_kwargs={"literal_binds": True}
        )
        with SnapshotCache().newest().engine.connect() as conn:
            assert conn.exec_driver_sql(str(said)).scalar() == "A\\B"

    def test_whoever_asks_while_one_is_published_never_brings_back_the_older(
        self, place: Path, monkeypatch: pytest.MonkeyPatch
    ):
        told: list[str] = []
        snapshots = SnapshotCache(told.append)
        first = snapshots.newest()
        inside, goes_on = threading.Event(), threading.Event()
        seen = snapshot_mark

        def slowly(path: Path) -> str:
            found = seen(path)
            if not inside.is_set():
                inside.set()
                goes_on.wait(10)
            return found

        monkeypatch.setattr("reports.superset.snapshot.snapshot_mark", slowly)
        late = threading.Thread(target=snapshots.newest)
        late.start()
        assert inside.wait(10)
        publish_snapshot(place, 2)
        other = threading.Thread(target=snapshots.newest)
        other.start()
        other.join(1)
        goes_on.set()
        late.join(10)
        other.join(10)
        assert told == [snapshot_mark(current_snapshot())], "no older one came after it"
        assert snapshots.newest().mark != first.mark

    def test_it_is_told_when_one_is_outdated(self, place: Path):
        told: list[str] = []
        snapshots = SnapshotCache(told.append)
        first = snapshots.newest()
        assert snapshots.newest() is first
        assert told == [], "there was none before"
        publish_snapshot(place, 2)
        assert snapshots.newest().mark != first.mark
        assert snapshots.newest().mark == snapshot_mark(current_snapshot())
        assert told == [snapshot_mark(current_snapshot())]

    @pytest.mark.parametrize(
        "statement",
        [
            "select * from read_text('/etc/hostname')",
            "select * from read_csv('/etc/passwd')",
            "copy (select 1) to '/tmp/out.csv'",
            "attach '/tmp/other.duckdb'",
            "install httpfs",
            "load httpfs",
            "set enable_external_access = true",
            "set lock_configuration = false",
            "create table t (a int)",
            "delete from refreshed_at",
        ],
    )
    def test_nothing_else_is_in_reach(self, place: Path, statement: str):
        database, arguments = resolve_connection()
        assert arguments["config"].items() > LOCKED_CONFIG.items()
        with duckdb.connect(database, **arguments) as conn, pytest.raises(duckdb.Error):
            conn.execute(statement)
