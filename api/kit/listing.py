"""Listing (列表): filter, sort, page, and totals over the whole filter, the same for every declared class."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model
from pydantic import Field as Described
from sqlalchemy import ColumnElement, Connection, Select, and_, false, func, or_, select

from api.kit import registry
from api.kit.errors import Forbidden, Refusal
from api.kit.fields import Field
from api.kit.projection import Projection, masked, masks, project
from api.kit.resource import Resource
from api.kit.scope import Principal, within

PAGE_SIZE = 30
MAX_PAGE_SIZE = 500
RANGED = frozenset({"date", "datetime", "integer", "quantity", "money", "price", "rate"})


class ListQuery(BaseModel):
    """What every list takes; declared search fields come on top."""

    model_config = ConfigDict(extra="ignore")

    page: int = Described(1, ge=1, le=1_000_000, description="页码")
    per_page: int = Described(PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE, description="每页行数")
    order_key: str = Described("", description="排序字段")
    order_by: str = Described("", pattern="^(asc|desc|)$", description="asc 或 desc")
    keyword: str = Described("", max_length=100, description="在文本字段中查找")
    totals: int = Described(1, ge=0, le=1, description="0 = 不要总行数与合计，另以 getTotals 取")
    timeStamp: int | None = Described(None, description="请求时间，毫秒")
    sign: str | None = Described(None, description="请求签名")


@dataclass(frozen=True, slots=True)
class Page:
    """One page of rows, and what the whole filter adds up to."""

    rows: list[dict[str, Any]]
    total: int | None
    totals: dict[str, Decimal]
    page: int
    per_page: int

    def answer(self) -> dict[str, Any]:
        last = None if self.total is None else max(1, -(-self.total // self.per_page))
        return {
            "data": self.rows,
            "total": self.total,
            "current_page": self.page,
            "per_page": self.per_page,
            "last_page": last,
            "totals": self.totals,
        }


@cache
def query_model(cls: type[Resource]) -> type[ListQuery]:
    """The list query of a class: `<field>` for texts and choices, `<field>_start` and `<field>_end` for ranges."""
    extra: dict[str, Any] = {}
    for item in cls.fields():
        if item.search:
            names = (f"{item.name}_start", f"{item.name}_end") if item.kind in RANGED else (item.name,)
            extra.update(
                {name: (str, Described("", max_length=500, description=item.label)) for name in names}
            )
    return create_model(f"{cls.__name__}ListQuery", __base__=ListQuery, **extra)


def conditions(cls: type[Resource], query: ListQuery, principal: Principal) -> list[ColumnElement[bool]]:
    """The filter of a list: scope, declared search fields, keyword."""
    table = cls.table()
    values = query.model_dump()
    found: list[ColumnElement[bool]] = [within(table, principal)]
    for item in cls.fields():
        if not item.search or item.name not in table.columns:
            continue
        asked = [values.get(name) for name in (item.name, f"{item.name}_start", f"{item.name}_end")]
        if any(asked) and not principal.sees(cls.name(), item.name, item.permission):
            raise Forbidden(f"您无权按“{item.label}”查询")
        found += _condition(table.columns[item.name], item, *asked)
    if query.keyword.strip():
        found.append(matching(cls, query.keyword.strip(), principal))
    return found


def _condition(column: Any, item: Field, value: Any, start: Any, end: Any) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if value:
        if item.kind in ("text", "textarea"):
            found.append(column.icontains(value.strip(), autoescape=True))
        elif item.kind == "bool":
            found.append(column.is_(value in ("1", "true", "True")))
        else:
            found.append(column.in_(_ids(value, item)))
    if start:
        found.append(column >= _bound(start, item))
    if end:
        bound = _bound(end, item)
        whole_day = isinstance(bound, date) and bound < date.max
        found.append(column < bound + timedelta(days=1) if whole_day else column <= bound)
    return found


def _ids(value: str, item: Field) -> list[int]:
    try:
        return [int(part) for part in value.split(",") if part.strip()]
    except ValueError as error:
        raise Refusal(f"“{item.label}”的查询条件不正确") from error


def _bound(value: str, item: Field) -> Any:
    try:
        if item.kind in ("date", "datetime"):
            return date.fromisoformat(value[:10])
        number = Decimal(value)
    except (ValueError, InvalidOperation) as error:
        raise Refusal(f"“{item.label}”的查询条件不正确") from error
    if not number.is_finite():
        raise Refusal(f"“{item.label}”的查询条件不正确")
    return number


def matching(cls: type[Resource], keyword: str, principal: Principal) -> ColumnElement[bool]:
    """Rows with the keyword in one of their visible text search fields, or, having none, in what they refer to."""
    table = cls.table()
    searched = [
        item
        for item in cls.fields()
        if item.search and principal.sees(cls.name(), item.name, item.permission)
    ]
    found = [
        table.columns[item.name].icontains(keyword, autoescape=True)
        for item in searched
        if item.kind in ("text", "textarea")
    ]
    return or_(*(found or [_named(table, item, keyword) for item in searched if item.ref]), false())


def _named(table: Any, item: Field, keyword: str) -> ColumnElement[bool]:
    assert item.ref
    target = registry.get(item.ref.resource)
    title = target.table().columns[target.declaration.title]
    chosen: ColumnElement[bool] = table.columns[item.name].in_(
        select(target.key()).where(title.icontains(keyword, autoescape=True))
    )
    return chosen


def listed(cls: type[Resource], principal: Principal) -> tuple[Field, ...]:
    """The fields a list reads for a principal."""
    return tuple(
        item for item in cls.fields() if item.list and principal.sees(cls.name(), item.name, item.permission)
    )


def select_rows(
    cls: type[Resource], query: ListQuery, principal: Principal
) -> tuple[Select[Any], Projection]:
    """The ordered select behind a list and its export."""
    projection = project(cls, listed(cls, principal), always=("status", "revision", "bill_no"))
    statement = projection.select().where(*conditions(cls, query, principal))
    return statement.order_by(*_order(cls, query, projection, principal)), projection


def _order(cls: type[Resource], query: ListQuery, projection: Projection, principal: Principal) -> list[Any]:
    key, direction = query.order_key, query.order_by or "desc"
    if not key:
        key, direction = cls.declaration.order_by or (cls.key().key, "desc")
    column = projection.columns.get(key)
    if column is None or key in masks(cls, cls.name(), principal):
        raise Refusal("不能按该字段排序")
    ordered = [column.asc() if direction == "asc" else column.desc()]
    return ordered if key == cls.key().key else [*ordered, cls.key().desc()]


def page_of(conn: Connection, cls: type[Resource], query: ListQuery, principal: Principal) -> Page:
    """One page of a list."""
    statement, _ = select_rows(cls, query, principal)
    offset = (query.page - 1) * query.per_page
    rows = conn.execute(statement.limit(query.per_page).offset(offset)).all()
    total, totals = count_and_totals(conn, cls, query, principal) if query.totals else (None, {})
    hidden = masks(cls, cls.name(), principal)
    absent = {
        name: "无权限" for name in hidden if any(item.name == name and item.list for item in cls.fields())
    }
    return Page(
        [{**masked(row, hidden), **absent} for row in rows], total, totals, query.page, query.per_page
    )


def count_and_totals(
    conn: Connection, cls: type[Resource], query: ListQuery, principal: Principal
) -> tuple[int, dict[str, Decimal]]:
    """How many rows the whole filter holds, and the sums of its totalled fields."""
    table = cls.table()
    totalled = [item for item in listed(cls, principal) if item.total and item.name in table.columns]
    sums = [func.coalesce(func.sum(table.columns[item.name]), 0).label(item.name) for item in totalled]
    statement = select(func.count().label("rows"), *sums).select_from(table)
    row = conn.execute(statement.where(and_(*conditions(cls, query, principal)))).one()
    return row.rows, {item.name: getattr(row, item.name) for item in totalled}
