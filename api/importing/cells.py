"""Cells (单元格): the columns of a sheet as values of declared fields; names become records; each bad cell
is reported."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Row, func, or_, select

from api.importing import files
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.fields import Field
from api.kit.declaration.validation_rules import strip_label
from api.kit.errors import Refusal
from api.kit.scope import scope_condition
from api.kit.storage.text_normalization import strip_invisible
from api.kit.storage.validation import Problems, parse_value

GOODS, CODE = "goods", "商品编码"
CODES = (CODE, "商品", "编码", "货号", "条码", "商品条码", "条形码")
"""What a column of goods may be called; its cells hold codes or barcodes."""
FORMULAS = ("=", "@", "\t", "\r")
ERRORS = frozenset({"#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#GETTING_DATA"})
"""What a workbook says where a formula came to nothing."""
BLANK, ZERO, GIFT_HINT = "不能为空", "不能为 0", "赠品请在“赠品”列填“是”"
MARKS = "*（必填） "
"""What a template puts around the title of a required column."""


@dataclass(frozen=True, slots=True)
class CellError:
    """A bad cell: its field and the message."""

    item: Field
    msg: str


@dataclass(slots=True)
class SheetRow:
    """A row of a sheet: its number, values and labels by field, and its bad cells."""

    row: int
    texts: list[str]
    values: dict[str, Any] = field(default_factory=dict)
    labels: dict[str, str | None] = field(default_factory=dict)
    errors: list[CellError] = field(default_factory=list)

    def add_error(self, item: Field, msg: str) -> None:
        self.errors.append(CellError(item, strip_label(msg, item.label)))


Found = tuple[Any, str | None] | str | None
"""A cell's value with its label, what is wrong with it, or nothing."""


def is_goods(item: Field) -> bool:
    """Return whether a field holds goods: their cells are codes or barcodes."""
    return item.ref is not None and item.ref.resource == GOODS


def label_goods_column(item: Field) -> Field:
    """Return a column of goods under the title of its template, for messages about its cells."""
    return replace(item, label=CODE)


def find_columns(
    heading: Sequence[str], columns: Mapping[Field, Sequence[str]], template: str
) -> dict[Field, int]:
    """Return the position of each column by one of its titles. Raises Refusal where a required column is
    missing."""
    titled = {title: item for item, titles in columns.items() for title in titles}
    found: dict[Field, int] = {}
    for at, title in enumerate(heading):
        word = title.strip().strip(MARKS)
        item = titled.get(word)
        if item in found:
            raise Refusal(f"“{word}”列出现了两次，请只保留一列")
        if item is not None:
            found[item] = at
    missing = [titles[0] for item, titles in columns.items() if item.required and item not in found]
    if missing:
        raise Refusal(f"第一行缺少列：{'、'.join(missing)}，请使用下载的{template}")
    return found


def read_cells(
    ctx: Context, places: Mapping[Field, int], rows: Sequence[files.Row], header: Mapping[str, Any]
) -> list[SheetRow]:
    """Parse the rows' cells; `places` holds each field's column position, `header` what all rows share."""
    lines = [SheetRow(number, cells) for number, cells in rows]
    for item in sorted(places, key=lambda one: _dependency_depth(one, places)):
        at = places[item]
        texts = [strip_invisible(line.texts[at]) if at < len(line.texts) else "" for line in lines]
        found = _find_references(ctx, item, texts, header, lines) if item.ref else _parse_values(item, texts)
        for line, one in zip(lines, found, strict=True):
            if isinstance(one, str):
                line.add_error(item, one)
            elif one is not None:
                line.values[item.name], line.labels[item.name] = one
    for item in places:
        if item.asked_unless:
            _require_figures(item, lines)
    return lines


def _require_figures(item: Field, lines: Iterable[SheetRow]) -> None:
    """Add an error to each row without a figure that it has to have."""
    assert item.asked_unless
    for line in lines:
        if all(bad.item != item for bad in line.errors):
            exemption = line.values.get(item.asked_unless)
            if problem := describe_missing_figure(line.values.get(item.name), is_gift=exemption is True):
                line.add_error(item, problem)


def describe_missing_figure(value: Any, *, is_gift: bool) -> str | None:
    """Describe a missing or zero figure of a row that isn't marked as a gift; None where it is right."""
    if value or is_gift:
        return None
    return f"{BLANK if value is None else ZERO}；{GIFT_HINT}"


def describe_unreadable(text: str) -> str | None:
    """Describe a cell without a value: a formula without a stored result, or an error; None where it is
    right."""
    if text in ERRORS:
        return f"公式出错（{text}），请改正后再导入"
    if text.startswith(FORMULAS):
        return "是公式而没有结果，请用 Excel 打开并保存，或改为数值或普通文字"
    return None


def _dependency_depth(item: Field, places: Mapping[Field, int]) -> int:
    """Return the order of parsing: a province before its cities, goods before their batches."""
    names = {other.name: other for other in places}
    parents = (
        [names[name] for name in item.ref.within if name in names and name != item.name] if item.ref else []
    )
    return 1 + max((_dependency_depth(parent, places) for parent in parents), default=0) if parents else 0


def _parse_values(item: Field, texts: list[str]) -> Iterable[Found]:
    named = {label: value for value, label in item.options}
    known: dict[str, Found] = {}
    for text in texts:
        if text not in known:
            known[text] = describe_unreadable(text) or _parse_value(item, text, named)
        yield known[text]


def _parse_value(item: Field, text: str, named: Mapping[str, Any]) -> Found:
    if not text:
        is_required = item.required and item.kind not in ("enum", "bool") and not item.asked_unless
        return BLANK if is_required else None
    problems = Problems()
    value = parse_value(item, named.get(text, text), problems)
    if problems.failures:
        return problems.failures[0].msg.removeprefix(f"“{item.label}”").removeprefix(item.label)
    return value, None if item.is_number or item.kind == "date" else dict(item.options).get(value)


def _find_references(
    ctx: Context, item: Field, texts: list[str], header: Mapping[str, Any], lines: list[SheetRow]
) -> Iterable[Found]:
    """Yield records by their name, goods by code or barcode; of several with one name the one that belongs to
    the row."""
    by_text = _select_records(ctx, item, {text.lower() for text in texts if text})
    assert item.ref
    for text, line in zip(texts, lines, strict=True):
        if not text:
            yield BLANK if item.required else None
            continue
        if problem := describe_unreadable(text):
            yield problem
            continue
        row = {**header, **line.values}
        fitting = [one for one in by_text.get(text.lower(), ()) if _matches_row(one, item, row)]
        exact = [one for one in fitting if one.shown == text]
        if len(fitting) != 1 and len(exact) != 1:
            yield f"有多个“{text}”，请改用编码" if fitting else f"没有找到“{text}”"
        else:
            one = (exact or fitting)[0]
            yield one.key, one.shown


def _matches_row(found: Row[Any], item: Field, row: Mapping[str, Any]) -> bool:
    assert item.ref
    return all(
        getattr(found, name, None) in (None, row.get(name)) or str(getattr(found, name)) == str(row.get(name))
        for name in item.ref.within
    )


def _select_records(ctx: Context, item: Field, texts: set[str]) -> dict[str, list[Row[Any]]]:
    assert item.ref
    target = registry.get_resource(item.ref.resource)
    table = target.table()
    shown = table.c.goods_num if is_goods(item) else table.columns[target.declaration.title]
    texts_of = [func.lower(shown)]
    if is_goods(item):
        texts_of.append(func.lower(table.c.barcode))
    enabled = [table.c.enabled] if "enabled" in table.columns else []
    only = [table.columns[item.ref.only[0]].in_(item.ref.only[1])] if item.ref.only else []
    shared = [table.columns[name] for name in item.ref.within if name in table.columns]
    query = select(
        target.key().label("key"),
        shown.label("shown"),
        *shared,
        *(one.label(f"text{at}") for at, one in enumerate(texts_of)),
    ).where(
        or_(*(one.in_(sorted(texts)) for one in texts_of)),
        scope_condition(table, ctx.principal),
        target.selectable_condition(),
        *enabled,
        *only,
    )
    found: dict[str, list[Row[Any]]] = {}
    for row in ctx.conn.execute(query) if texts else ():
        for text in {getattr(row, f"text{at}") for at in range(len(texts_of))} - {None}:
            found.setdefault(text, []).append(row)
    return found
