"""Datasets (数据集) 的词汇：列、指标、数据集。纯数据，只用标准库。"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Literal

from reports.catalogue.expressions import Expression, RawSql

Worse = Literal["", "fall", "rise"]

# Number formats (d3): every figure of a kind reads alike in all reports. The minus of RATIO is d3's default sign, it
# only tells a ratio from money.
MONEY = ",.2f"
WHOLE_MONEY = ",.0f"
QUANTITY = ",.0f"
RATIO = "-,.2f"
PERCENT = ",.1%"
CHANGE = "+,.1%"
POINTS = "+,.1f"
DAYS = ",.1f"

SINCE, UNTIL = "since", "until"
"""The first and the last day of the range that rows are of, or of the one day, where all of them are of one."""
NO_ENDS = f"cast(null as date) as {SINCE}, cast(null as date) as {UNTIL}"
"""Where a query is given them (`in_range`). There are no rows of no range."""
FIRST_DAY, LAST_DAY = "first_day", "last_day"
"""From which day to which a row of a table leads: in the mart's rows this month to date, in the table's those that it
adds up."""
# Invisible letters that put labels into an order of their own: the first two where letters are compared by their
# numbers, as the database and an axis do, and hair spaces where they are compared as in a dictionary, which passes over
# the first two, as a browser orders the series of a chart.
CLOSING, FURTHER, HAIR = 8203, 8204, 8202
MOST_SERIES = 8
SERIES = "_series"
"""How the keys of datasets end whose charts show all periods."""
SUFFIXES = ("_before", "_year")
"""How measures end that tell of the period before and of last year."""
BESIDE_ORDER = "beside_order"
"""Which period a row is of: 0 the chosen one, 1 the one before, 2 last year's."""
WEEK = re.compile("(.{4})年第(..)周")
MONTH = re.compile(".{4}-..")
"""The labels of a week and of a month."""
UNSEEN = "".join(map(chr, (CLOSING, FURTHER, HAIR)))


def placed(number: int, label: str) -> str:
    """A label of an axis in the order of its number, as `parts.in_order` writes it."""
    return chr(FURTHER) * number + chr(CLOSING) + chr(HAIR) * (MOST_SERIES - number) + label


def in_range(sql: str, since: date, until: date) -> str:
    """A dataset's query for the rows of a range."""
    return sql.replace(NO_ENDS, f"date '{since}' as {SINCE}, date '{until}' as {UNTIL}")


def in_chosen(sql: str, chosen: Set[tuple[date, date]]) -> str:
    """A dataset's query for the rows of what is chosen: of no range, and of several, there are none."""
    return in_range(sql, *next(iter(chosen))) if len(chosen) == 1 else sql


def unplaced(label: str) -> str:
    """The label as it reads, without the letters that place it."""
    return label.lstrip(UNSEEN)


@dataclass(frozen=True)
class Column:
    """A column of a dataset. `sql` is its expression over the mart (alias m), its own name by default.

    `keys` are the mart's columns that it stands for, as a number stands for an id: rows that it tells apart are
    those that they tell apart. It `follows` from others, as a brand follows from the goods. `starts` is the column
    of the first day of the month or week that it names, and stands for. A link is `made_of` the mart's columns, and
    opens one of the `pages` of the shell. How it looks is declared with it: a column that needs more than the
    defaults says so here.
    """

    name: str
    label: str
    kind: Literal["text", "number", "date", "datetime", "link"] = "text"
    sql: str = ""
    keys: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    starts: str = ""
    made_of: RawSql | None = None
    pages: tuple[str, ...] = ()
    number_format: str = QUANTITY
    """That of a column of numbers, in tables and files; MONEY for prices."""
    min_width: int = 0
    """Of its cells in a table, in pixels, where the heading needs less."""
    is_wrapped: bool = False
    """A long name, which may take two lines: such columns share the room that a table has left."""
    is_unwrapped: bool = False
    """A short word, which stands in one line, under a heading that does."""
    is_horizontal: bool = False
    """Bars along this axis lie, since its names are cut short beneath standing ones."""
    has_all_labels: bool = False
    """An axis of few enough steps to name each; of long names every second one is left out otherwise."""
    measure_word: str | None = None
    """Of an axis of more names than have room: the word between their number and them in a title, `` or 个."""
    min_slice: int = 0
    """Of a donut's many names: percent of the whole. What is smaller is one slice together."""

    @property
    def stands_for(self) -> tuple[str, ...]:
        return self.keys or ((self.starts,) if self.starts else ())

    @property
    def tells_apart(self) -> tuple[str, ...]:
        """The columns of the dataset that tell its rows apart."""
        return self.stands_for or (self.name,)

    def is_told_by(self, names: Set[str]) -> bool:
        """Whether rows that these columns tell apart need not be told apart by this one."""
        followed = self.follows or self.stands_for
        return bool(followed) and names >= {*followed}


@dataclass(frozen=True)
class Metric:
    """A figure computed from base rows. A ratio divides sums and is empty when its base is not positive.

    `worse` is the direction of a change that is marked as bad: less sold, more overdue; stock may do either. `note`
    says what is counted; `heading` is a shorter label for columns whose neighbours say the rest. What `stands` at a
    step of an axis does so until the next one that has rows.
    """

    name: str
    label: str
    expression: Expression
    format: str = QUANTITY
    worse: Worse = ""
    note: str = ""
    heading: str = ""
    stands: bool = False

    @cached_property
    def sql(self) -> str:
        """The expression as it is sent to DuckDB."""
        return self.expression.sql

    @property
    def is_sum(self) -> bool:
        """Whether it is a plain sum, so that figures of parts add up to the figure of the whole."""
        return self.expression.is_additive


@dataclass(frozen=True)
class Beside:
    """A dataset's rows of a period together with those of the period before and of last year.

    `source` is their query in parentheses, told apart by the columns `beside_order` and `beside`, one of `words`;
    `measures` are what is known of all three; `runs` is whether a period may still run while the others are whole, and
    `by_progress` whether only a part of these then counts.
    """

    source: str
    words: tuple[str, str, str]
    measures: tuple[str, ...]
    runs: bool = False
    by_progress: bool = False


@dataclass(frozen=True)
class Dataset:
    """A virtual dataset: a mart joined with the role's scope, exposing role_id for the guest's row rule.

    `grain` says by which scope table it is joined; `source` is the mart's name or a query in parentheses. `measures`
    are what the metrics add up: selected, but unknown to Superset, so that nobody can ask for them row by row. So are
    the `keys` that its columns stand for. `buckets` are the values of an aging column in their order, from harmless to
    grave or, `gravest_first`, the other way round. `flows` are the measures that add up over periods too; the others
    tell a moment, a mean of days, or days that several rows share. Own charts may be drawn of `explorable` ones.
    `beside` are its rows for the figures of a board, whose earlier periods stand below them. Of `ranged` ones any days
    of the time column may be chosen, from one to another. `only` is what its rows are
    limited to, by columns of `reports.catalogue.ways`. `mart_columns` are measures with the mart's columns that they
    are read from, where these have other names.
    """

    key: str
    label: str
    source: str
    grain: Literal["company", "warehouse"]
    columns: tuple[Column, ...]
    measures: tuple[str, ...]
    metrics: tuple[Metric, ...]
    cost: bool = False
    time_column: str = ""
    buckets: tuple[str, ...] = ()
    gravest_first: bool = False
    flows: tuple[str, ...] = ()
    explorable: bool = True
    beside: Beside | None = None
    ranged: bool = False
    only: tuple[tuple[str, str], ...] = ()
    mart_columns: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """By which an analyst finds it; those that he doesn't draw from go by their keys."""
        if not self.explorable:
            return self.key
        return f"{self.label}（含成本）" if self.cost else self.label

    @property
    def scope(self) -> str:
        prefix = "role_cost" if self.cost else "role"
        return f"{prefix}_scope" if self.cost and self.grain == "company" else f"{prefix}_{self.grain}_scope"

    @property
    def takes_range(self) -> bool:
        """Whether its rows are of the one range, or the one day, that its query is given."""
        return NO_ENDS in self.source

    @property
    def keys(self) -> tuple[str, ...]:
        """What its columns stand for and nobody is shown."""
        shown = {*(column.name for column in self.columns), *self.measures}
        keys = dict.fromkeys(key for column in self.columns for key in column.keys)
        return tuple(key for key in keys if key not in shown)

    @property
    def sql(self) -> str:
        selected = [f"    {column.sql or 'm.' + column.name} as {column.name}" for column in self.columns]
        columns = ",\n".join(
            [*selected, *(f'    m."{name}" as "{name}"' for name in (*self.measures, *self.keys))]
        )
        keys = ("company_id",) if self.grain == "company" else ("company_id", "warehouse_id")
        joined = " and ".join(f"s.{key} = m.{key}" for key in keys)
        return (
            f"select\n    s.role_id as role_id,\n{columns}\nfrom {self.source} as m\n"
            f"inner join {self.scope} as s on {joined}"
        )

    def row_keys(self, names: Iterable[str]) -> tuple[str, ...]:
        """What tells the rows of a table of these columns apart, without what follows from the rest of it."""
        columns = [self.column(name) for name in names]
        told = {key for column in columns for key in column.tells_apart}
        return tuple(
            dict.fromkeys(
                key
                for column in columns
                for key in column.tells_apart
                if not (self.has_column(key) and self.column(key).is_told_by(told))
            )
        )

    def first_days(self, name: str, labels: Iterable[object]) -> tuple[str, tuple[date, ...]] | None:
        """A condition that follows from one on a label of periods: the column of their first days, and these.

        Rows lie together by dates and are found by them; a label is made of each row's date to be looked at.
        """
        column = self.column(name) if self.has_column(name) else None
        days = [first_day(label) for label in labels]
        if column is None or not column.starts or not all(days):
            return None
        return column.starts, tuple(day for day in days if day)

    def link_made_of(self, name: str, part: Callable[[str], str]) -> str:
        """A link's expression of the values that its row stands for, each as `part` has it; empty for other columns.

        A row of a table adds up many of the mart's: to make the link of each costs more than to add them up.
        """
        made_of = self.column(name).made_of
        plain = {*(each.name for each in self.columns if not each.sql), *self.measures, *self.keys}
        return made_of.render(part) if made_of is not None and made_of.columns <= plain else ""

    def has_column(self, name: str) -> bool:
        return any(column.name == name for column in self.columns)

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def adds_up(self, metric: Metric) -> bool:
        """Whether a metric over the rows of several periods is a figure of them together."""
        return self.used(metric) <= set(self.flows)

    def nothing(self, metric: Metric) -> int | None:
        """What a metric is where there are no rows: sums and counts of what happened are 0, all else is unknown."""
        return 0 if self.adds_up(metric) and (metric.is_sum or metric.expression.is_count) else None

    def grows(self, metric: Metric) -> bool:
        """Whether a metric grows with the days of its period: sums do, ratios and counts of what differs don't."""
        return self.adds_up(metric) and metric.is_sum

    @property
    def compares(self) -> bool:
        """Whether its rows stand in the period after theirs too, and a year later."""
        return any(name.endswith(SUFFIXES) for name in self.measures)

    @cached_property
    def periods(self) -> Mapping[str, int]:
        """Of which period a row is that has a measure, by the number in BESIDE_ORDER, where rows can be told apart."""
        own = (name for name in self.measures if f"{name}{SUFFIXES[0]}" in self.measures)
        ends = [*enumerate(("", *SUFFIXES))] if BESIDE_ORDER in self.measures else ()
        return {f"{name}{end}": number for name in own for number, end in ends}

    def words(self, names: Iterable[str]) -> set[str]:
        """Those of some names that are columns, measures or keys."""
        return {*(column.name for column in self.columns), *self.measures, *self.keys}.intersection(names)

    def known_beside(self, metric: Metric) -> bool:
        """Whether the metric can be told of the period before and of last year too."""
        return self.beside is not None and self.used(metric) <= set(self.beside.measures)

    def used(self, metric: Metric) -> set[str]:
        """The measures that a metric is made of."""
        return {*metric.expression.columns} & {*self.measures}

    def metric(self, name: str) -> Metric:
        return next(metric for metric in self.metrics if metric.name == name)


def first_day(label: object) -> date | None:
    """The first day of the text `2026-01`, `2026年第03周` or `2026-01-31`; a moment is no label."""
    text = str(label)
    week, month = WEEK.fullmatch(text), MONTH.fullmatch(text)
    try:
        return date.fromisoformat(f"{week[1]}-W{week[2]}-1" if week else f"{text}-01" if month else text)
    except ValueError:
        return None
