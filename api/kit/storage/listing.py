"""Listing (列表): filter, sort, page, and totals over the whole filter, the same for every declared class.

A page of a large table is read in two steps: first the keys of its rows, then their columns. Postgres
can't tell whether the rows of a filter are the newest or the oldest, and may walk through a million bills
in order to find thirty; so a filter that fits few rows is answered from its rows, and only one that fits
many walks in order.
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

from api.kit.declaration import registry
from api.kit.declaration.fields import Field
from api.kit.declaration.lazy_models import cached_model
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.resource import Declared, Resource
from api.kit.declaration.view import Paging, View, apply_source
from api.kit.errors import Forbidden, Refusal
from api.kit.scope import Principal, scope_condition
from api.kit.storage.projection import MASK, Projection, build_projection, mask_row, masked_names
from api.kit.storage.sort_order import (
    build_order,
    default_order,
    is_indexed_first,
    requested_fields,
    requested_order,
    sorts_by_reference,
    visible_column,
)
from api.kit.storage.text_normalization import SearchText, width_variants
from api.kit.storage.trees import include_descendants

PAGE_SIZE = 30
MAX_PAGE_SIZE = 500
FLAGS = {"1": True, "true": True, "0": False, "false": False}
FEW_ROWS = 3000
"""Rows that are sorted in no time, wherever they are."""
MOST_WORDS = 5
"""Most words of a keyword."""
PIECE_LENGTH = 3
"""Letters of a piece that `text_pieces` indexes."""
RANGED = frozenset({"date", "datetime", "integer", "quantity", "money", "price", "rate"})


class ListQuery(BaseModel):
    """The query of every list, as query parameters or a posted body; declared search fields come on top."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    page: int = Described(1, ge=1, le=1_000_000, description="页码")
    per_page: int = Described(PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE, description="每页行数")
    order_key: str = Described("", description="排序字段")
    order_by: str = Described("", pattern="^(asc|desc|)$", description="asc 或 desc")
    keyword: SearchText = Described("", max_length=100, description="在文本字段中查找")
    totals: int = Described(1, ge=0, le=1, description="0 = 不要总行数与合计，另以 getTotals 取")
    timeStamp: int | None = Described(None, description="请求时间，毫秒")
    sign: str | None = Described(None, description="请求签名")

    @model_validator(mode="before")
    @classmethod
    def _normalize_values(cls, values: Any) -> Any:
        """Drop nulls and turn booleans into texts, so that a body means the same as a query."""
        if not isinstance(values, dict):
            return values
        given = {name: value for name, value in values.items() if value is not None}
        return {
            name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()
        }


@dataclass(frozen=True, slots=True)
class Sums:
    """Row count and totals of a filter, and how many rows are uncounted by their status."""

    rows: int | None = None
    totals: Mapping[str, Decimal] = field(default_factory=dict)
    uncounted: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return the totals as they are answered, beside the count of all rows."""
        return {"totals": self.totals, "uncounted": self.uncounted}


@dataclass(frozen=True, slots=True)
class Page:
    """One page of rows, and the totals of the whole filter; of a `balance` also the page's own."""

    rows: list[dict[str, Any]]
    sums: Sums
    page: int
    per_page: int
    balance: str = ""
    refreshed_at: datetime | None = None
    """When the rows were computed, where they are not the present ones."""

    def as_response(self, notices: Sequence[str] = ()) -> dict[str, Any]:
        """Return the page as it is answered, with notices about its figures."""
        found = build_page(self.rows, self.sums.rows, self.page, self.per_page) | self.sums.as_dict()
        if self.balance and self.balance in self.sums.totals:
            page = sum((row[self.balance] or 0 for row in self.rows), start=Decimal(0))
            found |= {"this_page": page, "total_balance": self.sums.totals[self.balance]}
        response = {"refreshed_at": self.refreshed_at, "notices": notices}
        return found | {name: value for name, value in response.items() if value}


def build_page(rows: list[dict[str, Any]], total: int | None, page: int, per_page: int) -> dict[str, Any]:
    """Build the answer of one page."""
    return {
        "data": rows,
        "total": total,
        "current_page": page,
        "per_page": per_page,
        "last_page": None if total is None else max(1, -(-total // per_page)),
    }


@cached_model
def query_model(cls: type[Resource]) -> type[ListQuery]:
    """Build the list query of a class: `<field>` for choices, `<field>_start` and `_end` for ranges."""
    extra: dict[str, Any] = {}
    for name, (_, item) in cls.search_fields().items():
        ends = ("_end",) if item.span == "until" else ("_start", "_end") if item.kind in RANGED else ("",)
        names = [f"{name}{end}" for end in ends]
        extra.update({one: (str, Described("", max_length=500, description=item.label)) for one in names})
    return create_model(f"{cls.__name__}ListQuery", __base__=ListQuery, **extra)


def build_conditions(
    cls: type[Resource], query: ListQuery, principal: Principal
) -> list[ColumnElement[bool]]:
    """Build the conditions of a list: scope, declared search fields, keyword."""
    values = query.model_dump()
    found: list[ColumnElement[bool]] = [scope_condition(cls.table(), principal)]
    for name, (owner, item) in cls.search_fields().items():
        chosen = _field_conditions(owner, item, values, principal)
        if chosen and not principal.can_see(owner.name(), name, item.permission):
            raise Forbidden(f"您无权按“{item.label}”查询")
        found += chosen if owner is cls or not chosen else [_line_condition(cls, owner, chosen)]
    if query.keyword.strip():
        found.append(keyword_condition(cls, query.keyword.strip(), principal))
    return found


def _line_condition(
    cls: type[Resource], lines: type[Declared], chosen: list[ColumnElement[bool]]
) -> ColumnElement[bool]:
    """Build the condition of bills with a line that meets the given ones."""
    return exists().where(lines.table().c.bill_id == cls.key(), *chosen)


def _field_conditions(
    owner: type[Declared], item: Field, values: dict[str, Any], principal: Principal
) -> list[ColumnElement[bool]]:
    """Build the conditions of one field of a query."""
    column: Any = owner.column(item.name)
    value, start, end = (values.get(f"{item.name}{end}") for end in ("", "_start", "_end"))
    found: list[ColumnElement[bool]] = []
    if column is None:
        return found
    if value:
        if item.kind in ("text", "textarea"):
            found.append(_contains_condition(owner, column, item, value.strip(), principal))
        elif item.kind == "bool":
            found.append(column.is_(FLAGS[value.lower()]) if value.lower() in FLAGS else false())
        elif item.ref and item.ref.none is not None and str(item.ref.none) in value.split(","):
            found.append(or_(column.is_(None), column.in_(_parse_choices(value, item))))
        elif not _is_all(value, item):
            chosen = _parse_choices(value, item)
            found.append(column.in_(include_descendants(owner, item, chosen) if item.ref else chosen))
    if start:
        found.append(column >= _parse_bound(start, item))
    if end:
        bound = _parse_bound(end, item)
        whole_day = isinstance(bound, date) and bound < date.max
        found.append(column < bound + timedelta(days=1) if whole_day else column <= bound)
    return found


def _is_all(value: str, item: Field) -> bool:
    """Return whether a choice means all: as its field declares, else 0 (spec/2-routes.md 4)."""
    offered = {str(choice) for choice, _ in item.options}
    every = {str(item.every)} if item.every is not None else {"0"} - offered
    return not every.isdisjoint(part.strip() for part in value.split(","))


def _contains_condition(
    owner: type[Declared], column: Any, item: Field, text: str, principal: Principal
) -> ColumnElement[bool]:
    found = or_(*(_text_condition(column, item, spelling) for spelling in width_variants(text)))
    shown = visible_column(owner, item, column, principal)
    return found if shown is column else and_(found, _variants_condition(shown, text))


def _variants_condition(known: ColumnElement[str], text: str) -> ColumnElement[bool]:
    return or_(*(known.icontains(spelling, autoescape=True) for spelling in width_variants(text)))


def _text_condition(column: Any, item: Field, text: str) -> ColumnElement[bool]:
    contains: ColumnElement[bool] = column.icontains(text, autoescape=True)
    if not item.pieces or len(text) < PIECE_LENGTH:
        return contains
    # The cheap test comes first: what the other arm of an or has found is tested by both.
    return and_(contains, func.text_pieces(column).op("@>")(func.text_pieces(text)))


def _parse_choices(value: str, item: Field) -> list[Any]:
    parts = [part.strip() for part in value.split(",") if part.strip()]
    try:
        return [part if item.bills else int(part) for part in parts]
    except ValueError as error:
        raise Refusal(f"“{item.label}”的查询条件不正确") from error


def _parse_bound(value: str, item: Field) -> Any:
    try:
        if item.kind in ("date", "datetime"):
            return date.fromisoformat(value[:10])
        number = Decimal(value)
    except (ValueError, InvalidOperation) as error:
        raise Refusal(f"“{item.label}”的查询条件不正确") from error
    if not number.is_finite():
        raise Refusal(f"“{item.label}”的查询条件不正确")
    return number


def keyword_condition(cls: type[Resource], keyword: str, principal: Principal) -> ColumnElement[bool]:
    """Build the condition of a keyword, each of whose words a row must contain.

    A word is searched in visible text search fields, in other texts of the row, and in the name or
    initials of the partner that the rows are indexed by. Fewer letters than a piece say nothing about bill
    numbers where there is a partner. Rows without a text go by all their references.
    """
    return and_(
        *(_word_condition(cls, word, principal, cls.reads_extract) for word in keyword.split()[:MOST_WORDS])
    )


def _word_condition(
    cls: type[Resource], keyword: str, principal: Principal, apart: bool
) -> ColumnElement[bool]:
    table = cls.table()
    if cls.keyword_reference and principal.can_see(cls.name(), cls.keyword_reference, None):
        return _reference_condition(table, cls.field(cls.keyword_reference), keyword, principal, apart)
    texts, named = _keyword_fields(cls, principal)
    if named and len(keyword) < PIECE_LENGTH:
        texts = [item for item in texts if not item.pieces]
    found = [_contains_condition(cls, table.columns[item.name], item, keyword, principal) for item in texts]
    found += [_variants_condition(known, keyword) for known in cls.search_texts(apart)]
    return or_(*found, *(_name_condition(table, item, keyword, apart) for item in named), false())


def _keyword_fields(cls: type[Resource], principal: Principal) -> tuple[list[Field], list[Field]]:
    """Return the text fields that a keyword is searched in, and the references whose names it is."""
    searched = [
        item
        for item in cls.fields()
        if item.search and principal.can_see(cls.name(), item.name, item.permission)
    ]
    texts = [item for item in searched if item.kind in ("text", "textarea")]
    columns = cls.table().columns
    return texts, [item for item in searched if item.ref and (not texts or columns[item.name].index)]


def describe_keyword(cls: type[Resource], principal: Principal) -> list[str]:
    """Describe for readers where a keyword is searched: texts, then references' names and initials."""
    if cls.keyword_reference and principal.can_see(cls.name(), cls.keyword_reference, None):
        item = cls.field(cls.keyword_reference)
        assert item.ref
        own = describe_keyword(registry.get_resource(item.ref.resource), principal)
        return [word if word.startswith(item.label) else f"{item.label}{word}" for word in own]
    texts, named = _keyword_fields(cls, principal)
    return [*(item.label for item in texts), *map(_describe_names, named)]


def _describe_names(item: Field) -> str:
    assert item.ref
    target = registry.get_resource(item.ref.resource)
    spelled = any(one.initials_of == target.declaration.title for one in target.fields())
    return f"{item.label}名称{'、拼音首字母' if spelled else ''}"


def _reference_condition(
    table: Any, item: Field, keyword: str, principal: Principal, apart: bool
) -> ColumnElement[bool]:
    assert item.ref
    target = registry.get_resource(item.ref.resource)
    keys = select(target.key()).where(_word_condition(target, keyword, principal, apart))
    chosen: ColumnElement[bool] = table.columns[item.name] == any_(func.array(keys.scalar_subquery()))
    return chosen


def _name_condition(table: Any, item: Field, keyword: str, apart: bool) -> ColumnElement[bool]:
    assert item.ref
    target = registry.get_resource(item.ref.resource)
    title = target.declaration.title
    initials = [
        one.name for one in target.fields() if one.initials_of == title and (one.extract or not apart)
    ]
    named = (_variants_condition(target.table().columns[name], keyword) for name in (title, *initials))
    keys = select(target.key()).where(or_(*named))
    chosen: ColumnElement[bool] = table.columns[item.name] == any_(func.array(keys.scalar_subquery()))
    return chosen


def list_visible_fields(cls: type[Resource], principal: Principal) -> tuple[Field, ...]:
    """Return the fields that a list reads for a principal."""
    return tuple(
        item
        for item in cls.fields()
        if item.list and principal.can_see(cls.name(), item.name, item.permission)
    )


def select_rows(
    cls: type[Resource], query: ListQuery, principal: Principal
) -> tuple[Select[Any], Projection]:
    """Build the ordered select behind a list and its export."""
    projection = _project_list(cls, principal)
    order = build_order(cls, query, projection, principal)
    statement = projection.select().order_by(*order)
    chosen = build_conditions(cls, query, principal)
    return apply_source(cls, statement, principal, query.model_dump(), chosen), projection


def select_placed_rows(cls: type[Resource], query: ListQuery, principal: Principal) -> Select[Any]:
    """Build the rows behind a list, with the parts of its ratios and each one's `place`, as a subquery."""
    projection = _project_list(cls, principal)
    place = (
        func.row_number(type_=BigInteger())
        .over(order_by=build_order(cls, query, projection, principal))
        .label("place")
    )
    parts = (
        _ratio_columns(item.ratio for item in list_visible_fields(cls, principal) if item.ratio)
        - projection.columns.keys()
    )
    added = (cls.table().columns[name] for name in sorted(parts))
    rows, chosen = projection.select().add_columns(place, *added), build_conditions(cls, query, principal)
    return apply_source(cls, rows, principal, query.model_dump(), chosen)


def _project_list(cls: type[Resource], principal: Principal) -> Projection:
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
        and principal.can_see(cls.name(), item.name, item.permission)
    )
    fields = (*list_visible_fields(cls, principal), *named)
    return build_projection(cls, fields, always=("status", "revision", "bill_no", "bill_id", *leads))


def read_page(conn: Connection, cls: type[Resource], query: ListQuery, principal: Principal) -> Page:
    """Read one page of a list."""
    rows = _read_rows(conn, cls, query, principal)
    sums = read_sums(conn, cls, query, principal) if query.totals else Sums()
    hidden = masked_names(cls, cls.name(), principal)
    absent = {item.name: MASK for item in cls.fields() if item.list and item.name in hidden}
    computed = cls.refreshed_at(conn) if issubclass(cls, View) else None
    shown = [{**mask_row(row, hidden), **absent} for row in rows]
    return Page(shown, sums, query.page, query.per_page, cls.declaration.balance, computed)


def _read_rows(
    conn: Connection, cls: type[Resource], query: ListQuery, principal: Principal
) -> Sequence[Row[Any]]:
    projection = _project_list(cls, principal)
    key, chosen = cls.key(), build_conditions(cls, query, principal)
    order = build_order(cls, query, projection, principal)
    for finding in _select_found_keys(cls, query, chosen, getattr(order[0].element, "key", None), principal):
        found: Sequence[int] = conn.execute(finding.limit(FEW_ROWS + 1)).scalars().all()
        if len(found) <= FEW_ROWS:
            chosen = [*chosen, key == any_(literal(found, ARRAY(key.type)))]
            break

    def limit_page(rows: Select[Any]) -> Select[Any]:
        offset = (query.page - 1) * query.per_page
        return rows.order_by(*order).limit(query.per_page).offset(offset)

    if issubclass(cls, View):
        params = query.model_dump()
        if not cls.paging.parts:
            return conn.execute(
                apply_source(cls, limit_page(projection.select()), principal, params, chosen)
            ).all()
        parts = [cls.table().columns[name] for name in cls.paging.parts]
        keys = cls.paging.keys_sql if requested_order(cls, query) == default_order(cls) else None
        found_parts = select(key, *parts)
        if sorts_by_reference(cls, query, projection):
            found_parts = found_parts.select_from(projection.joined)
        places = conn.execute(
            apply_source(cls, limit_page(found_parts), principal, params, chosen, keys)
        ).all()
        if not places:
            return []
        shown, *values = zip(*places, strict=True)
        chosen += [part.in_(set(of)) for part, of in zip(parts, values, strict=True)]
        whole = projection.select().where(key.in_(shown)).order_by(*order)
        return conn.execute(apply_source(cls, whole, principal, params, chosen)).all()
    if sorts_by_reference(cls, query, projection):
        return conn.execute(limit_page(projection.select().where(*chosen))).all()
    found_by_key = key == any_(func.array(limit_page(select(key).where(*chosen)).scalar_subquery()))
    return conn.execute(projection.select().where(found_by_key).order_by(*order)).all()


def _select_found_keys(
    cls: type[Resource],
    query: ListQuery,
    chosen: list[ColumnElement[bool]],
    ordered_by: str | None,
    principal: Principal,
) -> Iterator[Select[Any]]:
    """Yield selects of keys that an index finds: of the bills with matching lines, then of the whole filter.

    A field indexed in the page's order is read as far as the page goes.
    """
    if issubclass(cls, View):
        return
    by_keyword = bool(query.keyword.strip()) and any(item.pieces for item in cls.fields())
    own = [one for one in requested_fields(cls, query) if one.owner is cls]
    for one in requested_fields(cls, query):
        if one.owner is not cls and is_indexed_first(one):
            bills = one.owner.table().c.bill_id
            yield select(bills).where(*_field_conditions(one.owner, one.field, query.model_dump(), principal))
    found = (one for one in own if one.field.pieces or is_indexed_first(one))
    if by_keyword or any(one.field.name != ordered_by for one in found):
        yield select(cls.key()).where(*chosen)


def read_sums(conn: Connection, cls: type[Resource], query: ListQuery, principal: Principal) -> Sums:
    """Read the row count of the whole filter and its totals: sums, and ratios that have a base."""
    table, fields = cls.table(), list_visible_fields(cls, principal)
    totalled = [item.name for item in fields if item.total and item.name in table.columns]
    ratios = [(item.name, item.ratio) for item in fields if item.ratio]
    named = {*totalled, *_ratio_columns(ratio for _, ratio in ratios)}
    sums = [total_expression(cls, name).label(name) for name in sorted(named)]
    chosen, params = build_conditions(cls, query, principal), query.model_dump()
    found = cls.paging if sums and issubclass(cls, View) else Paging()
    apart = found.totals_sql and found.totals_sql != found.keys_sql
    left = func.count().filter(not_(cls.counted_condition())).label("uncounted")
    rows = select(func.count().label("rows"), left, *(() if apart else sums)).select_from(table)
    counted_by = found.keys_sql if found.totals_sql else None
    row = totals = conn.execute(apply_source(cls, rows, principal, params, chosen, counted_by)).one()
    if apart:
        totals = conn.execute(
            apply_source(cls, select(*sums), principal, params, chosen, found.totals_sql)
        ).one()
    added = {name: Decimal(getattr(totals, name)) for name in named}
    ratios_of_sums = {name: value for name, ratio in ratios if (value := ratio.compute(added)) is not None}
    return Sums(row.rows, {name: added[name] for name in totalled} | ratios_of_sums, row.uncounted)


def total_expression(cls: type[Resource], name: str) -> ColumnElement[Any]:
    """Return the sum of a column over the rows counted by their status; zero of none."""
    added: Any = func.sum(cls.table().columns[name])
    return func.coalesce(added.filter(cls.counted_condition()) if cls.uncounted_labels() else added, 0)


def _ratio_columns(ratios: Iterable[Ratio]) -> set[str]:
    return {name for ratio in ratios for name in ratio.parts}
