"""Previews (导入预览): the first rows of a sheet as they would be read, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from api.importing.cells import Line
from api.importing.opening_rows import refused
from api.kit.fields import Field

SHOWN, MAX_PROBLEMS = 20, 100


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


def told(
    places: Mapping[Field, int],
    heading: Sequence[str],
    lines: Sequence[Line],
    total: int,
    doubts: Mapping[int, str] | None = None,
) -> dict[str, Any]:
    """A preview of the lines that were read and checked, of `total`."""
    ordered = sorted(places.items(), key=lambda one: one[1])
    bad = [line for line in lines if line.bad]
    asked = sorted((doubts or {}).items())
    return {
        "columns": [item.label for item, _ in ordered],
        "ignored": [title for at, title in enumerate(heading) if title and at not in places.values()],
        "rows": [
            {"row": line.row, "cells": [_shown(line, item) for item, _ in ordered]} for line in lines[:SHOWN]
        ],
        "total": total,
        "checked": len(lines),
        "refused": len(bad),
        "problems": [
            {"row": one.row, "field": one.label, "msg": one.reason}
            for one in map(refused, bad[:MAX_PROBLEMS])
        ],
        "doubted": len(asked),
        "doubts": [{"row": row, "msg": msg} for row, msg in asked[:MAX_PROBLEMS]],
    }


def _shown(line: Line, item: Field) -> str:
    value = line.values.get(item.name)
    label = line.labels.get(item.name)
    if label is not None:
        return str(label)
    if isinstance(value, bool):
        return "是" if value else "否"
    return "" if value is None else str(value)
