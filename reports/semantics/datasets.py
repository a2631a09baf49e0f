"""Building blocks of datasets (数据集): columns, metrics, datasets. Plain data, standard library only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Literal

from reports.semantics.expressions import Expression, RawSql

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
RANGE_PLACEHOLDER = f"cast(null as date) as {SINCE}, cast(null as date) as {UNTIL}"
"""Placeholder of the range in a query (`bind_range`). There are no rows of no range."""
FIRST_DAY, LAST_DAY = "first_day", "last_day"
"""Days that a row of a table leads to: in the mart's rows this month to date, in the table's those that it adds up."""
# Invisible letters that put labels into an order of their own: the first two where letters are compared by their
# numbers, as the database and an axis do, and hair spaces where they are compared as in a dictionary, which passes over
# the first two, as a browser orders the series of a chart.
CLOSING, FURTHER, HAIR = 8203, 8204, 8202
MOST_SERIES = 8
SERIES = "_series"
"""Ending of the keys of datasets whose charts show all periods."""
SUFFIXES = ("_before", "_year")
"""Endings of measures of the prior period and of last year."""
PERIOD_OFFSET = "beside_order"
"""Column of the period offset (期距): 0 the chosen period, 1 the prior one, 2 last year's."""
WEEK = re.compile("(.{4})年第(..)周")
MONTH = re.compile(".{4}-..")
"""The labels of a week and of a month."""
INVISIBLE_LETTERS = "".join(map(chr, (CLOSING, FURTHER, HAIR)))


def add_order_prefix(number: int, label: str) -> str:
    """Return a label with invisible letters that sort it by its number (`ordered_label_sql`)."""
    return chr(FURTHER) * number + chr(CLOSING) + chr(HAIR) * (MOST_SERIES - number) + label


def bind_range(sql: str, since: date, until: date) -> str:
    """Return a dataset's query for the rows of a range."""
    return sql.replace(RANGE_PLACEHOLDER, f"date '{since}' as {SINCE}, date '{until}' as {UNTIL}")


def bind_chosen_range(sql: str, chosen: Set[tuple[date, date]]) -> str:
    """Return a dataset's query for the chosen range; with none or several there are no rows."""
    return bind_range(sql, *next(iter(chosen))) if len(chosen) == 1 else sql


def strip_order_prefix(label: str) -> str:
    """Return a label without the invisible letters that sort it."""
    return label.lstrip(INVISIBLE_LETTERS)


@dataclass(frozen=True)
class Column:
    """A column of a dataset. `sql` is its expression over the mart (alias m), its own name by default.

    `keys` are the mart's columns that it stands for, as a number stands for an id: rows are grouped by
    them. It is `determined_by` others, as a brand by the goods. `starts` is the column of the first day of
    the month or week that it names, and stands for.
    """

    name: str
    label: str
    kind: Literal["text", "number", "date", "datetime", "link"] = "text"
    sql: str = ""
    keys: tuple[str, ...] = ()
    determined_by: tuple[str, ...] = ()
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
    def key_columns(self) -> tuple[str, ...]:
        return self.keys or ((self.starts,) if self.starts else ())

    @property
    def identifying_columns(self) -> tuple[str, ...]:
        """The columns of the dataset that tell its rows apart."""
        return self.key_columns or (self.name,)

    def is_determined_by(self, names: Set[str]) -> bool:
        """Return whether these columns determine this one, so that it needs no grouping of its own."""
        followed = self.determined_by or self.key_columns
        return bool(followed) and names >= {*followed}


@dataclass(frozen=True)
class Metric:
    """A figure computed from base rows. A ratio divides sums and is empty when its base is not positive.

    `worse` is the direction of a change that is marked as bad: less sold, more overdue; stock may do
    either. `note` says what is counted; `heading` is a shorter label for columns whose neighbours say the
    rest. With `carries_forward` a step of an axis without rows has the value of the step before.
    """

    name: str
    label: str
    expression: Expression
    format: str = QUANTITY
    worse: Worse = ""
    note: str = ""
    heading: str = ""
    carries_forward: bool = False

    @cached_property
    def sql(self) -> str:
        """The expression as it is sent to DuckDB."""
        return self.expression.sql

    @property
    def is_sum(self) -> bool:
        """Whether it is a plain sum, so that figures of parts add up to the figure of the whole."""
        return self.expression.is_additive


@dataclass(frozen=True)
class PeriodComparison:
    """Period comparison (同比、环比).

    A dataset's rows of a period with those of the prior period and of last year.

    `source` is their query in parentheses, with the columns `beside_order` (offset) and `beside`, one of
    `labels`; `measures` are known of all three; `runs` is whether a period may still run while the others
    are whole, and `by_progress` whether only a part of these then counts.
    """

    source: str
    labels: tuple[str, str, str]
    measures: tuple[str, ...]
    runs: bool = False
    by_progress: bool = False


@dataclass(frozen=True)
class Dataset:
    """A virtual dataset (数据集): a mart joined with the role's scope, with role_id for the guest's row rule.

    `grain` selects the scope table; `source` is the mart's name or a query in parentheses. `measures` are
    what the metrics add up: selected, but unknown to Superset, so that nobody can ask for them row by row.
    So are the `keys` of its columns. `buckets` are the values of an aging column in their order, from
    harmless to grave or, with `buckets_descending`, the other way round. `additive_measures` add up over
    periods too; the others tell a moment, a mean of days, or days that several rows share. Own charts may
    be drawn of `explorable` ones. `comparison` are its rows with prior periods, for the KPI header. Of
    `ranged` ones any days of the time column may be chosen, from one to another. `only` limits its rows,
    by columns of `reports.semantics.drilldown_filters`.
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
    buckets_descending: bool = False
    additive_measures: tuple[str, ...] = ()
    explorable: bool = True
    comparison: PeriodComparison | None = None
    ranged: bool = False
    only: tuple[tuple[str, str], ...] = ()
    mart_columns: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """Name under which an analyst finds it; the key for those that he doesn't draw from."""
        if not self.explorable:
            return self.key
        return f"{self.label}（含成本）" if self.cost else self.label

    @property
    def scope(self) -> str:
        prefix = "role_cost" if self.cost else "role"
        return f"{prefix}_scope" if self.cost and self.grain == "company" else f"{prefix}_{self.grain}_scope"

    @property
    def has_range(self) -> bool:
        """Return whether its query has to be given a range, or one day."""
        return RANGE_PLACEHOLDER in self.source

    @property
    def keys(self) -> tuple[str, ...]:
        """Key columns of its columns, which nobody is shown."""
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
        """Return the columns that identify the rows of a table of these columns, without determined ones."""
        columns = [self.column(name) for name in names]
        identifying = {key for column in columns for key in column.identifying_columns}
        return tuple(
            dict.fromkeys(
                key
                for column in columns
                for key in column.identifying_columns
                if not (self.has_column(key) and self.column(key).is_determined_by(identifying))
            )
        )

    def first_days(self, name: str, labels: Iterable[object]) -> tuple[str, tuple[date, ...]] | None:
        """Return the condition on first days that follows from one on period labels: column and days.

        Rows lie together by dates and are found by them; a label is computed for each row to be compared.
        """
        column = self.column(name) if self.has_column(name) else None
        days = [parse_first_day(label) for label in labels]
        if column is None or not column.starts or not all(days):
            return None
        return column.starts, tuple(day for day in days if day)

    def build_link_sql(self, name: str, part: Callable[[str], str]) -> str:
        """Return a link's expression over the keys of its row, each as `part` writes it.

        Empty for other columns.

        A row of a table adds up many of the mart's: to make the link of each costs more than to add them
        up.
        """
        made_of = self.column(name).made_of
        plain = {*(each.name for each in self.columns if not each.sql), *self.measures, *self.keys}
        return made_of.render(part) if made_of is not None and made_of.columns <= plain else ""

    def has_column(self, name: str) -> bool:
        return any(column.name == name for column in self.columns)

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def is_additive(self, metric: Metric) -> bool:
        """Return whether a metric over the rows of several periods is a figure of them together."""
        return self.used_measures(metric) <= set(self.additive_measures)

    def zero_value(self, metric: Metric) -> int | None:
        """Return a metric's value without rows.

        0 for sums and counts of flows, None (unknown) for all else.
        """
        return 0 if self.is_additive(metric) and (metric.is_sum or metric.expression.is_count) else None

    def is_cumulative(self, metric: Metric) -> bool:
        """Return whether a metric accumulates with the days of its period.

        Sums do, ratios and distinct counts don't.
        """
        return self.is_additive(metric) and metric.is_sum

    @property
    def has_comparisons(self) -> bool:
        """Return whether its rows also stand in the next period and a year later."""
        return any(name.endswith(SUFFIXES) for name in self.measures)

    @cached_property
    def periods(self) -> Mapping[str, int]:
        """Period offset of each measure, where rows carry offsets; empty otherwise."""
        own = (name for name in self.measures if f"{name}{SUFFIXES[0]}" in self.measures)
        ends = [*enumerate(("", *SUFFIXES))] if PERIOD_OFFSET in self.measures else ()
        return {f"{name}{end}": number for name in own for number, end in ends}

    def referenced_names(self, names: Iterable[str]) -> set[str]:
        """Return the columns, measures and keys that an expression names."""
        return {*(column.name for column in self.columns), *self.measures, *self.keys}.intersection(names)

    def has_prior_periods(self, metric: Metric) -> bool:
        """Return whether the metric is known of the prior period and of last year."""
        return self.comparison is not None and self.used_measures(metric) <= set(self.comparison.measures)

    def used_measures(self, metric: Metric) -> set[str]:
        """Return the measures that a metric is made of."""
        return {*metric.expression.columns} & {*self.measures}

    def metric(self, name: str) -> Metric:
        return next(metric for metric in self.metrics if metric.name == name)


def parse_first_day(label: object) -> date | None:
    """Return the first day of the label `2026-01`, `2026年第03周` or `2026-01-31`; None for anything else."""
    text = str(label)
    week, month = WEEK.fullmatch(text), MONTH.fullmatch(text)
    try:
        return date.fromisoformat(f"{week[1]}-W{week[2]}-1" if week else f"{text}-01" if month else text)
    except ValueError:
        return None
