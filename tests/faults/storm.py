"""A server of its own for the tests that kill it: embedded Postgres, `uvicorn` processes, and a world to work in."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

from api.kit.settings import PROJECT_DIR
from api.launch.process import spawn, sweep

READY_SECONDS = 180


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """`uvicorn api.main:app` on a database, as a process that can be killed."""

    def __init__(self, url: str, data_dir: Path, workers: int = 1) -> None:
        self.port, self.workers = free_port(), workers
        self.environment: Mapping[str, str] = {
            "ERP_DATABASE_URL": url,
            "ERP_DATA_DIR": str(data_dir),
            "ERP_PORT": str(self.port),
        }
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = [sys.executable, "-m", "uvicorn", "api.main:app", "--host", "127.0.0.1"]
        command += ["--port", str(self.port), "--workers", str(self.workers), "--log-level", "critical"]
        self.process = spawn(
            command,
            cwd=PROJECT_DIR,
            stdout=subprocess.DEVNULL,
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
        raise AssertionError("the server did not come up")

    def kill(self) -> None:
        """kill -9 of the whole group: nothing is flushed, nothing is said."""
        if self.process is not None:
            sweep(self.process)
            self.process = None


@contextmanager
def serving(url: str, data_dir: Path, workers: int = 1) -> Iterator[Server]:
    server = Server(url, data_dir, workers)
    try:
        server.start()
        yield server
    finally:
        server.kill()
