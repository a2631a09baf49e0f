"""Bill visibility (单据归属): SQL for whether a principal may open the bill that a row of a query names.

A bill is its maker's, its department's and its warehouse's, as its type declares; so is a row that names
it. Each bill is looked up by its key, so that a list is read as fast as its rows are. Numbers of other
bills in a row are looked up when the rows have been read, all at once; a list is searched and sorted by
such numbers as they are shown, and by free text without any number.
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

from api.kit.declaration import registry
from api.kit.scope import Principal, scope_condition
from api.kit.storage.database import Base
from api.kit.storage.projection import MASK

T = TypeVar("T")

_NOBODY = Principal(0, "", "", 0, 0)
TRUE_SQL = "true"


def bill_visible_sql(principal: Principal, row: str = "l", prefix: str = "", key: str = "bill_id") -> str:
    """Build SQL for whether he may open the bill of a row's `bill_type` (or `prefix`) and `key`."""
    if not principal.is_narrowed:
        return TRUE_SQL
    arms = _bill_conditions(_scope_only(principal))
    if prefix:
        return arms[prefix].format(key=f"{row}.{key}")
    found = " ".join(f"when '{kind}' then {arm.format(key=f'{row}.{key}')}" for kind, arm in arms.items())
    return f"case {row}.bill_type {found} else false end"


def bill_number_sql(
    principal: Principal, row: str, prefix: str = "", key: str = "bill_id", number: str = "bill_no"
) -> str:
    """Build SQL of a row's bill number, as 无权限 where he may not open it; no bill stays null."""
    column, allowed = f"{row}.{number}", bill_visible_sql(principal, row, prefix, key)
    if allowed == TRUE_SQL:
        return column
    return f"case when {column} is null or {allowed} then {column} else '{MASK}' end"


def in_scope_sql(principal: Principal, table: Table, key: str) -> str:
    """Build SQL for whether the record of a key exists and lies in his scope."""
    own, condition = next(iter(table.primary_key.columns)), _within_sql(table, principal)
    return f"exists (select from {table.name} where {table.name}.{own.name} = {key} and {condition})"


def _within_sql(table: Table, principal: Principal) -> str:
    condition = scope_condition(table, principal).compile(
        dialect=postgresql.dialect(),  # type: ignore[no-untyped-call]
        compile_kwargs={"literal_binds": True},
    )
    return f"({condition})"


def record_visible_sql(principal: Principal, row: str) -> str:
    """Build SQL for whether he may open the record of a row's `resource` and `record_id`.

    Of a deleted one he sees what he did himself, by `user_id`.
    """
    if not principal.is_narrowed:
        return TRUE_SQL
    found = " ".join(
        f"when '{name}' then {owned.format(key=f'{row}.record_id')}"
        f" or {row}.user_id = {principal.user_id} and not {there.format(key=f'{row}.record_id')}"
        for name, (owned, there) in _record_conditions(_scope_only(principal)).items()
    )
    return f"case {row}.resource {found} else true end"


def mask_hidden_bills(conn: Connection, principal: Principal, values: T, *, saying: bool = False) -> T:
    """Mask the numbers of bills that he may not open, in values however nested.

    In a text of numbers each is 无权限, any other text that names one is 无권限 as a whole: what is read is
    saved again, and 无权限 stays as it was. A text that is only `saying` something keeps its other words.
    """
    if not principal.is_narrowed:
        return values
    closed = _read_hidden_numbers(
        conn, principal, {number for words in _iterate_texts(values) for number in _find_numbers(words)}
    )
    return cast(T, mask_numbers(values, closed, saying=saying)) if closed else values


def find_hidden_numbers(conn: Connection, principal: Principal, words: str) -> frozenset[str]:
    """Find the numbers of bills that a narrowed principal may not open, in a text or in values as JSON."""
    return _read_hidden_numbers(conn, principal, _find_numbers(words))


def has_bill_numbers(values: Any) -> bool:
    """Return whether something in values looks like a bill's number."""
    return any(_find_numbers(words) for words in _iterate_texts(values))


def _iterate_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _iterate_texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _iterate_texts(one)


def mask_numbers(value: Any, closed: frozenset[str], *, saying: bool) -> Any:
    """Mask the given bill numbers in a value, as `mask_hidden_bills` does."""
    if isinstance(value, str):
        found = closed.intersection(_find_numbers(value))
        if not found:
            return value
        if saying:
            return reduce(
                lambda words, number: words.replace(number, MASK), sorted(found, key=len)[::-1], value
            )
        several = value.split(NUMBER_SEPARATOR)
        is_numbers = found.issubset(several) and all(_NUMBER.fullmatch(one) for one in several)
        return (
            NUMBER_SEPARATOR.join(MASK if one in closed else one for one in several) if is_numbers else MASK
        )
    if isinstance(value, Mapping):
        return {name: mask_numbers(one, closed, saying=saying) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [mask_numbers(one, closed, saying=saying) for one in value]
    return value


_NUMBER = re.compile(r"[A-Z][A-Za-z0-9-]*[0-9]{3}", re.ASCII)
"""Pattern of a bill number: administrators choose its parts; it begins with capitals and has a sequence."""


def _find_numbers(words: str) -> set[str]:
    found = set(_NUMBER.findall(words))
    return found | {part for one in found if "-" in one for part in _NUMBER.findall(one.replace("-", " "))}


def visible_numbers_column(principal: Principal, numbers: ColumnElement[Any]) -> ColumnElement[Any]:
    """Build a column of bill numbers as `mask_hidden_bills` shows them."""
    if not principal.is_narrowed:
        return numbers
    each = func.unnest(func.string_to_array(numbers, NUMBER_SEPARATOR))
    numbers_table = each.table_valued("number", with_ordinality="place", name="told_number").render_derived()
    one = case(
        (_hidden_number_condition(principal, numbers_table.c.number), MASK), else_=numbers_table.c.number
    )
    return (
        select(func.string_agg(one, aggregate_order_by(literal(NUMBER_SEPARATOR), numbers_table.c.place)))
        .select_from(numbers_table)
        .scalar_subquery()
    )


def numberless_column(principal: Principal, words: ColumnElement[Any]) -> ColumnElement[Any]:
    """Build a column of words without what looks like a bill number, in any database.

    A narrowed reader searches and sorts by it: visibility is not asked row by row.
    """
    if not principal.is_narrowed:
        return words
    # Not parameters: DuckDB asks for constants.
    constants: list[ColumnElement[str]] = [literal_column(f"'{one}'") for one in (_NUMBER.pattern, " ", "g")]
    return func.regexp_replace(words, *constants, type_=words.type)


def _hidden_number_condition(principal: Principal, number: ColumnElement[str]) -> ColumnElement[bool]:
    """Build the condition that a number is of a bill he may not open, of its prefix's type or any."""
    kinds = registry.map_prefixes()
    arms = []
    for prefix in sorted(kinds, key=len, reverse=True):
        table = kinds[prefix].table()
        there = exists().where(table.c.bill_no == number)
        arms.append(
            (and_(number.startswith(prefix), there), _foreign_bill_condition(table, principal, number))
        )
    return case(
        *arms, else_=or_(*(_foreign_bill_condition(cls.table(), principal, number) for cls in kinds.values()))
    )


def _foreign_bill_condition(
    table: Table, principal: Principal, number: ColumnElement[str]
) -> ColumnElement[bool]:
    closed = scope_condition(table, principal).is_not(true())
    return exists().where(table.c.bill_no == number, closed)


NUMBER_SEPARATOR = "、"
"""Separator of the numbers of several bills."""


def _read_hidden_numbers(conn: Connection, principal: Principal, numbers: set[str]) -> frozenset[str]:
    """Read which of some numbers are bills' that he may not open."""
    if not numbers:
        return frozenset()
    params = {"numbers": sorted(numbers)}
    return frozenset(conn.exec_driver_sql(_hidden_numbers_sql(_scope_only(principal)), params).scalars())


@lru_cache(maxsize=256)
def _hidden_numbers_sql(scope: Principal) -> str:
    """Build SQL of numbers and whether each is his, over all types: a number doesn't say of which it is."""
    arms = " union all ".join(
        f"select {cls.name()}.bill_no, {_within_sql(cls.table(), scope)} as is_own from {cls.name()}"
        f" where {cls.name()}.bill_no = any(%(numbers)s)"
        for cls in registry.map_prefixes().values()
    )
    return f"select bill_no from ({arms}) found group by bill_no having bool_or(is_own) is not true"


@lru_cache(maxsize=256)
def _record_conditions(scope: Principal) -> dict[str, tuple[str, str]]:
    """Build SQL, for each kind of record of a warehouse or maker, for being his and for existing."""
    conditions: dict[str, tuple[str, str]] = {}
    for cls in registry.list_resources():
        table = cls.table()
        if table.metadata is Base.metadata and {"warehouse_id", "maker_id"} & set(table.columns.keys()):
            conditions[cls.name()] = (
                in_scope_sql(scope, table, "{key}"),
                in_scope_sql(_NOBODY, table, "{key}"),
            )
    return conditions


def _scope_only(principal: Principal) -> Principal:
    """Return his scope alone, which many requests share as a cache key."""
    return replace(
        _NOBODY,
        user_id=principal.user_id,
        department_id=principal.department_id,
        companies=principal.companies,
        warehouses=principal.warehouses,
        own=principal.own,
    )


@lru_cache(maxsize=256)
def _bill_conditions(scope: Principal) -> dict[str, str]:
    return {
        prefix: in_scope_sql(scope, cls.table(), "{key}") for prefix, cls in registry.map_prefixes().items()
    }
