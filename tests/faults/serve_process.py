"""Server process for the tests that load and kill it: `erp serve`, as the product runs it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

from api.kit.settings import PROJECT_DIR
from api.launch.process import kill_group, open_log, read_command_line, read_tail, spawn_child
from tests.support.ports import free_port

READY_SECONDS = 180
ERP = str(Path(sys.executable).with_name("erp"))


class ServeProcess:
    """`erp serve` on a database: two workers behind one port, that can be killed with their parent or without
    it."""

    def __init__(self, url: str, data_dir: Path) -> None:
        self.port, self.log = free_port(), data_dir / "serve.log"
        self.environment: Mapping[str, str] = {
            "ERP_DATABASE_URL": url,
            "ERP_DATA_DIR": str(data_dir),
            "ERP_PORT": str(self.port),
            "ERP_EXPLORE_PORT": str(free_port()),
        }
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        with open_log(self.log) as log:
            self.process = spawn_child(
                [ERP, "serve"],
                cwd=PROJECT_DIR,
                stdout=log,
                environment=self.environment,
                death_signal=signal.SIGKILL,
            )
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.address}/healthz", timeout=2).status_code == 200:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.1)
        raise AssertionError(f"the server did not come up:\n{read_tail(self.log)}")

    def workers(self) -> set[int]:
        """Return the pids of the processes that answer."""
        assert self.process is not None
        pid = self.process.pid
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
        return {int(child) for child in found if read_command_line(int(child))}

    def kill_workers(self) -> None:
        """Kill the workers with SIGKILL: nothing is flushed; `erp serve` replaces them."""
        for pid in self.workers():
            os.kill(pid, signal.SIGKILL)

    def kill(self) -> None:
        """Kill the whole group with SIGKILL: nothing is flushed."""
        if self.process is not None:
            kill_group(self.process)
            self.process = None


@contextmanager
def run_server(url: str, data_dir: Path) -> Iterator[ServeProcess]:
    server = ServeProcess(url, data_dir)
    try:
        server.start()
        yield server
    finally:
        server.kill()
