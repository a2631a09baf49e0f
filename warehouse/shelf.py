"""dbt 做出的东西，按 dbt 项目的版本存盘：同一版本的下一个进程直接取用，不必再解析和编译。"""

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
PLACE = PROJECT / "target" / "shelf"
KEPT = 3
"""So many versions: branches of work take turns."""
MAKING = ".making"
"""Locked by the process that has dbt make what the others wait for."""


class Shelf:
    """Files of one version. Nothing in them depends on where a warehouse is, on its figures, or on a business date."""

    def __init__(self) -> None:
        self.version = version()

    def read(self, name: str) -> bytes | None:
        """What was put there under this name, whole, or None."""
        try:
            return (self._place / name).read_bytes()
        except OSError:
            return None

    def kept(self, name: str, make: Callable[[], bytes]) -> bytes:
        """What this version made under a name, now or in an earlier process."""
        found = self.read(name)
        if found is None:
            found = make()
            self.write(name, found)
        return found

    @contextmanager
    def alone(self) -> Iterator[None]:
        """One process at a time has dbt make something of this version: who waited finds it there. Not for nesting."""
        with ExitStack() as held:
            try:
                self._place.mkdir(parents=True, exist_ok=True)
                fcntl.flock(held.enter_context((self._place / MAKING).open("w")), fcntl.LOCK_EX)
            except OSError as error:
                log.warning("made without waiting for others: %s", error)
            yield

    def write(self, name: str, content: bytes) -> None:
        """Put it there, unless the project changed meanwhile; where that can't be, each process makes its own."""
        if version() != self.version:
            return
        try:
            self._place.mkdir(parents=True, exist_ok=True)
            handle, draft = mkstemp(dir=self._place, prefix=".")
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                os.fsync(handle)
            os.replace(draft, self._place / name)
            self._place.touch()
            for old in sorted(PLACE.iterdir(), key=lambda place: place.stat().st_mtime)[:-KEPT]:
                shutil.rmtree(old, ignore_errors=True)
        except OSError as error:
            log.warning("not kept for the next process: %s", error)

    @property
    def _place(self) -> Path:
        return PLACE / self.version


def version() -> str:
    """Digest of the project's files, of dbt, and of the programs that run it and keep what it made."""
    digest = hashlib.sha256(f"{release('dbt-core')} {release('dbt-duckdb')}".encode())
    for program in ("shelf.py", "compiler.py", "transform.py", "dictionary.py"):
        digest.update(Path(__file__).with_name(program).read_bytes())
    for path in sorted(PROJECT.rglob("*")):
        if path.suffix in {".sql", ".yml"} and "target" not in path.parts:
            digest.update(path.relative_to(PROJECT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()
