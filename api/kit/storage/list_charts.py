"""List charts (图表): one measure of everything a list's filter holds, summed up by one of its columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, create_model
from pydantic import Field as Described
from sqlalchemy import Connection, func, select

from api.kit.declaration.fields import Field, Span
from api.kit.declaration.lazy_models import cached_model
from api.kit.declaration.resource import Resource
from api.kit.declaration.view import View, apply_source
from api.kit.errors import Refusal
from api.kit.scope import Principal
from api.kit.storage.listing import (
    ListQuery,
    build_conditions,
    list_visible_fields,
    query_model,
    total_expression,
)
from api.kit.storage.projection import UNSPECIFIED, build_projection

MAX_BARS = 20
"""Most bars of a chart; the answer says how many groups there are."""
MAX_DAYS = 92
"""More days than these are summed up by months."""


class ChartQuery(ListQuery):
    """A list's query, with the axis and measure of the chart; the first of each by default."""

    axis: str = Described("", max_length=60, description="按该字段汇总")
    measure: str = Described("", max_length=60, description="汇总的数值字段")


class Point(BaseModel):
    """A value by its label; `key` is the filter value of the list that shows only this one."""

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
class ChartOptions:
    """The axes and measures that a chart of some fields may have: dates first, the company last."""

    axes: tuple[Field, ...]
    measures: tuple[Field, ...]

    def __bool__(self) -> bool:
        return bool(self.axes and self.measures)


def find_chart_options(cls: type[Resource], fields: Iterable[Field]) -> ChartOptions:
    """Find the axes and measures of a list with these fields; only views with totals have any."""
    fields = tuple(fields)
    measures = tuple(item for item in fields if item.total)
    if not (measures and issubclass(cls, View)):
        return ChartOptions((), ())
    titled = (item for item in fields if item.name == cls.declaration.title and item.kind == "text")
    axes = [*(item for item in fields if item.kind in ("date", "enum") or item.ref), *titled]
    return ChartOptions(tuple(sorted(axes, key=_rank_axis)), measures)


def _rank_axis(axis: Field) -> tuple[bool, bool]:
    return (axis.kind != "date", axis.name == "company_id")


@cached_model
def build_chart_model(cls: type[Resource]) -> type[ChartQuery]:
    """Build the chart query of a class: its list's query, axis and measure."""
    return create_model(f"{cls.__name__}ChartQuery", __base__=(ChartQuery, query_model(cls)))  # type: ignore[arg-type]


def read_chart(
    conn: Connection, cls: type[Resource], query: ChartQuery, principal: Principal
) -> dict[str, Any]:
    """Sum up one measure of the whole filter by one axis.

    Raises Refusal for a field that the principal doesn't see, or that can't be summed up so.
    """
    offered = find_chart_options(cls, list_visible_fields(cls, principal))
    axis, measure = _select_field(offered.axes, query.axis), _select_field(offered.measures, query.measure)
    projection = build_projection(cls, (axis,))
    key, label = projection.columns[axis.name], projection.columns[axis.label_field or axis.name]
    value = total_expression(cls, measure.name)
    statement = select(
        key.label("key"),
        label.label("label"),
        value.label("value"),
        func.count().over().label("groups"),
        func.sum(value).over().label("total"),
    )
    statement = statement.select_from(projection.joined).group_by(key, label)
    ordered = (
        statement.order_by(key)
        if axis.kind == "date"
        else statement.order_by(value.desc(), key).limit(MAX_BARS)
    )
    found = conn.execute(
        apply_source(cls, ordered, principal, query.model_dump(), build_conditions(cls, query, principal))
    ).all()
    names = dict(axis.options)
    shown = [(row.key, names.get(row.key, row.label), Decimal(row.value)) for row in found]
    points = group_by_month(shown, axis.span) if axis.kind == "date" else shown
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


def _select_field(offered: Iterable[Field], name: str) -> Field:
    found = next((item for item in offered if name in ("", item.name)), None)
    if found is None:
        raise Refusal("该字段不能用于图表")
    return found


def group_by_month(
    days: list[tuple[Any, Any, Decimal]], span: Span = "day"
) -> list[tuple[Any, Any, Decimal]]:
    """Group days by month where they are many or their span is the month; else return them unchanged."""
    if span != "month" and len(days) <= MAX_DAYS:
        return days
    months: dict[str, Decimal] = {}
    for day, _, value in days:
        month = f"{day:%Y-%m}" if isinstance(day, date) else UNSPECIFIED
        months[month] = months.get(month, Decimal(0)) + value
    return [(month, month, value) for month, value in months.items()]
