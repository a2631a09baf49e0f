"""Prior periods (期间对比).

Each period's figures also in the next one and a year later, additive under any filter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from reports.semantics.datasets import (
    PERIOD_OFFSET,
    SERIES,
    SUFFIXES,
    Column,
    Dataset,
    Metric,
    PeriodComparison,
)
from reports.semantics.expressions import Expression
from reports.semantics.kpi_comparison import BY_PROGRESS, limit_to_whole_days, prorate_to_date
from reports.semantics.period_offsets import (
    ELAPSED,
    MONTH_ENDS_BEFORE,
    WHOLE_MONTHS,
    WHOLE_WEEKS,
    PeriodOffset,
    PriorPeriods,
    with_prior_periods_sql,
)

KEYS = {"company": ("company_id",), "warehouse": ("company_id", "warehouse_id")}


@dataclass(frozen=True)
class Period:
    """A kind of period: how far back its predecessor and last year's counterpart lie, and their labels.

    The marts know whole periods: a running one is compared with the whole one before, and the labels say
    so. Unless it tells a moment (`runs`), its sums are compared by progress; sums `by_day` only once a
    whole day of it is over. `extra_measures` are further columns of its rows; `length` is how long it is,
    `step` by default; `ranged` are days of which any number in a row may be chosen.
    """

    key: str
    label: str
    name: str
    prior: PriorPeriods
    runs: bool = True
    extra_measures: tuple[str, ...] = (ELAPSED,)
    ranged: bool = False
    by_day: bool = False
    length: PeriodOffset | None = None

    @property
    def by_progress(self) -> bool:
        """Return whether prior sums are prorated to the elapsed share of a running period."""
        return self.runs and not self.by_day

    @property
    def labels(self) -> tuple[str, str, str]:
        """Labels of the chosen period and its prior periods."""
        return f"所选{self.name}", *self.prior_labels

    @property
    def prior_labels(self) -> tuple[str, str]:
        return self.prior.labels

    @property
    def previous(self) -> str:
        return self.prior.labels[0]

    @property
    def last_year(self) -> str:
        return self.prior.labels[1]

    @property
    def change_labels(self) -> tuple[str, str]:
        """Labels of the changes of sums against the prior periods."""
        if not self.by_progress:
            return f"较{self.previous}", f"较{self.last_year}"
        before, year = (word.removesuffix(f"整{self.name}") for word in self.prior_labels)
        return f"{BY_PROGRESS}较{before}", f"{BY_PROGRESS}较{year}"

    @property
    def hint(self) -> str:
        """Hint for readers on how prorated changes are computed."""
        return (
            f"未过完的{self.name}与整{self.name}相比，{BY_PROGRESS}的变化只算那时同样天数的份额"
            if self.by_progress
            else ""
        )

    def make_comparable(self, sums: Expression) -> Expression:
        """Return prior-period sums, prorated or empty as the kind of period asks for."""
        if self.by_progress:
            return prorate_to_date(sums)
        return limit_to_whole_days(sums) if self.runs else sums

    def compare_rows(
        self, rows: str, axis: tuple[Column, Column], measures: Iterable[str], periods: str = ""
    ) -> PeriodComparison:
        """Return the comparison of a mart that has the axis."""
        return self.build_comparison(self.prior_periods_sql(rows, axis, periods), measures)

    def build_comparison(self, source: str, measures: Iterable[str]) -> PeriodComparison:
        return PeriodComparison(source, self.labels, tuple(measures), self.runs, self.by_progress)

    def prior_periods_sql(self, rows: str, axis: tuple[Column, Column], periods: str = "") -> str:
        """Return SQL, in parentheses, of the rows of each period and its prior periods, with the offset."""
        start, label = axis
        names, offsets = (start.name, label.name), self.prior.offsets
        return with_prior_periods_sql(rows, names, self.labels, offsets, periods, self.length, self.runs)


WEEK = Period("week", "按周分析", "周", WHOLE_WEEKS)
MONTH = Period("month", "按月分析", "月", WHOLE_MONTHS)
# What stands at the end of a month is beside what stood at the ends of others.
MONTH_END = replace(MONTH, key="month_end", name="月末", prior=MONTH_ENDS_BEFORE, runs=False)
MONTH_COLUMNS = (Column("month", "月份", "date"), Column("month_label", "月", starts="month"))


@dataclass(frozen=True)
class PeriodSource:
    """A mart's rows by period, a source of datasets.

    `axis` are the columns of a period's first day and label, `measures` map the dataset's names to the
    mart's columns. `periods` is a query of the axis, where the rows are too many to find it in.
    """

    mart: str
    period: Period
    axis: tuple[Column, Column]
    dimensions: tuple[str, ...]
    measures: Mapping[str, str]
    where: str = ""
    periods: str = ""

    @property
    def rows_sql(self) -> str:
        """SQL of the rows as they are, in parentheses."""
        return self._select_sql(self.mart)

    @property
    def compared_sql(self) -> str:
        """SQL of the rows with each measure also as `<name>_before` and `<name>_year`, in parentheses.

        A row appears up to three times: in its own period, in the next one and a year later, but never in
        a period that the mart doesn't have.
        """
        columns = (PERIOD_OFFSET, *self.period.extra_measures)
        names = ", ".join(f't."{name}"' for name in (*self._axis_names, *self.dimensions, *columns))
        figures = ", ".join(
            f'case when t.{PERIOD_OFFSET} = {order} then t."{name}" end as "{name}{end}"'
            for order, end in enumerate(("", *SUFFIXES))
            for name in self.measures
        )
        return f"(select {names}, {figures} from {self.prior_periods_sql} as t)"

    @property
    def prior_periods_sql(self) -> str:
        """SQL of the rows with those of prior periods and the offset, in parentheses."""
        return self.period.prior_periods_sql(self.rows_sql, self.axis, self.periods)

    def _select_sql(self, rows: str, *more: str) -> str:
        names = ", ".join(f't."{name}"' for name in (*self._axis_names, *more, *self.dimensions))
        figures = ", ".join(f't."{column}" as "{name}"' for name, column in self.measures.items())
        return f"(select {names}, {figures} from {rows} as t{self._condition_sql})"

    @property
    def _axis_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.axis if not column.sql)

    @property
    def _condition_sql(self) -> str:
        return f" where {self.where}" if self.where else ""


def compared_datasets(
    key: str,
    label: str,
    mart: str,
    *,
    grain: Literal["company", "warehouse"],
    columns: tuple[Column, ...],
    measures: Mapping[str, str],
    metrics: tuple[Metric, ...],
    period: Period = MONTH,
    axis: tuple[Column, Column] = MONTH_COLUMNS,
    keys: tuple[str, ...] = (),
    hidden: tuple[str, ...] = (),
    levels: tuple[str, ...] = (),
    where: str = "",
    periods: str = "",
    cost: bool = False,
    buckets: tuple[str, ...] = (),
    buckets_descending: bool = False,
    explorable: bool = True,
    only: tuple[tuple[str, str], ...] = (),
    rows: type[PeriodSource] = PeriodSource,
) -> tuple[Dataset, Dataset]:
    """Return a mart's dataset with prior periods, and its series dataset without them, which triple its rows.

    Columns without SQL are the mart's; `keys` are further ones that others are derived from, and `hidden`
    those that metrics use though nobody may ask for them. `levels` are the measures that don't add up over
    periods; `where` is a condition on the mart's rows; `only` is as in `Dataset`, `periods` as in
    `PeriodSource`, `rows` the kind of source.
    """
    followed = (key for column in columns for key in column.key_columns)
    shown = (column.name for column in columns if not column.sql)
    own = (*KEYS[grain], *keys, *followed, *hidden, *shown)
    dimensions = tuple(name for name in dict.fromkeys(own) if name not in (axis[0].name, axis[1].name))
    source = rows(mart, period, axis, dimensions, measures, where, periods)
    data = Dataset(
        key=key,
        label=label,
        source=source.compared_sql,
        grain=grain,
        cost=cost,
        time_column=axis[0].name,
        columns=(*axis, *columns),
        measures=(*hidden, PERIOD_OFFSET, *period.extra_measures, *with_suffixes(*measures)),
        additive_measures=(
            *hidden,
            *period.extra_measures,
            *with_suffixes(*(name for name in measures if name not in levels)),
        ),
        metrics=metrics,
        buckets=buckets,
        buckets_descending=buckets_descending,
        explorable=explorable,
        only=only,
        ranged=period.ranged,
        comparison=period.build_comparison(source.prior_periods_sql, (*hidden, *measures)),
        mart_columns=tuple(measures.items()),
    )
    series = replace(
        data,
        key=f"{key}{SERIES}",
        source=source.rows_sql,
        columns=tuple(column for column in data.columns if column.kind != "link"),
        measures=without_comparisons(data.measures, (PERIOD_OFFSET, *period.extra_measures)),
        additive_measures=without_comparisons(data.additive_measures, period.extra_measures),
        metrics=tuple(metric for metric in metrics if not reads_earlier_periods(metric.expression)),
        explorable=False,
        comparison=None,
    )
    return data, series


def prior_period_variants(
    metric: Metric, measures: Iterable[str], previous: str, last_year: str
) -> tuple[Metric, Metric]:
    """Return a metric for the prior period and for last year; `measures` are those of its dataset."""
    names = tuple(measures)
    then = (metric.expression.rename({name: f"{name}{suffix}" for name in names}) for suffix in SUFFIXES)
    labels = (f"{previous}{metric.label}", f"{last_year}{metric.label}")
    before, year = (
        replace(metric, name=f"{metric.name}{suffix}", label=label, expression=expression)
        for suffix, label, expression in zip(SUFFIXES, labels, then, strict=True)
    )
    return before, year


def reads_earlier_periods(expression: Expression) -> bool:
    """Whether a figure is made of measures of the period before or of last year."""
    return any(name.endswith(SUFFIXES) for name in expression.columns)


def without_comparisons(measures: Iterable[str], extra: tuple[str, ...] = (ELAPSED,)) -> tuple[str, ...]:
    """Return the measures of a period itself, without those of prior periods."""
    return tuple(name for name in measures if not name.endswith(SUFFIXES) and name not in extra)


def with_suffixes(*names: str) -> tuple[str, ...]:
    """Return the measures' names in the current period, the prior one and a year ago."""
    return tuple(f"{name}{suffix}" for suffix in ("", *SUFFIXES) for name in names)
