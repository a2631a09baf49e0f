"""Standing (已有业务): what stands on a record — the bills that name it, the records that share its columns.

A field that gives figures their meaning is `fixed`: it stays as it is while something stands on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sqlalchemy import Row, Select, Text, literal, select, true, union_all

from api.kit import registry
from api.kit.context import Context
from api.kit.document import Bill
from api.kit.fields import Field
from api.kit.flow import VOIDED
from api.kit.resource import Declared, Resource
from api.kit.scope import within
from api.kit.validation import Problems

SHOWN = 3
ELSEWHERE = "无权查看的单据"


def refuse_changes(
    ctx: Context, cls: type[Resource], before: Row[Any], row: Mapping[str, Any], problems: Problems
) -> None:
    """Tell each fixed field of a stored record that is to change, and what stands against it."""
    key, label = before._mapping[cls.key().key], cls.declaration.label
    for item in cls.fields():
        if not item.fixed or row[item.name] == before._mapping[item.name]:
            continue
        if item.fixed == "always":
            problems.add(f"{label}的{item.label}不能修改，请另建{label}")
        elif stands := _standing(ctx, cls, key, item):
            problems.add(f"{label}的{item.label}不能修改：已有{stands}；请另建{label}")


def _standing(ctx: Context, cls: type[Resource], key: int, item: Field) -> str:
    found = cls.holding(ctx, key, item.name)
    if item.fixed == "named":
        found += [
            told for told in (bills_naming(ctx, cls, key), _records_sharing(ctx, cls, key, item)) if told
        ]
    return "、".join(found)


def bills_naming(
    ctx: Context, cls: type[Resource], key: int, *, among: Collection[str] = (), voided: bool = True
) -> str:
    """Some bills that name a record in their head or a row, by number where the user may see them; in one statement."""
    wanted: list[Select[Any]] = []
    for bill in registry.declared():
        if issubclass(bill, Bill) and (not among or bill.name() in among):
            wanted += _of_bill(ctx, bill, cls, key, voided=voided)
    if not wanted:
        return ""
    rows = ctx.conn.execute(union_all(*(query.subquery().select() for query in wanted))).all()
    seen = list(dict.fromkeys(f"{row.label}{row.bill_no}" for row in rows if row.seen))
    told = "、".join(seen[:SHOWN]) + ("等单据" if len(seen) > SHOWN else "")
    return told or (ELSEWHERE if rows else "")


def _of_bill(
    ctx: Context, bill: type[Bill], cls: type[Resource], key: int, *, voided: bool
) -> Iterator[Select[Any]]:
    """The first bill of a type that names a record in its head, and in the rows of each block."""
    head = bill.table()
    seen = within(head, ctx.principal).label("seen")
    shown = (literal(bill.declaration.label).label("label"), head.c.bill_no, seen)
    counts = true() if voided else head.c.status != VOIDED
    for owner in (bill, *(block.cls for block in bill.blocks())):
        names = [column == key for column in _referring(owner, cls)]
        if not names:
            continue
        query = select(*shown)
        if owner is not bill:
            query = query.join_from(head, owner.table(), head.c.bill_id == owner.table().c.bill_id)
        for named in names:
            yield query.where(named, counts).order_by(seen.desc(), head.c.bill_id).limit(1)


def _referring(owner: type[Declared], cls: type[Resource]) -> Iterator[Any]:
    """The columns by which rows of a table name records of a class."""
    for item in owner.fields():
        if item.ref and item.ref.resource == cls.name() and item.name in owner.table().c:
            yield owner.table().c[item.name]


def _records_sharing(ctx: Context, cls: type[Resource], key: int, item: Field) -> str:
    """A record that refers to this one and must agree with it in a column: say an employee of the department."""
    for other in registry.declared():
        if issubclass(other, Bill) or "edit" not in other.declaration.actions:
            continue
        table = other.table()
        for own in other.fields():
            if not own.ref or own.ref.resource != cls.name() or item.name not in own.ref.within:
                continue
            if own.name not in table.c:
                continue
            title = table.c.get(other.declaration.title)
            named = literal("") if title is None or not isinstance(title.type, Text) else title
            seen = within(table, ctx.principal).label("seen")
            query = select(named.label("title"), seen).where(table.c[own.name] == key)
            row = ctx.conn.execute(query.order_by(seen.desc()).limit(1)).first()
            if row is not None:
                return f"{other.declaration.label}{row.title if row.seen else ''}"
    return ""
