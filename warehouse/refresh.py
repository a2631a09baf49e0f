"""刷新一次：抽取 → 对账 → 转换 → 校验 → 发布；任何一步被杀掉，下一次都能接着做完。"""

from __future__ import annotations

import fcntl
import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import duckdb

from warehouse import cycles, dictionary, extract, publish, status
from warehouse import position as positions
from warehouse.engine import TransformError, attach_postgres, damage, work_database
from warehouse.files import Files
from warehouse.position import PUBLISH, REBUILD, REFUSED, RELABEL, Position
from warehouse.sources import sources
from warehouse.transform import GUARDS, PATCH_GUARDS, Mode, Project, Proof

log = logging.getLogger(__name__)
BUSINESS_ZONE = ZoneInfo("Asia/Shanghai")
ERROR_LENGTH = 2000


class BusyError(RuntimeError):
    """Another process refreshes this warehouse."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One refresh: `snapshot` and `mode` (what was built) are None when nothing was new; `rows` were read.

    `position` is how far extraction has read, `as_of` the business date; `lag` as in `extract`; `proof` what tests
    found, `mended` what was put right: differences to Postgres, and patches that failed their tests.
    """

    position: Position
    as_of: str
    snapshot: int | None
    rows: int
    mode: Mode | None
    seconds: float
    lag: float | None
    proof: Proof | None
    mended: tuple[str, ...]


class RefusedError(RuntimeError):
    """What was built fails its tests, built from nothing too: the last good snapshot stays. Trying again needs other
    data."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(f"数据校验未通过：{outcome.proof}")
        self.outcome = outcome


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
        """Extract, transform what changed, test it, publish; records the outcome in the status file and the cycles.

        `full` reads and builds everything anew; `deep` proves whole tables and tests whatever was built. Raises
        RefusedError, and what the steps raise.
        """
        began, started = status.now(), time.monotonic()
        status.write(self.files.status, state="running")
        try:
            outcome = self._refresh_whole(full, deep, as_of or business_date(), started)
        except Exception as error:
            self.fail(error, began, time.monotonic() - started)
            raise
        self._succeed(outcome, began)
        return outcome

    def rehearse(self, outcome: Outcome) -> None:
        """Make ready for the first patch of what is built: dbt takes several times as long as the patch itself."""
        with work_database(self.files.work) as conn:
            idle = not positions.touched(conn)
        if idle:
            self._project.rehearse(as_of=outcome.as_of, changed=[source.name for source in sources()])

    def document(self, outcome: Outcome) -> None:
        """Write the data dictionary of what is built, unless it is there."""
        if not dictionary.is_current(self.files, self._project):
            dictionary.write(self.files, self._project, as_of=outcome.as_of)

    def fail(self, error: Exception, began: str, seconds: float = 0.0) -> None:
        """Record that a cycle failed, or that none could begin."""
        outcome = error.outcome if isinstance(error, RefusedError) else None
        text = str(error).replace(self._url, "业务库")[:ERROR_LENGTH]
        known = status.read(self.files.status)
        self._record(outcome, began, seconds, text)
        status.write(
            self.files.status,
            state="failed",
            last_error=status.now(),
            error=text,
            failures=known["failures"] + 1,
            failing_since=known["failing_since"] or began,
            **_proved(outcome.proof if outcome else None),
        )

    def _succeed(self, outcome: Outcome, began: str) -> None:
        changes: dict[str, Any] = {"mended": list(outcome.mended)} if outcome.mended else {}
        if outcome.snapshot is not None:
            changes |= {
                name: getattr(outcome, name) for name in ("snapshot", "rows", "mode", "seconds", "lag")
            }
        self._record(outcome, began, outcome.seconds, None)
        status.write(
            self.files.status,
            state="idle",
            last_ok=status.now(),
            error=None,
            failures=0,
            failing_since=None,
            waiting_since=None,
            last_xid=outcome.position.next_xid,
            **changes,
            **_proved(outcome.proof),
        )

    def _record(self, outcome: Outcome | None, began: str, seconds: float, error: str | None) -> None:
        proof = outcome.proof if outcome else None
        cycles.record(
            self.files.cycles,
            started_at=began,
            mode=outcome.mode if outcome else None,
            snapshot=outcome.snapshot if outcome else None,
            rows=outcome.rows if outcome else 0,
            seconds=round(seconds, 3),
            test_seconds=proof.seconds if proof else None,
            lag=outcome.lag if outcome else None,
            error=error,
            mended="；".join(outcome.mended) or None if outcome else None,
        )

    def _refresh_whole(self, full: bool, deep: bool, as_of: str, started: float) -> Outcome:
        """Refresh; where it fails because a working file is damaged, once more without it: all in it is derived."""
        try:
            return self._refresh(full, deep, as_of, started)
        except (duckdb.Error, TransformError):
            damaged = {
                path.name: told for path in (self.files.work, self.files.marts) if (told := damage(path))
            }
            if not damaged:
                raise
        log.error("made anew, for they can't be read: %s", damaged)
        for path in (self.files.work, self.files.marts):
            if path.name in damaged:
                path.unlink()
                path.with_name(f"{path.name}.wal").unlink(missing_ok=True)
        outcome = self._refresh(full, deep, as_of, started)
        return replace(outcome, mended=(f"数据文件损坏，已重新生成：{'、'.join(damaged)}", *outcome.mended))

    def _refresh(self, full: bool, deep: bool, as_of: str, started: float) -> Outcome:
        with work_database(self.files.work) as conn:
            attach_postgres(conn, self._url)
            load = extract.load(conn, full=full, deep=deep)
            names, due = positions.touched(conn), positions.owed(conn)
            built, waiting = positions.built(conn), positions.waiting(conn)
        status.write(self.files.status, waiting_since=_moment(waiting))
        mode = self._mode(due, built, as_of, names)
        if mode is not None:
            self._transform(mode, names, as_of)
        whole = deep or mode == "rebuild" or PUBLISH in due or built is None or built[0] != as_of
        with publish.copying(self.files) if mode is not None else nullcontext() as draft:
            mode, proof, amiss = self._prove(mode, as_of, whole=whole, patient=REFUSED in due and not deep)
        sound = proof is None or not proof.failures
        number = lag = None
        if mode is not None and sound:
            number = publish.publish(
                self.files,
                publish.copy(self.files) if amiss or draft is None else draft.result(),
                position=load.position,
                as_of=as_of,
                project=self._project.version,
            )
            lag = None if waiting is None else round(max(time.time() - waiting, 0.0), 3)
        with work_database(self.files.work) as conn:
            if number is not None:
                positions.mark_published(conn)
            elif not sound:
                positions.owe(conn, REFUSED)
        seconds = round(time.monotonic() - started, 3)
        mended = (*load.mended, *amiss)
        outcome = Outcome(load.position, as_of, number, load.rows, mode, seconds, lag, proof, mended)
        if not sound:
            publish.clean(self.files)
            raise RefusedError(outcome)
        return outcome

    def _prove(
        self, mode: Mode | None, as_of: str, *, whole: bool, patient: bool
    ) -> tuple[Mode | None, Proof | None, tuple[str, ...]]:
        """Test what was built, or `whole` what is there. A patch may be at fault: what fails is built from nothing
        and tested once more, unless `patient`; answers in words what failed the first time."""
        if mode is None and not whole:
            return None, None, ()
        proof = self._project.test(as_of=as_of, select=GUARDS if whole else PATCH_GUARDS)
        if not proof.failures or mode == "rebuild" or patient:
            return mode, proof, ()
        log.warning("tests fail, all is built anew: %s", proof)
        self._transform("rebuild", [], as_of)
        return (
            "rebuild",
            self._project.test(as_of=as_of, select=GUARDS),
            (f"全部重建，因为增量的校验未通过：{proof}",),
        )

    def _mode(
        self, due: set[str], built: tuple[str, str] | None, as_of: str, names: list[str]
    ) -> Mode | None:
        """What has to be built; None when nothing changed and the last snapshot is there."""
        if (
            REBUILD in due
            or built is None
            or built[1] != self._project.version
            # Months that had passed out of the facts would be missing.
            or as_of < built[0]
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
            with work_database(self.files.work) as conn:
                positions.clear(conn)
            # From an empty file, so that it holds no space of deleted rows.
            shutil.rmtree(self.files.marts.parent, ignore_errors=True)
            self.files.prepare()
        if mode != "patch" or names:
            self._project.build(mode, as_of=as_of, changed=names)
        with work_database(self.files.work) as conn:
            positions.settle(
                conn, [source for source in sources() if source.track], as_of, self._project.version
            )


def _proved(proof: Proof | None) -> dict[str, Any]:
    """What the status says of a proof."""
    if proof is None:
        return {}
    failed = [asdict(failure) for failure in proof.failures]
    return {"proved_at": status.now(), "tests": proof.ran, "failed_tests": failed}


def _moment(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def business_date() -> str:
    """Today where the business is, YYYY-MM-DD."""
    return datetime.now(BUSINESS_ZONE).date().isoformat()
