"""The embedded server: made once, survives kill -9, takes no foreign process for its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from api.kit.settings import read_settings
from api.launch import launcher
from api.launch.postgres import EmbeddedPostgres, PostgresError
from api.launch.process import read_command_line, wait_until


@pytest.fixture
def place() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="erp-test-"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def server(place: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(place / "postgres", place / "postgres.log")
    server.start()
    yield server
    server.stop()


def insert_rows(server: EmbeddedPostgres, count: int) -> None:
    with psycopg.connect(server.url()) as connection:
        connection.execute("create table if not exists kept (n int)")
        connection.execute("insert into kept select generate_series(1, %s)", [count])


def count_rows(server: EmbeddedPostgres) -> int:
    with psycopg.connect(server.url()) as connection:
        return connection.execute("select count(*) from kept").fetchone()[0]


class TestStart:
    def test_is_postgres_18_on_a_local_socket_only(self, server: EmbeddedPostgres) -> None:
        with psycopg.connect(server.url()) as connection:
            row = connection.execute(
                "select current_setting('server_version_num')::int / 10000, current_setting('listen_addresses'),"
                " current_database(), pg_encoding_to_char(encoding) from pg_database where datname = 'erp'"
            ).fetchone()
        assert row == (18, "", "erp", "UTF8")

    def test_runs_under_an_account_that_is_not_root(self, server: EmbeddedPostgres) -> None:
        assert server.process is not None
        assert Path(f"/proc/{server.process.pid}").stat().st_uid != 0

    def test_a_deep_data_directory_still_gets_a_socket(self, place: Path) -> None:
        deep = EmbeddedPostgres(place / ("d" * 120) / "postgres", place / "postgres.log")
        deep.start()
        try:
            insert_rows(deep, 1)
        finally:
            deep.stop()

    def test_a_half_made_cluster_is_made_again(self, place: Path) -> None:
        (place / "postgres.new" / "base").mkdir(parents=True)
        again = EmbeddedPostgres(place / "postgres", place / "postgres.log")
        again.start()
        again.stop()
        assert (place / "postgres" / "PG_VERSION").exists()
        assert not (place / "postgres.new").exists()

    def test_a_refused_option_shows_the_log(self, place: Path) -> None:
        wrong = EmbeddedPostgres(place / "postgres", place / "postgres.log", {"shared_buffers": "nonsense"})
        with pytest.raises(PostgresError, match="shared_buffers"):
            wrong.start()
        assert wrong.process is None


class TestRecovery:
    def test_the_launcher_tries_until_what_kept_it_from_starting_is_gone(
        self, server: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        insert_rows(server, 10)
        server.stop()
        control, aside = server.directory / "global" / "pg_control", server.directory / "pg_control"
        control.rename(aside)
        monkeypatch.setattr(launcher, "BACKOFF_SECONDS", (0.5,))
        threading.Timer(1.2, aside.rename, [control]).start()
        launcher.Launcher(read_settings())._restart_postgres(server)
        assert count_rows(server) == 10
        said = capsys.readouterr().err
        assert "PostgreSQL 没有启动" in said and said.endswith("✓ PostgreSQL 已恢复\n")

    def test_committed_rows_survive_kill_9(self, server: EmbeddedPostgres) -> None:
        insert_rows(server, 1000)
        assert server.process is not None
        server.process.kill()
        assert wait_until(server.has_died, 10)
        server.start()
        assert count_rows(server) == 1000

    def test_a_pid_file_with_a_reused_pid(self, server: EmbeddedPostgres) -> None:
        insert_rows(server, 10)
        assert server.process is not None
        server.process.kill()
        server.process.wait()
        other = subprocess.Popen(["sleep", "60"])
        try:
            pid_file = server.directory / "postmaster.pid"
            lines = pid_file.read_text().splitlines()
            pid_file.write_text("\n".join([str(other.pid), *lines[1:], ""]))
            server.start()
            assert count_rows(server) == 10
            assert other.poll() is None
        finally:
            other.kill()
            other.wait()

    def test_a_server_left_running_is_ended_first(self, server: EmbeddedPostgres) -> None:
        insert_rows(server, 10)
        assert server.process is not None
        left = server.process
        second = EmbeddedPostgres(server.directory, server.log)
        second.start()
        try:
            assert left.wait(10) == 0
            assert count_rows(second) == 10
        finally:
            second.stop()

    def test_waits_for_backends_of_a_killed_server(self, server: EmbeddedPostgres) -> None:
        insert_rows(server, 10)
        assert server.process is not None
        backend = psycopg.connect(server.url())
        pid = backend.info.backend_pid
        os.kill(pid, signal.SIGSTOP)
        server.process.kill()
        server.process.wait()
        waker = subprocess.Popen(["sh", "-c", f"sleep 2; kill -CONT {pid}"])
        server.start()
        waker.wait()
        assert count_rows(server) == 10
        assert wait_until(lambda: not read_command_line(pid), 5)
