"""Record sheets (资料导入): records of a declared type from a sheet; what is there already is changed.

A record is known by the columns that are unique together. Sound rows are entered; the others come back as a file.
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

from api.importing import cells, previews, sheets
from api.importing.cells import Line
from api.importing.failed_rows import FailedRows
from api.importing.opening_rows import Refused, refused
from api.kit import records
from api.kit.calls import call
from api.kit.context import Context
from api.kit.endpoints import action
from api.kit.errors import Forbidden, Refusal
from api.kit.fields import Field
from api.kit.resource import Resource

MAX_ROWS = 5000
Key = tuple[Any, ...]


class Imported(BaseModel):
    """What became of a sheet's rows."""

    added: int
    changed: int
    refused: int
    failures: str = Described(description="失败行的 xlsx（base64）；没有失败行则为空")


@dataclass(frozen=True, slots=True)
class Read:
    """A sheet's heading and lines, those that can't be taken told."""

    heading: list[str]
    places: dict[Field, int]
    lines: list[Line]


@dataclass(slots=True)
class Outcome:
    added: int = 0
    changed: int = 0
    refused: list[Refused] = field(default_factory=list)


def mount(router: APIRouter, cls: type[Resource]) -> None:
    """Give a declared class its template, preview and import."""
    path, right = cls.declaration.api, cls.right("import")

    def get_template(ctx: Context) -> Any:
        columns = [sheets.column(item, _titles(item)[0]) for item in _fields(ctx, cls)]
        return sheets.workbook(f"{cls.name()}_import.xlsx", cls.declaration.label, columns)

    def preview(ctx: Context, excel: sheets.Sent) -> Any:
        with sheets.received(ctx, f"{cls.declaration.label}导入预览", excel) as sheet:
            found = _read(ctx, cls, sheet)
        return previews.told(found.places, found.heading, found.lines, len(found.lines))

    def enter(ctx: Context, excel: sheets.Sent) -> Any:
        with sheets.received(ctx, f"{cls.declaration.label}导入", excel) as sheet:
            found = _read(ctx, cls, sheet)
            outcome = _enter(ctx, cls, found.lines)
            counts = {"added": outcome.added, "changed": outcome.changed, "refused": len(outcome.refused)}
            sheet.upload.message = "新增{added}行，更新{changed}行，失败{refused}行".format(**counts)
        return {**counts, "failures": _failures(found.heading, outcome.refused)}

    turns = sheets.TURNS
    call(router, "GET", f"{path}/getImportTemplate", right=right)(get_template)
    call(router, "POST", f"{path}/previewImport", right=right, returns=previews.Preview, turns=turns)(preview)
    action(router, cls, "import", Imported, turns)(enter)


def _fields(ctx: Context, cls: type[Resource]) -> list[Field]:
    """What a sheet may fill; one who may not see what is required can't import."""
    found = [item for item in cls.fields() if item.writable and not item.hidden]
    seen = [item for item in found if ctx.principal.sees(cls.name(), item.name, item.permission)]
    hidden = next((item for item in found if item.required and item not in seen), None)
    if hidden is not None:
        raise Forbidden(f"您无权查看“{hidden.label}”，不能导入")
    return [cells.coded(item) if cells.is_goods(item) else item for item in seen]


def _titles(item: Field) -> tuple[str, ...]:
    return cells.CODES if cells.is_goods(item) else (item.label,)


def _read(ctx: Context, cls: type[Resource], sheet: sheets.Sheet) -> Read:
    rows = sheet.read(MAX_ROWS, f"文件超过 {MAX_ROWS} 行，请拆分后上传")
    if len(rows) < 2:
        raise Refusal("文件里只有表头，没有数据" if rows else "文件里没有内容，请先下载模板")
    heading = rows[0][1]
    titles = {item: _titles(item) for item in _fields(ctx, cls)}
    places = cells.places_of(heading, titles, "模板")
    lines = cells.read(ctx, places, rows[1:], {})
    seen: dict[Key, int] = {}
    unique = _unique(cls)
    for line in lines:
        first = seen.setdefault(_key(line, unique), line.row) if not line.bad else line.row
        if first != line.row:
            line.refuse(next(iter(places)), f"与第{first}行重复")
    return Read(heading, places, lines)


def _unique(cls: type[Resource]) -> list[str]:
    """The columns that tell records apart."""
    found = next(one for one in cls.table().constraints if isinstance(one, UniqueConstraint))
    return [column.name for column in found.columns]


def _key(line: Line, unique: Sequence[str]) -> Key:
    return tuple(line.values.get(name) for name in unique)


def _known(ctx: Context, cls: type[Resource], lines: Sequence[Line]) -> dict[Key, int]:
    """The records that rows may be about, locked."""
    table, unique = cls.table(), _unique(cls)
    about = []
    for name in unique:
        values = {line.values[name] for line in lines if line.values.get(name) is not None}
        about.append(or_(table.c[name].in_(sorted(values)), table.c[name].is_(None)))
    columns = (table.c[name] for name in unique)
    found = ctx.conn.execute(select(cls.key(), *columns).where(*about).order_by(cls.key()).with_for_update())
    return {tuple(row[1:]): row[0] for row in found}


def _enter(ctx: Context, cls: type[Resource], lines: Sequence[Line]) -> Outcome:
    outcome, unique = Outcome(), _unique(cls)
    known = _known(ctx, cls, [line for line in lines if not line.bad])
    for line in lines:
        if line.bad:
            outcome.refused.append(refused(line))
            continue
        key, values = known.get(_key(line, unique)), _sent(line)
        try:
            with ctx.conn.begin_nested():
                if key is None:
                    records.add(ctx, cls, values)
                    outcome.added += 1
                else:
                    records.edit(ctx, cls, key, values)
                    outcome.changed += 1
        except Refusal as refusal:
            outcome.refused.append(Refused(line.row, cls.declaration.label, refusal.msg, line.texts))
    return outcome


def _sent(line: Line) -> dict[str, Any]:
    """A row as a form would send it."""
    plain = (bool, int, str, type(None))
    return {name: value if isinstance(value, plain) else str(value) for name, value in line.values.items()}


def _failures(heading: Sequence[str], rows: Sequence[Refused]) -> str:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "failed.xlsx"
        with FailedRows(path, heading) as failed:
            failed.add(rows)
        return base64.b64encode(path.read_bytes()).decode() if path.is_file() else ""
