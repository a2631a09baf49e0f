"""Child processes (子进程): each in a process group of its own, ended with the launcher, without orphans."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO

PR_SET_PDEATHSIG = 1
LOG_LIMIT = 20 * 1024 * 1024
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def spawn_child(
    command: Sequence[str],
    *,
    cwd: Path,
    stdout: int | IO[bytes] | None,
    environment: Mapping[str, str] | None = None,
    death_signal: signal.Signals = signal.SIGTERM,
    user: int | None = None,
    group: int | None = None,
    stderr: int | IO[bytes] | None = subprocess.STDOUT,
) -> subprocess.Popen[bytes]:
    """Start a child in a process group of its own. Call it from the main thread only.

    On Linux the kernel sends `death_signal` when the calling thread dies, also by kill -9.
    """
    return subprocess.Popen(
        list(command),
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
        user=user,
        group=group,
        extra_groups=[] if user is not None else None,
        preexec_fn=partial(die_with_parent, death_signal, os.getpid()),
    )


def stop_child(
    process: subprocess.Popen[bytes], *, polite: signal.Signals = signal.SIGTERM, grace: float = 10.0
) -> None:
    """Ask the child to stop, wait up to `grace` seconds, then end whatever is left of its group."""
    if process.poll() is None:
        process.send_signal(polite)
        try:
            process.wait(grace)
        except subprocess.TimeoutExpired:
            pass
    kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what a child left in its process group, the child included, and reap it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def open_log(path: Path) -> IO[bytes]:
    """Open a log for appending; a long one is kept aside once as `<name>.1`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > LOG_LIMIT:
        path.replace(path.with_name(path.name + ".1"))
    return path.open("ab", buffering=0)


def read_tail(path: Path, lines: int = 12) -> str:
    """Return the last lines of a log, for an error message."""
    try:
        text = path.read_text("utf-8", errors="replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


def read_command_line(pid: int) -> str:
    """Return the command line of a running process; empty when there is none (or only its zombie)."""
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ").strip()
        except (FileNotFoundError, ProcessLookupError):
            return ""
    shown = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True)
    return shown.stdout.strip()


def wait_until(ready: Callable[[], bool], timeout: float) -> bool:
    """Poll `ready` until it is true; return False when `timeout` seconds pass first."""
    deadline = time.monotonic() + timeout
    while not ready():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def die_with_parent(death_signal: signal.Signals, parent: int) -> None:
    """Have the kernel signal a fresh child when the thread that forked it dies (Linux only)."""
    if _libc is None:
        return
    _libc.prctl(PR_SET_PDEATHSIG, int(death_signal))
    if os.getppid() != parent:
        os._exit(1)
