"""Ordering (排序): the order of a list's rows, and which of its filters an index serves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import BigInteger, ColumnElement, Text, func, select

from api.kit.declaration import registry
from api.kit.declaration.fields import Field
from api.kit.declaration.resource import Declared, Resource, SearchField
from api.kit.declaration.view import View
from api.kit.errors import Refusal
from api.kit.scope import Principal
from api.kit.storage.bill_visibility import numberless_column, visible_numbers_column
from api.kit.storage.pinyin_order import pinyin_sort_key
from api.kit.storage.projection import Projection, masked_names

if TYPE_CHECKING:
    from api.kit.storage.listing import ListQuery


def default_order(cls: type[Resource]) -> tuple[str, str]:
    """Return the column that a list opens by, and its direction."""
    return cls.declaration.order_by or (cls.key().key, "desc")


def requested_order(cls: type[Resource], query: ListQuery) -> tuple[str, str]:
    """Return the requested column and direction, or the default ones."""
    return (query.order_key, query.order_by or "desc") if query.order_key else default_order(cls)


def build_order(
    cls: type[Resource], query: ListQuery, projection: Projection, principal: Principal
) -> list[Any]:
    """Build the order of rows, their key last; `projection` is joined with what that takes.

    Raises:
        Refusal: the column is none of the list's, or not for the principal to see.
    """
    usual = default_order(cls)
    key, direction = requested_order(cls, query)
    if (key, direction) == usual:
        # Days asked for are read day by day; in another order all of them would have to be sorted.
        days = (one for one in requested_fields(cls, query) if one.owner is cls and one.field.kind == "date")
        key = next((day.field.name for day in days if is_indexed_first(day)), key)
    hidden = masked_names(cls, cls.name(), principal)
    then = cls.paging.tie_breakers if issubclass(cls, View) and (key, direction) == usual else ()
    if (key, direction) == usual and key in hidden:
        key = cls.key().key
    column = projection.columns.get(key)
    if column is None or key in hidden:
        raise Refusal("不能按该字段排序")
    first = [] if key == cls.key().key else [_sort_expression(cls, key, projection, principal)]
    by = [*first, *(cls.table().columns[name] for name in then), cls.key()]
    return [item.asc() if direction == "asc" else item.desc() for item in by]


def visible_column(owner: type[Declared], item: Field, column: Any, principal: Principal) -> Any:
    """Return a column as its reader searches and sorts by it.

    A view's rows hold the visible numbers already.
    """
    if item.free:
        return numberless_column(principal, column)
    return column if not item.bill or issubclass(owner, View) else visible_numbers_column(principal, column)


def _sort_expression(
    cls: type[Resource], key: str, projection: Projection, principal: Principal
) -> ColumnElement[Any]:
    """Build the sort expression of a column: Chinese texts by pinyin, codes as they are written."""
    column = projection.columns[key]
    item = next((one for one in cls.fields() if one.name == key), None)
    if item:
        column = cast(ColumnElement[Any], visible_column(cls, item, column, principal))
        if item.bill:
            return column
    named = next((one for one in cls.fields() if one.ref and one.label_field == key), None)
    if named and named.ref and not issubclass(cls, View):
        return _name_rank(cls, named, projection)
    return pinyin_sort_key(column) if _is_text_column(cls, key, column) else column


def _name_rank(cls: type[Resource], named: Field, projection: Projection) -> ColumnElement[Any]:
    """Join the rank of referenced records by name: few names are sorted for many rows."""
    assert named.ref and named.label_field
    target = registry.get_resource(named.ref.resource)
    title = target.table().columns[target.declaration.title]
    if not isinstance(title.type, Text):
        return projection.columns[named.label_field]
    place = func.row_number(type_=BigInteger()).over(order_by=(pinyin_sort_key(title), target.key()))
    places = select(target.key().label("key"), place.label("place")).subquery(f"{named.name}_places")
    projection.joined = projection.joined.outerjoin(places, cls.table().c[named.name] == places.c.key)
    return places.c.place


def _is_text_column(cls: type[Resource], key: str, column: ColumnElement[Any]) -> bool:
    """Return whether a column is made of words; codes have an index of their own, in which they are read."""
    if not isinstance(column.type, Text) or key == "bill_no":
        return False
    item = next((one for one in cls.fields() if one.name == key), None)
    if item is None:
        return True
    if item.bill or item.pieces or item.kind not in ("text", "textarea"):
        return False
    return key == cls.declaration.title or not is_indexed_first(SearchField(cls, item))


def sorts_by_reference(cls: type[Resource], query: ListQuery, projection: Projection) -> bool:
    """Return whether rows are sorted by a column of another table."""
    return getattr(projection.columns.get(query.order_key, cls.key()), "table", None) is not cls.table()


def requested_fields(cls: type[Resource], query: ListQuery) -> list[SearchField]:
    """Return the search fields that a query narrows."""
    given = {name.removesuffix("_start").removesuffix("_end") for name, value in query if value}
    return [one for name, one in cls.search_fields().items() if name in given]


def is_indexed_first(one: SearchField) -> bool:
    """Return whether a field is the first of a whole index of its table."""
    table = one.owner.table()
    column = table.columns.get(one.field.name)
    return column is not None and any(
        next(iter(index.columns), None) is column and index.dialect_kwargs.get("postgresql_where") is None
        for index in table.indexes
    )
