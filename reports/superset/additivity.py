"""Additivity (能否相加): refusals of sums over periods, ratios or different metrics in self-service charts.

Reports show such figures one period at a time, and Superset adds up whatever its cross tables hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import cache
from typing import Any

from reports.catalogue import REPORTS
from reports.semantics.datasets import Dataset
from reports.semantics.day_ranges import RANGE_OPERATOR, business_day, parse_day_range
from reports.semantics.query_validation import CROSS_TABLE, column_name

ONE_DAY = timedelta(days=1)
GRAINS_WITHIN_PERIOD = {
    "day_label": {None, "P1D"},
    "period_label": {None, "P1D", "P1W"},
    "month_label": {None, "P1D", "P1M"},
    "quarter_label": {None, "P1D", "P1M", "P3M"},
}
"""The steps of a time axis that hold no two periods together, by the column that tells periods."""
EXTREME_AGGREGATES = {"Minimum", "Maximum"}
COUNT_PREFIXES = ("Count", "List", "First", "Last")
"""Beginnings of the aggregates of cross tables that don't add up figures."""
ADDITIVE_AGGREGATES = {"SUM", "COUNT"}
WHOLES = {"pie": "饼图的占比", "waterfall": "瀑布图"}
"""Charts that always add up what they show."""
LEVELS = {"sunburst_v2": ("columns", "旭日图的上层"), "treemap_v2": ("groupby", "矩形树图的上层")}
"""Charts that add up what they show where they have several levels, and by what form these are told."""
ROLLING_SUMS = {"sum", "cumsum"}


@cache
def collect_single_columns() -> Mapping[str, frozenset[str]]:
    """Return, by dataset key, the columns of which the reports show one value at a time."""
    found: dict[str, frozenset[str]] = {}
    for report in REPORTS:
        for tab in report.tabs:
            for board in (tab.board(tab.variant(cost)) for cost in (False, True)):
                single = {item.column for item in board.filters if item.is_single}
                for dataset in board.datasets:
                    own = frozenset(name for name in single if dataset.has_column(name))
                    found[dataset.key] = found.get(dataset.key, frozenset()) | own
    return found


def describe_required_choice(dataset: Dataset) -> str:
    """Return a hint on the grouping or filter that a dataset's metrics need.

    Empty if all of them are additive.
    """
    if all(dataset.is_additive(metric) for metric in dataset.metrics):
        return ""
    labels = sorted(f"“{dataset.column(name).label}”" for name in collect_single_columns()[dataset.key])
    return (
        f"请按{'、'.join(labels)}分组，或只选一个：有的指标在不同的{'、'.join(labels)}之间不能相加"
        if labels
        else ""
    )


def find_query_refusal(query: Any, dataset: Dataset) -> str | None:
    """Return the refusal of a query that would sum a semi-additive metric over several periods, or None."""
    names = [name for name in query.metrics or [] if isinstance(name, str)]
    unsummable = [metric for metric in map(dataset.metric, names) if not dataset.is_additive(metric)]
    if not unsummable:
        return None
    for name in sorted(collect_single_columns()[dataset.key]):
        if not (_is_grouped(query, dataset, name) or _is_fixed(query, dataset, name)):
            label = dataset.column(name).label
            return f"“{unsummable[0].label}”在不同的“{label}”之间不能相加：请把“{label}”加到维度里，或在筛选里只选一个"
    return None


def find_totals_refusal(form: Mapping[str, Any], dataset: Dataset) -> str | None:
    """Return the refusal of totals that a chart sums from its own cells, or None."""
    if adding := _describe_summing(form):
        metrics = [*(form.get("metrics") or []), *([form["metric"]] if form.get("metric") else [])]
        for label in _find_unsummable(
            metrics,
            dataset,
            several=bool(_collect_sides(form, dataset) & collect_single_columns()[dataset.key]),
        ):
            return f"{adding}会把各格的“{label}”加在一起，而它不能相加：请换成可以相加的指标，或换一种图"
        return None
    aggregate = str(form.get("aggregateFunction") or "Sum")
    shown = [name for name in ("rowTotals", "colTotals", "rowSubTotals", "colSubTotals") if form.get(name)]
    if (
        form.get("viz_type") != CROSS_TABLE
        or not shown
        or aggregate in EXTREME_AGGREGATES
        or aggregate.startswith(COUNT_PREFIXES)
    ):
        return None
    metrics = form.get("metrics") or []
    across = "colTotals" if form.get("metricsLayout") == "ROWS" else "rowTotals"
    if len(metrics) > 1 and across in shown:
        return (
            f"{'列' if across == 'colTotals' else '行'}总计会把不同的指标加在一起：请去掉它，或只留一个指标"
        )
    for label in _find_unsummable(
        metrics, dataset, several=bool(_collect_sides(form, dataset) & collect_single_columns()[dataset.key])
    ):
        return f"“{label}”各格之间不能相加：请去掉透视表的总计和小计，或换成可以相加的指标"
    return None


def _describe_summing(form: Mapping[str, Any]) -> str:
    """Return the name of whatever sums the figures of a chart other than a cross table.

    Empty if nothing does.
    """
    drawn = str(form.get("viz_type"))
    levels, upper = LEVELS.get(drawn, ("", ""))
    if len(form.get(levels) or []) > 1:
        return upper
    if form.get("contributionMode"):
        return "占比"
    if str(form.get("rolling_type")) in ROLLING_SUMS or (
        drawn == "big_number" and form.get("aggregation") == "sum"
    ):
        return "累计"
    return WHOLES.get(drawn, "")


def _collect_sides(form: Mapping[str, Any], dataset: Dataset) -> set[str | None]:
    """Return the columns by which a chart groups its figures; a time axis counts for all period columns."""
    fields = ("groupbyRows", "groupbyColumns", "groupby", "columns", "x_axis")
    given = (form.get(field) or [] for field in fields)
    sides = {column_name(item) for side in given for item in (side if isinstance(side, list) else [side])}
    return sides | (collect_single_columns()[dataset.key] if dataset.time_column in sides else set())


def _find_unsummable(metrics: Iterable[Any], dataset: Dataset, *, several: bool) -> Iterable[str]:
    """Yield the labels of the metrics that cells can't be summed of.

    `several` says that there are several periods.
    """
    known = {metric.name: metric for metric in dataset.metrics}
    for given in metrics:
        if isinstance(given, dict):
            if given.get("aggregate") not in ADDITIVE_AGGREGATES:
                yield str(given.get("label"))
            continue
        metric = known.get(given)
        if metric and not (metric.is_sum and (dataset.is_additive(metric) or not several)):
            yield metric.label


def _is_grouped(query: Any, dataset: Dataset, name: str) -> bool:
    """Return whether each row of the answer has one value of a column, or lies within one of its periods."""
    return any(
        column_name(column) == name
        or (
            column_name(column) == dataset.time_column
            and isinstance(column, dict)
            and column.get("timeGrain") in GRAINS_WITHIN_PERIOD.get(name, ())
        )
        for column in query.columns or []
    )


def _is_fixed(query: Any, dataset: Dataset, name: str) -> bool:
    """Return whether the filters leave one value of a column, or days of one of its periods."""
    for item in query.filter or []:
        column, value = column_name(item.get("col")), item.get("val")
        if (
            column == name
            and item.get("op") in ("==", "IN")
            and (not isinstance(value, list) or len(value) == 1)
        ):
            return True
        if (
            column == dataset.time_column
            and item.get("op") == RANGE_OPERATOR
            and _is_one_period(str(value), name)
        ):
            return True
    return False


def _is_one_period(text: str, name: str) -> bool:
    """Return whether a range of days lies within one day or month."""
    found = parse_day_range(text, business_day())
    if found is None or found.since is None or found.until is None:
        return False
    last = found.until - ONE_DAY
    if name == "month_label":
        return (found.since.year, found.since.month) == (last.year, last.month)
    return name == "day_label" and found.since == last
