"""Installation of its own: `erp up` on a data directory and ports, started, watched and stopped from outside."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from api.kit.settings import PROJECT_DIR
from api.launch.process import read_command_line, read_tail, wait_until
from tests.support.ports import free_port

ERP = str(Path(sys.executable).with_name("erp"))


class Installation:
    """A data directory with its ports, and the launcher that runs on it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.data_dir = place / "data"
        self.output = place / "output.log"
        self.port, self.report_port, self.explore_port = free_port(), free_port(), free_port()
        self.launcher: subprocess.Popen[bytes] | None = None

    @property
    def environment(self) -> dict[str, str]:
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("ERP_")},
            "ERP_PORT": str(self.port),
            "ERP_REPORT_PORT": str(self.report_port),
            "ERP_EXPLORE_PORT": str(self.explore_port),
            "ERP_DATA_DIR": str(self.data_dir),
            "ERP_DEMO": "none",
            "ERP_ADMIN_PASSWORD": "launch-test-1",
        }

    def start(self, timeout: float) -> float:
        """Start, wait for READY, and return the seconds it took."""
        began = time.monotonic()
        with self.output.open("wb") as output:
            self.launcher = subprocess.Popen(
                [ERP, "up"], env=self.environment, cwd=PROJECT_DIR, stdout=output, stderr=output
            )
        launcher = self.launcher
        wait_until(lambda: self.is_ready() or launcher.poll() is not None, timeout)
        assert self.is_ready(), read_tail(self.output, 40)
        return time.monotonic() - began

    def is_ready(self) -> bool:
        return f"READY http://127.0.0.1:{self.port}" in self.output.read_text("utf-8")

    def send_signal(self, number: signal.Signals) -> int:
        assert self.launcher is not None
        self.launcher.send_signal(number)
        return self.launcher.wait(60)

    def processes(self) -> dict[int, str]:
        """Return every living process that was started for this data directory."""
        marks = (f"ERP_DATA_DIR={self.data_dir}".encode(), str(self.data_dir / "postgres").encode())
        found = {}
        for folder in Path("/proc").iterdir():
            if not folder.name.isdecimal():
                continue
            try:
                traces = (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if any(mark in traces for mark in marks):
                found[int(folder.name)] = read_command_line(int(folder.name))
        return found

    def pids_of(self, words: str) -> set[int]:
        """Return the processes whose command line has `words`."""
        return {pid for pid, command in self.processes().items() if words in command}

    def head_of(self, words: str) -> int:
        """Return the process with `words` that started the others with them; pids are reused at times."""
        found = self.pids_of(words)
        heads = [pid for pid in found if _parent_of(pid) not in found]
        assert len(heads) == 1, heads
        return heads[0]

    def cpu_seconds(self) -> float:
        """Return the processor time of all living processes and of those that they have waited for."""
        ticks = 0
        for pid in self.processes():
            ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")


def _parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
