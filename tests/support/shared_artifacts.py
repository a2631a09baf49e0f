"""Shared artifacts: made by the worker that asks first, and copied by the others.

They are kept from run to run, under the version of the code that makes them: a run of code tested before
makes nothing anew.
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

SHARE_VARIABLE = "ERP_TESTS_SHARE"
PROJECT = Path(__file__).resolve().parents[2]
KEPT_DIR = PROJECT / ".tools" / "tests"
VERSIONS = 3
"""Versions that are kept, as work switches between branches."""
SOURCES = (
    "api",
    "warehouse",
    "transforms",
    "reports",
    "tests/kit",
    "tests/support",
    "tests/demo",
    "tests/warehouse",
)
LOCKS = ("uv.lock", "reports/uv.lock", "pyproject.toml", "tests/conftest.py", "tests/e2e/conftest.py")
GENERATED = frozenset((".venv", "target", "logs", "dbt_packages", "__pycache__"))


def begin_run() -> None:
    """Make the directory of the run, of which its workers learn by their environment."""
    # Not under pytest's own base, which only we may enter: as root a server runs under another account.
    os.environ[SHARE_VARIABLE] = tempfile.mkdtemp(prefix="erp-once-")
    _delete_old_versions()


def end_run() -> None:
    shutil.rmtree(os.environ.pop(SHARE_VARIABLE), ignore_errors=True)


def shared_artifact(name: str, make: Callable[[Path], None]) -> Path:
    """Return the directory of this name, filled by `make` once.

    It is there to be copied: nobody writes to it.
    """
    kept, draft = KEPT_DIR / code_version(), Path(os.environ[SHARE_VARIABLE]) / name
    kept.mkdir(parents=True, exist_ok=True)
    with (kept / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (kept / name).exists():
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir()
            make(draft)
            shutil.rmtree(kept / f"{name}.new", ignore_errors=True)
            copy_artifact(draft, kept / f"{name}.new")
            shutil.rmtree(draft)
            (kept / f"{name}.new").rename(kept / name)
    return kept / name


def copy_artifact(source: Path, target: Path) -> None:
    """Copy a file or a whole directory as it is, with its owner."""
    subprocess.run(["cp", "-a", source, target], check=True)


@cache
def code_version() -> str:
    """Return a digest of what determines the artifacts: code, installed packages, business date."""
    day = (datetime.now(UTC) + timedelta(hours=8)).date()
    digest = hashlib.sha256(day.isoformat().encode())
    for file in _iterate_sources():
        digest.update(f"{file.relative_to(PROJECT)}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:20]


def _iterate_sources() -> Iterator[Path]:
    for name in SOURCES:
        for folder, within, files in os.walk(PROJECT / name):
            within[:] = sorted(set(within) - GENERATED)
            # Tests are given what is kept; they don't make it.
            yield from (Path(folder, file) for file in sorted(files) if not file.startswith("test_"))
    yield from (file for name in LOCKS if (file := PROJECT / name).is_file())


def _delete_old_versions() -> None:
    """Delete all but the newest versions; one that a concurrent run uses is among these."""
    places = sorted(KEPT_DIR.glob("*/"), key=lambda place: place.stat().st_mtime, reverse=True)
    for place in places[VERSIONS:]:
        shutil.rmtree(place, ignore_errors=True)
