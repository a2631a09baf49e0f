"""One refresh: extraction, reconciliation, transformation, tests, publication; a killed step is completed
by the next run."""

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

from warehouse import dictionary, extract, extraction_state, publish, refresh_history, status
from warehouse.engine import TransformError, attach_postgres, describe_damage, open_work_database
from warehouse.extraction_state import PUBLISH, REBUILD, RELABEL, TESTS_FAILED, Watermark
from warehouse.files import Files
from warehouse.sources import list_sources
from warehouse.transform import FULL_TESTS, PATCH_TESTS, DataTestResults, Mode, Project

log = logging.getLogger(__name__)
BUSINESS_ZONE = ZoneInfo("Asia/Shanghai")
ERROR_LENGTH = 2000


class BusyError(RuntimeError):
    """Another process refreshes this warehouse."""


@dataclass(frozen=True, slots=True)
class RefreshResult:
    """The result of one refresh: `snapshot` and `mode` (the kind of build) are None when nothing was new;
    `rows` were read.

    `position` is the watermark, `as_of` the business date; `lag` as in `extract`; `proof` are the results
    of the data tests, `mended` the errors that were corrected: differences to Postgres, and patches that
    failed their tests.
    """

    position: Watermark
    as_of: str
    snapshot: int | None
    rows: int
    mode: Mode | None
    seconds: float
    lag: float | None
    proof: DataTestResults | None
    mended: tuple[str, ...]


class DataTestsFailedError(RuntimeError):
    """The data tests failed, after a rebuild too: the last good snapshot stays. Another try needs other data."""

    def __init__(self, outcome: RefreshResult) -> None:
        super().__init__(f"数据校验未通过：{outcome.proof}")
        self.outcome = outcome


class Refresher:
    """The refresher of one warehouse directory; wrap its calls in `exclusive()`."""

    def __init__(self, files: Files, url: str) -> None:
        self.files = files
        self._url = url
        files.create_directories()
        self._project = Project(files)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """A lock of the directory across processes. Raises BusyError."""
        with self.files.lock.open("w") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise BusyError("已有刷新进程在运行，请勿重复启动") from error
            yield

    def refresh(self, *, full: bool = False, deep: bool = False, as_of: str | None = None) -> RefreshResult:
        """Extract, transform what changed, test it, publish; records the result in the status file and the
        history.

        `full` reads and builds everything anew; `deep` reconciles whole tables and tests them whatever was
        built. Raises DataTestsFailedError, and what the steps raise.
        """
        began, started = status.format_now(), time.monotonic()
        status.update_status(self.files.status, state="running")
        try:
            outcome = self._refresh_repairing(full, deep, as_of or find_business_date(), started)
        except Exception as error:
            self.record_failure(error, began, time.monotonic() - started)
            raise
        self._record_success(outcome, began)
        return outcome

    def warm_up(self, outcome: RefreshResult) -> None:
        """Compile the statements of the first patch ahead: dbt takes several times as long as the patch
        itself."""
        with open_work_database(self.files.work) as conn:
            idle = not extraction_state.list_changed(conn)
        if idle:
            self._project.warm_up(as_of=outcome.as_of, changed=[source.name for source in list_sources()])

    def write_dictionary(self, outcome: RefreshResult) -> None:
        """Write the data dictionary of the built models, unless it is current."""
        if not dictionary.is_current(self.files, self._project):
            dictionary.write_dictionary(self.files, self._project, as_of=outcome.as_of)

    def record_failure(self, error: Exception, began: str, seconds: float = 0.0) -> None:
        """Record that a refresh failed, or that none could begin."""
        outcome = error.outcome if isinstance(error, DataTestsFailedError) else None
        text = str(error).replace(self._url, "业务库")[:ERROR_LENGTH]
        known = status.read_status(self.files.status)
        self._record_run(outcome, began, seconds, text)
        status.update_status(
            self.files.status,
            state="failed",
            last_error=status.format_now(),
            error=text,
            failures=known["failures"] + 1,
            failing_since=known["failing_since"] or began,
            **_describe_tests(outcome.proof if outcome else None),
        )

    def _record_success(self, outcome: RefreshResult, began: str) -> None:
        changes: dict[str, Any] = {"mended": list(outcome.mended)} if outcome.mended else {}
        if outcome.snapshot is not None:
            changes |= {
                name: getattr(outcome, name) for name in ("snapshot", "rows", "mode", "seconds", "lag")
            }
        self._record_run(outcome, began, outcome.seconds, None)
        status.update_status(
            self.files.status,
            state="idle",
            last_ok=status.format_now(),
            error=None,
            failures=0,
            failing_since=None,
            waiting_since=None,
            last_xid=outcome.position.next_xid,
            **changes,
            **_describe_tests(outcome.proof),
        )

    def _record_run(
        self, outcome: RefreshResult | None, began: str, seconds: float, error: str | None
    ) -> None:
        proof = outcome.proof if outcome else None
        refresh_history.record_run(
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

    def _refresh_repairing(self, full: bool, deep: bool, as_of: str, started: float) -> RefreshResult:
        """Refresh; if it fails because a working file is damaged, once more without it: all in it is derived."""
        try:
            return self._refresh(full, deep, as_of, started)
        except (duckdb.Error, TransformError):
            damaged = {
                path.name: damage
                for path in (self.files.work, self.files.marts)
                if (damage := describe_damage(path))
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

    def _refresh(self, full: bool, deep: bool, as_of: str, started: float) -> RefreshResult:
        with open_work_database(self.files.work) as conn:
            attach_postgres(conn, self._url)
            load = extract.load_changes(conn, full=full, deep=deep)
            names, due = extraction_state.list_changed(conn), extraction_state.read_required(conn)
            built, waiting = extraction_state.read_build(conn), extraction_state.find_waiting_since(conn)
        status.update_status(self.files.status, waiting_since=_format_moment(waiting))
        mode = self._choose_mode(due, built, as_of, names)
        if mode is not None:
            self._transform(mode, names, as_of)
        whole = deep or mode == "rebuild" or PUBLISH in due or built is None or built[0] != as_of
        with publish.marts_copy(self.files) if mode is not None else nullcontext() as draft:
            mode, proof, amiss = self._test_models(
                mode, as_of, whole=whole, patient=TESTS_FAILED in due and not deep
            )
        sound = proof is None or not proof.failures
        number = lag = None
        if mode is not None and sound:
            number = publish.publish_snapshot(
                self.files,
                publish.copy_marts(self.files) if amiss or draft is None else draft.result(),
                position=load.position,
                as_of=as_of,
                project=self._project.version,
            )
            lag = None if waiting is None else round(max(time.time() - waiting, 0.0), 3)
        with open_work_database(self.files.work) as conn:
            if number is not None:
                extraction_state.mark_published(conn)
            elif not sound:
                extraction_state.require_transformation(conn, TESTS_FAILED)
        seconds = round(time.monotonic() - started, 3)
        mended = (*load.mended, *amiss)
        outcome = RefreshResult(load.position, as_of, number, load.rows, mode, seconds, lag, proof, mended)
        if not sound:
            publish.clean_snapshots(self.files)
            raise DataTestsFailedError(outcome)
        return outcome

    def _test_models(
        self, mode: Mode | None, as_of: str, *, whole: bool, patient: bool
    ) -> tuple[Mode | None, DataTestResults | None, tuple[str, ...]]:
        """Test the built models, or all if `whole`.

        A patch may be at fault: after a failure everything is rebuilt and tested once more, unless
        `patient`. Returns the mode, the results, and messages about the first failure.
        """
        if mode is None and not whole:
            return None, None, ()
        proof = self._project.test(as_of=as_of, select=FULL_TESTS if whole else PATCH_TESTS)
        if not proof.failures or mode == "rebuild" or patient:
            return mode, proof, ()
        log.warning("tests fail, all is built anew: %s", proof)
        self._transform("rebuild", [], as_of)
        return (
            "rebuild",
            self._project.test(as_of=as_of, select=FULL_TESTS),
            (f"全部重建，因为增量的校验未通过：{proof}",),
        )

    def _choose_mode(
        self, due: set[str], built: tuple[str, str] | None, as_of: str, names: list[str]
    ) -> Mode | None:
        """Return the kind of build; None when nothing changed and the last snapshot is there."""
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
        if names or PUBLISH in due or not publish.is_readable(self.files):
            return "patch"
        return None

    def _transform(self, mode: Mode, names: list[str], as_of: str) -> None:
        if mode == "rebuild":
            with open_work_database(self.files.work) as conn:
                extraction_state.drop_models(conn)
            # From an empty file, so that it holds no space of deleted rows.
            shutil.rmtree(self.files.marts.parent, ignore_errors=True)
            self.files.create_directories()
        if mode != "patch" or names:
            self._project.build(mode, as_of=as_of, changed=names)
        with open_work_database(self.files.work) as conn:
            extraction_state.mark_transformed(
                conn, [source for source in list_sources() if source.track], as_of, self._project.version
            )


def _describe_tests(proof: DataTestResults | None) -> dict[str, Any]:
    """Return the fields of the status about test results."""
    if proof is None:
        return {}
    failed = [asdict(failure) for failure in proof.failures]
    return {"proved_at": status.format_now(), "tests": proof.ran, "failed_tests": failed}


def _format_moment(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def find_business_date() -> str:
    """Return today's business date, YYYY-MM-DD."""
    return datetime.now(BUSINESS_ZONE).date().isoformat()
