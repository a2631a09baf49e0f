"""主要数字：所选期间、上期、去年同期各一行，每个指标都从那一期自己的行算出，旁边是所选期间与那一期相比的变化。

Whatever is told of a period's rows, be it a ratio, a mean of days or a number of goods, is told of the others' alike.

Bills know their day, not their hour: of a day that runs it isn't known how far another one had come by then. A running
period stands beside the same days of others; what has no whole day in it yet is told, and said to run, but it grows or
falls by nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from reports.catalogue.boards import HEAD, Chart
from reports.catalogue.datasets import (
    BESIDE_ORDER,
    CHANGE,
    PERCENT,
    POINTS,
    Beside,
    Column,
    Dataset,
    Metric,
    Worse,
)
from reports.catalogue.expressions import (
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
from reports.catalogue.period_offsets import ELAPSED

KEY = "beside"
WORD = Column("beside", "期间")
NEAREST = Metric("nearest", "次序", -min_of(BESIDE_ORDER))
IS_CHOSEN = compare(min_of(BESIDE_ORDER), "=", 0)
MOVED = "_moved"
BY_PROGRESS = "按进度"
"""How changes are called of which as much of the earlier period counts as has passed of the chosen one."""
UNFINISHED = "单独一天没过完时，数是到目前为止的，不与整天比变化"
"""The same for readers who choose days."""


@dataclass(frozen=True)
class Figure:
    """A figure at the head of a report: the name of a metric, what it counts, and a shorter label.

    `worse` is the direction of a change that is marked as bad. What is known of the chosen period only is `alone`,
    which says why. What `grows` with the days of its period, as every sum does, is told by progress; what changes with
    them in another way stands beside `whole` periods only once its own is over.
    """

    name: str
    note: str = ""
    worse: Worse = ""
    label: str = ""
    alone: str = ""
    grows: bool = False
    whole: bool = False


Head = tuple[Dataset, Chart]
"""The figures as a table of three rows, and its dataset."""


def whole_days(sums: Expression) -> Expression:
    """Sums of earlier days, where there is a whole one among those that they stand beside."""
    return sums * max_of(ELAPSED)


def passed(sums: Expression) -> Expression:
    """Sums of earlier periods, as much of each row as has passed of the period that it stands beside."""
    return prorate(sums, ColumnRef(ELAPSED))


def figures(owner: Dataset, *shown: Figure) -> Head:
    """The head of a report: figures of a dataset that knows them of earlier periods too."""
    assert owner.beside is not None, f"{owner.key} knows no earlier periods"
    own = [owner.metric(figure.name) for figure in shown]
    for figure, metric in zip(shown, own, strict=True):
        assert figure.alone or owner.known_beside(metric), f"{metric.name} of {owner.key} stands alone"
    metrics = tuple(
        told
        for figure, metric in zip(shown, own, strict=True)
        for told in _told(figure, metric, owner.beside, figure.grows or owner.grows(metric))
    )
    used = {name for metric in own for name in owner.used(metric)}
    data = replace(
        owner,
        key=f"{owner.key}_{KEY}",
        label=f"{owner.label}{HEAD}",
        source=owner.beside.source,
        columns=(WORD, *(column for column in owner.columns if column.kind != "link")),
        measures=(
            BESIDE_ORDER,
            *((ELAPSED,) if owner.beside.runs else ()),
            *(name for name in owner.measures if name in used),
        ),
        metrics=(*metrics, NEAREST),
        flows=(),
        buckets=(),
        explorable=False,
    )
    chart = Chart(
        KEY,
        f"{HEAD}：{'、'.join(owner.beside.words)}",
        "figures",
        data.key,
        tuple(metric.name for metric in metrics),
        by=(WORD.name,),
        order=f"-{NEAREST.name}",
        totalled=False,
    )
    return data, chart


def _told(figure: Figure, metric: Metric, beside: Beside, grows: bool) -> Iterator[Metric]:
    """The figure of each period, and how far the chosen one is from it: of shares that is told in points.

    What `grows` is compared with as much of it as has passed of the chosen period.
    """
    metric = replace(metric, label=figure.label or metric.label, note=figure.note)
    if figure.alone:
        yield replace(metric, expression=CaseWhen(IS_CHOSEN, metric.expression))
        return
    if figure.whole:
        is_over = Operation(IS_CHOSEN, "or", compare(min_of(ELAPSED), "=", 1))
        metric = replace(metric, expression=CaseWhen(is_over, metric.expression))
    yield metric
    grows = grows and beside.runs
    share = metric.format == PERCENT
    yield Metric(
        moved_name(metric.name),
        f"{metric.label}变化{'（百分点）' if share else ''}",
        _moved(metric.expression, grows, share),
        POINTS if share else CHANGE,
        figure.worse,
        heading="变化（点）" if share else f"{BY_PROGRESS if grows and beside.by_progress else ''}变化",
    )


def _moved(figure: Expression, grows: bool, share: bool) -> Expression:
    """How far the chosen period's figure is from each other one's."""
    chosen = Window(Aggregate("max", CaseWhen(IS_CHOSEN, figure)))
    # Of all rows of the head: days without a bill have none of their own.
    then = Bracketed(figure * Window(max_of(max_of(ELAPSED))) if grows else figure)
    if share:
        return CaseWhen(Not(IS_CHOSEN), (chosen - then) * 100)
    return CaseWhen(Operation(Not(IS_CHOSEN), "and", is_positive(then)), chosen / then - 1)


def moved_name(name: str) -> str:
    """How the change of a figure is called."""
    return f"{name}{MOVED}"


def names(head: Chart) -> tuple[str, ...]:
    """The figures of a head, without their changes."""
    return tuple(name for name in head.metrics if not name.endswith(MOVED))
