"""KPI header (主要数字).

A row for the chosen period, the prior period and last year, and the changes against both.

Each metric, be it a ratio, a mean of days or a number of goods, is computed from the rows of its own
period.

Bills know their day, not their hour: of a running day it isn't known how far another one had come by then.
A running period is compared with the same days of others; one without a whole day yet is shown, and said
to run, but has no changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reports.semantics.dashboards import HEAD, Chart
from reports.semantics.datasets import (
    CHANGE,
    PERCENT,
    PERIOD_OFFSET,
    POINTS,
    Column,
    Dataset,
    Metric,
    PeriodComparison,
    Worse,
)
from reports.semantics.expressions import (
    Aggregate,
    Bracketed,
    CaseWhen,
    ColumnRef,
    Expression,
    Not,
    Operation,
    Window,
    compare,
    is_positive,
    max_of,
    min_of,
    prorate,
)
from reports.semantics.period_offsets import ELAPSED

KPI_KEY = "beside"
PERIOD_COLUMN = Column("beside", "期间")
NEAREST = Metric("nearest", "次序", -min_of(PERIOD_OFFSET))
IS_CHOSEN = compare(min_of(PERIOD_OFFSET), "=", 0)
CHANGE_SUFFIX = "_moved"
BY_PROGRESS = "按进度"
"""Label of changes against a prorated prior period."""
UNFINISHED = "单独一天没过完时，数是到目前为止的，不与整天比变化"
"""The same for readers who choose days."""


@dataclass(frozen=True)
class Kpi:
    """A KPI (主要数字) of a report's header: a metric's name, a note on what it counts, and a shorter label.

    `worse` is the direction of a change that is marked as bad. `uncompared_reason` says why there are no
    prior periods. `is_cumulative` compares with a prorated prior period, as for every sum; a `whole_only`
    KPI that changes with the days in another way is compared once its own period is over.
    """

    name: str
    note: str = ""
    worse: Worse = ""
    label: str = ""
    uncompared_reason: str = ""
    is_cumulative: bool = False
    whole_only: bool = False


KpiHeader = tuple[Dataset, Chart]
"""The figures as a table of three rows, and its dataset."""


def limit_to_whole_days(sums: Expression) -> Expression:
    """Return prior-period sums that are empty unless a whole day of the current period is over."""
    return sums * max_of(ELAPSED)


def prorate_to_date(sums: Expression) -> Expression:
    """Return prior-period sums prorated to the elapsed share of the current period."""
    return prorate(sums, ColumnRef(ELAPSED))


def build_kpi_header(owner: Dataset, *shown: Kpi) -> KpiHeader:
    """Return the KPI header of a report: chart and dataset, with prior periods."""
    assert owner.comparison is not None, f"{owner.key} knows no earlier periods"
    own = [owner.metric(figure.name) for figure in shown]
    for figure, metric in zip(shown, own, strict=True):
        assert figure.uncompared_reason or owner.has_prior_periods(metric), (
            f"{metric.name} of {owner.key} stands alone"
        )
    metrics = tuple(
        compared
        for figure, metric in zip(shown, own, strict=True)
        for compared in _build_kpi_metrics(
            figure, metric, owner.comparison, figure.is_cumulative or owner.is_cumulative(metric)
        )
    )
    used = {name for metric in own for name in owner.used_measures(metric)}
    data = replace(
        owner,
        key=f"{owner.key}_{KPI_KEY}",
        label=f"{owner.label}{HEAD}",
        source=owner.comparison.source,
        columns=(PERIOD_COLUMN, *(column for column in owner.columns if column.kind != "link")),
        measures=(
            PERIOD_OFFSET,
            *((ELAPSED,) if owner.comparison.runs else ()),
            *(name for name in owner.measures if name in used),
        ),
        metrics=(*metrics, NEAREST),
        additive_measures=(),
        buckets=(),
        explorable=False,
    )
    chart = Chart(
        KPI_KEY,
        f"{HEAD}：{'、'.join(owner.comparison.labels)}",
        "figures",
        data.key,
        tuple(metric.name for metric in metrics),
        by=(PERIOD_COLUMN.name,),
        order=f"-{NEAREST.name}",
        totalled=False,
    )
    return data, chart


def _build_kpi_metrics(
    figure: Kpi, metric: Metric, comparison: PeriodComparison, is_cumulative: bool
) -> Iterator[Metric]:
    """Yield the metric of each period and its change against the chosen one; shares change in points.

    A cumulative KPI is compared with the prorated prior period.
    """
    metric = replace(metric, label=figure.label or metric.label, note=figure.note)
    if figure.uncompared_reason:
        yield replace(metric, expression=CaseWhen(IS_CHOSEN, metric.expression))
        return
    if figure.whole_only:
        is_over = Operation(IS_CHOSEN, "or", compare(min_of(ELAPSED), "=", 1))
        metric = replace(metric, expression=CaseWhen(is_over, metric.expression))
    yield metric
    is_cumulative = is_cumulative and comparison.runs
    share = metric.format == PERCENT
    yield Metric(
        change_name(metric.name),
        f"{metric.label}变化{'（百分点）' if share else ''}",
        _moved(metric.expression, is_cumulative, share),
        POINTS if share else CHANGE,
        figure.worse,
        heading="变化（点）"
        if share
        else f"{BY_PROGRESS if is_cumulative and comparison.by_progress else ''}变化",
    )


def _moved(figure: Expression, grows: bool, share: bool) -> Expression:
    """How far the chosen period's figure is from each other one's."""
    chosen = Window(Aggregate("max", CaseWhen(IS_CHOSEN, figure)))
    # Of all rows of the head: days without a bill have none of their own.
    then = Bracketed(figure * Window(max_of(max_of(ELAPSED))) if grows else figure)
    if share:
        return CaseWhen(Not(IS_CHOSEN), (chosen - then) * 100)
    return CaseWhen(Operation(Not(IS_CHOSEN), "and", is_positive(then)), chosen / then - 1)


def change_name(name: str) -> str:
    """Return the name of the change of a KPI."""
    return f"{name}{CHANGE_SUFFIX}"


def list_kpi_names(head: Chart) -> tuple[str, ...]:
    """Return the names of a header's KPIs, without their changes."""
    return tuple(name for name in head.metrics if not name.endswith(CHANGE_SUFFIX))
