"""The export job (导出): streams a list's whole filter into a workbook; texts stay texts, masked fields masked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import xlsxwriter
from sqlalchemy import Connection, select, update

from api.identity.sessions import principal_of
from api.kit import registry
from api.kit.database import TIME_ZONE, engine, transact
from api.kit.errors import Refusal
from api.kit.fields import Field
from api.kit.listing import listed, query_model, select_rows, sums_of
from api.kit.named_bills import hide_closed
from api.kit.projection import masked, masks, shown_fields
from api.kit.resource import Resource
from api.kit.scope import Principal
from api.kit.settings import settings
from api.kit.view import View, reading
from api.shell.attendance import attended, is_unattended
from api.shell.export_about import about
from api.shell.export_tasks import DONE, EXPIRED, FAILED, LIST_JOB, RUNNING, WAITING, ExportTask
from api.shell.jobs import QUEUE, app, defer_once

CHUNK = 2000
SHEET_ROWS = 1_000_000
KIND = "export"
PATIENCE = timedelta(minutes=1)
KEPT_DAYS = 7
UNFINISHED = ".part"
LEFT = timedelta(days=1)
"""After so long an unfinished file is that of a killed worker."""
ABOUT = "导出说明"
PLAIN = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
}
"""How workbooks are written: nothing in a text is a formula or a link."""


@app.task(name=LIST_JOB, pass_context=False)
def export(export_id: int) -> None:
    """Write one export."""
    work_off(export_id, _write)


def work_off(export_id: int, write: Callable[[int], int]) -> None:
    """Write a task's file, unless another worker does; a refusal is told in the task list, an accident as well."""
    with attended(KIND, export_id) as mine:
        if not mine or not _begin(export_id):
            return
        try:
            # Before it is written: what changes meanwhile makes a difference afterwards.
            reach = transact(lambda conn: _reach(conn, export_id))
            rows = write(export_id)
        except Refusal as refusal:
            _settle(export_id, FAILED, failure=refusal.msg)
        except Exception:
            _settle(export_id, FAILED, failure="导出出错，请重试或联系管理员")
            raise
        else:
            _settle(export_id, DONE, rows=rows, reach=reach)


@app.periodic(cron="* * * * *")
@app.task(name="export_unattended", queue=QUEUE, pass_context=False)
def export_unattended(timestamp: int) -> None:
    """Take up again what a killed worker left, within minutes; a file takes its place only when whole."""
    for export_id, job in transact(_unattended):
        defer_once(job, f"{KIND}:{export_id}", export_id=export_id)


@app.periodic(cron="20 * * * *")
@app.task(name="expire_exports", queue=QUEUE, pass_context=False)
def expire_exports(timestamp: int) -> None:
    """Delete the files of exports that are older than a week."""
    for export_id, file_name in transact(_expired):
        file_of(export_id, Path(file_name).suffix).unlink(missing_ok=True)
    for left in settings().exports_dir.glob(f"*{UNFINISHED}"):
        if datetime.now(TIME_ZONE).timestamp() - left.stat().st_mtime > LEFT.total_seconds():
            left.unlink(missing_ok=True)


def _begin(export_id: int) -> bool:
    """Take up a task that is not settled."""
    open_task = ExportTask.export_id == export_id, ExportTask.status.in_((WAITING, RUNNING))
    statement = update(ExportTask).where(*open_task).values(status=RUNNING)
    return bool(transact(lambda conn: conn.execute(statement).rowcount))


def _reach(conn: Connection, export_id: int) -> str:
    user = select(ExportTask.user_id).where(ExportTask.export_id == export_id)
    return principal_of(conn, conn.execute(user).scalar_one()).reach


def _unattended(conn: Connection) -> list[tuple[int, str]]:
    query = select(ExportTask.export_id, ExportTask.job).where(
        ExportTask.status.in_((WAITING, RUNNING)), ExportTask.asked_at < datetime.now(TIME_ZONE) - PATIENCE
    )
    found = conn.execute(query).all()
    return [(row.export_id, row.job) for row in found if is_unattended(conn, KIND, row.export_id)]


def _expired(conn: Connection) -> list[tuple[int, str]]:
    old = datetime.now(TIME_ZONE) - timedelta(days=KEPT_DAYS)
    statement = update(ExportTask).where(ExportTask.status == DONE, ExportTask.done_at < old)
    gone = statement.values(status=EXPIRED).returning(ExportTask.export_id, ExportTask.file_name)
    return [(row.export_id, row.file_name) for row in conn.execute(gone)]


def file_of(export_id: int, suffix: str = ".xlsx") -> Path:
    """Where an export's file lies."""
    return settings().exports_dir / f"{export_id}{suffix}"


@contextmanager
def whole(export_id: int, suffix: str = ".xlsx") -> Iterator[Path]:
    """Where to write an export's file; it takes its place when the block ends well."""
    path = file_of(export_id, suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(UNFINISHED)
    try:
        yield unfinished
        unfinished.rename(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _settle(export_id: int, status: int, **values: Any) -> None:
    done = {"done_at": datetime.now(TIME_ZONE)} if status in (DONE, FAILED) else {}
    statement = (
        update(ExportTask).where(ExportTask.export_id == export_id).values(status=status, **done, **values)
    )
    transact(lambda conn: conn.execute(statement).rowcount)


def _write(export_id: int) -> int:
    with engine().connect() as conn:
        task = conn.execute(select(ExportTask.__table__).where(ExportTask.export_id == export_id)).one()
        principal, cls = principal_of(conn, task.user_id), registry.get(task.resource)
        if not principal.may(cls.right("export")):
            raise Refusal("您没有此列表的导出权限")
        query = query_model(cls)(**task.query)
        statement, _ = select_rows(cls, query, principal)
        hidden = masks(cls, cls.name(), principal)
        with reading(cls, conn) as source, whole(export_id) as path:
            sums = sums_of(source, cls, query, principal)
            computed = cls.refreshed_at(source) if issubclass(cls, View) else None
            told = about(conn, cls, query, principal, sums, computed)
            streamed = source.execution_options(stream_results=True, yield_per=CHUNK).execute(statement)
            rows = (
                row
                for part in streamed.partitions()
                for row in hide_closed(conn, principal, [masked(one, hidden) for one in part])
            )
            shown = columns(cls, principal)
            return write_workbook(
                path,
                cls.declaration.label,
                shown,
                rows,
                totals=sums.totals,
                left_out=cls.uncounted(),
                about=told,
            )


def columns(cls: type[Resource], principal: Principal) -> list[Field]:
    """The exported fields, references by their labels."""
    names = {item.name for item in listed(cls, principal)}
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
    """A workbook with heading rows; constant memory; nothing in it is a formula or a link. Answers the row count.

    Columns of texts are formatted as text, so that what is typed into them keeps its leading zeros.

    A sheet that is full goes on in the next: no row is cut off. `totals` stand under the last row, with the statuses
    that are `left_out` of them; `about` the export on a sheet of its own.
    """
    count = 0
    with xlsxwriter.Workbook(str(path), PLAIN) as book:
        heading = book.add_format({"bold": True, "bg_color": "#ECF5FF"})
        number = book.add_format({"num_format": "#,##0.00"})
        words = book.add_format({"num_format": "@"})
        sheet = _sheet(book, title[:31], fields, heading, words)
        cells = [_cell_of(item, number) for item in fields]
        line = 0
        for count, row in enumerate(rows, 1):
            line = (count - 1) % sheet_rows + 1
            if line == 1 and count > 1:
                sheet = _sheet(book, f"{title[:25]} {count // sheet_rows + 1}", fields, heading, words)
            for at, write in enumerate(cells):
                write(sheet, line, at, row)
        if totals:
            _total(book, sheet, line + 1, fields, totals, left_out)
        if about:
            _about(book, about, heading)
    return count


def _total(
    book: xlsxwriter.Workbook,
    sheet: Any,
    line: int,
    fields: list[Field],
    totals: Mapping[str, Decimal],
    left_out: Sequence[str],
) -> None:
    words = book.add_format({"bold": True, "top": 1})
    number = book.add_format({"bold": True, "top": 1, "num_format": "#,##0.00"})
    told = f"合计（不含{'、'.join(left_out)}）" if left_out else "合计"
    sheet.write_string(line, 0, told, words)
    for at, item in enumerate(fields):
        if item.name in totals:
            sheet.write_number(line, at, totals[item.name], number)


def _about(book: xlsxwriter.Workbook, about: Sequence[tuple[str, str]], heading: Any) -> None:
    sheet = book.add_worksheet(ABOUT)
    sheet.set_column(0, 0, 20)
    sheet.set_column(1, 1, 60)
    for line, (label, value) in enumerate(about):
        sheet.write_string(line, 0, label, heading)
        sheet.write_string(line, 1, value)


def _sheet(book: xlsxwriter.Workbook, name: str, fields: list[Field], heading: Any, words: Any) -> Any:
    sheet = book.add_worksheet(name)
    for at, item in enumerate(fields):
        sheet.set_column(at, at, max(8, item.width / 8), None if item.is_number else words)
        sheet.write_string(0, at, item.label, heading)
    return sheet


Write = Callable[[Any, int, int, dict[str, Any]], None]


def _cell_of(item: Field, number: Any) -> Write:
    """How cells of a column are written; found out once, for a million rows have it."""
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
            sheet.write_string(line, at, worded(item, value))

    return write


def worded(item: Field, value: Any) -> str:
    """A value that is no number as people read it."""
    if item.kind == "bool":
        return "是" if value else "否"
    if item.kind == "enum":
        return dict(item.options).get(value, str(value))
    if isinstance(value, datetime):
        return f"{value.astimezone(TIME_ZONE):%Y-%m-%d %H:%M:%S}"
    if item.span == "month" and isinstance(value, date):
        return f"{value:%Y-%m}"
    return value.isoformat() if isinstance(value, date) else str(value)
