"""期间对比：把每期的数也带到下一期（上期）和次年（去年同期），使对比在任何筛选下都可相加。"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reports.catalogue.model import Dataset

SUFFIXES = ("_before", "_year")
SERIES = "_series"


@dataclass(frozen=True)
class Period:
    """A kind of period: how far back its predecessor and last year's counterpart lie, and how both are called.

    The marts know whole periods: a running one stands beside the whole one before, and the names say so.
    """

    key: str
    label: str
    name: str
    step: str
    year: str
    previous: str
    last_year: str


WEEK = Period("week", "按周分析", "周", "interval 7 day", "interval 364 day", "上周整周", "去年同周整周")
MONTH = Period("month", "按月分析", "月", "interval 1 month", "interval 1 year", "上月整月", "去年同月整月")


def compared(
    mart: str,
    period: Period,
    *,
    start: str,
    label: str,
    dimensions: tuple[str, ...],
    measures: dict[str, str],
    where: str = "",
    alone: bool = False,
) -> str:
    """The mart's rows with each measure also as `<name>_before` and `<name>_year`, as a query in parentheses.

    `alone` leaves the comparisons out.

    `measures` maps the new names to the mart's columns. A row appears up to three times: in its own period, in the next
    one and a year later, but never in a period that the mart doesn't have.
    """
    if alone:
        plain = ", ".join(f't."{column}" as "{name}"' for name, column in measures.items())
        names = ", ".join(f't."{name}"' for name in (start, label, *dimensions))
        return f"(select {names}, {plain} from {mart} as t{f' where t.{where}' if where else ''})"
    names = ", ".join(f't."{name}"' for name in dimensions)
    condition = f" where t.{where}" if where else ""
    own = f'(select distinct t."{start}", t."{label}" from {mart} as t{condition})'

    def part(suffix: str, interval: str) -> str:
        figures = ", ".join(
            f't."{column}" as "{name}{end}"' if end == suffix else f'null as "{name}{end}"'
            for end in ("", "_before", "_year")
            for name, column in measures.items()
        )
        if not interval:
            return f'select t."{start}", t."{label}", {names}, {figures} from {mart} as t{condition}'
        return (
            f'select p."{start}", p."{label}", {names}, {figures} from {mart} as t '
            f'inner join {own} as p on t."{start}" = cast(p."{start}" - {interval} as date){condition}'
        )

    parts = (part("", ""), part("_before", period.step), part("_year", period.year))
    return f"({' union all '.join(parts)})"


def series_of(dataset: Dataset, source: str) -> Dataset:
    """The dataset for charts over many periods: without the comparisons, which triple its rows.

    `source` is the dataset's own, made `alone`.
    """
    return replace(
        dataset,
        key=f"{dataset.key}{SERIES}",
        source=source,
        measures=tuple(name for name in dataset.measures if not name.endswith(SUFFIXES)),
        metrics=tuple(metric for metric in dataset.metrics if not any(end in metric.sql for end in SUFFIXES)),
    )


def all_periods(dataset: Dataset) -> Dataset:
    """A dataset without comparisons again, for charts that the filter of one period leaves alone."""
    return replace(dataset, key=f"{dataset.key}{SERIES}")


def with_suffixes(*names: str) -> tuple[str, ...]:
    """The measures' names in the current period, the previous one and a year ago."""
    return tuple(f"{name}{suffix}" for suffix in ("", "_before", "_year") for name in names)
