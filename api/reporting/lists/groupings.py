"""Grouping of list reports (汇总方式): by one of several columns or by some of them together.

The chosen ones come as numbers in the filter `grouping`, joined by commas; columns that aren't chosen stay
empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from sqlalchemy.orm import Mapped, declared_attr

from api.kit.declaration.fields import NO_RECORD, enum_field
from api.kit.declaration.fields import date_field as on_day
from api.kit.declaration.resource import Drill
from api.kit.declaration.view import Sql, Values
from api.kit.http.date_filters import parse_date_range, this_month_filter
from api.kit.scope import Principal
from api.reporting.lists.list_report import ListReport


@dataclass(frozen=True, slots=True)
class Groupings:
    """The groupings of a report: labels and columns by number, and the default number.

    Columns are references except `days`, which are no filters of the drill: a row's own days are.
    """

    choices: Mapping[int, tuple[str, tuple[str, ...]]]
    default_choice: int
    days: frozenset[str] = frozenset()

    @property
    def labels(self) -> dict[int, str]:
        return {number: label for number, (label, _) in self.choices.items()}

    def list_chosen_numbers(self, params: Values) -> list[int]:
        """Return the chosen groupings; the default one when none is."""
        parts = {part.strip() for part in str(params.get("grouping") or "").split(",")}
        return [number for number in self.choices if str(number) in parts] or [self.default_choice]

    def columns_sql(self, params: Values) -> str:
        """Return SQL of every column, for a select that groups by the chosen ones; the others are null."""
        chosen = self.list_chosen_columns(params)
        return ", ".join(
            f"{self._column_sql(name, name in chosen)} as {name}" for name in self._list_columns()
        )

    def list_chosen_columns(self, params: Values) -> list[str]:
        """Return the columns to group by."""
        numbers = self.list_chosen_numbers(params)
        return list(dict.fromkeys(name for number in numbers for name in self.choices[number][1]))

    def row_id_sql(self, name: str) -> str:
        """Return SQL of a row's key, named `name`, by the values of every column."""
        return f"cast(hash({', '.join(self._list_columns())}) % 9007199254740991 as bigint) as {name}"

    def list_drill_filters(self) -> tuple[tuple[str, str], ...]:
        """Return the filters that a row of the report passes to the report it drills into."""
        return tuple((name, name) for name in self._list_columns() if name not in self.days)

    def build_drill(self, label: str, route: str) -> Drill:
        """Return a drill into another report, filtered by the row's days and columns."""
        days = (("business_date_start", "first_day"), ("business_date_end", "day"))
        return Drill(label, route, (*self.list_drill_filters(), *days))

    def _column_sql(self, name: str, chosen: bool) -> str:
        if name in self.days:
            return name if chosen else "cast(null as date)"
        return f"coalesce({name}, {NO_RECORD})" if chosen else "cast(null as bigint)"

    def _list_columns(self) -> list[str]:
        return list(dict.fromkeys(name for _, columns in self.choices.values() for name in columns))


class GroupedRow(ListReport):
    """Base of report rows that sum up lines with equal values in the chosen columns."""

    __abstract__ = True

    by: ClassVar[Groupings]

    @declared_attr
    def grouping(cls) -> Mapped[int]:
        return enum_field(
            "汇总方式", cls.by.labels, default=cls.by.default_choice, search=True, list=False, sort=-59
        )

    @classmethod
    def grouped_columns(cls) -> Mapping[int, tuple[str, ...]]:
        return {number: columns for number, (_, columns) in cls.by.choices.items()}


class AggregatedRow(GroupedRow):
    """Base of report rows that aggregate the lines of any days by chosen columns; opens with the current
    month.

    `lines` select those between `:first` and `:last`, with `:grouping`, and carry them as `first_day`,
    `day` and `grouping`; `sums` select the figures from `{rows}`; `shown` may add columns of these.
    """

    __abstract__ = True

    lines: ClassVar[str]
    sums: ClassVar[str]
    shown: ClassVar[str] = ""

    day: Mapped[date] = on_day("日期", search=True, list=False, sort=-60)
    first_day: Mapped[date] = on_day("起始日期", list=False)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return {**this_month_filter("day"), "grouping": str(cls.by.default_choice)}

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        first, last = parse_date_range(params, "day", "日期")
        return cls.lines, {"first": first, "last": last, "grouping": cls.by.list_chosen_numbers(params)[0]}

    @classmethod
    def sums_sql(cls, params: Values) -> str:
        """Hook: return SQL of the figures for these parameters."""
        return cls.sums

    @classmethod
    def summary(cls, params: Values) -> str:
        return _SUMMARY.format(
            columns=cls.by.columns_sql(params),
            chosen=", ".join(cls.by.list_chosen_columns(params)),
            sums=cls.sums_sql(params),
            row_id=cls.by.row_id_sql(f"{cls.name()}_id"),
            shown=f", {cls.shown}" if cls.shown else "",
        )


_SUMMARY = """
with sums as (
    select {columns}, min(grouping) as grouping, min(first_day) as first_day, min(day) as day, {sums}
    from {{rows}}
    group by {chosen}
)
select *, {row_id}{shown} from sums
"""
