"""Line sheets (明细导入): a template of a bill's lines, and a filled sheet read back as lines of its form.

Nothing is saved here: what was read goes into the form, and is checked once more when the bill is. Cells
with formulas count with the value that the file holds of them, and are told where it holds none; nothing
is computed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

import orjson
from fastapi import Form, Query
from pydantic import BaseModel
from pydantic import Field as Length

from api.importing import cells, files, sheet_upload
from api.kit.bills import pack_units
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import MAX_LINES, Block
from api.kit.declaration.fields import Field
from api.kit.declaration.resource import Resource
from api.kit.errors import NotFound, Refusal
from api.kit.http.routing import ANY_USER, build_router, call

api = build_router()
MOST_FAILURES = 20_000
GOODS = "goods_id"


class Cell(BaseModel):
    value: Any
    label: str | None = None


class SheetLine(BaseModel):
    """A row of the sheet: cells by field; of goods the label is their code."""

    row: int
    cells: dict[str, Cell]


class SheetProblem(BaseModel):
    row: int
    field: str
    label: str
    msg: str


class Sheet(BaseModel):
    lines: list[SheetLine]
    problems: list[SheetProblem]


class FailedCell(BaseModel):
    serial: Annotated[str, Length(max_length=100)]
    field: Annotated[str, Length(max_length=100)] = ""
    msg: Annotated[str, Length(max_length=1000)]


class Failures(BaseModel):
    failures: Annotated[list[FailedCell], Length(max_length=MOST_FAILURES)]


@call(api, "GET", "v2/Open/LineSheet/getTemplate", right=ANY_USER)
def get_template(
    ctx: Context, bill: Annotated[str, Query(max_length=60)], block: Annotated[str, Query(max_length=60)]
) -> Any:
    """明细导入模板: a sheet with the columns of a bill's lines."""
    cls, part = _require_block(ctx, bill, block)
    columns = [
        sheet_upload.build_template_column(item, _column_titles(item)[0])
        for item in _fillable_fields(ctx, part)
    ]
    return sheet_upload.build_workbook_response(f"{cls.name()}_{part.name}.xlsx", part.label, columns)


@call(api, "POST", "v2/Open/LineSheet/read", right=ANY_USER, returns=Sheet, turns=sheet_upload.TURNS)
def read_sheet(
    ctx: Context,
    bill: Annotated[str, Form(max_length=60)],
    block: Annotated[str, Form(max_length=60)],
    excel: sheet_upload.Sent,
    header: Annotated[str, Form(max_length=20_000)] = "{}",
) -> Any:
    """读取明细: the lines of a filled sheet for a form with this header; each cell that can't be taken is told."""
    _, part = _require_block(ctx, bill, block)
    with sheet_upload.receive_sheet(ctx, "明细导入", excel, csv=True) as sheet:
        rows = sheet.read(MAX_LINES, f"{part.label}不能超过{MAX_LINES}行，请分成多张单据")
        found = _read_lines(ctx, part, _parse_header(header), rows)
        sheet.upload.message = f"{len(found['lines'])}行，{len(found['problems'])}处需要修改"
    return found


@call(api, "POST", "v2/Open/LineSheet/getFailures", right=ANY_USER)
def get_failures(ctx: Context, payload: Failures) -> Any:
    """失败明细: what a form refused of a sheet, a paste or its own lines, as a file."""
    columns = [Field("serial", "行/单据号", "text", width=160), Field("field", "字段", "text")]
    columns.append(Field("msg", "失败原因", "text", width=400))
    return sheet_upload.build_workbook_response(
        "failures.xlsx", "失败明细", columns, (row.model_dump() for row in payload.failures)
    )


def _require_block(ctx: Context, bill: str, block: str) -> tuple[type[Resource], Block]:
    cls = next((one for one in registry.list_resources() if one.name() == bill), None)
    if cls is None or not cls.blocks():
        raise NotFound("单据")
    if not ctx.principal.has_right(cls.right("edit")):
        ctx.require_right(cls.right("add"))
    for part in cls.blocks():
        if part.name == block and any(_is_keyed(item) for item in part.cls.fields()):
            return cls, part
    raise NotFound("明细")


def _fillable_fields(ctx: Context, part: Block) -> list[Field]:
    """Return the fields that a sheet may fill, goods first."""
    screen = part.cls.name()
    found = [
        cells.label_goods_column(item) if item.name == GOODS else item
        for item in part.cls.fields()
        if _is_keyed(item) and ctx.principal.can_see(screen, item.name, item.permission)
    ]
    return sorted(found, key=lambda item: item.name != GOODS)


def _is_keyed(item: Field) -> bool:
    return item.writable and not item.hidden


def _column_titles(item: Field) -> tuple[str, ...]:
    """Return the titles that a column may have; goods beside a line's own, say a gift, keep their name."""
    return cells.CODES if item.name == GOODS else (item.label,)


def _parse_header(sent: str) -> dict[str, Any]:
    try:
        found = orjson.loads(sent)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise Refusal("表头格式不正确，请刷新页面后重试")
    return found


def _read_lines(
    ctx: Context, part: Block, header: Mapping[str, Any], rows: list[files.Row]
) -> dict[str, Any]:
    if not rows:
        raise Refusal("文件里没有内容，请先下载模板")
    fields = _fillable_fields(ctx, part)
    # 件数 tell the quantity where they stand.
    heading = {title.strip().strip(cells.MARKS) for title in rows[0][1]}
    packed = any(item.name == pack_units.QUANTITY and item.label in heading for item in fields)
    if packed:
        fields = [replace(item, required=item.required and item.name != "quantity") for item in fields]
    titles = {item: _column_titles(item) for item in fields}
    places = cells.find_columns(rows[0][1], titles, "模板")
    body = rows[1:]
    if not body:
        raise Refusal("文件里只有表头，没有明细")
    lines = cells.read_cells(ctx, places, body, header)
    for line in lines if packed else ():
        if not line.values.keys() & {"quantity", pack_units.QUANTITY}:
            line.add_error(part.cls.field("quantity"), cells.BLANK)
    problems = [
        {"row": line.row, "field": bad.item.name, "label": bad.item.label, "msg": bad.msg}
        for line in lines
        for bad in line.errors
    ]
    kinds = {item.name: item for item in places}
    return {"lines": [_format_row(line, kinds) for line in lines], "problems": problems}


def _format_row(line: cells.SheetRow, kinds: Mapping[str, Field]) -> dict[str, Any]:
    """Format a row for the form, which takes numbers and days as texts."""
    shown = {
        name: {
            "value": str(value) if kinds[name].is_number or kinds[name].kind == "date" else value,
            "label": line.labels[name],
        }
        for name, value in line.values.items()
    }
    return {"row": line.row, "cells": shown}
