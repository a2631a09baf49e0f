"""Line sheets (明细导入): a template of a bill's lines, and a filled sheet read back as lines of its form.

Nothing is saved here: what was read goes into the form, and is checked once more when the bill is. Cells with formulas
count with the value that the file holds of them; nothing is computed.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import orjson
from fastapi import File, Form, Query, Response, UploadFile
from pydantic import BaseModel
from sqlalchemy import Row, func, or_, select

from api.importing import files
from api.kit import registry
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.document import MAX_LINES, Bill, Block
from api.kit.errors import NotFound, Refusal
from api.kit.fields import Field
from api.kit.scope import within
from api.kit.validation import Problems, value_of
from api.shell.export_job import write_workbook

api = router()
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
SUFFIXES = (".xlsx", ".xls", ".csv")
MAX_BYTES = 20 * 1024 * 1024
GOODS, CODE = "goods", "商品编码"
CODES = frozenset({CODE, "商品", "编码", "货号", "条码", "商品条码", "条形码"})
"""What a column of goods may be called; its cells hold codes or barcodes."""
MARKS = "*（必填）"


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


@call(api, "GET", "v2/Open/LineSheet/getTemplate", right=ANY_USER)
def get_template(
    ctx: Context, bill: Annotated[str, Query(max_length=60)], block: Annotated[str, Query(max_length=60)]
) -> Any:
    """明细导入模板: a sheet with the columns of a bill's lines."""
    cls, part = _block(ctx, bill, block)
    columns = [_column(item) for item in _fields(ctx, part)]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "template.xlsx"
        write_workbook(path, part.label, columns, iter(()))
        content = path.read_bytes()
    name = f"{cls.name()}_{part.name}.xlsx"
    return Response(
        content, media_type=XLSX, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


@call(api, "POST", "v2/Open/LineSheet/read", right=ANY_USER, returns=Sheet)
def read_sheet(
    ctx: Context,
    bill: Annotated[str, Form(max_length=60)],
    block: Annotated[str, Form(max_length=60)],
    excel: Annotated[UploadFile, File()],
    header: Annotated[str, Form(max_length=20_000)] = "{}",
) -> Any:
    """读取明细: the lines of a filled sheet for a form with this header; each cell that can't be taken is told."""
    _, part = _block(ctx, bill, block)
    name = (excel.filename or "").lower()
    if not name.endswith(SUFFIXES):
        raise Refusal("上传文件只能是 xlsx、xls、csv 格式!")
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / f"sheet{Path(name).suffix}"
        with path.open("wb") as file:
            shutil.copyfileobj(excel.file, file)
        if path.stat().st_size > MAX_BYTES:
            raise Refusal("文件超过 20 MB，请拆分后导入")
        return _read(ctx, part, _header(header), list(files.rows(path)))


def _block(ctx: Context, bill: str, block: str) -> tuple[type[Bill], Block]:
    cls = next((one for one in registry.declared() if one.name() == bill), None)
    if cls is None or not issubclass(cls, Bill) or cls.bill is None:
        raise NotFound("单据")
    if not ctx.principal.may(cls.right("edit")):
        ctx.require(cls.right("add"))
    for part in cls.bill.blocks:
        if part.name == block:
            return cls, part
    raise NotFound("明细")


def _fields(ctx: Context, part: Block) -> list[Field]:
    """What a sheet may fill, goods first."""
    screen = part.cls.name()
    found = [
        item
        for item in part.cls.fields()
        if item.writable and not item.hidden and ctx.principal.sees(screen, item.name, item.permission)
    ]
    return sorted(found, key=lambda item: not _is_goods(item))


def _is_goods(item: Field) -> bool:
    return item.ref is not None and item.ref.resource == GOODS


def _column(item: Field) -> Field:
    label = CODE if _is_goods(item) else item.label
    return Field(item.name, f"{label}*" if item.required else label, "text", width=max(item.width, 90))


def _header(sent: str) -> dict[str, Any]:
    try:
        found = orjson.loads(sent)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise Refusal("表头格式不正确，请刷新页面后重试")
    return found


def _read(ctx: Context, part: Block, header: Mapping[str, Any], rows: list[files.Row]) -> dict[str, Any]:
    if not rows:
        raise Refusal("文件里没有内容，请先下载模板")
    fields = _fields(ctx, part)
    places = _places(fields, rows[0][1])
    body = rows[1:]
    if not body:
        raise Refusal("文件里只有表头，没有明细")
    if len(body) > MAX_LINES:
        raise Refusal(f"{part.label}不能超过{MAX_LINES}行，请分成多张单据")
    problems: list[dict[str, Any]] = []
    lines: list[dict[str, Any]] = [{"row": number, "cells": {}} for number, _ in body]
    for item in sorted(places, key=lambda one: _depth(one, places)):
        texts = [cells[places[item]].strip() if places[item] < len(cells) else "" for _, cells in body]
        read = _references if item.ref else _values
        for line, found in zip(lines, read(ctx, item, texts, header, lines), strict=True):
            if isinstance(found, str):
                problems.append({"row": line["row"], "field": item.name, "label": item.label, "msg": found})
            elif found is not None:
                line["cells"][item.name] = found
    return {"lines": lines, "problems": sorted(problems, key=lambda one: one["row"])}


def _depth(item: Field, places: Mapping[Field, int]) -> int:
    """Goods come before what belongs to goods."""
    names = {other.name for other in places}
    return len(names & set(item.ref.within)) if item.ref else 0


def _places(fields: list[Field], heading: list[str]) -> dict[Field, int]:
    """Where each field's column stands, by its label; refuses what a form could not do without."""
    found: dict[Field, int] = {}
    for at, title in enumerate(heading):
        word = title.strip().strip(MARKS)
        for item in fields:
            if word == item.label or (_is_goods(item) and word in CODES):
                if item in found:
                    raise Refusal(f"“{word}”列出现了两次，请只保留一列")
                found[item] = at
    missing = [
        CODE if _is_goods(item) else item.label for item in fields if item.required and item not in found
    ]
    if missing:
        raise Refusal(f"第一行缺少列：{'、'.join(missing)}，请使用下载的模板")
    return found


Found = dict[str, Any] | str | None
"""A cell, what is wrong with it, or nothing."""


def _values(
    ctx: Context, item: Field, texts: list[str], header: Mapping[str, Any], lines: list[dict[str, Any]]
) -> Iterable[Found]:
    named = {label: value for value, label in item.options}
    for text in texts:
        if not text:
            yield "不能为空" if item.required and item.kind not in ("enum", "bool") else None
            continue
        problems = Problems()
        value = value_of(item, named.get(text, text), problems)
        if problems.failures:
            yield problems.failures[0].msg.removeprefix(f"“{item.label}”")
        elif item.is_number or item.kind == "date":
            yield {"value": str(value), "label": None}
        else:
            label = dict(item.options).get(value)
            yield {"value": value, "label": label}


def _references(
    ctx: Context, item: Field, texts: list[str], header: Mapping[str, Any], lines: list[dict[str, Any]]
) -> Iterable[Found]:
    """Records by their name, goods by code or barcode; of several of one name that which belongs to the row."""
    by_text = _known(ctx, item, {text.lower() for text in texts if text})
    assert item.ref
    for text, line in zip(texts, lines, strict=True):
        if not text:
            yield "不能为空" if item.required else None
            continue
        row = {**header, **{name: cell["value"] for name, cell in line["cells"].items()}}
        fitting = [one for one in by_text.get(text.lower(), ()) if _belongs(one, item, row)]
        exact = [one for one in fitting if one.shown == text]
        if len(fitting) != 1 and len(exact) != 1:
            yield f"有多个“{text}”，请改用编码" if fitting else f"没有找到“{text}”"
        else:
            one = (exact or fitting)[0]
            yield {"value": one.key, "label": one.shown}


def _belongs(found: Row[Any], item: Field, row: Mapping[str, Any]) -> bool:
    assert item.ref
    return all(
        getattr(found, name, None) in (None, row.get(name)) or str(getattr(found, name)) == str(row.get(name))
        for name in item.ref.within
    )


def _known(ctx: Context, item: Field, texts: set[str]) -> dict[str, list[Row[Any]]]:
    assert item.ref
    target = registry.get(item.ref.resource)
    table = target.table()
    shown = table.c.goods_num if _is_goods(item) else table.columns[target.declaration.title]
    texts_of = [func.lower(shown)]
    if _is_goods(item):
        texts_of.append(func.lower(table.c.barcode))
    enabled = [table.c.enabled] if "enabled" in table.columns else []
    shared = [table.columns[name] for name in item.ref.within if name in table.columns]
    query = select(
        target.key().label("key"),
        shown.label("shown"),
        *shared,
        *(one.label(f"text{at}") for at, one in enumerate(texts_of)),
    ).where(
        or_(*(one.in_(sorted(texts)) for one in texts_of)),
        within(table, ctx.principal),
        target.choosable(),
        *enabled,
    )
    found: dict[str, list[Row[Any]]] = {}
    for row in ctx.conn.execute(query) if texts else ():
        for text in {getattr(row, f"text{at}") for at in range(len(texts_of))} - {None}:
            found.setdefault(text, []).append(row)
    return found
