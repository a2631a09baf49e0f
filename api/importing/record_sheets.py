"""Record sheets (资料导入): records of a declared type from a sheet; known records are updated.

A record is known by the columns that are unique together. Sound rows are entered; the others come back as
a file.
"""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import UniqueConstraint, or_, select

from api.importing import cells, previews, sheet_upload
from api.importing.cells import SheetRow
from api.importing.failed_rows import FailedRows
from api.importing.opening_rows import RefusedRow, build_refused_row
from api.kit.context import Context
from api.kit.declaration.fields import Field
from api.kit.declaration.resource import Resource
from api.kit.errors import Forbidden, Refusal
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import call
from api.kit.storage import records

MAX_ROWS = 5000
Key = tuple[Any, ...]


class Imported(BaseModel):
    """Counts of a sheet's rows by outcome."""

    added: int
    changed: int
    refused: int
    failures: str = Described(description="失败行的 xlsx（base64）；没有失败行则为空")


@dataclass(frozen=True, slots=True)
class SheetContent:
    """A sheet's heading and rows, bad cells reported."""

    heading: list[str]
    places: dict[Field, int]
    lines: list[SheetRow]


@dataclass(slots=True)
class RecordOutcome:
    added: int = 0
    changed: int = 0
    refused: list[RefusedRow] = field(default_factory=list)


def mount_import(router: APIRouter, cls: type[Resource]) -> None:
    """Mount the routes of a declared class's template, preview and import."""
    path, right = cls.declaration.api, cls.right("import")

    def get_template(ctx: Context) -> Any:
        columns = [
            sheet_upload.build_template_column(item, _column_titles(item)[0])
            for item in _fillable_fields(ctx, cls)
        ]
        return sheet_upload.build_workbook_response(
            f"{cls.name()}_import.xlsx", cls.declaration.label, columns
        )

    def preview(ctx: Context, excel: sheet_upload.Sent) -> Any:
        with sheet_upload.receive_sheet(ctx, f"{cls.declaration.label}导入预览", excel) as sheet:
            found = _read_sheet(ctx, cls, sheet)
        return previews.build_preview(found.places, found.heading, found.lines, len(found.lines))

    def enter(ctx: Context, excel: sheet_upload.Sent) -> Any:
        with sheet_upload.receive_sheet(ctx, f"{cls.declaration.label}导入", excel) as sheet:
            found = _read_sheet(ctx, cls, sheet)
            outcome = _save_rows(ctx, cls, found.lines)
            counts = {"added": outcome.added, "changed": outcome.changed, "refused": len(outcome.refused)}
            sheet.upload.message = "新增{added}行，更新{changed}行，失败{refused}行".format(**counts)
        return {**counts, "failures": _encode_failures(found.heading, outcome.refused)}

    turns = sheet_upload.TURNS
    call(router, "GET", f"{path}/getImportTemplate", right=right)(get_template)
    call(router, "POST", f"{path}/previewImport", right=right, returns=previews.Preview, turns=turns)(preview)
    declare_action(router, cls, "import", Imported, turns)(enter)


def _fillable_fields(ctx: Context, cls: type[Resource]) -> list[Field]:
    """Return the fields that a sheet may fill. Raises Forbidden where a required one is hidden from the user."""
    found = [item for item in cls.fields() if item.writable and not item.hidden]
    seen = [item for item in found if ctx.principal.can_see(cls.name(), item.name, item.permission)]
    hidden = next((item for item in found if item.required and item not in seen), None)
    if hidden is not None:
        raise Forbidden(f"您无权查看“{hidden.label}”，不能导入")
    return [cells.label_goods_column(item) if cells.is_goods(item) else item for item in seen]


def _column_titles(item: Field) -> tuple[str, ...]:
    return cells.CODES if cells.is_goods(item) else (item.label,)


def _read_sheet(ctx: Context, cls: type[Resource], sheet: sheet_upload.UploadedSheet) -> SheetContent:
    rows = sheet.read(MAX_ROWS, f"文件超过 {MAX_ROWS} 行，请拆分后上传")
    if len(rows) < 2:
        raise Refusal("文件里只有表头，没有数据" if rows else "文件里没有内容，请先下载模板")
    heading = rows[0][1]
    titles = {item: _column_titles(item) for item in _fillable_fields(ctx, cls)}
    places = cells.find_columns(heading, titles, "模板")
    lines = cells.read_cells(ctx, places, rows[1:], {})
    seen: dict[Key, int] = {}
    unique = _unique_columns(cls)
    for line in lines:
        first = seen.setdefault(_record_key(line, unique), line.row) if not line.errors else line.row
        if first != line.row:
            line.add_error(next(iter(places)), f"与第{first}行重复")
    return SheetContent(heading, places, lines)


def _unique_columns(cls: type[Resource]) -> list[str]:
    """Return the columns that identify a record."""
    found = next(one for one in cls.table().constraints if isinstance(one, UniqueConstraint))
    return [column.name for column in found.columns]


def _record_key(line: SheetRow, unique: Sequence[str]) -> Key:
    return tuple(line.values.get(name) for name in unique)


def _lock_records(ctx: Context, cls: type[Resource], lines: Sequence[SheetRow]) -> dict[Key, int]:
    """Return the keys of the records that rows may be about, and lock them."""
    table, unique = cls.table(), _unique_columns(cls)
    about = []
    for name in unique:
        values = {line.values[name] for line in lines if line.values.get(name) is not None}
        about.append(or_(table.c[name].in_(sorted(values)), table.c[name].is_(None)))
    columns = (table.c[name] for name in unique)
    found = ctx.conn.execute(select(cls.key(), *columns).where(*about).order_by(cls.key()).with_for_update())
    return {tuple(row[1:]): row[0] for row in found}


def _save_rows(ctx: Context, cls: type[Resource], lines: Sequence[SheetRow]) -> RecordOutcome:
    outcome, unique = RecordOutcome(), _unique_columns(cls)
    known = _lock_records(ctx, cls, [line for line in lines if not line.errors])
    for line in lines:
        if line.errors:
            outcome.refused.append(build_refused_row(line))
            continue
        key, values = known.get(_record_key(line, unique)), _form_values(line)
        try:
            with ctx.conn.begin_nested():
                if key is None:
                    records.add_record(ctx, cls, values)
                    outcome.added += 1
                else:
                    records.edit_record(ctx, cls, key, values)
                    outcome.changed += 1
        except Refusal as refusal:
            outcome.refused.append(RefusedRow(line.row, cls.declaration.label, refusal.msg, line.texts))
    return outcome


def _form_values(line: SheetRow) -> dict[str, Any]:
    """Return a row as a form would send it."""
    plain = (bool, int, str, type(None))
    return {name: value if isinstance(value, plain) else str(value) for name, value in line.values.items()}


def _encode_failures(heading: Sequence[str], rows: Sequence[RefusedRow]) -> str:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "failed.xlsx"
        with FailedRows(path, heading) as failed:
            failed.add(rows)
        return base64.b64encode(path.read_bytes()).decode() if path.is_file() else ""
