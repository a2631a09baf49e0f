"""Previews (导入预览): the first rows of a sheet as they would be read, and its problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from api.importing.cells import SheetRow
from api.importing.opening_rows import build_refused_row
from api.kit.declaration.fields import Field

MAX_SHOWN, MAX_PROBLEMS = 20, 100


class PreviewRow(BaseModel):
    row: int
    cells: list[str]


class PreviewProblem(BaseModel):
    row: int
    field: str
    msg: str


class PreviewDoubt(BaseModel):
    row: int
    msg: str


class Preview(BaseModel):
    """The first rows as they would be read; `checked` rows were checked, of which `refused` have problems.

    Of the `doubted` ones it is asked whether they mean what is there already; sent on, they are entered.
    """

    columns: list[str]
    ignored: list[str]
    rows: list[PreviewRow]
    total: int
    checked: int
    refused: int
    problems: list[PreviewProblem]
    doubted: int = 0
    doubts: list[PreviewDoubt] = []


def build_preview(
    places: Mapping[Field, int],
    heading: Sequence[str],
    lines: Sequence[SheetRow],
    total: int,
    doubts: Mapping[int, str] | None = None,
) -> dict[str, Any]:
    """Build a preview of the rows that were read and checked, of `total`."""
    ordered = sorted(places.items(), key=lambda one: one[1])
    bad = [line for line in lines if line.errors]
    questions = sorted((doubts or {}).items())
    return {
        "columns": [item.label for item, _ in ordered],
        "ignored": [title for at, title in enumerate(heading) if title and at not in places.values()],
        "rows": [
            {"row": line.row, "cells": [_format_cell(line, item) for item, _ in ordered]}
            for line in lines[:MAX_SHOWN]
        ],
        "total": total,
        "checked": len(lines),
        "refused": len(bad),
        "problems": [
            {"row": one.row, "field": one.label, "msg": one.reason}
            for one in map(build_refused_row, bad[:MAX_PROBLEMS])
        ],
        "doubted": len(questions),
        "doubts": [{"row": row, "msg": msg} for row, msg in questions[:MAX_PROBLEMS]],
    }


def _format_cell(line: SheetRow, item: Field) -> str:
    value = line.values.get(item.name)
    label = line.labels.get(item.name)
    if label is not None:
        return str(label)
    if isinstance(value, bool):
        return "是" if value else "否"
    return "" if value is None else str(value)
