"""刷新一次：抽取 → 对账 → 转换 → 发布；任何一步被杀掉，下一次都能接着做完。"""

from __future__ import annotations

import fcntl
import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from warehouse import extract, publish, status
from warehouse import position as positions
from warehouse.engine import attach_postgres, work_database
from warehouse.files import Files
from warehouse.position import PUBLISH, REBUILD, RELABEL, Position
from warehouse.sources import sources
from warehouse.transform import Mode, Project

log = logging.getLogger(__name__)
BUSINESS_ZONE = ZoneInfo("Asia/Shanghai")


class BusyError(RuntimeError):
    """Another process refreshes this warehouse."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One refresh: `snapshot` and `mode` (what was built) are None when nothing was new; `rows` were read.

    `position` is how far extraction has read, `as_of` the business date.
    """

    position: Position
    as_of: str
    snapshot: int | None
    rows: int
    mode: Mode | None
    seconds: float


class Refresher:
    """Owns one warehouse directory; hold `exclusive()` around its calls."""

    def __init__(self, files: Files, url: str) -> None:
        self.files = files
        self._url = url
        files.prepare()
        self._project = Project(files)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """One refresher a directory, across processes. Raises BusyError."""
        with self.files.lock.open("w") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise BusyError("已有刷新进程在运行，请勿重复启动") from error
            yield

    def refresh(self, *, full: bool = False, deep: bool = False, as_of: str | None = None) -> Outcome:
        """Extract, transform what changed, publish; records the outcome in the status file."""
        started = time.monotonic()
        status.write(self.files.status, state="running")
        try:
            outcome, changes = self._refresh(full, deep, as_of or business_date(), started)
        except Exception as error:
            failures = status.read(self.files.status)["failures"] + 1
            status.write(
                self.files.status,
                state="failed",
                last_error=status.now(),
                error=str(error),
                failures=failures,
            )
            raise
        status.write(self.files.status, state="idle", last_ok=status.now(), error=None, failures=0, **changes)
        return outcome

    def _refresh(self, full: bool, deep: bool, as_of: str, started: float) -> tuple[Outcome, dict[str, Any]]:
        with work_database(self.files.work) as conn:
            attach_postgres(conn, self._url)
            load = extract.load(conn, full=full, deep=deep)
            names, due = positions.touched(conn), positions.owed(conn)
            built = positions.built(conn)
        mode = self._mode(due, built, as_of, names)
        number = None
        if mode is not None:
            self._transform(mode, names, as_of)
            number = publish.publish(self.files, next_xid=load.position.next_xid)
            with work_database(self.files.work) as conn:
                positions.mark_published(conn)
        seconds = round(time.monotonic() - started, 3)
        log.info("refreshed: %s, %s rows, snapshot %s, %.2f s", mode, load.rows, number, seconds)
        changes: dict[str, Any] = {"mended": load.mended} if load.mended else {}
        if number is not None:
            changes |= {"snapshot": number, "rows": load.rows, "mode": mode, "seconds": seconds}
        return Outcome(load.position, as_of, number, load.rows, mode, seconds), {
            **changes,
            "last_xid": load.position.next_xid,
        }

    def _mode(
        self, due: set[str], built: tuple[str, str] | None, as_of: str, names: list[str]
    ) -> Mode | None:
        """What has to be built; None when nothing changed and the last snapshot is there."""
        if (
            REBUILD in due
            or built is None
            or built[1] != self._project.version
            or not self.files.marts.exists()
        ):
            return "rebuild"
        if RELABEL in due or built[0] != as_of:
            return "replace"
        if names or PUBLISH in due or not publish.readable(self.files):
            return "patch"
        return None

    def _transform(self, mode: Mode, names: list[str], as_of: str) -> None:
        if mode == "rebuild":
            # From an empty file, so that it holds no space of deleted rows.
            shutil.rmtree(self.files.marts.parent, ignore_errors=True)
            self.files.prepare()
        if mode != "patch" or names:
            self._project.build(mode, as_of=as_of, changed=names)
        with work_database(self.files.work) as conn:
            positions.settle(
                conn, [source for source in sources() if source.track], as_of, self._project.version
            )


def business_date() -> str:
    """Today where the business is, YYYY-MM-DD."""
    return datetime.now(BUSINESS_ZONE).date().isoformat()
