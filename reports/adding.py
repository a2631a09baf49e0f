"""什么可以加在一起（加总）：自助分析的图表不把几个期间的时点数、几组的比率、不同的指标加成一个数。

Reports show such figures one period at a time, and Superset adds up whatever its cross tables hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import cache
from typing import Any

from reports.catalogue import REPORTS
from reports.catalogue.datasets import Dataset
from reports.query_parts import CROSS_TABLE, column_name
from reports.ranges import RANGE_OPERATOR, business_day, days_of

ONE_DAY = timedelta(days=1)
WITHIN = {
    "day_label": {None, "P1D"},
    "period_label": {None, "P1D", "P1W"},
    "month_label": {None, "P1D", "P1M"},
    "quarter_label": {None, "P1D", "P1M", "P3M"},
}
"""The steps of a time axis that hold no two periods together, by the column that tells periods."""
LARGER = {"Minimum", "Maximum"}
COUNTS = ("Count", "List", "First", "Last")
"""How the aggregates of cross tables begin that don't add up figures."""
ADDED = {"SUM", "COUNT"}
WHOLES = {"pie": "饼图的占比", "waterfall": "瀑布图"}
"""Charts that always add up what they show."""
LEVELS = {"sunburst_v2": ("columns", "旭日图的上层"), "treemap_v2": ("groupby", "矩形树图的上层")}
"""Charts that add up what they show where they have several levels, and by what form these are told."""
ROLLED = {"sum", "cumsum"}


@cache
def singles() -> Mapping[str, frozenset[str]]:
    """The columns of a dataset, by its key, of which its reports show one value at a time."""
    found: dict[str, frozenset[str]] = {}
    for report in REPORTS:
        for tab in report.tabs:
            for board in (tab.board(tab.variant(cost)) for cost in (False, True)):
                single = {item.column for item in board.filters if item.single}
                for dataset in board.datasets:
                    own = frozenset(name for name in single if dataset.has_column(name))
                    found[dataset.key] = found.get(dataset.key, frozenset()) | own
    return found


def how_to_ask(dataset: Dataset) -> str:
    """What an analyst has to choose before he asks for figures, if anything."""
    if all(dataset.adds_up(metric) for metric in dataset.metrics):
        return ""
    labels = sorted(f"“{dataset.column(name).label}”" for name in singles()[dataset.key])
    return (
        f"请按{'、'.join(labels)}分组，或只选一个：有的指标在不同的{'、'.join(labels)}之间不能相加"
        if labels
        else ""
    )


def query_refusal(query: Any, dataset: Dataset) -> str | None:
    """Why a query would add up what stands at several moments, or None."""
    names = [name for name in query.metrics or [] if isinstance(name, str)]
    standing = [metric for metric in map(dataset.metric, names) if not dataset.adds_up(metric)]
    if not standing:
        return None
    for name in sorted(singles()[dataset.key]):
        if not (_is_grouped(query, dataset, name) or _is_fixed(query, dataset, name)):
            label = dataset.column(name).label
            return f"“{standing[0].label}”在不同的“{label}”之间不能相加：请把“{label}”加到维度里，或在筛选里只选一个"
    return None


def totals_refusal(form: Mapping[str, Any], dataset: Dataset) -> str | None:
    """Why what a chart adds up itself, as a cross table's totals from its cells, would be no figures, or None."""
    if adding := _adding(form):
        metrics = [*(form.get("metrics") or []), *([form["metric"]] if form.get("metric") else [])]
        for label in _unsummed(
            metrics, dataset, several=bool(_sides(form, dataset) & singles()[dataset.key])
        ):
            return f"{adding}会把各格的“{label}”加在一起，而它不能相加：请换成可以相加的指标，或换一种图"
        return None
    aggregate = str(form.get("aggregateFunction") or "Sum")
    shown = [name for name in ("rowTotals", "colTotals", "rowSubTotals", "colSubTotals") if form.get(name)]
    if (
        form.get("viz_type") != CROSS_TABLE
        or not shown
        or aggregate in LARGER
        or aggregate.startswith(COUNTS)
    ):
        return None
    metrics = form.get("metrics") or []
    across = "colTotals" if form.get("metricsLayout") == "ROWS" else "rowTotals"
    if len(metrics) > 1 and across in shown:
        return (
            f"{'列' if across == 'colTotals' else '行'}总计会把不同的指标加在一起：请去掉它，或只留一个指标"
        )
    for label in _unsummed(metrics, dataset, several=bool(_sides(form, dataset) & singles()[dataset.key])):
        return f"“{label}”各格之间不能相加：请去掉透视表的总计和小计，或换成可以相加的指标"
    return None


def _adding(form: Mapping[str, Any]) -> str:
    """What adds up the figures of a chart that is no cross table, if anything."""
    drawn = str(form.get("viz_type"))
    levels, upper = LEVELS.get(drawn, ("", ""))
    if len(form.get(levels) or []) > 1:
        return upper
    if form.get("contributionMode"):
        return "占比"
    if str(form.get("rolling_type")) in ROLLED or (
        drawn == "big_number" and form.get("aggregation") == "sum"
    ):
        return "累计"
    return WHOLES.get(drawn, "")


def _sides(form: Mapping[str, Any], dataset: Dataset) -> set[str | None]:
    """By what the figures of a chart are told apart; days tell apart all periods."""
    fields = ("groupbyRows", "groupbyColumns", "groupby", "columns", "x_axis")
    told = (form.get(field) or [] for field in fields)
    sides = {column_name(item) for side in told for item in (side if isinstance(side, list) else [side])}
    return sides | (singles()[dataset.key] if dataset.time_column in sides else set())


def _unsummed(metrics: Iterable[Any], dataset: Dataset, *, several: bool) -> Iterable[str]:
    """What cells of a cross table can't be added up of, where it has `several` periods or one."""
    known = {metric.name: metric for metric in dataset.metrics}
    for told in metrics:
        if isinstance(told, dict):
            if told.get("aggregate") not in ADDED:
                yield str(told.get("label"))
            continue
        metric = known.get(told)
        if metric and not (metric.is_sum and (dataset.adds_up(metric) or not several)):
            yield metric.label


def _is_grouped(query: Any, dataset: Dataset, name: str) -> bool:
    """Whether each row of the answer is of one value of a column, or of a step within one period."""
    return any(
        column_name(column) == name
        or (
            column_name(column) == dataset.time_column
            and isinstance(column, dict)
            and column.get("timeGrain") in WITHIN.get(name, ())
        )
        for column in query.columns or []
    )


def _is_fixed(query: Any, dataset: Dataset, name: str) -> bool:
    """Whether the filters leave one value of a column, or days of one period."""
    for item in query.filter or []:
        column, value = column_name(item.get("col")), item.get("val")
        if (
            column == name
            and item.get("op") in ("==", "IN")
            and (not isinstance(value, list) or len(value) == 1)
        ):
            return True
        if column == dataset.time_column and item.get("op") == RANGE_OPERATOR and _is_one(str(value), name):
            return True
    return False


def _is_one(words: str, name: str) -> bool:
    """Whether a range of days lies in one day or month."""
    found = days_of(words, business_day())
    if found is None or found.since is None or found.until is None:
        return False
    last = found.until - ONE_DAY
    if name == "month_label":
        return (found.since.year, found.since.month) == (last.year, last.month)
    return name == "day_label" and found.since == last
