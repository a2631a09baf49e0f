"""Named bills (单据归属): whether a principal may open the bill that a row of a query names, as SQL.

A bill is its maker's, its department's and its warehouse's, as its type declares; a row that names it is theirs as
well. Each bill is looked up by its key, so that a list is read as fast as its rows are. Other bills that a row of his
own names by their numbers are looked up when the rows have been read, all of them at once; a list that is searched or
sorted by such numbers is so by what it shows of them, and one by free words by these without any number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, reduce
from typing import Any, TypeVar, cast

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    and_,
    case,
    exists,
    func,
    literal,
    literal_column,
    or_,
    select,
    true,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import aggregate_order_by

from api.kit import registry
from api.kit.database import Base
from api.kit.projection import MASK
from api.kit.scope import Principal, within

T = TypeVar("T")

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
    own, condition = next(iter(table.primary_key.columns)), _within_sql(table, principal)
    return f"exists (select from {table.name} where {table.name}.{own.name} = {key} and {condition})"


def _within_sql(table: Table, principal: Principal) -> str:
    condition = within(table, principal).compile(
        dialect=postgresql.dialect(),  # type: ignore[no-untyped-call]
        compile_kwargs={"literal_binds": True},
    )
    return f"({condition})"


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


def hide_closed(conn: Connection, principal: Principal, values: T, *, saying: bool = False) -> T:
    """Values of whatever is nested in them, without the numbers of bills that he may not open.

    A text of numbers has 无权限 in place of each of these, any other text that names one is 无权限 as a whole: what is
    read is saved again, and what is 无权限 stays as it was. What is only `saying` something keeps its other words.
    """
    if not principal.is_narrowed:
        return values
    closed = _closed(conn, principal, {number for words in _texts(values) for number in _numbers(words)})
    return cast(T, mask_numbers(values, closed, saying=saying)) if closed else values


def closed_in(conn: Connection, principal: Principal, words: str) -> frozenset[str]:
    """The numbers of bills in some words, or in values written as JSON, that a narrowed principal may not open."""
    return _closed(conn, principal, _numbers(words))


def names_bills(values: Any) -> bool:
    """Whether something in values looks like a bill's number."""
    return any(_numbers(words) for words in _texts(values))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)


def mask_numbers(value: Any, closed: frozenset[str], *, saying: bool) -> Any:
    """A value as `hide_closed` answers it, where the numbers that are not to be told are known."""
    if isinstance(value, str):
        found = closed.intersection(_numbers(value))
        if not found:
            return value
        if saying:
            return reduce(
                lambda words, number: words.replace(number, MASK), sorted(found, key=len)[::-1], value
            )
        several = value.split(SEVERAL)
        is_numbers = found.issubset(several) and all(_NUMBER.fullmatch(one) for one in several)
        return SEVERAL.join(MASK if one in closed else one for one in several) if is_numbers else MASK
    if isinstance(value, Mapping):
        return {name: mask_numbers(one, closed, saying=saying) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [mask_numbers(one, closed, saying=saying) for one in value]
    return value


_NUMBER = re.compile(r"[A-Z][A-Za-z0-9-]*[0-9]{3}", re.ASCII)
"""What may be a bill's number: administrators choose what one is made of, but it begins with capitals and counts."""


def _numbers(words: str) -> set[str]:
    found = set(_NUMBER.findall(words))
    return found | {part for one in found if "-" in one for part in _NUMBER.findall(one.replace("-", " "))}


def shown_numbers(principal: Principal, numbers: ColumnElement[Any]) -> ColumnElement[Any]:
    """A column of the core's that has a bill's number or several bills', as `hide_closed` shows it."""
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


def without_numbers(principal: Principal, words: ColumnElement[Any]) -> ColumnElement[Any]:
    """A column of words, of any database, as a narrowed reader searches and sorts by it: without what may be a bill's
    number: which of them are his is not asked row by row."""
    if not principal.is_narrowed:
        return words
    # Not parameters: DuckDB asks for constants.
    constants: list[ColumnElement[str]] = [literal_column(f"'{one}'") for one in (_NUMBER.pattern, " ", "g")]
    return func.regexp_replace(words, *constants, type_=words.type)


def _is_closed(principal: Principal, number: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a number is that of a bill which is not his to open: of the type whose prefix it has, else of any."""
    kinds = registry.prefixes()
    arms = []
    for prefix in sorted(kinds, key=len, reverse=True):
        table = kinds[prefix].table()
        there = exists().where(table.c.bill_no == number)
        arms.append((and_(number.startswith(prefix), there), _foreign(table, principal, number)))
    return case(*arms, else_=or_(*(_foreign(cls.table(), principal, number) for cls in kinds.values())))


def _foreign(table: Table, principal: Principal, number: ColumnElement[str]) -> ColumnElement[bool]:
    closed = within(table, principal).is_not(true())
    return exists().where(table.c.bill_no == number, closed)


SEVERAL = "、"
"""What stands between the numbers of several bills."""


def _closed(conn: Connection, principal: Principal, numbers: set[str]) -> frozenset[str]:
    """Those of some numbers that are bills', and not his to open."""
    if not numbers:
        return frozenset()
    asked = {"numbers": sorted(numbers)}
    return frozenset(conn.exec_driver_sql(_closed_sql(_scope_of(principal)), asked).scalars())


@lru_cache(maxsize=256)
def _closed_sql(scope: Principal) -> str:
    """Of each type, since a number says nothing certain of which type it is."""
    arms = " union all ".join(
        f"select {cls.name()}.bill_no, {_within_sql(cls.table(), scope)} as is_own from {cls.name()}"
        f" where {cls.name()}.bill_no = any(%(numbers)s)"
        for cls in registry.prefixes().values()
    )
    return f"select bill_no from ({arms}) found group by bill_no having bool_or(is_own) is not true"


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
