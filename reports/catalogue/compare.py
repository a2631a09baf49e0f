"""期间对比：把每期的数也带到下一期（上期）和次年（去年同期），使对比在任何筛选下都可相加。"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from reports.catalogue.beside import BY_PROGRESS, passed, whole_days
from reports.catalogue.datasets import BESIDE_ORDER, SERIES, SUFFIXES, Beside, Column, Dataset, Metric
from reports.catalogue.expressions import Expression
from reports.catalogue.period_offsets import (
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
    """A kind of period, and those that it is compared with.

    The marts know whole periods: a running one stands beside the whole one before, and the names say so. Unless it
    tells a moment (`runs`), what it adds up is compared by progress; what is told `by_day` only where a whole day is in
    it. `told` is what its rows beside each other tell besides; `length` is how long it is, by default as far as the
    one before lies back; `ranged` are days of which any number in a row may be chosen.
    """

    key: str
    label: str
    name: str
    prior: PriorPeriods
    runs: bool = True
    told: tuple[str, ...] = (ELAPSED,)
    ranged: bool = False
    by_day: bool = False
    length: PeriodOffset | None = None

    @property
    def by_progress(self) -> bool:
        """Whether of whole periods a part is counted, as much as has passed of a running one."""
        return self.runs and not self.by_day

    @property
    def words(self) -> tuple[str, str, str]:
        """What the rows of a chosen period and those beside it are called."""
        return f"所选{self.name}", *self.earlier

    @property
    def earlier(self) -> tuple[str, str]:
        return self.prior.labels

    @property
    def previous(self) -> str:
        return self.prior.labels[0]

    @property
    def last_year(self) -> str:
        return self.prior.labels[1]

    @property
    def moved(self) -> tuple[str, str]:
        """What the changes of sums against the earlier ones are called."""
        if not self.by_progress:
            return f"较{self.previous}", f"较{self.last_year}"
        before, year = (word.removesuffix(f"整{self.name}") for word in self.earlier)
        return f"{BY_PROGRESS}较{before}", f"{BY_PROGRESS}较{year}"

    @property
    def hint(self) -> str:
        """How changes by progress are told, for readers."""
        return (
            f"未过完的{self.name}与整{self.name}相比，{BY_PROGRESS}的变化只算那时同样天数的份额"
            if self.by_progress
            else ""
        )

    def then(self, sums: Expression) -> Expression:
        """Sums of earlier periods as those of a period are compared with."""
        if self.by_progress:
            return passed(sums)
        return whole_days(sums) if self.runs else sums

    def rows_beside(
        self, rows: str, axis: tuple[Column, Column], measures: Iterable[str], periods: str = ""
    ) -> Beside:
        """The rows of a mart that has the axis, each period beside its earlier ones."""
        return self.told_beside(self.beside(rows, axis, periods), measures)

    def told_beside(self, source: str, measures: Iterable[str]) -> Beside:
        return Beside(source, self.words, tuple(measures), self.runs, self.by_progress)

    def beside(self, rows: str, axis: tuple[Column, Column], periods: str = "") -> str:
        """The rows of each period with those of its earlier ones, told apart, as a query in parentheses."""
        start, label = axis
        names, offsets = (start.name, label.name), self.prior.offsets
        return with_prior_periods_sql(rows, names, self.words, offsets, periods, self.length, self.runs)


WEEK = Period("week", "按周分析", "周", WHOLE_WEEKS)
MONTH = Period("month", "按月分析", "月", WHOLE_MONTHS)
# What stands at the end of a month is beside what stood at the ends of others.
MONTH_END = replace(MONTH, key="month_end", name="月末", prior=MONTH_ENDS_BEFORE, runs=False)
MONTH_COLUMNS = (Column("month", "月份", "date"), Column("month_label", "月", starts="month"))


@dataclass(frozen=True)
class Source:
    """A mart's rows by period: `axis` are the columns of a period's first day and label, `measures` map the dataset's
    names to the mart's columns. `periods` is a query of the axis, where the rows are too many to find it in.
    """

    mart: str
    period: Period
    axis: tuple[Column, Column]
    dimensions: tuple[str, ...]
    measures: Mapping[str, str]
    where: str = ""
    periods: str = ""

    @property
    def alone(self) -> str:
        """The rows as they are, as a query in parentheses."""
        return self._told(self.mart)

    @property
    def compared(self) -> str:
        """The rows with each measure also as `<name>_before` and `<name>_year`, as a query in parentheses.

        A row appears up to three times: in its own period, in the next one and a year later, but never in a period
        that the mart doesn't have.
        """
        told = (BESIDE_ORDER, *self.period.told)
        names = ", ".join(f't."{name}"' for name in (*self._axis, *self.dimensions, *told))
        figures = ", ".join(
            f'case when t.{BESIDE_ORDER} = {order} then t."{name}" end as "{name}{end}"'
            for order, end in enumerate(("", *SUFFIXES))
            for name in self.measures
        )
        return f"(select {names}, {figures} from {self.beside} as t)"

    @property
    def beside(self) -> str:
        """The rows with those of earlier periods, told apart, as a query in parentheses."""
        return self.period.beside(self.alone, self.axis, self.periods)

    def _told(self, rows: str, *more: str) -> str:
        names = ", ".join(f't."{name}"' for name in (*self._axis, *more, *self.dimensions))
        figures = ", ".join(f't."{column}" as "{name}"' for name, column in self.measures.items())
        return f"(select {names}, {figures} from {rows} as t{self._condition})"

    @property
    def _axis(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.axis if not column.sql)

    @property
    def _condition(self) -> str:
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
    alone: tuple[str, ...] = (),
    levels: tuple[str, ...] = (),
    where: str = "",
    periods: str = "",
    cost: bool = False,
    buckets: tuple[str, ...] = (),
    gravest_first: bool = False,
    explorable: bool = True,
    only: tuple[tuple[str, str], ...] = (),
    rows: type[Source] = Source,
) -> tuple[Dataset, Dataset]:
    """The mart's periods beside the ones before and last year's, and the dataset for charts over many periods, which
    has no comparisons: they triple its rows.

    Columns without SQL are the mart's; `keys` are further ones that others are derived from, and `alone` those that
    metrics use though nobody may ask for them. `levels` are the measures that don't add up over periods; `where` is a
    condition on the mart's rows, `only` what a dataset says, `periods` what `Source` says, `rows` the kind of source.
    """
    followed = (key for column in columns for key in column.stands_for)
    shown = (column.name for column in columns if not column.sql)
    own = (*KEYS[grain], *keys, *followed, *alone, *shown)
    dimensions = tuple(name for name in dict.fromkeys(own) if name not in (axis[0].name, axis[1].name))
    source = rows(mart, period, axis, dimensions, measures, where, periods)
    data = Dataset(
        key=key,
        label=label,
        source=source.compared,
        grain=grain,
        cost=cost,
        time_column=axis[0].name,
        columns=(*axis, *columns),
        measures=(*alone, BESIDE_ORDER, *period.told, *with_suffixes(*measures)),
        flows=(*alone, *period.told, *with_suffixes(*(name for name in measures if name not in levels))),
        metrics=metrics,
        buckets=buckets,
        gravest_first=gravest_first,
        explorable=explorable,
        only=only,
        ranged=period.ranged,
        beside=period.told_beside(source.beside, (*alone, *measures)),
        mart_columns=tuple(measures.items()),
    )
    series = replace(
        data,
        key=f"{key}{SERIES}",
        source=source.alone,
        columns=tuple(column for column in data.columns if column.kind != "link"),
        measures=own_alone(data.measures, (BESIDE_ORDER, *period.told)),
        flows=own_alone(data.flows, period.told),
        metrics=tuple(metric for metric in metrics if not reads_earlier_periods(metric.expression)),
        explorable=False,
        beside=None,
    )
    return data, series


def stood(metric: Metric, measures: Iterable[str], previous: str, last_year: str) -> tuple[Metric, Metric]:
    """A metric as it stood in the period before and a year ago; `measures` are those of its dataset."""
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


def own_alone(measures: Iterable[str], told: tuple[str, ...] = (ELAPSED,)) -> tuple[str, ...]:
    """The measures of a period itself, without what it is compared with."""
    return tuple(name for name in measures if not name.endswith(SUFFIXES) and name not in told)


def with_suffixes(*names: str) -> tuple[str, ...]:
    """The measures' names in the current period, the previous one and a year ago."""
    return tuple(f"{name}{suffix}" for suffix in ("", *SUFFIXES) for name in names)
