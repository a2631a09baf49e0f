"""Charts (图表): one figure of everything a list's filter holds, summed up by one of its columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, create_model
from pydantic import Field as Described
from sqlalchemy import Connection, func, select

from api.kit.errors import Refusal
from api.kit.fields import Field, Span
from api.kit.listing import ListQuery, conditions, listed, query_model, total_of
from api.kit.making import made_once
from api.kit.projection import UNSPECIFIED, project
from api.kit.resource import Resource
from api.kit.scope import Principal
from api.kit.view import View, sourced

BARS = 20
"""So many columns are told apart; the answer says how many there are."""
DAYS = 92
"""More days than these are summed up by months."""


class ChartQuery(ListQuery):
    """A list's query, with what the chart shows; the first of each where none is named."""

    axis: str = Described("", max_length=60, description="按该字段汇总")
    measure: str = Described("", max_length=60, description="汇总的数值字段")


class Point(BaseModel):
    """A value by its label; `key` is what the list is filtered by in order to see only this one."""

    key: str
    name: str
    value: str


class ChartAnswer(BaseModel):
    """The largest values, or every day or month in its order; `groups` counts all, and `total` sums them up."""

    axis: str
    measure: str
    points: list[Point]
    groups: int
    total: str


@dataclass(frozen=True, slots=True)
class Chartable:
    """What a chart of some fields may be of: days first, the company last."""

    axes: tuple[Field, ...]
    measures: tuple[Field, ...]

    def __bool__(self) -> bool:
        return bool(self.axes and self.measures)


def chartable(cls: type[Resource], fields: Iterable[Field]) -> Chartable:
    """What a list with these fields can show; charts are of queries with totals, not of records kept."""
    fields = tuple(fields)
    measures = tuple(item for item in fields if item.total)
    if not (measures and issubclass(cls, View)):
        return Chartable((), ())
    titled = (item for item in fields if item.name == cls.declaration.title and item.kind == "text")
    axes = [*(item for item in fields if item.kind in ("date", "enum") or item.ref), *titled]
    return Chartable(tuple(sorted(axes, key=_usefulness)), measures)


def _usefulness(axis: Field) -> tuple[bool, bool]:
    return (axis.kind != "date", axis.name == "company_id")


@made_once
def chart_model(cls: type[Resource]) -> type[ChartQuery]:
    """The chart query of a class: what its list is asked, and what is shown."""
    return create_model(f"{cls.__name__}ChartQuery", __base__=(ChartQuery, query_model(cls)))  # type: ignore[arg-type]


def chart_of(
    conn: Connection, cls: type[Resource], query: ChartQuery, principal: Principal
) -> dict[str, Any]:
    """Sum up one measure of the whole filter by one axis.

    Raises Refusal for a field that the principal doesn't see, or that can't be summed up so.
    """
    offered = chartable(cls, listed(cls, principal))
    axis, measure = _chosen(offered.axes, query.axis), _chosen(offered.measures, query.measure)
    projection = project(cls, (axis,))
    key, label = projection.columns[axis.name], projection.columns[axis.label_field or axis.name]
    value = total_of(cls, measure.name)
    statement = select(
        key.label("key"),
        label.label("label"),
        value.label("value"),
        func.count().over().label("groups"),
        func.sum(value).over().label("total"),
    )
    statement = statement.select_from(projection.joined).group_by(key, label)
    ordered = (
        statement.order_by(key) if axis.kind == "date" else statement.order_by(value.desc(), key).limit(BARS)
    )
    found = conn.execute(
        sourced(cls, ordered, principal, query.model_dump(), conditions(cls, query, principal))
    ).all()
    names = dict(axis.options)
    told = [(row.key, names.get(row.key, row.label), Decimal(row.value)) for row in found]
    points = by_time(told, axis.span) if axis.kind == "date" else told
    none = axis.ref.none if axis.ref else None
    return {
        "axis": axis.name,
        "measure": measure.name,
        "points": [
            {
                "key": str((none if key is None else key) or ""),
                "name": UNSPECIFIED if name is None else str(name),
                "value": value,
            }
            for key, name, value in points
        ],
        "groups": len(points) if axis.kind == "date" else max((row.groups for row in found), default=0),
        "total": max((Decimal(row.total) for row in found), default=Decimal(0)),
    }


def _chosen(offered: Iterable[Field], name: str) -> Field:
    found = next((item for item in offered if name in ("", item.name)), None)
    if found is None:
        raise Refusal("该字段不能用于图表")
    return found


def by_time(days: list[tuple[Any, Any, Decimal]], span: Span = "day") -> list[tuple[Any, Any, Decimal]]:
    """The days as they are, or where they are many or stand for their months, these."""
    if span != "month" and len(days) <= DAYS:
        return days
    months: dict[str, Decimal] = {}
    for day, _, value in days:
        month = f"{day:%Y-%m}" if isinstance(day, date) else UNSPECIFIED
        months[month] = months.get(month, Decimal(0)) + value
    return [(month, month, value) for month, value in months.items()]
