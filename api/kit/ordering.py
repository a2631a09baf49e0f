"""Ordering (排序): what the rows of a list stand by, and which of its filters an index answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import BigInteger, ColumnElement, Text, func, select

from api.kit import registry
from api.kit.errors import Refusal
from api.kit.fields import Field
from api.kit.named_bills import shown_numbers, without_numbers
from api.kit.pinyin_order import in_pinyin
from api.kit.projection import Projection, masks
from api.kit.resource import Declared, Resource, Searched
from api.kit.scope import Principal
from api.kit.view import View

if TYPE_CHECKING:
    from api.kit.listing import ListQuery


def usual_order(cls: type[Resource]) -> tuple[str, str]:
    """The column that a list opens by, and its direction."""
    return cls.declaration.order_by or (cls.key().key, "desc")


def asked_order(cls: type[Resource], query: ListQuery) -> tuple[str, str]:
    """The column that is asked for, or the usual one."""
    return (query.order_key, query.order_by or "desc") if query.order_key else usual_order(cls)


def order_of(
    cls: type[Resource], query: ListQuery, projection: Projection, principal: Principal
) -> list[Any]:
    """What rows stand by, their key last; `projection` is joined with what that takes.

    Raises:
        Refusal: the column is none of the list's, or not for the principal to see.
    """
    usual = usual_order(cls)
    key, direction = asked_order(cls, query)
    if (key, direction) == usual:
        # Days asked for are read day by day; in another order all of them would have to be sorted.
        days = (one for one in asked_fields(cls, query) if one.owner is cls and one.field.kind == "date")
        key = next((day.field.name for day in days if leads(day)), key)
    hidden = masks(cls, cls.name(), principal)
    then = cls.paging.then if issubclass(cls, View) and (key, direction) == usual else ()
    if (key, direction) == usual and key in hidden:
        key = cls.key().key
    column = projection.columns.get(key)
    if column is None or key in hidden:
        raise Refusal("不能按该字段排序")
    first = [] if key == cls.key().key else [_in_order(cls, key, projection, principal)]
    by = [*first, *(cls.table().columns[name] for name in then), cls.key()]
    return [item.asc() if direction == "asc" else item.desc() for item in by]


def shown_column(owner: type[Declared], item: Field, column: Any, principal: Principal) -> Any:
    """A column as its reader finds and sorts by it; a view's rows themselves hold the numbers that he is shown."""
    if item.free:
        return without_numbers(principal, column)
    return column if not item.bill or issubclass(owner, View) else shown_numbers(principal, column)


def _in_order(
    cls: type[Resource], key: str, projection: Projection, principal: Principal
) -> ColumnElement[Any]:
    """What rows are ordered by: Chinese texts by their pinyin, codes as they are written."""
    column = projection.columns[key]
    item = next((one for one in cls.fields() if one.name == key), None)
    if item:
        column = cast(ColumnElement[Any], shown_column(cls, item, column, principal))
        if item.bill:
            return column
    named = next((one for one in cls.fields() if one.ref and one.label_field == key), None)
    if named and named.ref and not issubclass(cls, View):
        return _place_of_name(cls, named, projection)
    return in_pinyin(column) if _is_worded(cls, key, column) else column


def _place_of_name(cls: type[Resource], named: Field, projection: Projection) -> ColumnElement[Any]:
    """Where the records that a field refers to stand by their names: few are put in order for many rows."""
    assert named.ref and named.label_field
    target = registry.get(named.ref.resource)
    title = target.table().columns[target.declaration.title]
    if not isinstance(title.type, Text):
        return projection.columns[named.label_field]
    place = func.row_number(type_=BigInteger()).over(order_by=(in_pinyin(title), target.key()))
    places = select(target.key().label("key"), place.label("place")).subquery(f"{named.name}_places")
    projection.joined = projection.joined.outerjoin(places, cls.table().c[named.name] == places.c.key)
    return places.c.place


def _is_worded(cls: type[Resource], key: str, column: ColumnElement[Any]) -> bool:
    """Whether a column is made of words; codes have an index of their own, in which they are read."""
    if not isinstance(column.type, Text) or key == "bill_no":
        return False
    item = next((one for one in cls.fields() if one.name == key), None)
    if item is None:
        return True
    if item.bill or item.pieces or item.kind not in ("text", "textarea"):
        return False
    return key == cls.declaration.title or not leads(Searched(cls, item))


def is_of_others(cls: type[Resource], query: ListQuery, projection: Projection) -> bool:
    """Whether rows are ordered by what they are called elsewhere."""
    return getattr(projection.columns.get(query.order_key, cls.key()), "table", None) is not cls.table()


def asked_fields(cls: type[Resource], query: ListQuery) -> list[Searched]:
    """The search fields that a query narrows."""
    given = {name.removesuffix("_start").removesuffix("_end") for name, value in query if value}
    return [one for name, one in cls.searched().items() if name in given]


def leads(one: Searched) -> bool:
    """Whether a field is the first of a whole index of its table."""
    table = one.owner.table()
    column = table.columns.get(one.field.name)
    return column is not None and any(
        next(iter(index.columns), None) is column and index.dialect_kwargs.get("postgresql_where") is None
        for index in table.indexes
    )
