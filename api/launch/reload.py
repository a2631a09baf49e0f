"""Hot reload (热重载): `erp up --reload` restarts a process when its code changes, and serves the web unbuilt."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from api.kit.settings import PROJECT_DIR
from api.launch.health import Service, is_answering
from api.launch.supervisor import ServiceProcess

WEB_PORT = 5173
FOLDERS = {
    Service.API: ("api", "reports"),
    Service.WORK: ("api", "reports"),
    Service.REFRESH: ("warehouse", "transforms/models", "transforms/macros", "transforms/tests"),
}
"""What a process is made of; a change of any file there starts it anew."""


def watch_command(command: Sequence[str], folders: Iterable[Path]) -> list[str]:
    """Return the command that runs another one, and restarts it when a file of these folders changes.

    One that ends by itself, as of a mistake in the code, is started at the next change.
    """
    watch = [sys.executable, "-m", "watchfiles", "--target-type", "command", "--verbosity", "warning"]
    return [*watch, shlex.join(command), *map(str, folders)]


def watched_folders(part: Service) -> list[Path]:
    """Return the folders whose changes restart a process."""
    return [PROJECT_DIR / name for name in FOLDERS[part]]


def keep_healthy(probe: Callable[[], bool]) -> Callable[[], bool]:
    """Return a probe that stays true after its first success: a process that restarts, or waits for a mistake
    to be corrected, must not be killed."""
    seen = False

    def remembering() -> bool:
        nonlocal seen
        seen = seen or probe()
        return seen

    return remembering


def web_address() -> str:
    """Return the address of the web that is served from its sources."""
    return f"http://127.0.0.1:{_web_port()}"


def build_web_process() -> ServiceProcess:
    """Build the process of Vite, which forwards what isn't the web's to the API; it reloads by itself."""
    return ServiceProcess(
        "web",
        "网页（Vite）",
        ["npm", "--prefix", "web", "run", "dev", "--", "--host", "127.0.0.1"],
        PROJECT_DIR,
        probe=lambda: is_answering(_web_port(), "/index.html"),
        required=False,
    )


def _web_port() -> int:
    return int(os.environ.get("VITE_PORT", WEB_PORT))
