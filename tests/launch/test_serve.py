"""The API's processes: a killed worker is replaced, a killed parent leaves no worker, a stop finishes requests."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.launch.health import is_answering
from api.launch.http_server import WORKERS
from api.launch.process import read_command_line, wait_until
from tests.faults.serve_process import ServeProcess, run_server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def server(database_url: str, tmp_path: Path) -> Iterator[ServeProcess]:
    with run_server(database_url, tmp_path) as server:
        yield server


def test_the_workers_share_the_port_and_a_killed_one_is_replaced(server: ServeProcess) -> None:
    before = server.workers()
    assert len(before) == WORKERS
    os.kill(min(before), signal.SIGKILL)
    assert wait_until(lambda: len(server.workers() - before) == 1, 10)
    assert len(server.workers()) == WORKERS
    assert wait_until(lambda: is_answering(server.port, "/healthz"), 10)


def test_a_stop_ends_all(server: ServeProcess) -> None:
    workers = server.workers()
    assert server.process is not None
    server.process.terminate()
    assert server.process.wait(20) == 0
    assert not any(map(read_command_line, workers))


def test_kill_9_of_the_parent_ends_the_workers(server: ServeProcess) -> None:
    workers = server.workers()
    assert server.process is not None
    server.process.kill()
    server.process.wait()
    assert wait_until(lambda: not any(map(read_command_line, workers)), 10)
