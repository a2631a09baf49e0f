"""`erp up` for real: every process, killed and stopped in every way, on a data directory and ports of its own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from api.kit.settings import PROJECT_DIR
from api.launch.health import is_answering
from api.launch.process import read_command_line, wait_until
from reports.superset import metadata
from reports.superset.health import known_board_path
from tests.launch.installation import ERP, Installation
from tests.support.shared_artifacts import copy_artifact
from tests.support.superset import shared_reports

FIRST_START_SECONDS = 600
GONE_SECONDS = 120
"""The refresh ends what it is at, and the whole suite shares the cores."""

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.timeout(1800),
]


@pytest.fixture(scope="module")
def installation(data_dir: Path) -> Iterator[Installation]:
    """Started for the first time where nothing is but a torn file of the reports, which were installed before."""
    made = Installation(Path(tempfile.mkdtemp(prefix="erp-test-")))
    made.data_dir.mkdir()
    copy_artifact(shared_reports(data_dir / "secrets.json"), made.data_dir)
    file = made.data_dir / "superset" / metadata.NAME
    os.truncate(file, file.stat().st_size // 2)
    made.start(FIRST_START_SECONDS)
    yield made
    if made.launcher is not None and made.launcher.poll() is None:
        made.send_signal(signal.SIGTERM)
    shutil.rmtree(made.place, ignore_errors=True)


class TestRunning:
    def test_users_and_reports_answer(self, installation: Installation) -> None:
        assert is_answering(installation.port, "/healthz")
        assert is_answering(installation.report_port, known_board_path())

    def test_the_administrator_is_announced(self, installation: Installation) -> None:
        assert re.search(r"管理员\s+admin\s+launch-test-1", installation.output.read_text("utf-8"))

    def test_secrets_are_the_owners_only(self, installation: Installation) -> None:
        assert stat.S_IMODE((installation.data_dir / "secrets.json").stat().st_mode) == 0o600

    def test_a_second_launcher_is_refused(self, installation: Installation) -> None:
        second = subprocess.run(
            [ERP, "up"], env=installation.environment, capture_output=True, text=True, timeout=90
        )
        assert second.returncode == 1
        assert "已有一个 erp up 在运行" in second.stderr

    def test_every_process_writes_a_log(self, installation: Installation) -> None:
        names = {path.stem for path in (installation.data_dir / "logs").glob("*.log")}
        assert {"postgres", "api", "work", "refresh", "superset"} <= names

    def test_a_torn_file_of_the_reports_was_set_aside_and_built_again(
        self, installation: Installation, data_dir: Path
    ) -> None:
        log = (installation.data_dir / "logs" / "superset.log").read_text("utf-8")
        assert "元数据文件损坏" in log
        assert "升级元数据" in log
        [aside] = (installation.data_dir / "superset").glob("metadata-*.broken")
        whole = shared_reports(data_dir / "secrets.json") / metadata.NAME
        assert aside.read_bytes() == whole.read_bytes()[: whole.stat().st_size // 2]


class TestKilledParts:
    @pytest.mark.parametrize("words", ["erp serve", "erp work", "erp refresh", "reports.superset.server"])
    def test_a_killed_child_comes_back(self, installation: Installation, words: str) -> None:
        before = installation.pids_of(words)
        os.kill(installation.head_of(words), signal.SIGKILL)
        assert wait_until(lambda: not before & installation.pids_of(words), 40)
        assert wait_until(lambda: bool(installation.pids_of(words)), 60)
        assert wait_until(lambda: is_answering(installation.port, "/healthz"), 90)
        assert wait_until(lambda: is_answering(installation.report_port, known_board_path()), 90)

    def test_killed_postgres_comes_back(self, installation: Installation) -> None:
        pid = int((installation.data_dir / "postgres" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)

        def answers_again() -> bool:
            try:
                socket_dir = installation.data_dir / "postgres"
                with psycopg.connect(host=str(socket_dir), user="postgres", dbname="erp") as connection:
                    return connection.execute("select 1").fetchone() == (1,)
            except psycopg.OperationalError:
                return False

        assert wait_until(lambda: not read_command_line(pid), 40)
        assert wait_until(answers_again, 60)
        assert wait_until(lambda: is_answering(installation.port, "/healthz"), 90)
        assert wait_until(lambda: "✓ PostgreSQL 已恢复" in installation.output.read_text("utf-8"), 10)


class TestStopping:
    """In this order: each takes the installation as the one before left it."""

    def test_ctrl_c_leaves_nothing(self, installation: Installation) -> None:
        assert installation.send_signal(signal.SIGINT) == 0
        assert installation.processes() == {}
        assert not (installation.data_dir / "postgres" / "postmaster.pid").exists()

    def test_the_next_start_prepares_no_reports_again(self, installation: Installation) -> None:
        """How long it takes, `tests/bench/start.py` measures."""
        log = installation.data_dir / "logs" / "superset.log"
        before = log.stat().st_size
        installation.start(FIRST_START_SECONDS)
        told = log.read_bytes()[before:].decode()
        assert "报表资产没有变化" in told
        assert "升级元数据" not in told

    def test_starts_again_after_kill_9_of_everything(self, installation: Installation) -> None:
        for pid in installation.processes():
            if read_command_line(pid):
                os.kill(pid, signal.SIGKILL)
        assert installation.launcher is not None
        installation.launcher.wait(60)
        assert wait_until(lambda: installation.processes() == {}, GONE_SECONDS)
        installation.start(FIRST_START_SECONDS)
        assert is_answering(installation.port, "/healthz")

    def test_kill_9_of_the_launcher_leaves_nothing(self, installation: Installation) -> None:
        installation.send_signal(signal.SIGKILL)
        assert wait_until(lambda: installation.processes() == {}, GONE_SECONDS), installation.processes()

    @pytest.mark.parametrize(
        ("number", "ignored"),
        [(signal.SIGTERM, ()), (signal.SIGINT, (signal.SIGINT,))],
        ids=["terminated", "interrupted in the background of a shell without job control"],
    )
    def test_a_signal_during_the_start(
        self, installation: Installation, number: signal.Signals, ignored: tuple[signal.Signals, ...]
    ) -> None:
        installation.send_signal(signal.SIGTERM)
        with installation.output.open("wb") as output:
            installation.launcher = subprocess.Popen(
                [ERP, "up"],
                env=installation.environment,
                cwd=PROJECT_DIR,
                stdout=output,
                stderr=output,
                preexec_fn=lambda: [signal.signal(one, signal.SIG_IGN) for one in ignored],
            )
        assert wait_until(
            lambda: "升级数据库结构" in installation.output.read_text("utf-8"), FIRST_START_SECONDS
        )
        assert installation.send_signal(number) == 0
        assert wait_until(lambda: installation.processes() == {}, GONE_SECONDS), installation.processes()
