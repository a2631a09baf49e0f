"""The export job (导出): streams a list's whole filter into a workbook; texts stay texts, masked fields masked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import xlsxwriter
from sqlalchemy import select, update

from api.identity.sessions import principal_of
from api.kit import registry
from api.kit.database import TIME_ZONE, engine, transact
from api.kit.errors import Refusal
from api.kit.fields import Field
from api.kit.listing import listed, query_model, select_rows
from api.kit.projection import masked, masks, shown_fields
from api.kit.resource import Resource
from api.kit.scope import Principal
from api.kit.settings import settings
from api.kit.view import reading
from api.shell.export_tasks import DONE, FAILED, RUNNING, ExportTask
from api.shell.jobs import app

CHUNK = 2000
SHEET_ROWS = 1_000_000


@app.task(name="export", pass_context=False)
def export(export_id: int) -> None:
    """Write one export; a refusal is told in the task list, an accident is retried by nobody and told as well."""
    try:
        rows = _write(export_id)
    except Refusal as refusal:
        _settle(export_id, FAILED, failure=refusal.msg)
    except Exception:
        _settle(export_id, FAILED, failure="导出出错，请重试或联系管理员")
        raise
    else:
        _settle(export_id, DONE, rows=rows)


def file_of(export_id: int) -> Path:
    """Where an export's workbook lies."""
    return settings().exports_dir / f"{export_id}.xlsx"


def _settle(export_id: int, status: int, **values: Any) -> None:
    done = {"done_at": datetime.now(TIME_ZONE)} if status in (DONE, FAILED) else {}
    statement = (
        update(ExportTask).where(ExportTask.export_id == export_id).values(status=status, **done, **values)
    )
    transact(lambda conn: conn.execute(statement).rowcount)


def _write(export_id: int) -> int:
    _settle(export_id, RUNNING)
    with engine().connect() as conn:
        task = conn.execute(select(ExportTask.__table__).where(ExportTask.export_id == export_id)).one()
        principal, cls = principal_of(conn, task.user_id), registry.get(task.resource)
        if not principal.may(cls.right("export")):
            raise Refusal("您没有此列表的导出权限")
        query = query_model(cls)(**task.query)
        statement, _ = select_rows(cls, query, principal)
        hidden = masks(cls, cls.name(), principal)
        path = file_of(export_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        with reading(cls, conn) as source:
            streamed = source.execution_options(stream_results=True, yield_per=CHUNK).execute(statement)
            rows = (masked(row, hidden) for row in streamed)
            count = write_workbook(unfinished, cls.declaration.label, columns(cls, principal), rows)
        unfinished.rename(path)
    return count


def columns(cls: type[Resource], principal: Principal) -> list[Field]:
    """The exported fields, references by their labels."""
    names = {item.name for item in listed(cls, principal)}
    shown = {name for item in cls.fields() if item.ref and item.name in names for name in item.ref.shows}
    return [item for item in shown_fields(cls) if item.export and (item.name in names or item.name in shown)]


def write_workbook(
    path: Path, title: str, fields: list[Field], rows: Iterator[dict[str, Any]], sheet_rows: int = SHEET_ROWS
) -> int:
    """A workbook with heading rows; constant memory; nothing in it is a formula or a link. Answers the row count.

    A sheet that is full goes on in the next: no row is cut off.
    """
    options = {
        "constant_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    count = 0
    with xlsxwriter.Workbook(str(path), options) as book:
        heading = book.add_format({"bold": True, "bg_color": "#ECF5FF"})
        number = book.add_format({"num_format": "#,##0.00"})
        sheet = _sheet(book, title[:31], fields, heading)
        for count, row in enumerate(rows, 1):
            line = (count - 1) % sheet_rows + 1
            if line == 1 and count > 1:
                sheet = _sheet(book, f"{title[:25]} {count // sheet_rows + 1}", fields, heading)
            for at, item in enumerate(fields):
                _cell(sheet, line, at, item, row, number)
    return count


def _sheet(book: xlsxwriter.Workbook, name: str, fields: list[Field], heading: Any) -> Any:
    sheet = book.add_worksheet(name)
    for at, item in enumerate(fields):
        sheet.set_column(at, at, max(8, item.width / 8))
        sheet.write_string(0, at, item.label, heading)
    return sheet


def _cell(sheet: Any, line: int, at: int, item: Field, row: dict[str, Any], number: Any) -> None:
    value = row.get(item.label_field if item.ref and item.label_field else item.name)
    if value is None:
        return
    if isinstance(value, Decimal | int) and not isinstance(value, bool) and item.is_number:
        sheet.write_number(line, at, value, number)
    else:
        sheet.write_string(line, at, _words(item, value))


def _words(item: Field, value: Any) -> str:
    if item.kind == "bool":
        return "是" if value else "否"
    if item.kind == "enum":
        return dict(item.options).get(value, str(value))
    if isinstance(value, datetime):
        return f"{value.astimezone(TIME_ZONE):%Y-%m-%d %H:%M:%S}"
    return value.isoformat() if isinstance(value, date) else str(value)
