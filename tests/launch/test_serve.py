"""The API's processes: a killed worker is replaced, a killed parent leaves no worker, a stop finishes requests."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.launch.health import answers
from api.launch.process import command_line, wait_until
from api.launch.serve import WORKERS
from tests.faults.storm import Server, serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.fixture
def server(database_url: str, tmp_path: Path) -> Iterator[Server]:
    with serving(database_url, tmp_path) as server:
        yield server


def test_the_workers_share_the_port_and_a_killed_one_is_replaced(server: Server) -> None:
    before = server.workers()
    assert len(before) == WORKERS
    os.kill(min(before), signal.SIGKILL)
    assert wait_until(lambda: len(server.workers() - before) == 1, 10)
    assert len(server.workers()) == WORKERS
    assert wait_until(lambda: answers(server.port, "/healthz"), 10)


def test_a_stop_ends_all(server: Server) -> None:
    workers = server.workers()
    assert server.process is not None
    server.process.terminate()
    assert server.process.wait(20) == 0
    assert not any(map(command_line, workers))


def test_kill_9_of_the_parent_ends_the_workers(server: Server) -> None:
    workers = server.workers()
    assert server.process is not None
    server.process.kill()
    server.process.wait()
    assert wait_until(lambda: not any(map(command_line, workers)), 10)
