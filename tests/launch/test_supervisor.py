"""The watch over children: restart after a death or a hang, stop without leftovers, no orphans after kill -9."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from api.kit.settings import PROJECT_DIR
from api.launch import supervisor
from api.launch.health import is_answering
from api.launch.process import read_command_line, wait_until
from api.launch.supervisor import ServiceError, ServiceProcess, SupervisedProcess, await_health
from tests.support.ports import free_port

SERVE_A_FOLDER = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1"]


@pytest.fixture
def messages() -> list[str]:
    return []


@pytest.fixture
def watch(tmp_path: Path, messages: list[str], monkeypatch: pytest.MonkeyPatch) -> Iterator:
    monkeypatch.setattr(supervisor, "BACKOFF_SECONDS", (0.05,))
    started: list[SupervisedProcess] = []

    def start(command: list[str], probe=lambda: True, **limits: Any) -> SupervisedProcess:
        child = ServiceProcess("tried", "受看护者", command, tmp_path, probe=probe, **limits)
        started.append(SupervisedProcess(child, tmp_path / "logs", messages.append))
        started[-1].start()
        return started[-1]

    yield start
    for watched in started:
        watched.kill()


class TestHealth:
    def test_healthy_once_it_answers(self, watch) -> None:
        port = free_port()
        child = watch([*SERVE_A_FOLDER, str(port)], probe=lambda: is_answering(port, "/"))
        await_health([child], lambda _: None)
        assert child.healthy

    def test_a_child_that_never_comes_up_shows_its_log(self, watch) -> None:
        child = watch(["sh", "-c", "echo 端口不对; exit 3"], probe=lambda: False)
        with pytest.raises(ServiceError, match="受看护者没有起来.*\n(端口不对\n?)+"):
            await_health([child], lambda _: None)

    def test_a_child_that_takes_too_long(self, watch) -> None:
        child = watch(["sleep", "60"], probe=lambda: False, start_seconds=0.5)
        with pytest.raises(ServiceError, match="没有起来"):
            await_health([child], lambda _: None)

    def test_the_death_of_one_is_noticed_while_another_is_awaited(self, watch) -> None:
        slow = watch(["sleep", "60"], probe=lambda: False)
        watch_failing = watch(["sh", "-c", "exit 3"], probe=lambda: False)
        with pytest.raises(ServiceError, match="受看护者没有起来"):
            await_health([slow, watch_failing], lambda _: None)


class TestDoneWithout:
    """One that is not needed keeps nobody from starting."""

    def test_the_others_start_and_it_is_told(self, watch, messages: list[str]) -> None:
        told: list[str] = []
        sound = watch(["sleep", "60"])
        broken = watch(["sh", "-c", "echo 文件损坏; exit 3"], probe=lambda: False, required=False)
        await_health([broken, sound], lambda child: told.append(child.command[0]))
        assert (sound.healthy, broken.healthy, told) == (True, False, ["sleep"])
        assert (
            "受看护者没有起来" in messages[-1]
            and "文件损坏" in messages[-1]
            and "其他部分照常使用" in messages[-1]
        )

    def test_one_that_takes_too_long_is_not_waited_for(self, watch) -> None:
        slow = watch(["sleep", "60"], probe=lambda: False, required=False, start_seconds=0.2)
        await_health([slow], lambda _: None)
        assert slow.process.poll() is None, "it goes on starting"

    def test_it_is_started_again_and_told_to_be_back(
        self, watch, messages: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(supervisor, "PROBE_SECONDS", 0.05)
        mended = tmp_path / "mended"
        command = ["sh", "-c", f"[ -e {mended} ] && exec sleep 60; exit 3"]
        child = watch(command, probe=mended.exists, required=False)
        await_health([child], lambda _: None)
        mended.touch()

        def is_back() -> bool:
            child.watch()
            return "✓ 受看护者已恢复" in messages

        assert wait_until(is_back, 20)


class TestRestart:
    def test_after_a_death(self, watch, messages: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(supervisor, "PROBE_SECONDS", 0.05)
        child = watch(["sleep", "60"])
        await_health([child], lambda _: None)
        first = child.process.pid
        os.kill(first, signal.SIGKILL)

        def restarted() -> bool:
            child.watch()
            return child.process is not None and child.process.pid != first

        def has_reported() -> bool:
            child.watch()
            return len(messages) > 1

        assert wait_until(restarted, 5)
        assert "受看护者退出（-9）" in messages[0]
        assert wait_until(has_reported, 5)
        assert "受看护者已恢复" in messages[1]

    def test_one_that_dies_again_and_again_is_not_told_to_be_back(
        self, watch, messages: list[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(supervisor, "PROBE_SECONDS", 60)
        child = watch(["sleep", "0.05"])
        await_health([child], lambda _: None)

        def has_reported() -> bool:
            child.watch()
            return len(messages) > 3

        assert wait_until(has_reported, 10)
        assert all("退出" in line for line in messages)

    def test_after_a_hang(self, watch, messages: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(supervisor, "PROBE_SECONDS", 0.05)
        answers_now = [True]
        child = watch(["sleep", "60"], probe=lambda: answers_now[0])
        await_health([child], lambda _: None)
        first = child.process.pid
        answers_now[0] = False

        def restarted() -> bool:
            child.watch()
            return child.process is not None and child.process.pid != first

        assert wait_until(restarted, 5)
        assert "没有回应" in messages[0]
        assert not read_command_line(first)


class TestStop:
    def test_takes_grandchildren_along(self, watch, tmp_path: Path) -> None:
        child = watch(["sh", "-c", "sleep 60 & echo $! > grandchild; wait"])
        assert wait_until((tmp_path / "grandchild").exists, 5)
        assert wait_until(lambda: (tmp_path / "grandchild").read_text().strip() != "", 5)
        grandchild = int((tmp_path / "grandchild").read_text())
        child.stop()
        assert wait_until(lambda: not read_command_line(grandchild), 5)

    def test_a_child_that_ignores_the_request(self, watch) -> None:
        child = watch(["sh", "-c", "trap '' TERM; while true; do sleep 0.1; done"], grace=0.3)
        pid = child.process.pid
        child.stop()
        assert not read_command_line(pid)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's death signal is Linux")
def test_kill_9_of_the_parent_leaves_no_orphan(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from api.launch.process import spawn_child;"
        "print(spawn_child(['sleep', '60'], cwd=Path('/'), stdout=None).pid, flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], cwd=PROJECT_DIR, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert "sleep" in read_command_line(child)
    parent.kill()
    parent.wait()
    assert wait_until(lambda: not read_command_line(child), 5)
