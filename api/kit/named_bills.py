"""Named bills (单据归属): whether a principal may open the bill that a row of a query names, as SQL.

A bill is its maker's, its department's and its warehouse's, as its type declares; a row that names it is theirs as
well. Each bill is looked up by its key, so that a list is read as fast as its rows are. Other bills that a row of his
own names by their numbers are looked up when the rows have been read, all of them at once; a list that is searched or
sorted by such numbers is so by what it shows of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, case, exists, false, func, literal, select, true
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import aggregate_order_by

from api.kit import registry
from api.kit.database import Base, dumps
from api.kit.fields import Field
from api.kit.projection import MASK
from api.kit.scope import Principal, within

_NOBODY = Principal(0, "", "", 0, 0)
ALL = "true"


def opens(principal: Principal, row: str = "l", prefix: str = "", key: str = "bill_id") -> str:
    """Whether he may open the bill of a row's `bill_type` and `key`, or of the one type of a `prefix`."""
    if not principal.is_narrowed:
        return ALL
    arms = _arms(_scope_of(principal))
    if prefix:
        return arms[prefix].format(key=f"{row}.{key}")
    found = " ".join(f"when '{kind}' then {arm.format(key=f'{row}.{key}')}" for kind, arm in arms.items())
    return f"case {row}.bill_type {found} else false end"


def opened_no(
    principal: Principal, row: str, prefix: str = "", key: str = "bill_id", number: str = "bill_no"
) -> str:
    """A row's number of a bill, as 无权限 where he may not open it; no bill stays none."""
    told, allowed = f"{row}.{number}", opens(principal, row, prefix, key)
    if allowed == ALL:
        return told
    return f"case when {told} is null or {allowed} then {told} else '{MASK}' end"


def owns(principal: Principal, table: Table, key: str) -> str:
    """Whether the record of a key is there and lies in his scope."""
    condition = within(table, principal).compile(
        dialect=postgresql.dialect(),  # type: ignore[no-untyped-call]
        compile_kwargs={"literal_binds": True},
    )
    own = next(iter(table.primary_key.columns))
    return f"exists (select from {table.name} where {table.name}.{own.name} = {key} and {condition})"


def opens_record(principal: Principal, row: str) -> str:
    """Whether he may open the record of a row's `resource` and `record_id`; of one that is no more he may know what he
    did himself, by `user_id`."""
    if not principal.is_narrowed:
        return ALL
    found = " ".join(
        f"when '{name}' then {owned.format(key=f'{row}.record_id')}"
        f" or {row}.user_id = {principal.user_id} and not {there.format(key=f'{row}.record_id')}"
        for name, (owned, there) in _records(_scope_of(principal)).items()
    )
    return f"case {row}.resource {found} else true end"


def hide_numbers(
    conn: Connection, principal: Principal, fields: Iterable[Field], rows: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Rows as read, with 无权限 for each number of another bill that he may not open; other texts stay."""
    names = [item.name for item in fields if item.bill]
    if not names or not principal.is_narrowed:
        return rows
    told = {number for row in rows for name in names for number in _numbers(row.get(name))}
    closed = _closed(conn, principal, told)
    if not closed:
        return rows
    return [row | {name: _told(row[name], closed) for name in names if row.get(name)} for row in rows]


def hide_closed(conn: Connection, principal: Principal, words: str) -> str:
    """Words, with 无权限 for each number in them of a bill that he may not open."""
    if not principal.is_narrowed:
        return words
    number = _number()
    closed = _closed(conn, principal, set(number.findall(words)))
    return number.sub(lambda found: MASK if found[0] in closed else found[0], words) if closed else words


def hide_sayings(conn: Connection, principal: Principal, values: list[Any]) -> list[Any]:
    """Values of whatever is nested in them, with 无权限 for each text that says something of a bill which he may not
    open."""
    if not principal.is_narrowed:
        return values
    closed = _closed(conn, principal, set(_number().findall(dumps(values).decode())))
    return [_unsaid(value, closed) for value in values] if closed else values


def _unsaid(value: Any, closed: set[str]) -> Any:
    if isinstance(value, str):
        return value if closed.isdisjoint(_number().findall(value)) else MASK
    if isinstance(value, Mapping):
        return {name: _unsaid(one, closed) for name, one in value.items()}
    return [_unsaid(one, closed) for one in value] if isinstance(value, list) else value


@lru_cache(maxsize=1)
def _number() -> re.Pattern[str]:
    """A bill's number among other words: the prefix of a type, what its template adds, and at least three digits."""
    kinds = "|".join(sorted(registry.prefixes(), key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z0-9])(?:{kinds})[A-Za-z0-9-]*[0-9]{{3}}(?![0-9])", re.ASCII)


def shown_numbers(principal: Principal, numbers: ColumnElement[Any]) -> ColumnElement[Any]:
    """A column of the core's that has a bill's number or several bills', as `hide_numbers` shows it."""
    if not principal.is_narrowed:
        return numbers
    each = func.unnest(func.string_to_array(numbers, SEVERAL))
    told = each.table_valued("number", with_ordinality="place", name="told_number").render_derived()
    one = case((_is_closed(principal, told.c.number), MASK), else_=told.c.number)
    return (
        select(func.string_agg(one, aggregate_order_by(literal(SEVERAL), told.c.place)))
        .select_from(told)
        .scalar_subquery()
    )


def _is_closed(principal: Principal, number: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a number is that of a bill which is not his to open."""
    kinds = registry.prefixes()
    return case(
        *(
            (number.startswith(prefix), _foreign(kinds[prefix].table(), principal, number))
            for prefix in sorted(kinds, key=len, reverse=True)
        ),
        else_=false(),
    )


def _foreign(table: Table, principal: Principal, number: ColumnElement[str]) -> ColumnElement[bool]:
    closed = within(table, principal).is_not(true())
    return exists().where(table.c.bill_no == number, closed)


SEVERAL = "、"
"""What stands between the numbers of several bills."""


def _numbers(value: Any) -> list[str]:
    return value.split(SEVERAL) if isinstance(value, str) else []


def _told(value: Any, closed: set[str]) -> Any:
    return SEVERAL.join(MASK if number in closed else number for number in _numbers(value)) or value


def _closed(conn: Connection, principal: Principal, numbers: set[str]) -> set[str]:
    """Those of some numbers that are bills', and not his to open."""
    by_type: defaultdict[str, list[str]] = defaultdict(list)
    kinds = registry.prefixes()
    for number in numbers:
        if prefix := max((one for one in kinds if number.startswith(one)), key=len, default=None):
            by_type[prefix].append(number)
    closed: set[str] = set()
    for prefix, some in by_type.items():
        table = kinds[prefix].table()
        found = select(table.c.bill_no).where(
            table.c.bill_no.in_(some), within(table, principal).is_not(true())
        )
        closed.update(conn.execute(found).scalars())
    return closed


@lru_cache(maxsize=256)
def _records(scope: Principal) -> dict[str, tuple[str, str]]:
    """Of each kind of record that belongs to a warehouse or a maker: whether one is his, and whether it is there."""
    told: dict[str, tuple[str, str]] = {}
    for cls in registry.declared():
        table = cls.table()
        if table.metadata is Base.metadata and {"warehouse_id", "maker_id"} & set(table.columns.keys()):
            told[cls.name()] = owns(scope, table, "{key}"), owns(_NOBODY, table, "{key}")
    return told


def _scope_of(principal: Principal) -> Principal:
    """His scope alone, which many requests share."""
    return replace(
        _NOBODY,
        user_id=principal.user_id,
        department_id=principal.department_id,
        companies=principal.companies,
        warehouses=principal.warehouses,
        own=principal.own,
    )


@lru_cache(maxsize=256)
def _arms(scope: Principal) -> dict[str, str]:
    return {prefix: owns(scope, cls.table(), "{key}") for prefix, cls in registry.prefixes().items()}
