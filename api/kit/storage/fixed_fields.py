"""Fixed fields (已有业务): fields that don't change while posted figures depend on their meaning.

Dependents of a record are the bills that refer to it, and the records that share its columns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sqlalchemy import Row, Select, Text, literal, select, true, union_all

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.fields import Field
from api.kit.declaration.flow import VOIDED
from api.kit.declaration.resource import Declared, Resource
from api.kit.scope import scope_condition
from api.kit.storage.validation import Problems

MAX_BILLS = 3
ELSEWHERE = "无权查看的单据"


def forbid_fixed_changes(
    ctx: Context, cls: type[Resource], before: Row[Any], row: Mapping[str, Any], problems: Problems
) -> None:
    """Add a problem for each fixed field of a stored record that is to change, with its dependents."""
    key, label = before._mapping[cls.key().key], cls.declaration.label
    for item in cls.fields():
        if not item.fixed or row[item.name] == before._mapping[item.name]:
            continue
        if item.fixed == "always":
            problems.add(f"{label}的{item.label}不能修改，请另建{label}")
        elif stands := _describe_dependents(ctx, cls, key, item):
            problems.add(f"{label}的{item.label}不能修改：已有{stands}；请另建{label}")


def _describe_dependents(ctx: Context, cls: type[Resource], key: int, item: Field) -> str:
    found = cls.describe_dependents(ctx, key, item.name)
    if item.fixed == "named":
        found += [
            dependents
            for dependents in (
                describe_naming_bills(ctx, cls, key),
                _describe_sharing_record(ctx, cls, key, item),
            )
            if dependents
        ]
    return "、".join(found)


def describe_naming_bills(
    ctx: Context, cls: type[Resource], key: int, *, among: Collection[str] = (), voided: bool = True
) -> str:
    """Describe some bills that refer to a record, by number where the user may see them; one statement."""
    wanted: list[Select[Any]] = []
    for bill in registry.list_resources():
        if issubclass(bill, Bill) and (not among or bill.name() in among):
            wanted += _naming_bill_queries(ctx, bill, cls, key, voided=voided)
    if not wanted:
        return ""
    rows = ctx.conn.execute(union_all(*(query.subquery().select() for query in wanted))).all()
    seen = list(dict.fromkeys(f"{row.label}{row.bill_no}" for row in rows if row.seen))
    numbers = "、".join(seen[:MAX_BILLS]) + ("等单据" if len(seen) > MAX_BILLS else "")
    return numbers or (ELSEWHERE if rows else "")


def _naming_bill_queries(
    ctx: Context, bill: type[Bill], cls: type[Resource], key: int, *, voided: bool
) -> Iterator[Select[Any]]:
    """Yield queries of the first bill of a type that refers to a record, in its head and in each block."""
    head = bill.table()
    seen = scope_condition(head, ctx.principal).label("seen")
    shown = (literal(bill.declaration.label).label("label"), head.c.bill_no, seen)
    counts = true() if voided else head.c.status != VOIDED
    for owner in (bill, *(block.cls for block in bill.blocks())):
        names = [column == key for column in _reference_columns(owner, cls)]
        if not names:
            continue
        query = select(*shown)
        if owner is not bill:
            query = query.join_from(head, owner.table(), head.c.bill_id == owner.table().c.bill_id)
        for named in names:
            yield query.where(named, counts).order_by(seen.desc(), head.c.bill_id).limit(1)


def _reference_columns(owner: type[Declared], cls: type[Resource]) -> Iterator[Any]:
    """Yield the columns by which rows of a table refer to records of a class."""
    for item in owner.fields():
        if item.ref and item.ref.resource == cls.name() and item.name in owner.table().c:
            yield owner.table().c[item.name]


def _describe_sharing_record(ctx: Context, cls: type[Resource], key: int, item: Field) -> str:
    """Describe a record that refers to this one and must agree with it in a column: say an employee."""
    for other in registry.list_resources():
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
            seen = scope_condition(table, ctx.principal).label("seen")
            query = select(named.label("title"), seen).where(table.c[own.name] == key)
            row = ctx.conn.execute(query.order_by(seen.desc()).limit(1)).first()
            if row is not None:
                return f"{other.declaration.label}{row.title if row.seen else ''}"
    return ""
