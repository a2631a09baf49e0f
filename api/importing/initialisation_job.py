"""The initialisation job (初始化任务): the job worker enters an uploaded file portion by portion, each a
transaction.

A killed run is taken up again from the start of its file: what it entered is known then, so nothing
doubles. A file that was taken up too often falls back to its upload. Sound rows are entered; refused ones
come back as a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from psycopg.errors import UniqueViolation
from sqlalchemy import ColumnElement, Connection, select, update
from sqlalchemy.exc import IntegrityError

from api.identity.sessions import read_principal
from api.importing import files
from api.importing.cells import SheetRow
from api.importing.failed_rows import FailedRows
from api.importing.opening_customers import OpeningCustomers
from api.importing.opening_goods import OpeningGoods
from api.importing.opening_rows import OpeningOutcome, OpeningUpload, RefusedRow, split_rows
from api.importing.opening_stocks import OpeningStocks
from api.importing.xlsx_guard import QUICK
from api.kit.bills import transitions
from api.kit.context import Context
from api.kit.errors import Refusal
from api.kit.settings import read_settings
from api.kit.storage import business_log
from api.kit.storage.database import TIME_ZONE, main_engine, run_transaction
from api.master.stock.ledger_gateway import LedgerGateway
from api.shell import jobs
from api.shell.operations import initialisation as states
from api.shell.operations import refresh_notifier
from api.shell.operations.initialisation import (
    FAILED,
    PARTLY,
    RUNNING,
    SUCCEEDED,
    WAITING,
    InitialisationTask,
)
from api.shell.task_lock import is_task_abandoned, lock_task

KIND = "initialisation"
MAX_ATTEMPTS = 3
OPENINGS: dict[int, type[OpeningUpload]] = {0: OpeningGoods, 2: OpeningStocks, 4: OpeningCustomers}
"""Each upload by the state that it starts from."""
TABLE = InitialisationTask.table()


def upload_folder() -> Path:
    """Return the folder of uploaded files and files of refused rows."""
    return read_settings().uploads_dir / "initialisation"


def failures_file(task_id: int) -> Path:
    """Return the path of a task's refused rows."""
    return upload_folder() / f"{task_id}_failed.xlsx"


@jobs.app.task(name="initialise", pass_context=False)
def initialise(task_id: int) -> None:
    """Process a task, unless another worker does."""
    with lock_task(KIND, task_id) as mine:
        if mine:
            _run_task(task_id)


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="initialise_unattended", queue=jobs.QUEUE, pass_context=False)
def initialise_unattended(timestamp: int) -> None:
    """Resume the tasks of killed workers, within a minute."""
    for task_id in run_transaction(_find_unattended):
        initialise(task_id)


def _find_unattended(conn: Connection) -> list[int]:
    unfinished = TABLE.c.status.in_((WAITING, RUNNING))
    keys: list[int] = list(conn.execute(select(TABLE.c.initialisation_task_id).where(unfinished)).scalars())
    return [key for key in keys if is_task_abandoned(conn, KIND, key)]


def _run_task(task_id: int) -> None:
    task = run_transaction(lambda conn: _begin_attempt(conn, task_id))
    if task is None:
        return
    try:
        if task.attempts >= MAX_ATTEMPTS:
            raise Refusal("处理多次中断，请重新上传")
        _process_file(task)
    except Refusal as refusal:
        _finish_task(task, FAILED, refusal.msg)
    except Exception:
        _finish_task(task, FAILED, "处理出错，请重新上传或联系管理员")
        raise
    else:
        done = run_transaction(lambda conn: conn.execute(select(TABLE).where(_task_condition(task_id))).one())
        summary = f"新增{done.rows_taken}行，已存在{done.rows_known}行，失败{done.rows_refused}行"
        more = "，请下载失败明细，修改后重新上传" if done.rows_refused else ""
        _finish_task(task, PARTLY if done.rows_refused else SUCCEEDED, summary + more)
    refresh_notifier.notify_refresh_worker()


def _begin_attempt(conn: Connection, task_id: int) -> Any:
    """Record one more attempt; None when there is nothing left to do."""
    task = conn.execute(select(TABLE).where(_task_condition(task_id)).with_for_update()).first()
    if task is None or task.status not in (WAITING, RUNNING):
        return None
    values = {"status": RUNNING, "attempts": task.attempts + 1}
    counts = dict.fromkeys(("rows_done", "rows_taken", "rows_known", "rows_refused"), 0)
    conn.execute(update(TABLE).where(_task_condition(task_id)).values(**values, **counts))
    return task


def _task_condition(task_id: int) -> ColumnElement[bool]:
    return TABLE.c.initialisation_task_id == task_id


def _process_file(task: Any) -> None:
    transitions.set_ledgers(LedgerGateway())
    opening = OPENINGS[task.step](task.company_id)
    with main_engine().connect() as conn:
        principal = read_principal(conn, task.asked_by)
        ctx = Context(conn, principal)
        ctx.require_right(InitialisationTask.right("upload"))
        opening.prepare(ctx)
        rows = files.read_rows(read_settings().uploads_dir / task.path, QUICK)
        _, heading = next(rows, (0, []))
        places = opening.find_columns(ctx, heading)
    with FailedRows(failures_file(task.initialisation_task_id), heading) as failed:
        for portion in _split_portions(rows, opening.portion):

            def enter(conn: Connection, portion: Sequence[files.Row] = portion) -> OpeningOutcome:
                ctx = Context(conn, principal)
                sound, refused = split_rows(opening.read(ctx, places, portion))
                outcome = _import_rows(ctx, opening, sound)
                outcome.refused = sorted([*refused, *outcome.refused], key=lambda one: one.row)
                _record_progress(conn, task, len(portion), outcome)
                return outcome

            failed.add(_enter_portion(enter).refused)


def _enter_portion(enter: Callable[[Connection], OpeningOutcome]) -> OpeningOutcome:
    """Run a portion's transaction; repeat it once where somebody has just keyed in what it would insert."""
    try:
        return run_transaction(enter)
    except (IntegrityError, UniqueViolation):
        return run_transaction(enter)


def _import_rows(ctx: Context, opening: OpeningUpload, lines: list[SheetRow]) -> OpeningOutcome:
    """Import rows; when they are refused together, halve them to find the ones at fault."""
    if not lines:
        return OpeningOutcome()
    try:
        with ctx.conn.begin_nested():
            return opening.import_rows(ctx, lines)
    except Refusal as refusal:
        if len(lines) == 1:
            return OpeningOutcome(
                refused=[RefusedRow(lines[0].row, opening.label, refusal.msg, lines[0].texts)]
            )
    middle = len(lines) // 2
    first, second = _import_rows(ctx, opening, lines[:middle]), _import_rows(ctx, opening, lines[middle:])
    return OpeningOutcome(
        first.taken + second.taken, first.known + second.known, [*first.refused, *second.refused]
    )


def _split_portions(rows: Iterator[files.Row], size: int) -> Iterator[list[files.Row]]:
    while portion := list(islice(rows, size)):
        yield portion


def _record_progress(conn: Connection, task: Any, rows: int, outcome: OpeningOutcome) -> None:
    """Record progress, committed with the rows that it counts."""
    counts = {
        "rows_done": TABLE.c.rows_done + rows,
        "rows_taken": TABLE.c.rows_taken + outcome.taken,
        "rows_known": TABLE.c.rows_known + outcome.known,
        "rows_refused": TABLE.c.rows_refused + len(outcome.refused),
    }
    conn.execute(update(TABLE).where(_task_condition(task.initialisation_task_id)).values(counts))


def _finish_task(task: Any, status: int, message: str) -> None:
    """Finish a task: on to the next upload when all went well, else back to this one."""

    def work(conn: Connection) -> None:
        values = {"status": status, "message": message[:500], "finished_at": datetime.now(TIME_ZONE)}
        conn.execute(update(TABLE).where(_task_condition(task.initialisation_task_id)).values(values))
        target = task.step + 2 if status == SUCCEEDED else task.step
        if states.read_state(conn, task.company_id) == task.step + 1:
            states.advance_state(conn, task.company_id, task.step + 1, target)
        business_log.log_action(
            conn,
            read_principal(conn, task.asked_by),
            InitialisationTask.name(),
            task.initialisation_task_id,
            "upload",
            company_id=task.company_id,
            after={"file_name": task.file_name, "message": message},
        )

    run_transaction(work)
