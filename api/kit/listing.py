"""Listing (列表): filter, sort, page, and totals over the whole filter, the same for every declared class.

A page of a large table is read in two steps: first the keys of its rows, then what the rows show. Postgres can't tell
whether the rows of a filter are the newest or the oldest, and may walk through a million bills in order to find thirty;
so a filter that fits few rows is answered from its rows, and only one that fits many walks in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from pydantic import BaseModel, ConfigDict, create_model, model_validator
from pydantic import Field as Described
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    any_,
    exists,
    false,
    func,
    literal,
    not_,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import ARRAY

from api.kit import registry
from api.kit.errors import Forbidden, Refusal
from api.kit.fields import Field
from api.kit.making import made_once
from api.kit.named_bills import shown_numbers
from api.kit.projection import MASK, Projection, masked, masks, project
from api.kit.ratios import Ratio
from api.kit.resource import Declared, Resource, Searched
from api.kit.scope import Principal, within
from api.kit.trees import with_those_below
from api.kit.typed import Words, spellings
from api.kit.view import Paging, View, sourced

PAGE_SIZE = 30
MAX_PAGE_SIZE = 500
FLAGS = {"1": True, "true": True, "0": False, "false": False}
FEW = 3000
"""So many rows are sorted in no time, wherever they stand."""
MOST_WORDS = 5
"""Of a keyword."""
PIECE = 3
"""Letters of a piece that `text_pieces` indexes."""
RANGED = frozenset({"date", "datetime", "integer", "quantity", "money", "price", "rate"})


class ListQuery(BaseModel):
    """What every list takes, as a query or a posted body; declared search fields come on top."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    page: int = Described(1, ge=1, le=1_000_000, description="页码")
    per_page: int = Described(PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE, description="每页行数")
    order_key: str = Described("", description="排序字段")
    order_by: str = Described("", pattern="^(asc|desc|)$", description="asc 或 desc")
    keyword: Words = Described("", max_length=100, description="在文本字段中查找")
    totals: int = Described(1, ge=0, le=1, description="0 = 不要总行数与合计，另以 getTotals 取")
    timeStamp: int | None = Described(None, description="请求时间，毫秒")
    sign: str | None = Described(None, description="请求签名")

    @model_validator(mode="before")
    @classmethod
    def _as_asked(cls, values: Any) -> Any:
        """What a body says as null or true, a query leaves out or says as text."""
        if not isinstance(values, dict):
            return values
        given = {name: value for name, value in values.items() if value is not None}
        return {
            name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()
        }


@dataclass(frozen=True, slots=True)
class Sums:
    """How many rows a filter holds, what they add up to, and how many of them by their status add to nothing."""

    rows: int | None = None
    totals: Mapping[str, Decimal] = field(default_factory=dict)
    uncounted: int = 0

    def answer(self) -> dict[str, Any]:
        """As it is answered, beside the count of all rows."""
        return {"totals": self.totals, "uncounted": self.uncounted}


@dataclass(frozen=True, slots=True)
class Page:
    """One page of rows, and what the whole filter adds up to; of a `balance` also what the page comes to."""

    rows: list[dict[str, Any]]
    sums: Sums
    page: int
    per_page: int
    balance: str = ""
    refreshed_at: datetime | None = None
    """When the rows were computed, where they are not the present ones."""

    def answer(self, notices: Sequence[str] = ()) -> dict[str, Any]:
        """As it is answered, with what its readers should know of the figures."""
        found = paged(self.rows, self.sums.rows, self.page, self.per_page) | self.sums.answer()
        if self.balance and self.balance in self.sums.totals:
            page = sum((row[self.balance] or 0 for row in self.rows), start=Decimal(0))
            found |= {"this_page": page, "total_balance": self.sums.totals[self.balance]}
        told = {"refreshed_at": self.refreshed_at, "notices": notices}
        return found | {name: value for name, value in told.items() if value}


def paged(rows: list[dict[str, Any]], total: int | None, page: int, per_page: int) -> dict[str, Any]:
    """A page as it is answered."""
    return {
        "data": rows,
        "total": total,
        "current_page": page,
        "per_page": per_page,
        "last_page": None if total is None else max(1, -(-total // per_page)),
    }


@made_once
def query_model(cls: type[Resource]) -> type[ListQuery]:
    """The list query of a class: `<field>` for texts and choices, `<field>_start` and `<field>_end` for ranges."""
    extra: dict[str, Any] = {}
    for name, (_, item) in cls.searched().items():
        ends = ("_end",) if item.span == "until" else ("_start", "_end") if item.kind in RANGED else ("",)
        names = [f"{name}{end}" for end in ends]
        extra.update({one: (str, Described("", max_length=500, description=item.label)) for one in names})
    return create_model(f"{cls.__name__}ListQuery", __base__=ListQuery, **extra)


def conditions(cls: type[Resource], query: ListQuery, principal: Principal) -> list[ColumnElement[bool]]:
    """The filter of a list: scope, declared search fields, keyword."""
    values = query.model_dump()
    found: list[ColumnElement[bool]] = [within(cls.table(), principal)]
    for name, (owner, item) in cls.searched().items():
        chosen = _condition(owner, item, values, principal)
        if chosen and not principal.sees(owner.name(), name, item.permission):
            raise Forbidden(f"您无权按“{item.label}”查询")
        found += chosen if owner is cls or not chosen else [_has(cls, owner, chosen)]
    if query.keyword.strip():
        found.append(matching(cls, query.keyword.strip(), principal))
    return found


def _has(
    cls: type[Resource], lines: type[Declared], chosen: list[ColumnElement[bool]]
) -> ColumnElement[bool]:
    """Bills with a line that is chosen."""
    return exists().where(lines.table().c.bill_id == cls.key(), *chosen)


def _condition(
    owner: type[Declared], item: Field, values: dict[str, Any], principal: Principal
) -> list[ColumnElement[bool]]:
    """What a query asks of one field."""
    column: Any = owner.column(item.name)
    value, start, end = (values.get(f"{item.name}{end}") for end in ("", "_start", "_end"))
    found: list[ColumnElement[bool]] = []
    if column is None:
        return found
    if value:
        if item.kind in ("text", "textarea"):
            found.append(_contains(owner, column, item, value.strip(), principal))
        elif item.kind == "bool":
            found.append(column.is_(FLAGS[value.lower()]) if value.lower() in FLAGS else false())
        elif item.ref and item.ref.none is not None and str(item.ref.none) in value.split(","):
            found.append(or_(column.is_(None), column.in_(_choices(value, item))))
        elif not _all(value, item):
            chosen = _choices(value, item)
            found.append(column.in_(with_those_below(owner, item, chosen) if item.ref else chosen))
    if start:
        found.append(column >= _bound(start, item))
    if end:
        bound = _bound(end, item)
        whole_day = isinstance(bound, date) and bound < date.max
        found.append(column < bound + timedelta(days=1) if whole_day else column <= bound)
    return found


def _all(value: str, item: Field) -> bool:
    """Whether a choice stands for all: what a field says does, else 0 where it is no choice (spec/2-routes.md 4)."""
    offered = {str(choice) for choice, _ in item.options}
    every = {str(item.every)} if item.every is not None else {"0"} - offered
    return not every.isdisjoint(part.strip() for part in value.split(","))


def _contains(
    owner: type[Declared], column: Any, item: Field, text: str, principal: Principal
) -> ColumnElement[bool]:
    found = or_(*(_holds(column, item, spelling) for spelling in spellings(text)))
    shown = _shown(owner, item, column, principal)
    return found if shown is column else and_(found, _spelled(shown, text))


def _shown(owner: type[Declared], item: Field, column: Any, principal: Principal) -> Any:
    """A column as its reader is shown it; a view's rows themselves hold what he is."""
    return column if not item.bill or issubclass(owner, View) else shown_numbers(principal, column)


def _spelled(known: ColumnElement[str], text: str) -> ColumnElement[bool]:
    return or_(*(known.icontains(spelling, autoescape=True) for spelling in spellings(text)))


def _holds(column: Any, item: Field, text: str) -> ColumnElement[bool]:
    contains: ColumnElement[bool] = column.icontains(text, autoescape=True)
    if not item.pieces or len(text) < PIECE:
        return contains
    # The cheap test comes first: what the other arm of an or has found is tested by both.
    return and_(contains, func.text_pieces(column).op("@>")(func.text_pieces(text)))


def _choices(value: str, item: Field) -> list[Any]:
    parts = [part.strip() for part in value.split(",") if part.strip()]
    try:
        return [part if item.bills else int(part) for part in parts]
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
    """Rows with each word of the keyword in a visible text search field, in what else they are known by, or in the name
    of the partner that they are indexed by, which its initials stand for.

    Less than a piece says nothing about bill numbers where there is a partner. Rows without a text go by all that
    they refer to.
    """
    return and_(*(_matching(cls, word, principal, cls.apart) for word in keyword.split()[:MOST_WORDS]))


def _matching(cls: type[Resource], keyword: str, principal: Principal, apart: bool) -> ColumnElement[bool]:
    table = cls.table()
    if cls.found_by and principal.sees(cls.name(), cls.found_by, None):
        return _found_by(table, cls.field(cls.found_by), keyword, principal, apart)
    searched = [
        item
        for item in cls.fields()
        if item.search and principal.sees(cls.name(), item.name, item.permission)
    ]
    texts = [item for item in searched if item.kind in ("text", "textarea")]
    named = [item for item in searched if item.ref and (not texts or table.columns[item.name].index)]
    if named and len(keyword) < PIECE:
        texts = [item for item in texts if not item.pieces]
    found = [_contains(cls, table.columns[item.name], item, keyword, principal) for item in texts]
    found += [_spelled(known, keyword) for known in cls.known_by(apart)]
    return or_(*found, *(_named(table, item, keyword, apart) for item in named), false())


def _found_by(
    table: Any, item: Field, keyword: str, principal: Principal, apart: bool
) -> ColumnElement[bool]:
    assert item.ref
    target = registry.get(item.ref.resource)
    keys = select(target.key()).where(_matching(target, keyword, principal, apart))
    chosen: ColumnElement[bool] = table.columns[item.name] == any_(func.array(keys.scalar_subquery()))
    return chosen


def _named(table: Any, item: Field, keyword: str, apart: bool) -> ColumnElement[bool]:
    assert item.ref
    target = registry.get(item.ref.resource)
    title = target.declaration.title
    initials = [
        one.name for one in target.fields() if one.initials_of == title and (one.extract or not apart)
    ]
    named = (_spelled(target.table().columns[name], keyword) for name in (title, *initials))
    keys = select(target.key()).where(or_(*named))
    chosen: ColumnElement[bool] = table.columns[item.name] == any_(func.array(keys.scalar_subquery()))
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
    projection = _projection(cls, principal)
    statement = projection.select().order_by(*_order(cls, query, projection, principal))
    chosen = conditions(cls, query, principal)
    return sourced(cls, statement, principal, query.model_dump(), chosen), projection


def placed_rows(cls: type[Resource], query: ListQuery, principal: Principal) -> Select[Any]:
    """The rows behind a list, with what its ratios are of and each one's `place`, as a part of another query."""
    projection = _projection(cls, principal)
    place = (
        func.row_number(type_=BigInteger())
        .over(order_by=_order(cls, query, projection, principal))
        .label("place")
    )
    parts = _parts(item.ratio for item in listed(cls, principal) if item.ratio) - projection.columns.keys()
    added = (cls.table().columns[name] for name in sorted(parts))
    rows, chosen = projection.select().add_columns(place, *added), conditions(cls, query, principal)
    return sourced(cls, rows, principal, query.model_dump(), chosen)


def _projection(cls: type[Resource], principal: Principal) -> Projection:
    drill = cls.declaration.drill
    by = [field for _, field in drill.by] if drill else []
    leads = (drill.route_field if drill else "", *by, *(cls.declaration.order_by or ())[:1])
    # What a row leads by is shown there by its name.
    named = (
        item
        for item in cls.fields()
        if item.ref
        and item.name in by
        and not item.list
        and principal.sees(cls.name(), item.name, item.permission)
    )
    fields = (*listed(cls, principal), *named)
    return project(cls, fields, always=("status", "revision", "bill_no", "bill_id", *leads))


def _usual_order(cls: type[Resource]) -> tuple[str, str]:
    return cls.declaration.order_by or (cls.key().key, "desc")


def _asked_order(cls: type[Resource], query: ListQuery) -> tuple[str, str]:
    return (query.order_key, query.order_by or "desc") if query.order_key else _usual_order(cls)


def _order(cls: type[Resource], query: ListQuery, projection: Projection, principal: Principal) -> list[Any]:
    usual = _usual_order(cls)
    key, direction = _asked_order(cls, query)
    if (key, direction) == usual:
        # Days asked for are read day by day; in another order all of them would have to be sorted.
        days = (one for one in _asked(cls, query) if one.owner is cls and one.field.kind == "date")
        key = next((day.field.name for day in days if _leads(day)), key)
    hidden = masks(cls, cls.name(), principal)
    then = cls.paging.then if issubclass(cls, View) and (key, direction) == usual else ()
    if (key, direction) == usual and key in hidden:
        key = cls.key().key
    column = projection.columns.get(key)
    if column is None or key in hidden:
        raise Refusal("不能按该字段排序")
    field = next((item for item in cls.fields() if item.name == key), None)
    first = [] if key == cls.key().key else [_shown(cls, field, column, principal) if field else column]
    by = [*first, *(cls.table().columns[name] for name in then), cls.key()]
    return [item.asc() if direction == "asc" else item.desc() for item in by]


def page_of(conn: Connection, cls: type[Resource], query: ListQuery, principal: Principal) -> Page:
    """One page of a list."""
    rows = _rows(conn, cls, query, principal)
    sums = sums_of(conn, cls, query, principal) if query.totals else Sums()
    hidden = masks(cls, cls.name(), principal)
    absent = {item.name: MASK for item in cls.fields() if item.list and item.name in hidden}
    computed = cls.refreshed_at(conn) if issubclass(cls, View) else None
    shown = [{**masked(row, hidden), **absent} for row in rows]
    return Page(shown, sums, query.page, query.per_page, cls.declaration.balance, computed)


def _rows(
    conn: Connection, cls: type[Resource], query: ListQuery, principal: Principal
) -> Sequence[Row[Any]]:
    projection = _projection(cls, principal)
    key, chosen = cls.key(), conditions(cls, query, principal)
    order = _order(cls, query, projection, principal)
    for finding in _findings(cls, query, chosen, getattr(order[0].element, "key", None), principal):
        found: Sequence[int] = conn.execute(finding.limit(FEW + 1)).scalars().all()
        if len(found) <= FEW:
            chosen = [*chosen, key == any_(literal(found, ARRAY(key.type)))]
            break

    def page(rows: Select[Any]) -> Select[Any]:
        offset = (query.page - 1) * query.per_page
        return rows.order_by(*order).limit(query.per_page).offset(offset)

    if issubclass(cls, View):
        asked = query.model_dump()
        if not cls.paging.parts:
            return conn.execute(sourced(cls, page(projection.select()), principal, asked, chosen)).all()
        parts = [cls.table().columns[name] for name in cls.paging.parts]
        keys = cls.paging.keys if _asked_order(cls, query) == _usual_order(cls) else None
        places = conn.execute(sourced(cls, page(select(key, *parts)), principal, asked, chosen, keys)).all()
        if not places:
            return []
        shown, *values = zip(*places, strict=True)
        chosen += [part.in_(set(of)) for part, of in zip(parts, values, strict=True)]
        whole = projection.select().where(key.in_(shown)).order_by(*order)
        return conn.execute(sourced(cls, whole, principal, asked, chosen)).all()
    if getattr(projection.columns.get(query.order_key, key), "table", None) is not cls.table():
        return conn.execute(page(projection.select().where(*chosen))).all()
    found_by_key = key == any_(func.array(page(select(key).where(*chosen)).scalar_subquery()))
    return conn.execute(projection.select().where(found_by_key).order_by(*order)).all()


def _asked(cls: type[Resource], query: ListQuery) -> list[Searched]:
    """The search fields that a query narrows."""
    given = {name.removesuffix("_start").removesuffix("_end") for name, value in query if value}
    return [one for name, one in cls.searched().items() if name in given]


def _findings(
    cls: type[Resource],
    query: ListQuery,
    chosen: list[ColumnElement[bool]],
    ordered_by: str | None,
    principal: Principal,
) -> Iterator[Select[Any]]:
    """Keys that an index finds: of the bills that lines lead to, then of what fits the whole filter.

    What an index has in the order of the page is read as far as the page goes.
    """
    if issubclass(cls, View):
        return
    by_keyword = bool(query.keyword.strip()) and any(item.pieces for item in cls.fields())
    own = [one for one in _asked(cls, query) if one.owner is cls]
    for one in _asked(cls, query):
        if one.owner is not cls and _leads(one):
            bills = one.owner.table().c.bill_id
            yield select(bills).where(*_condition(one.owner, one.field, query.model_dump(), principal))
    found = (one for one in own if one.field.pieces or _leads(one))
    if by_keyword or any(one.field.name != ordered_by for one in found):
        yield select(cls.key()).where(*chosen)


def _leads(one: Searched) -> bool:
    """Whether a field is the first of a whole index of its table."""
    table = one.owner.table()
    column = table.columns.get(one.field.name)
    return column is not None and any(
        next(iter(index.columns), None) is column and index.dialect_kwargs.get("postgresql_where") is None
        for index in table.indexes
    )


def sums_of(conn: Connection, cls: type[Resource], query: ListQuery, principal: Principal) -> Sums:
    """How many rows the whole filter holds, and what its fields come to: sums, and ratios that have a base."""
    table, fields = cls.table(), listed(cls, principal)
    totalled = [item.name for item in fields if item.total and item.name in table.columns]
    ratios = [(item.name, item.ratio) for item in fields if item.ratio]
    named = {*totalled, *_parts(ratio for _, ratio in ratios)}
    sums = [total_of(cls, name).label(name) for name in sorted(named)]
    chosen, asked = conditions(cls, query, principal), query.model_dump()
    found = cls.paging if sums and issubclass(cls, View) else Paging()
    apart = found.added and found.added != found.keys
    left = func.count().filter(not_(cls.counted())).label("uncounted")
    rows = select(func.count().label("rows"), left, *(() if apart else sums)).select_from(table)
    counted_by = found.keys if found.added else None
    row = totals = conn.execute(sourced(cls, rows, principal, asked, chosen, counted_by)).one()
    if apart:
        totals = conn.execute(sourced(cls, select(*sums), principal, asked, chosen, found.added)).one()
    added = {name: Decimal(getattr(totals, name)) for name in named}
    told = {name: value for name, ratio in ratios if (value := ratio.of(added)) is not None}
    return Sums(row.rows, {name: added[name] for name in totalled} | told, row.uncounted)


def total_of(cls: type[Resource], name: str) -> ColumnElement[Any]:
    """The sum of a column over the rows that count by their status; zero of none."""
    added: Any = func.sum(cls.table().columns[name])
    return func.coalesce(added.filter(cls.counted()) if cls.uncounted() else added, 0)


def _parts(ratios: Iterable[Ratio]) -> set[str]:
    return {name for ratio in ratios for name in ratio.parts}
