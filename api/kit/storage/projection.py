"""Projections (查询列): SQL that reads declared rows with the labels of their references."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, case, select

from api.kit.declaration import registry
from api.kit.declaration.fields import Field
from api.kit.declaration.resource import Declared
from api.kit.scope import Principal

MASK = "无权限"
UNSPECIFIED = "未指定"
"""The label of rows that add up those without a record."""


@dataclass(slots=True)
class Projection:
    """A select over one declared table: its fields, the labels of its references, and the fields read along."""

    source: FromClause
    columns: dict[str, ColumnElement[Any]]
    joined: FromClause

    def select(self) -> Select[Any]:
        return select(*(column.label(name) for name, column in self.columns.items())).select_from(self.joined)


def shown_fields(cls: type[Declared]) -> tuple[Field, ...]:
    """Return the fields of a class with those its references read along, in screen order."""
    fields: list[Field] = []
    for item in cls.fields():
        fields += (item, *_read_along_fields(item))
    return tuple(fields)


def column_names(item: Field) -> list[str]:
    """Return the names under which a field and what it reads along stand in a row."""
    return [found.name for found in (item, *_read_along_fields(item))]


def _read_along_fields(item: Field) -> list[Field]:
    if not item.ref:
        return []
    target = registry.get_resource(item.ref.resource)
    shown = (target.field(name) for name in item.ref.shows)
    return [
        replace(
            field,
            name=(field.label_field if field.ref else None) or field.name,
            kind="text" if field.ref else field.kind,
            ref=None,
            form=False,
            readonly=True,
            search=False,
        )
        for field in shown
    ]


def build_projection(cls: type[Declared], fields: Iterable[Field], always: Iterable[str] = ()) -> Projection:
    """Build a projection of a class's `fields`, and of the plain columns named in `always`."""
    table = cls.table()
    joined: FromClause = table
    columns: dict[str, ColumnElement[Any]] = {cls.key().key: cls.key()}
    for name in always:
        if name in table.columns:
            columns[name] = table.columns[name]
    expressions = {item.field.name: item.expression for item in cls.derived}
    for item in fields:
        if item.name in expressions:
            columns[item.name] = expressions[item.name](table)
        elif item.name in table.columns:
            columns[item.name] = table.columns[item.name]
            if item.ref:
                joined = _join_reference(joined, table, item, columns)
        if item.told_by:
            computed = expressions.get(item.told_by)
            columns[item.told_by] = computed(table) if computed else table.columns[item.told_by]
    return Projection(table, columns, joined)


def _join_reference(
    joined: FromClause, table: FromClause, item: Field, columns: dict[str, ColumnElement[Any]]
) -> FromClause:
    """Join the target of a reference, and add its label and the fields it shows."""
    assert item.ref and item.label_field
    target = registry.get_resource(item.ref.resource)
    other = _alias_table(target.table(), f"{item.name}_ref")
    joined = joined.outerjoin(other, table.c[item.name] == other.c[target.key().key])
    title: ColumnElement[Any] = other.c[target.declaration.title]
    if item.ref.none is not None:
        title = case((table.c[item.name] == item.ref.none, UNSPECIFIED), else_=title)
    columns[item.label_field] = title
    for name in item.ref.shows:
        shown = target.field(name)
        if shown.ref:
            nested = replace(shown, ref=replace(shown.ref, shows=()))
            inner = registry.get_resource(shown.ref.resource)
            far = _alias_table(inner.table(), f"{item.name}_{name}_ref")
            joined = joined.outerjoin(far, other.c[name] == far.c[inner.key().key])
            columns[nested.label_field or name] = far.c[inner.declaration.title]
        else:
            columns[name] = other.c[name]
    return joined


@cache
def _alias_table(table: FromClause, name: str) -> FromClause:
    """Return a table under an alias.

    Cached, for a wide table's columns cost more than the query they are in.
    """
    return table.alias(name)


def visible_fields(cls: type[Declared], screen: str, principal: Principal) -> tuple[Field, ...]:
    """Return the fields of a class that a principal may read on a screen."""
    return tuple(item for item in cls.fields() if principal.can_see(screen, item.name, item.permission))


def masked_names(cls: type[Declared], screen: str, principal: Principal) -> frozenset[str]:
    """Return the names that are answered as 无权限.

    A masked reference masks its label and the fields it shows as well.
    """
    hidden: set[str] = set()
    for item in cls.fields():
        if not principal.can_see(screen, item.name, item.permission):
            hidden.update((*column_names(item), *item.read_as))
        elif item.ref:
            target = registry.get_resource(item.ref.resource)
            for name in item.ref.shows:
                shown = target.field(name)
                if not principal.can_see(screen, name, shown.permission):
                    hidden.add((shown.label_field if shown.ref else name) or name)
    return frozenset(hidden | _ratio_bases(cls, hidden))


def _ratio_bases(cls: type[Declared], hidden: set[str]) -> set[str]:
    """Return the columns that only masked ratios are computed from and that show nowhere else."""
    ratios = [(item.ratio, item.name in hidden) for item in cls.fields() if item.ratio]
    masked_parts = {name for ratio, is_masked in ratios if is_masked for name in ratio.parts}
    shown_parts = {name for ratio, is_masked in ratios if not is_masked for name in ratio.parts}
    columnless = {item.name for item in cls.fields() if item.hidden and not item.list}
    return (masked_parts - shown_parts) & columnless


def format_yuan(value: Decimal, principal: Principal, *places: tuple[type[Declared], str]) -> str:
    """Format an amount for a message, a blank before it; empty for whoever may not see one of the fields."""
    return f" {value:,.2f} 元" if can_see_all(principal, *places) else ""


_AMOUNT_TEXT = re.compile(r"（[^（）]* -?[\d,]+\.\d{2} 元[^（）]*）| -?[\d,]+\.\d{2} 元")


def strip_amounts(message: str) -> str:
    """Strip the amounts and the brackets around them from a message, for readers with other rights."""
    return _AMOUNT_TEXT.sub("", message)


def can_see_all(principal: Principal, *places: tuple[type[Declared], str]) -> bool:
    """Return whether a principal may see each of some fields."""
    return all(principal.can_see(cls.name(), name, cls.field(name).permission) for cls, name in places)


def mask_row(row: Any, hidden: frozenset[str]) -> dict[str, Any]:
    """Return a row as a dict, with hidden values replaced by 无权限."""
    values = dict(row._mapping)
    for name in hidden & values.keys():
        values[name] = MASK
    return values
