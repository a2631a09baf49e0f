"""Compile cache (编译缓存): dbt's output on disk by digest of the project, so that later processes need
not parse and compile."""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.metadata import version as release
from pathlib import Path
from tempfile import mkstemp

log = logging.getLogger(__name__)

PROJECT = Path(__file__).resolve().parents[1] / "transforms"
CACHE_DIRECTORY = PROJECT / "target" / "shelf"
MAX_VERSIONS = 3
"""So many versions: branches of work take turns."""
LOCK_FILE = ".making"
"""Locked by the process that has dbt make what the others wait for."""


class CompileCache:
    """Cached files of one project version. Nothing in them depends on a warehouse's place, figures, or
    business date."""

    def __init__(self) -> None:
        self.version = project_digest()

    def read(self, name: str) -> bytes | None:
        """Return a whole cached file, or None."""
        try:
            return (self._directory / name).read_bytes()
        except OSError:
            return None

    def get_or_create(self, name: str, make: Callable[[], bytes]) -> bytes:
        """Return the cached bytes of `name`; make and store them on a miss."""
        found = self.read(name)
        if found is None:
            found = make()
            self.write(name, found)
        return found

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """A lock under which one process at a time makes output of this version: later ones find it. Not
        reentrant."""
        with ExitStack() as stack:
            try:
                self._directory.mkdir(parents=True, exist_ok=True)
                fcntl.flock(stack.enter_context((self._directory / LOCK_FILE).open("w")), fcntl.LOCK_EX)
            except OSError as error:
                log.warning("made without waiting for others: %s", error)
            yield

    def write(self, name: str, content: bytes) -> None:
        """Store a file, unless the project changed meanwhile; if that fails, each process makes its own."""
        if project_digest() != self.version:
            return
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            handle, draft = mkstemp(dir=self._directory, prefix=".")
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                os.fsync(handle)
            os.replace(draft, self._directory / name)
            self._directory.touch()
            for old in sorted(CACHE_DIRECTORY.iterdir(), key=lambda place: place.stat().st_mtime)[
                :-MAX_VERSIONS
            ]:
                shutil.rmtree(old, ignore_errors=True)
        except OSError as error:
            log.warning("not kept for the next process: %s", error)

    @property
    def _directory(self) -> Path:
        return CACHE_DIRECTORY / self.version


def project_digest() -> str:
    """Return a digest of the project's files, of dbt, and of the modules that run it and cache its output."""
    digest = hashlib.sha256(f"{release('dbt-core')} {release('dbt-duckdb')}".encode())
    for program in ("compile_cache.py", "compiler.py", "transform.py", "dictionary.py"):
        digest.update(Path(__file__).with_name(program).read_bytes())
    for path in sorted(PROJECT.rglob("*")):
        if path.suffix in {".sql", ".yml"} and "target" not in path.parts:
            digest.update(path.relative_to(PROJECT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()
