"""Supervisor (看护): starts child processes, probes their health, restarts dead ones with a backoff, stops
all of them."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from api.launch.process import kill_group, open_log, read_tail, spawn_child, stop_child

BACKOFF_SECONDS = (1, 2, 4, 8, 15, 30)
STEADY_SECONDS = 60
PROBE_SECONDS = 15
PROBES_UNTIL_RESTART = 4
STARTUP_ATTEMPTS = 3


class ServiceError(RuntimeError):
    """A process does not come up; the message is Chinese and shows the end of its log."""


@dataclass(frozen=True)
class ServiceProcess:
    """Command and health probe of a service. `probe` returns at once and never raises.

    The start goes on without one that is not `required`: while it doesn't come up it is retried.
    """

    name: str
    label: str
    command: Sequence[str]
    cwd: Path
    probe: Callable[[], bool]
    environment: Mapping[str, str] = field(default_factory=dict)
    start_seconds: float = 600.0
    grace: float = 10.0
    required: bool = True


class SupervisedProcess:
    """A supervised process: its health, its next restart."""

    def __init__(self, child: ServiceProcess, logs: Path, say: Callable[[str], None]) -> None:
        self.child = child
        self.log = logs / f"{child.name}.log"
        self.process: subprocess.Popen[bytes] | None = None
        self.healthy = False
        self._say = say
        self._failures = 0
        self._failed_probes = 0
        self._was_lost = self._skipped = False
        self._first_start = time.monotonic()
        self._started = self._next_start = self._next_probe = 0.0

    def start(self) -> None:
        with open_log(self.log) as log:
            self.process = spawn_child(
                self.child.command, cwd=self.child.cwd, stdout=log, environment=self.child.environment
            )
        self._started = time.monotonic()
        self._failed_probes, self._next_probe = 0, self._started

    def watch(self) -> None:
        """Run one turn: notice a death or a hang, restart when its time has come, probe when due."""
        now = time.monotonic()
        if self.process is None:
            if now >= self._next_start:
                self.start()
        elif self.process.poll() is not None:
            self._schedule_restart(f"退出（{self.process.returncode}）")
        elif now >= self._next_probe:
            self._probe(now)

    def is_up(self, now: float) -> bool:
        """Return whether the start need not wait for it any longer.

        Raises ServiceError when one that is required dies again and again, or takes too long, before it is
        healthy.
        """
        late = now - self._first_start > self.child.start_seconds
        if self.healthy or not (late or self._failures >= STARTUP_ATTEMPTS):
            return self.healthy
        failed = f"{self.child.label}没有起来，日志 {self.log} 的末尾：\n{read_tail(self.log)}"
        if self.child.required:
            raise ServiceError(failed)
        self._say(f"✗ {failed}\n其他部分照常使用，{self.child.label}稍后再试")
        self._was_lost = self._skipped = True
        return True

    def ask_to_stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()

    def stop(self) -> None:
        if self.process is not None:
            stop_child(self.process, grace=self.child.grace)
            self.process = None

    def kill(self) -> None:
        if self.process is not None:
            kill_group(self.process)
            self.process = None

    def _probe(self, now: float) -> None:
        if self.child.probe():
            # Its first yes may rest on what it left when it died.
            if self.healthy and self._was_lost:
                self._say(f"✓ {self.child.label}已恢复")
                self._was_lost = False
            self.healthy, self._failed_probes = True, 0
            self._next_probe = now + PROBE_SECONDS
            if now - self._started > STEADY_SECONDS:
                self._failures = 0
            return
        # Before it was ever healthy a child is only starting: ask again soon and leave the limit to the caller.
        self._next_probe = now + (PROBE_SECONDS if self.healthy or self._skipped else 0.1)
        self._failed_probes += self.healthy
        if self._failed_probes >= PROBES_UNTIL_RESTART:
            self._schedule_restart("没有回应")

    def _schedule_restart(self, reason: str) -> None:
        self.kill()
        self._was_lost, self.healthy = self._was_lost or self.healthy, False
        wait = BACKOFF_SECONDS[min(self._failures, len(BACKOFF_SECONDS) - 1)]
        self._failures += 1
        self._next_start = time.monotonic() + wait
        self._say(f"✗ {self.child.label}{reason}，{wait} 秒后重新启动，日志 {self.log}")


def await_health(children: Sequence[SupervisedProcess], on_healthy: Callable[[ServiceProcess], None]) -> None:
    """Watch all until each is healthy, reporting each as it becomes so, or can be skipped.

    Raises ServiceError when one that is required does not come up.
    """
    waiting = list(children)
    while waiting:
        for watched in children:
            watched.watch()
        now = time.monotonic()
        for watched in [each for each in waiting if each.is_up(now)]:
            waiting.remove(watched)
            if watched.healthy:
                on_healthy(watched.child)
        time.sleep(0.1)
