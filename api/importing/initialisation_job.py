"""The initialisation job (初始化任务): the job worker enters an uploaded file portion by portion, each a transaction.

A killed run is taken up again from the start of its file: what it entered is known then, so nothing doubles. A file
that was taken up too often falls back to its upload. Sound rows are entered; refused ones come back as a file.
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

from api.identity.sessions import principal_of
from api.importing import files
from api.importing.cells import Line
from api.importing.failed_rows import FailedRows
from api.importing.opening_customers import OpeningCustomers
from api.importing.opening_goods import OpeningGoods
from api.importing.opening_rows import Opening, Outcome, Refused, parted
from api.importing.opening_stocks import OpeningStocks
from api.importing.xlsx_guard import QUICK
from api.kit import business_log, transitions
from api.kit.context import Context
from api.kit.database import TIME_ZONE, engine, transact
from api.kit.errors import Refusal
from api.kit.settings import settings
from api.master.ledgers import Books
from api.shell import initialisation as states
from api.shell import jobs, wake
from api.shell.attendance import attended, is_unattended
from api.shell.initialisation import FAILED, PARTLY, RUNNING, SUCCEEDED, WAITING, InitialisationTask

KIND = "initialisation"
MAX_ATTEMPTS = 3
OPENINGS: dict[int, type[Opening]] = {0: OpeningGoods, 2: OpeningStocks, 4: OpeningCustomers}
"""Each upload by the state that it starts from."""
TABLE = InitialisationTask.table()


def folder() -> Path:
    """Where uploaded files and the files of refused rows lie."""
    return settings().uploads_dir / "initialisation"


def failures_of(task_id: int) -> Path:
    """The file of a task's refused rows."""
    return folder() / f"{task_id}_failed.xlsx"


@jobs.app.task(name="initialise", pass_context=False)
def initialise(task_id: int) -> None:
    """Work a file off, unless another worker does."""
    with attended(KIND, task_id) as mine:
        if mine:
            _run(task_id)


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="initialise_unattended", queue=jobs.QUEUE, pass_context=False)
def initialise_unattended(timestamp: int) -> None:
    """Take up what a killed worker left, within a minute."""
    for task_id in transact(_unattended):
        initialise(task_id)


def _unattended(conn: Connection) -> list[int]:
    unfinished = TABLE.c.status.in_((WAITING, RUNNING))
    keys: list[int] = list(conn.execute(select(TABLE.c.initialisation_task_id).where(unfinished)).scalars())
    return [key for key in keys if is_unattended(conn, KIND, key)]


def _run(task_id: int) -> None:
    task = transact(lambda conn: _begin(conn, task_id))
    if task is None:
        return
    try:
        if task.attempts >= MAX_ATTEMPTS:
            raise Refusal("处理多次中断，请重新上传")
        _process(task)
    except Refusal as refusal:
        _settle(task, FAILED, refusal.msg)
    except Exception:
        _settle(task, FAILED, "处理出错，请重新上传或联系管理员")
        raise
    else:
        done = transact(lambda conn: conn.execute(select(TABLE).where(_mine(task_id))).one())
        said = f"新增{done.rows_taken}行，已存在{done.rows_known}行，失败{done.rows_refused}行"
        more = "，请下载失败明细，修改后重新上传" if done.rows_refused else ""
        _settle(task, PARTLY if done.rows_refused else SUCCEEDED, said + more)
    wake.warehouse()


def _begin(conn: Connection, task_id: int) -> Any:
    """Enter one more attempt; None when there is nothing left to do."""
    task = conn.execute(select(TABLE).where(_mine(task_id)).with_for_update()).first()
    if task is None or task.status not in (WAITING, RUNNING):
        return None
    values = {"status": RUNNING, "attempts": task.attempts + 1}
    counts = dict.fromkeys(("rows_done", "rows_taken", "rows_known", "rows_refused"), 0)
    conn.execute(update(TABLE).where(_mine(task_id)).values(**values, **counts))
    return task


def _mine(task_id: int) -> ColumnElement[bool]:
    return TABLE.c.initialisation_task_id == task_id


def _process(task: Any) -> None:
    transitions.set_ledgers(Books())
    opening = OPENINGS[task.step](task.company_id)
    with engine().connect() as conn:
        principal = principal_of(conn, task.asked_by)
        ctx = Context(conn, principal)
        ctx.require(InitialisationTask.right("upload"))
        opening.prepare(ctx)
        rows = files.rows(settings().uploads_dir / task.path, QUICK)
        _, heading = next(rows, (0, []))
        places = opening.places(ctx, heading)
    with FailedRows(failures_of(task.initialisation_task_id), heading) as failed:
        for portion in _portions(rows, opening.portion):

            def enter(conn: Connection, portion: Sequence[files.Row] = portion) -> Outcome:
                ctx = Context(conn, principal)
                sound, refused = parted(opening.read(ctx, places, portion))
                outcome = _take(ctx, opening, sound)
                outcome.refused = sorted([*refused, *outcome.refused], key=lambda one: one.row)
                _note(conn, task, len(portion), outcome)
                return outcome

            failed.add(_entered(enter).refused)


def _entered(enter: Callable[[Connection], Outcome]) -> Outcome:
    """Enter a portion; once more when somebody has just keyed in what it would make."""
    try:
        return transact(enter)
    except (IntegrityError, UniqueViolation):
        return transact(enter)


def _take(ctx: Context, opening: Opening, lines: list[Line]) -> Outcome:
    """Enter rows; when they are refused together, the half that is at fault is looked for."""
    if not lines:
        return Outcome()
    try:
        with ctx.conn.begin_nested():
            return opening.take(ctx, lines)
    except Refusal as refusal:
        if len(lines) == 1:
            return Outcome(refused=[Refused(lines[0].row, opening.label, refusal.msg, lines[0].texts)])
    middle = len(lines) // 2
    first, second = _take(ctx, opening, lines[:middle]), _take(ctx, opening, lines[middle:])
    return Outcome(first.taken + second.taken, first.known + second.known, [*first.refused, *second.refused])


def _portions(rows: Iterator[files.Row], size: int) -> Iterator[list[files.Row]]:
    while portion := list(islice(rows, size)):
        yield portion


def _note(conn: Connection, task: Any, rows: int, outcome: Outcome) -> None:
    """Progress, committed with the rows it tells of."""
    counts = {
        "rows_done": TABLE.c.rows_done + rows,
        "rows_taken": TABLE.c.rows_taken + outcome.taken,
        "rows_known": TABLE.c.rows_known + outcome.known,
        "rows_refused": TABLE.c.rows_refused + len(outcome.refused),
    }
    conn.execute(update(TABLE).where(_mine(task.initialisation_task_id)).values(counts))


def _settle(task: Any, status: int, message: str) -> None:
    """End a task: on to the next upload when all went well, else back to this one."""

    def work(conn: Connection) -> None:
        values = {"status": status, "message": message[:500], "finished_at": datetime.now(TIME_ZONE)}
        conn.execute(update(TABLE).where(_mine(task.initialisation_task_id)).values(values))
        target = task.step + 2 if status == SUCCEEDED else task.step
        if states.state_of(conn, task.company_id) == task.step + 1:
            states.move(conn, task.company_id, task.step + 1, target)
        business_log.write(
            conn,
            principal_of(conn, task.asked_by),
            InitialisationTask.name(),
            task.initialisation_task_id,
            "upload",
            company_id=task.company_id,
            after={"file_name": task.file_name, "message": message},
        )

    transact(work)
