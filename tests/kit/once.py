"""What is dear to make and the same for all: made by the worker that asks first, and copied by whoever needs it.

It is kept from run to run, under the version of the code that makes it: a run whose code was tested before makes nothing anew.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

SHARE = "ERP_TESTS_SHARE"
PROJECT = Path(__file__).resolve().parents[2]
KEPT = PROJECT / ".tools" / "tests"
VERSIONS = 3
"""So many versions are kept: branches of work take turns."""
SOURCES = ("api", "warehouse", "transforms", "reports", "tests/kit", "tests/demo", "tests/warehouse")
LOCKS = ("uv.lock", "reports/uv.lock", "pyproject.toml", "tests/conftest.py", "tests/e2e/conftest.py")
GENERATED = frozenset((".venv", "target", "logs", "dbt_packages", "__pycache__"))


def begin() -> None:
    """Make the place of the run, of which the workers that it starts are told by their environment."""
    # Not under pytest's own base, which only we may enter: as root a server runs under another account.
    os.environ[SHARE] = tempfile.mkdtemp(prefix="erp-once-")
    _forget_old()


def end() -> None:
    shutil.rmtree(os.environ.pop(SHARE), ignore_errors=True)


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """The directory of this name, which `make` filled. It is there to be copied: nobody writes to it."""
    kept, draft = KEPT / version(), Path(os.environ[SHARE]) / name
    kept.mkdir(parents=True, exist_ok=True)
    with (kept / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (kept / name).exists():
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir()
            make(draft)
            shutil.rmtree(kept / f"{name}.new", ignore_errors=True)
            copy(draft, kept / f"{name}.new")
            shutil.rmtree(draft)
            (kept / f"{name}.new").rename(kept / name)
    return kept / name


def copy(source: Path, target: Path) -> None:
    """Copy a file or a whole directory as it is, with its owner."""
    subprocess.run(["cp", "-a", source, target], check=True)


@cache
def version() -> str:
    """A digest of all that decides over what is kept: the code that makes it, what is installed, and the business day."""
    day = (datetime.now(UTC) + timedelta(hours=8)).date()
    digest = hashlib.sha256(day.isoformat().encode())
    for file in _sources():
        digest.update(f"{file.relative_to(PROJECT)}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:20]


def _sources() -> Iterator[Path]:
    for name in SOURCES:
        for folder, within, files in os.walk(PROJECT / name):
            within[:] = sorted(set(within) - GENERATED)
            # Tests are given what is kept; they don't make it.
            yield from (Path(folder, file) for file in sorted(files) if not file.startswith("test_"))
    yield from (file for name in LOCKS if (file := PROJECT / name).is_file())


def _forget_old() -> None:
    """Keep the newest versions alone; one that a run beside this one works with is among them."""
    places = sorted(KEPT.glob("*/"), key=lambda place: place.stat().st_mtime, reverse=True)
    for place in places[VERSIONS:]:
        shutil.rmtree(place, ignore_errors=True)
