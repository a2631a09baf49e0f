"""The API's processes: a killed worker is replaced, a killed parent leaves no worker, a stop finishes requests."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.launch.health import answers
from api.launch.process import command_line, tail, wait_until
from api.launch.serve import WORKERS

ERP = str(Path(sys.executable).with_name("erp"))

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def server(database_url: str, port: int, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    environment = {**os.environ, "ERP_PORT": str(port), "ERP_DATABASE_URL": database_url}
    log = tmp_path / "api.log"
    with log.open("wb") as output:
        started = subprocess.Popen([ERP, "serve"], env=environment, stdout=output, stderr=output)
    assert wait_until(lambda: answers(port, "/healthz") or started.poll() is not None, 180), tail(log)
    assert started.poll() is None, tail(log)
    yield started
    started.kill()
    started.wait()


def workers_of(server: subprocess.Popen[bytes]) -> set[int]:
    text = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text()
    return {int(pid) for pid in text.split() if command_line(int(pid))}


def test_the_workers_share_the_port(server: subprocess.Popen[bytes], port: int) -> None:
    assert len(workers_of(server)) == WORKERS
    assert answers(port, "/healthz")


def test_a_killed_worker_is_replaced(server: subprocess.Popen[bytes], port: int) -> None:
    before = workers_of(server)
    killed = min(before)
    os.kill(killed, signal.SIGKILL)
    assert wait_until(lambda: len(workers_of(server) - before) == 1, 10)
    assert wait_until(lambda: answers(port, "/healthz"), 10)


def test_a_stop_ends_all(server: subprocess.Popen[bytes]) -> None:
    workers = workers_of(server)
    server.terminate()
    assert server.wait(20) == 0
    assert not any(map(command_line, workers))


def test_kill_9_of_the_parent_ends_the_workers(server: subprocess.Popen[bytes]) -> None:
    workers = workers_of(server)
    server.kill()
    server.wait()
    assert wait_until(lambda: not any(map(command_line, workers)), 10)
