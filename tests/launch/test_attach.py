"""Where a command's database comes from: the configured one, the running one, or one started for the command."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from api.kit.settings import Settings, read_settings
from api.launch.command_database import open_database
from api.launch.guard import lock_data_dir
from api.launch.postgres import EmbeddedPostgres

ERP = str(Path(sys.executable).with_name("erp"))


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    monkeypatch.setenv("ERP_DATABASE_URL", "")
    folder = Path(tempfile.mkdtemp(prefix="erp-test-"))
    yield replace(read_settings(), data_dir=folder)
    shutil.rmtree(folder, ignore_errors=True)


def is_answering(url: str) -> bool:
    try:
        with psycopg.connect(url) as connection:
            return connection.execute("select 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False


def test_the_configured_one_is_taken_as_it_is(config: Settings) -> None:
    with open_database(replace(config, database_url="postgresql://somewhere/erp")) as url:
        assert url == "postgresql://somewhere/erp"
    assert not config.postgres_dir.exists()


def test_one_is_started_for_the_command(config: Settings) -> None:
    with open_database(config) as url:
        assert is_answering(url)
        assert os.environ["ERP_DATABASE_URL"] == url
    assert not is_answering(url)


def test_a_running_launcher_lends_its_own(config: Settings) -> None:
    server = EmbeddedPostgres(config.postgres_dir, config.logs_dir / "postgres.log")
    with lock_data_dir(config.data_dir):
        server.start()
        try:
            with open_database(config) as url:
                assert is_answering(url)
            assert is_answering(url)
        finally:
            server.stop()


def test_it_is_stopped_after_a_failure(config: Settings) -> None:
    with pytest.raises(ZeroDivisionError), open_database(config) as url:
        assert is_answering(url)
        _ = 1 / 0
    assert not is_answering(url)


class TestCommandLine:
    def run_command(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "ERP_DATABASE_URL": "", **variables}
        return subprocess.run([ERP, *arguments], env=environment, capture_output=True, text=True, timeout=60)

    @pytest.mark.parametrize("command", ["serve", "work", "refresh"])
    def test_a_resident_process_needs_a_database(self, command: str) -> None:
        done = self.run_command(command)
        assert done.returncode == 1
        assert done.stderr.startswith("✗ 没有设置 ERP_DATABASE_URL")
        assert done.stderr.count("\n") == 1

    def test_a_bad_setting_is_one_line(self) -> None:
        done = self.run_command("up", ERP_PORT="八千")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == "✗ ERP_PORT 应为 1 到 65535 的端口号，现在是“八千”\n"

    def test_nothing_is_imported_that_the_command_does_not_need(self) -> None:
        code = "import sys, api.cli; print([m for m in ('sqlalchemy', 'fastapi', 'duckdb', 'dbt') if m in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout == "[]\n"
