"""System packages (系统的软件包): installed by apt-get if missing; else an error says what to install."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

from api.launch.progress import Progress


class PackageError(OSError):
    """The system lacks a package and it can't be installed; the message is Chinese and says what to do."""


def install_packages(progress: Progress, label: str, packages: Sequence[str], otherwise: str) -> None:
    """Install Debian's packages where there are any and we may; `otherwise` says what to do elsewhere.

    Raises PackageError.
    """
    if not (shutil.which("apt-get") and (os.geteuid() == 0 or _can_sudo())):
        raise PackageError(otherwise)
    with progress.step(f"安装{label}"):
        sudo = [] if os.geteuid() == 0 else ["sudo", "-n"]
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for arguments in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
            done = subprocess.run(
                [*sudo, "apt-get", "-qq", *arguments], env=environment, stdout=subprocess.DEVNULL
            )
            if done.returncode:
                raise PackageError(f"apt-get {arguments[0]} 没有成功，请检查软件源后再试")


def _can_sudo() -> bool:
    return bool(shutil.which("sudo")) and subprocess.run(["sudo", "-n", "true"]).returncode == 0
