"""主要数字的对比：所选期间、上期、去年同期各一行，每个指标都从那一期自己的行算出。

Whatever is told of a period's rows, be it a ratio, a mean of days or a number of goods, is told of the others' alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from reports.catalogue.model import SERIES, Chart, Column, Dataset, Metric

KEY = "beside"
WORD = Column("beside", "期间")
NEAREST = Metric("nearest", "次序", "-min(beside_order)")


def by_period(
    rows: str, axis: tuple[str, str], words: tuple[str, str, str], steps: tuple[str, str], periods: str = ""
) -> str:
    """The rows of a mart in their own period, in the next one and a year later, but never in a period that it lacks.

    `axis` are the columns of a period's first day and label, `steps` how far back the other two lie; `periods` is a
    query of the axis, where the rows are too many to find it in. It groups: beside a `distinct` DuckDB reads all
    columns of the rows, used or not.
    """
    start, label = (f'"{name}"' for name in axis)
    own = periods or f"select t.{start}, t.{label} from {rows} as t group by t.{start}, t.{label}"
    lags = " union all ".join(
        f"select {number} as beside_order, '{word}' as beside, {step} as step"
        for number, (word, step) in enumerate(zip(words, ("interval 0 day", *steps), strict=True))
    )
    return (
        f"(select p.{start}, p.{label}, l.beside_order, l.beside, t.* exclude ({start}, {label}) from ({own}) as p"
        f" cross join ({lags}) as l"
        f" inner join {rows} as t on t.{start} = cast(p.{start} - l.step as date))"
    )


def stacked(words: tuple[str, str, str], *queries: str) -> str:
    """Queries of the same columns, one for each word."""
    parts = (
        f"select {number} as beside_order, '{word}' as beside, q.* from ({query}) as q"
        for number, (word, query) in enumerate(zip(words, queries, strict=True))
    )
    return f"({' union all '.join(parts)})"


def figures_beside(
    charts: Iterable[Chart], datasets: tuple[Dataset, ...]
) -> tuple[tuple[Dataset, ...], tuple[Chart, ...]]:
    """A table for the single figures among the charts, of each dataset that knows them of earlier periods too."""
    told: dict[str, list[Metric]] = {}
    for chart in charts:
        if chart.kind in ("kpi", "trend_kpi"):
            metric = next(each for each in datasets if each.key == chart.dataset).metric(chart.metrics[0])
            owner = _owner(chart, metric, datasets)
            if owner and metric not in told.setdefault(owner.key, []):
                told[owner.key].append(metric)
    owners = [dataset for dataset in datasets if told.get(dataset.key)]
    tables = tuple(_table(owner, tuple(told[owner.key]), number) for number, owner in enumerate(owners))
    return tuple(dataset for dataset, _ in tables), tuple(chart for _, chart in tables)


def _owner(chart: Chart, metric: Metric, datasets: tuple[Dataset, ...]) -> Dataset | None:
    """Which dataset of a board knows a figure of other periods: its own, or another that tells the same."""
    told = (metric.name, metric.label)
    knowing = [
        dataset
        for dataset in datasets
        if any((own.name, own.label) == told and dataset.known_beside(own) for own in dataset.metrics)
    ]
    own = chart.dataset.removesuffix(SERIES)
    return min(knowing, key=lambda dataset: dataset.key != own, default=None)


def _table(owner: Dataset, metrics: tuple[Metric, ...], number: int) -> tuple[Dataset, Chart]:
    assert owner.beside is not None
    now, before, year = owner.beside.words
    data = replace(
        owner,
        key=f"{owner.key}_{KEY}",
        label=f"{owner.label}主要数字",
        source=owner.beside.source,
        columns=(WORD, *(column for column in owner.columns if column.kind != "link")),
        measures=("beside_order", *owner.beside.measures),
        metrics=(*(metric for metric in owner.metrics if owner.known_beside(metric)), NEAREST),
        flows=(),
        buckets=(),
        explorable=False,
        beside=None,
    )
    chart = Chart(
        f"{KEY}_{number}" if number else KEY,
        f"{owner.label.removesuffix('对比')}：{now}、{before}、{year}",
        "table",
        data.key,
        tuple(metric.name for metric in metrics),
        by=(WORD.name,),
        order=f"-{NEAREST.name}",
        paged=False,
        totalled=False,
    )
    return data, chart
