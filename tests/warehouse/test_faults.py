"""Faults: a refresh killed anywhere resumes cleanly, readers never notice a swap, the worker outlives Postgres."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from api.launch.postgres import EmbeddedPostgres
from tests.support.databases import TEMPLATE, run_statements, shared_cluster
from tests.support.shared_artifacts import copy_artifact
from tests.warehouse.conftest import AS_OF, copy_parsed_project, digest_tables
from tests.warehouse.group import BILL
from warehouse import publish, refresh_history, status, worker
from warehouse.files import Files
from warehouse.refresh import Refresher

# Reads points from its input and runs a refresh for each, in a child that dies by SIGKILL when it reaches the point;
# answers how the child ended. What costs most, to load dbt, is done once.
VICTIMS = """
import os, signal, sys
from pathlib import Path
from warehouse import compile_cache, compiler, extract, extraction_state, publish, transform
from warehouse.files import Files
from warehouse.refresh import Refresher

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def half(source, target):
    with open(target, "rb+") as file:
        file.write(Path(source).read_bytes()[:5000])
    die()

def die_at(point):
    if point == "in the load":
        extract.extraction_state.write_watermark = die
    elif point == "after the load":
        transform.Project.build = die
    elif point == "between models":
        run = transform.Project._run
        def stop(self, mode, models, as_of):
            run(self, mode, models[:len(models) // 2], as_of)
            die()
        transform.Project._run = stop
    elif point == "between models that dbt runs":
        compile_cache.CACHE_DIRECTORY = Path(directory) / "shelf"
        manager = compiler.DuckDBConnectionManager
        manager.execute = (lambda real: lambda self, sql, *a, **k:
            die() if "fct_best_seller" in sql else real(self, sql, *a, **k))(manager.execute)
    elif point == "after the models":
        extraction_state.mark_transformed = die
    elif point == "before publishing":
        publish.publish_snapshot = die
    elif point == "in the copy":
        publish._write_differences = half
    elif point == "before the swap":
        publish.os.replace = (lambda real: lambda a, b:
            die() if str(b).endswith("current") else real(a, b))(os.replace)

directory, url, as_of = sys.argv[1:]
for line in sys.stdin:
    child = os.fork()
    if not child:
        # What a slow statement tells of its progress is no answer.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        die_at(line.strip())
        Refresher(Files(Path(directory)), url).refresh(as_of=as_of)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""

POINTS = (
    *("in the load", "after the load", "between models", "between models that dbt runs"),
    *("after the models", "before publishing", "in the copy", "before the swap"),
)


class TestKill:
    @pytest.fixture(scope="class")
    def resident(
        self, moved_in: Callable[[Path], Refresher], tmp_path_factory: pytest.TempPathFactory
    ) -> Refresher:
        return moved_in(tmp_path_factory.mktemp("killed") / "warehouse")

    @pytest.fixture(scope="class")
    def victims(self, core: str, resident: Refresher) -> Iterator[Callable[[str], str]]:
        """Runs a refresh that dies at a point; answers how it ended."""
        copy_parsed_project(resident.files.root / "shelf")
        arguments = [sys.executable, "-c", VICTIMS, str(resident.files.root), core, AS_OF]
        pipe = subprocess.PIPE
        with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, text=True) as process:
            assert process.stdin and process.stdout

            def run(point: str) -> str:
                print(point, file=process.stdin, flush=True)
                return process.stdout.readline().strip()

            yield run
            process.stdin.close()

    @pytest.mark.parametrize("point", POINTS)
    def test_a_refresh_that_was_killed_is_finished_by_the_next(
        self, resident: Refresher, victims: Callable[[str], str], sql: psycopg.Connection[Any], point: str
    ) -> None:
        files = resident.files
        before = files.current.readlink()
        sql.execute(BILL, {"day": AS_OF, "warehouse_id": 2, "goods_id": 7, "quantity": 1})
        assert victims(point) == str(-signal.SIGKILL)
        assert files.current.readlink() == before and publish.is_readable(files)
        publish.clean_snapshots(files)
        assert resident.refresh(as_of=AS_OF).snapshot is not None
        assert [path for path in files.snapshots.iterdir() if path.name.startswith(".")] == []

    def test_the_survivor_equals_a_rebuild(self, resident: Refresher) -> None:
        resumed = digest_tables(resident.files)
        resident.refresh(full=True, as_of=AS_OF)
        assert resumed == digest_tables(resident.files)


class TestWorker:
    @pytest.fixture
    def server(self, tmp_path: Path) -> Iterator[EmbeddedPostgres]:
        """A Postgres of this test's own, which it may stop; like some that others run, it does not time commits."""
        tmp_path.chmod(0o755)
        copy_artifact(shared_cluster() / "postgres", tmp_path)
        options = {"fsync": "off", "track_commit_timestamp": "off"}
        made = EmbeddedPostgres(tmp_path / "postgres", tmp_path / "postgres.log", options)
        made.start()
        yield made
        made.stop()

    @pytest.fixture
    def running(
        self, core: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> Iterator[Callable[[str], Files]]:
        """Start the worker on a database; it is stopped at the end."""
        stop, threads = threading.Event(), []

        def start(url: str) -> Files:
            monkeypatch.setenv("ERP_DATABASE_URL", url)
            monkeypatch.setenv("ERP_DATA_DIR", str(tmp_path))
            threads.append(threading.Thread(target=worker.run_worker, args=(stop,)))
            threads[0].start()
            return Files(tmp_path / "warehouse")

        yield start
        stop.set()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()

    def test_it_is_woken_by_a_notification(
        self,
        running: Callable[[str], Files],
        core: str,
        sql: psycopg.Connection[Any],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(worker, "POLL_SECONDS", 3600.0)
        files = running(core)
        first = _snapshot_after(files, 0)
        _wait_until(lambda: status.read_status(files.status)["checked_at"] is not None)
        sql.execute(BILL, {"day": AS_OF, "warehouse_id": 2, "goods_id": 8, "quantity": 1})
        sql.execute("notify erp_audit")
        assert _snapshot_after(files, first) > first

    def test_it_finds_what_nobody_announced(
        self,
        running: Callable[[str], Files],
        core: str,
        sql: psycopg.Connection[Any],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(worker, "POLL_SECONDS", 0.5)
        files = running(core)
        first = _snapshot_after(files, 0)
        sql.execute(BILL, {"day": AS_OF, "warehouse_id": 2, "goods_id": 8, "quantity": 1})
        assert _snapshot_after(files, first) > first

    def test_it_outlives_a_restart_of_postgres(
        self, running: Callable[[str], Files], server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(worker, "POLL_SECONDS", 0.5)
        run_statements(server, f"create database own template {TEMPLATE}")
        files = running(server.url("own"))
        first = _snapshot_after(files, 0)
        server.stop()
        _wait_until(lambda: status.read_status(files.status)["state"] == "failed")
        assert refresh_history.read_history(files.cycles)["cycles"][-1]["error"]
        server.start()
        _wait_until(lambda: status.read_status(files.status)["state"] == "idle")
        with psycopg.connect(server.url("own"), autocommit=True) as conn:
            conn.execute("insert into unit (unit_name) values ('箱')")
        number = _snapshot_after(files, first)
        _wait_until(lambda: status.read_status(files.status)["snapshot"] == number)
        assert status.read_status(files.status)["lag"] is None, (
            "nothing is made up where commits are not timed"
        )

    def test_it_goes_on_after_whatever_the_database_refuses(
        self, running: Callable[[str], Files], core: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(worker, "POLL_SECONDS", 0.2)
        files = running(core)
        _snapshot_after(files, 0)
        with monkeypatch.context() as patch:
            patch.setattr(worker, "changes_sql", lambda position: "select * from not_there_yet")
            _wait_until(lambda: "not_there_yet" in (status.read_status(files.status)["error"] or ""))
        _wait_until(lambda: status.read_status(files.status)["state"] == "idle")
        assert status.read_status(files.status)["error"] is None

    def test_it_gives_signs_of_life_while_a_refresh_takes_long(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(worker, "BEAT_SECONDS", 0.02)
        files = Files(tmp_path)

        def read_checked_at() -> str | None:
            return status.read_status(files.status)["checked_at"]

        with worker.heartbeat(files):
            _wait_until(lambda: read_checked_at() is not None)
            first = read_checked_at()
            _wait_until(lambda: read_checked_at() != first)
        last = read_checked_at()
        time.sleep(0.1)
        assert read_checked_at() == last, "it is over"
        monkeypatch.setattr(worker, "LONGEST_SECONDS", 0.0)
        with worker.heartbeat(files):
            time.sleep(0.1)
            assert read_checked_at() == last, "what takes longer than any refresh hangs"

    def test_it_waits_for_other_data_when_tests_fail(
        self,
        running: Callable[[str], Files],
        core: str,
        sql: psycopg.Connection[Any],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(worker, "POLL_SECONDS", 0.2)
        tie = "update settlement_item set open_amount = open_amount {} where settlement_id = 5"
        sql.execute(tie.format("+ 1"))
        files = running(core)
        _wait_until(lambda: bool(status.read_status(files.status)["failed_tests"]))
        time.sleep(2)
        shown = status.read_status(files.status)
        assert (shown["state"], shown["failures"]) == ("failed", 1), "the same data give the same again"
        sql.execute(tie.format("- 1"))
        assert _snapshot_after(files, 0) == 1
        _wait_until(lambda: status.read_status(files.status)["state"] == "idle")


def _snapshot_after(files: Files, number: int) -> int:
    _wait_until(lambda: files.current.exists() and int(files.current.readlink().name) > number)
    return int(files.current.readlink().name)


def _wait_until(holds: Callable[[], bool], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.1)
