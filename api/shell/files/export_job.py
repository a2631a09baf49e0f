"""Export job (导出任务): streams a list's whole filter into a workbook.

Texts stay texts, masked fields stay masked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import xlsxwriter
from sqlalchemy import Connection, select, update

from api.identity.sessions import read_principal
from api.kit.declaration import registry
from api.kit.declaration.fields import Field
from api.kit.declaration.resource import Resource
from api.kit.declaration.view import View, open_read_connection
from api.kit.errors import Refusal
from api.kit.scope import Principal
from api.kit.settings import read_settings
from api.kit.storage.bill_visibility import mask_hidden_bills
from api.kit.storage.database import TIME_ZONE, main_engine, run_transaction
from api.kit.storage.listing import list_visible_fields, query_model, read_sums, select_rows
from api.kit.storage.projection import mask_row, masked_names, shown_fields
from api.shell.files.export_summary import build_export_summary
from api.shell.files.export_tasks import DONE, EXPIRED, FAILED, LIST_JOB, RUNNING, WAITING, ExportTask
from api.shell.jobs import QUEUE, app, defer_once
from api.shell.task_lock import is_task_abandoned, lock_task

CHUNK = 2000
SHEET_ROWS = 1_000_000
KIND = "export"
PATIENCE = timedelta(minutes=1)
KEPT_DAYS = 7
UNFINISHED = ".part"
ORPHAN_AGE = timedelta(days=1)
"""Age at which an unfinished file must be a killed worker's."""
SUMMARY_SHEET = "导出说明"
WORKBOOK_OPTIONS = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
"""xlsxwriter options: nothing in a text is a formula or a link."""


@app.task(name=LIST_JOB, pass_context=False)
def export_list(export_id: int) -> None:
    """Write one list export."""
    run_export(export_id, _write_list)


def run_export(export_id: int, write: Callable[[int], int]) -> None:
    """Write a task's file with `write`, unless another worker does; store refusals and errors in the task."""
    with lock_task(KIND, export_id) as mine:
        if not mine or not _claim_export(export_id):
            return
        try:
            # Before it is written: what changes meanwhile makes a difference afterwards.
            reach = run_transaction(lambda conn: _read_scope_digest(conn, export_id))
            rows = write(export_id)
        except Refusal as refusal:
            _set_status(export_id, FAILED, failure=refusal.msg)
        except Exception:
            _set_status(export_id, FAILED, failure="导出出错，请重试或联系管理员")
            raise
        else:
            _set_status(export_id, DONE, rows=rows, reach=reach)


@app.periodic(cron="* * * * *")
@app.task(name="export_unattended", queue=QUEUE, pass_context=False)
def recover_exports(timestamp: int) -> None:
    """Queue again the exports that a killed worker left; a file takes its final name only when complete."""
    for export_id, job in run_transaction(_find_abandoned):
        defer_once(job, f"{KIND}:{export_id}", export_id=export_id)


@app.periodic(cron="20 * * * *")
@app.task(name="expire_exports", queue=QUEUE, pass_context=False)
def expire_exports(timestamp: int) -> None:
    """Delete the files of exports that are older than a week."""
    for export_id, file_name in run_transaction(_expire_tasks):
        export_path(export_id, Path(file_name).suffix).unlink(missing_ok=True)
    for left in read_settings().exports_dir.glob(f"*{UNFINISHED}"):
        if datetime.now(TIME_ZONE).timestamp() - left.stat().st_mtime > ORPHAN_AGE.total_seconds():
            left.unlink(missing_ok=True)


def _claim_export(export_id: int) -> bool:
    """Set an unfinished task running and return whether there was one."""
    open_task = ExportTask.export_id == export_id, ExportTask.status.in_((WAITING, RUNNING))
    statement = update(ExportTask).where(*open_task).values(status=RUNNING)
    return bool(run_transaction(lambda conn: conn.execute(statement).rowcount))


def _read_scope_digest(conn: Connection, export_id: int) -> str:
    user = select(ExportTask.user_id).where(ExportTask.export_id == export_id)
    return read_principal(conn, conn.execute(user).scalar_one()).scope_hash


def _find_abandoned(conn: Connection) -> list[tuple[int, str]]:
    query = select(ExportTask.export_id, ExportTask.job).where(
        ExportTask.status.in_((WAITING, RUNNING)), ExportTask.asked_at < datetime.now(TIME_ZONE) - PATIENCE
    )
    found = conn.execute(query).all()
    return [(row.export_id, row.job) for row in found if is_task_abandoned(conn, KIND, row.export_id)]


def _expire_tasks(conn: Connection) -> list[tuple[int, str]]:
    old = datetime.now(TIME_ZONE) - timedelta(days=KEPT_DAYS)
    statement = update(ExportTask).where(ExportTask.status == DONE, ExportTask.done_at < old)
    gone = statement.values(status=EXPIRED).returning(ExportTask.export_id, ExportTask.file_name)
    return [(row.export_id, row.file_name) for row in conn.execute(gone)]


def export_path(export_id: int, suffix: str = ".xlsx") -> Path:
    """Return the path of an export's file."""
    return read_settings().exports_dir / f"{export_id}{suffix}"


@contextmanager
def open_export_file(export_id: int, suffix: str = ".xlsx") -> Iterator[Path]:
    """Yield the path to write an export's file to; it is renamed into place when the block succeeds."""
    path = export_path(export_id, suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(UNFINISHED)
    try:
        yield unfinished
        unfinished.rename(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _set_status(export_id: int, status: int, **values: Any) -> None:
    done = {"done_at": datetime.now(TIME_ZONE)} if status in (DONE, FAILED) else {}
    statement = (
        update(ExportTask).where(ExportTask.export_id == export_id).values(status=status, **done, **values)
    )
    run_transaction(lambda conn: conn.execute(statement).rowcount)


def _write_list(export_id: int) -> int:
    with main_engine().connect() as conn:
        task = conn.execute(select(ExportTask.__table__).where(ExportTask.export_id == export_id)).one()
        principal, cls = read_principal(conn, task.user_id), registry.get_resource(task.resource)
        if not principal.has_right(cls.right("export")):
            raise Refusal("您没有此列表的导出权限")
        query = query_model(cls)(**task.query)
        statement, _ = select_rows(cls, query, principal)
        hidden = masked_names(cls, cls.name(), principal)
        with open_read_connection(cls, conn) as source, open_export_file(export_id) as path:
            sums = read_sums(source, cls, query, principal)
            computed = cls.refreshed_at(source) if issubclass(cls, View) else None
            summary = build_export_summary(conn, cls, query, principal, sums, computed)
            streamed = source.execution_options(stream_results=True, yield_per=CHUNK).execute(statement)
            rows = (
                row
                for part in streamed.partitions()
                for row in mask_hidden_bills(conn, principal, [mask_row(one, hidden) for one in part])
            )
            shown = list_export_columns(cls, principal)
            return write_workbook(
                path,
                cls.declaration.label,
                shown,
                rows,
                totals=sums.totals,
                left_out=cls.uncounted_labels(),
                about=summary,
            )


def list_export_columns(cls: type[Resource], principal: Principal) -> list[Field]:
    """Return the exported fields, references by their labels."""
    names = {item.name for item in list_visible_fields(cls, principal)}
    shown = {name for item in cls.fields() if item.ref and item.name in names for name in item.ref.shows}
    return [item for item in shown_fields(cls) if item.export and (item.name in names or item.name in shown)]


def write_workbook(
    path: Path,
    title: str,
    fields: list[Field],
    rows: Iterator[dict[str, Any]],
    sheet_rows: int = SHEET_ROWS,
    *,
    totals: Mapping[str, Decimal] | None = None,
    left_out: Sequence[str] = (),
    about: Sequence[tuple[str, str]] = (),
) -> int:
    """Write a workbook with heading rows in constant memory and return the number of rows.

    Nothing in it is a formula or a link. Text columns are formatted as text, so that what is typed into
    them keeps its leading zeros.

    A sheet that is full goes on in the next: no row is cut off. `totals` are in the row under the last
    one, with the statuses that are `left_out` of them; `about` is written on a sheet of its own.
    """
    count = 0
    with xlsxwriter.Workbook(str(path), WORKBOOK_OPTIONS) as book:
        heading = book.add_format({"bold": True, "bg_color": "#ECF5FF"})
        number = book.add_format({"num_format": "#,##0.00"})
        words = book.add_format({"num_format": "@"})
        sheet = _add_sheet(book, title[:31], fields, heading, words)
        cells = [_build_cell_writer(item, number) for item in fields]
        line = 0
        for count, row in enumerate(rows, 1):
            line = (count - 1) % sheet_rows + 1
            if line == 1 and count > 1:
                sheet = _add_sheet(book, f"{title[:25]} {count // sheet_rows + 1}", fields, heading, words)
            for at, write in enumerate(cells):
                write(sheet, line, at, row)
        if totals:
            _write_totals(book, sheet, line + 1, fields, totals, left_out)
        if about:
            _write_summary(book, about, heading)
    return count


def _write_totals(
    book: xlsxwriter.Workbook,
    sheet: Any,
    line: int,
    fields: list[Field],
    totals: Mapping[str, Decimal],
    left_out: Sequence[str],
) -> None:
    words = book.add_format({"bold": True, "top": 1})
    number = book.add_format({"bold": True, "top": 1, "num_format": "#,##0.00"})
    heading = f"合计（不含{'、'.join(left_out)}）" if left_out else "合计"
    sheet.write_string(line, 0, heading, words)
    for at, item in enumerate(fields):
        if item.name in totals:
            sheet.write_number(line, at, totals[item.name], number)


def _write_summary(book: xlsxwriter.Workbook, about: Sequence[tuple[str, str]], heading: Any) -> None:
    sheet = book.add_worksheet(SUMMARY_SHEET)
    sheet.set_column(0, 0, 20)
    sheet.set_column(1, 1, 60)
    for line, (label, value) in enumerate(about):
        sheet.write_string(line, 0, label, heading)
        sheet.write_string(line, 1, value)


def _add_sheet(book: xlsxwriter.Workbook, name: str, fields: list[Field], heading: Any, words: Any) -> Any:
    sheet = book.add_worksheet(name)
    for at, item in enumerate(fields):
        sheet.set_column(at, at, max(8, item.width / 8), None if item.is_number else words)
        sheet.write_string(0, at, item.label, heading)
    return sheet


CellWriter = Callable[[Any, int, int, dict[str, Any]], None]


def _build_cell_writer(item: Field, number: Any) -> CellWriter:
    """Build the writer of a column's cells, once for all rows."""
    first, *others = item.read_as

    def write(sheet: Any, line: int, at: int, row: dict[str, Any]) -> None:
        value = row.get(first)
        if value is None and others:
            value = item.read(row)
        if value is None:
            return
        if item.is_number and isinstance(value, Decimal | int) and not isinstance(value, bool):
            sheet.write_number(line, at, value, number)
        else:
            sheet.write_string(line, at, format_cell_text(item, value))

    return write


def format_cell_text(item: Field, value: Any) -> str:
    """Format a value that is no number."""
    if item.kind == "bool":
        return "是" if value else "否"
    if item.kind == "enum":
        return dict(item.options).get(value, str(value))
    if isinstance(value, datetime):
        return f"{value.astimezone(TIME_ZONE):%Y-%m-%d %H:%M:%S}"
    if item.span == "month" and isinstance(value, date):
        return f"{value:%Y-%m}"
    return value.isoformat() if isinstance(value, date) else str(value)
