"""What is dear to make and the same for all: made once a run, by the worker that asks first, and copied by whoever
needs it."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

SHARE = "ERP_TESTS_SHARE"


def begin() -> None:
    """Make the place of the run, of which the workers that it starts are told by their environment."""
    # Not under pytest's own base, which only we may enter: as root a server runs under another account.
    os.environ[SHARE] = tempfile.mkdtemp(prefix="erp-once-")


def end() -> None:
    shutil.rmtree(os.environ.pop(SHARE), ignore_errors=True)


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """The directory of this name, which `make` filled. It is there to be copied: nobody writes to it."""
    share = Path(os.environ[SHARE])
    place, draft = share / name, share / f"{name}.new"
    with (share / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir()
            make(draft)
            draft.rename(place)
    return place


def copy(source: Path, target: Path) -> None:
    """Copy a file or a whole directory as it is, with its owner."""
    subprocess.run(["cp", "-a", source, target], check=True)
