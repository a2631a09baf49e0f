"""Reload (热重载): `erp up --reload` starts a process anew when its code changes, and serves the web unbuilt."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from api.kit.settings import PROJECT_DIR
from api.launch.health import Part, answers
from api.launch.supervisor import Child

WEB_PORT = 5173
FOLDERS = {
    Part.API: ("api", "reports"),
    Part.WORK: ("api", "reports"),
    Part.REFRESH: ("warehouse", "transforms/models", "transforms/macros", "transforms/tests"),
}
"""What a process is made of; a change of any file there starts it anew."""


def watch_command(command: Sequence[str], folders: Iterable[Path]) -> list[str]:
    """The command that runs another one, and starts it anew when a file of these folders changes.

    One that ends by itself, as of a mistake in the code, is started at the next change.
    """
    watch = [sys.executable, "-m", "watchfiles", "--target-type", "command", "--verbosity", "warning"]
    return [*watch, shlex.join(command), *map(str, folders)]


def folders_of(part: Part) -> list[Path]:
    """The folders whose changes start a process anew."""
    return [PROJECT_DIR / name for name in FOLDERS[part]]


def once_healthy(probe: Callable[[], bool]) -> Callable[[], bool]:
    """A probe that goes on saying yes after its first: who starts anew, or waits for a mistake to be corrected, is not
    to be ended for its silence."""
    seen = False

    def remembering() -> bool:
        nonlocal seen
        seen = seen or probe()
        return seen

    return remembering


def web_address() -> str:
    """Where the web is served from its sources."""
    return f"http://127.0.0.1:{_web_port()}"


def web_child() -> Child:
    """Vite, which hands what isn't the web's to the API; it reloads by itself."""
    return Child(
        "web",
        "网页（Vite）",
        ["npm", "--prefix", "web", "run", "dev", "--", "--host", "127.0.0.1"],
        PROJECT_DIR,
        probe=lambda: answers(_web_port(), "/index.html"),
        needed=False,
    )


def _web_port() -> int:
    return int(os.environ.get("VITE_PORT", WEB_PORT))
