"""Reports summed up as chosen (汇总方式): by one of several columns or by some of them together.

The chosen ones come as numbers in the filter `grouping`, joined by commas; columns that aren't chosen stay empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import ClassVar

from sqlalchemy.orm import Mapped, declared_attr

from api.kit.asked import asked_days, this_month
from api.kit.fields import NO_RECORD, enum
from api.kit.fields import day as on_day
from api.kit.resource import Drill
from api.kit.scope import Principal
from api.kit.view import Sql, Values
from api.reporting.published import Published


@dataclass(frozen=True, slots=True)
class Groupings:
    """What a report may be summed up by: a label and columns by number, and the number that is usual.

    Columns are references but for those that are `days`, which lead nowhere: a row's own days do.
    """

    choices: Mapping[int, tuple[str, tuple[str, ...]]]
    usual: int
    days: frozenset[str] = frozenset()

    @property
    def labels(self) -> dict[int, str]:
        return {number: label for number, (label, _) in self.choices.items()}

    def numbers(self, asked: Values) -> list[int]:
        """The chosen groupings; the usual one when none is."""
        told = {part.strip() for part in str(asked.get("grouping") or "").split(",")}
        return [number for number in self.choices if str(number) in told] or [self.usual]

    def columns(self, asked: Values) -> str:
        """Every column, for a select that groups by `chosen`; a chosen one is told from those that aren't."""
        chosen = self.chosen(asked)
        return ", ".join(f"{self._column(name, name in chosen)} as {name}" for name in self._every())

    def chosen(self, asked: Values) -> list[str]:
        """The columns to group by."""
        numbers = self.numbers(asked)
        return list(dict.fromkeys(name for number in numbers for name in self.choices[number][1]))

    def row_id(self, name: str) -> str:
        """The key of a row, named `name`, by the values of every column."""
        return f"cast(hash({', '.join(self._every())}) % 9007199254740991 as bigint) as {name}"

    def leads(self) -> tuple[tuple[str, str], ...]:
        """The filters that a row of the report gives to the one it leads to."""
        return tuple((name, name) for name in self._every() if name not in self.days)

    def drill(self, label: str, route: str) -> Drill:
        """A row leads to a report of its days, limited to what it is of."""
        days = (("business_date_start", "first_day"), ("business_date_end", "day"))
        return Drill(label, route, (*self.leads(), *days))

    def _column(self, name: str, chosen: bool) -> str:
        if name in self.days:
            return name if chosen else "cast(null as date)"
        return f"coalesce({name}, {NO_RECORD})" if chosen else "cast(null as bigint)"

    def _every(self) -> list[str]:
        return list(dict.fromkeys(name for _, columns in self.choices.values() for name in columns))


class GroupedRow(Published):
    """A report row that sums up what is alike in the chosen columns."""

    __abstract__ = True

    by: ClassVar[Groupings]

    @declared_attr
    def grouping(cls) -> Mapped[int]:
        return enum("汇总方式", cls.by.labels, default=cls.by.usual, search=True, list=False, sort=-59)

    @classmethod
    def grouped(cls) -> Mapping[int, tuple[str, ...]]:
        return {number: columns for number, (_, columns) in cls.by.choices.items()}


class SummedRow(GroupedRow):
    """A report row that sums up the lines of any days, as chosen; opens with the current month.

    `lines` select those between `:first` and `:last`, with `:grouping`, and carry them as `first_day`, `day` and
    `grouping`; `sums` select the figures from `{rows}`; `shown` may add columns of these.
    """

    __abstract__ = True

    lines: ClassVar[str]
    sums: ClassVar[str]
    shown: ClassVar[str] = ""

    day: Mapped[date] = on_day("日期", search=True, list=False, sort=-60)
    first_day: Mapped[date] = on_day("起始日期", list=False)

    @classmethod
    def usual(cls) -> dict[str, str]:
        return {**this_month("day"), "grouping": str(cls.by.usual)}

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        first, last = asked_days(asked, "day", "日期")
        return cls.lines, {"first": first, "last": last, "grouping": cls.by.numbers(asked)[0]}

    @classmethod
    def summed(cls, asked: Values) -> str:
        """The `sums` of what is asked."""
        return cls.sums

    @classmethod
    def summary(cls, asked: Values) -> str:
        return _SUMMARY.format(
            columns=cls.by.columns(asked),
            chosen=", ".join(cls.by.chosen(asked)),
            sums=cls.summed(asked),
            row_id=cls.by.row_id(f"{cls.name()}_id"),
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
