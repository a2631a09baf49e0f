"""Chart postprocessing (图表后处理).

Gap-free time axes, metrics in declared order, small slices as 其他, no −0.0%.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reports.semantics.datasets import Dataset, strip_order_prefix
from reports.semantics.day_ranges import WHOLE, DayRange
from reports.semantics.time_axis import fill_figures, fill_steps
from reports.superset.chart_params import LEAST_SHOWN
from reports.superset.theme import OTHERS

Rows = list[dict[str, Any]]
PARTS_OF_WHOLE = ("pie", "treemap_v2")
LEFT_OUT = "left_out"
"""Key of the note in the first slice; the page writes it beneath the chart."""
MOST_LISTED = 3
SPLIT = ("echarts_", "mixed_timeseries")
"""Kinds of charts whose series are figures for each value of what splits them."""


def label_series(
    parts: Mapping[str, Sequence[str]], form: Mapping[str, Any], dataset: Dataset
) -> dict[str, str]:
    """Return the labels of split series by their names: the figure's label and the values that split it.

    `parts` are the figure and the values that a series' name is made of; a figure alone has its label from
    the page, where it may also be of another time (`figure__1 year ago`).
    """
    if not str(form.get("viz_type")).startswith(SPLIT):
        return {}
    labels = {metric.name: metric.label for metric in dataset.metrics}
    called = {}
    for name, (figure, *values) in parts.items():
        metric, apart, moved = figure.partition("__")
        if values and metric in labels:
            called[name] = ", ".join((f"{labels[metric]}{apart}{moved}", *values))
    return called


def order_series(rows: Rows, form: dict[str, Any]) -> Rows:
    """Return the rows with their figures in the chart's order, as its series then are."""
    figures = [*(form.get("metrics") or []), *(form.get("metrics_b") or [])]
    places = {name: place for place, name in enumerate(figures) if isinstance(name, str)}
    return [dict(sorted(row.items(), key=lambda item: places.get(item[0], -1))) for row in rows]


def fill_time_gaps(rows: Rows, form: dict[str, Any], dataset: Dataset, chosen: DayRange = WHOLE) -> Rows:
    """Fill the gaps of a time axis: all days that are chosen, weeks or months from the first to the last.

    Steps without bills, or with prior periods only, are steps too. Where figures are split their columns
    are named by the values that split them.
    """
    axis, metrics = form.get("x_axis"), {metric.name: metric for metric in dataset.metrics}
    metric_names = [name for name in (form.get("metrics") or []) if isinstance(name, str) and name in metrics]
    if not rows or not isinstance(axis, str) or axis not in rows[0]:
        return rows
    rows_by_step = {row[axis]: row for row in rows}
    if len(rows_by_step) < len(rows):
        return rows
    empty = {
        name: dataset.zero_value(metrics[name if name in metrics else metric_names[0]])
        for name in rows[0]
        if name != axis and (name in metrics or metric_names)
    }
    steps = fill_steps([*rows_by_step], chosen)
    figures = fill_figures(steps, rows_by_step, empty, dataset)
    return [{axis: step, **row} for step, row in zip(steps, figures, strict=True)]


def group_small_slices(rows: Rows, form: dict[str, Any]) -> Rows:
    """Group the slices below a donut's least percent into 其他.

    Neither a ring nor a treemap has a place for negative values: the first slice says what is left out.
    """
    metric, by = form.get("metric"), form.get("groupby")
    if form.get("viz_type") not in PARTS_OF_WHOLE or not (by and isinstance(metric, str)):
        return rows
    slices = [row for row in rows if (row[metric] or 0) > 0]
    below = [row for row in rows if (row[metric] or 0) < 0]
    slices = _merge_small_slices(slices, metric, by, form.get("least_slice") or 0)
    if not (slices and below):
        return slices
    return [{**slices[0], LEFT_OUT: _describe_left_out(below, metric, by)}, *slices[1:]]


def _merge_small_slices(rows: Rows, metric: str, by: list[str], least: float) -> Rows:
    whole = sum(row[metric] for row in rows)
    small = [row for row in rows if row[metric] * 100 < whole * least]
    if len(small) < 2:
        return rows
    figures = [name for name in small[0] if name not in by]
    together = {name: sum(row[name] or 0 for row in small) for name in figures}
    return [*(row for row in rows if row not in small), {by[0]: OTHERS, **together}]


def _describe_left_out(rows: Rows, metric: str, by: list[str]) -> str:
    """Return a note on the negative slices and their sum."""
    names = ["，".join(strip_order_prefix(str(row[name])) for name in by) for row in rows]
    shown = "、".join(names[:MOST_LISTED]) + ("等" if len(names) > MOST_LISTED else "")
    return f"未画出负数 {len(rows)} 项（{shown}），合计 {sum(row[metric] for row in rows):,.2f}"


def strip_negative_zero(rows: Rows, form: dict[str, Any]) -> Rows:
    """Strip the minus of changes that round to zero: d3 would write -0.0% for signed figures."""
    formats = {
        name: column.get("d3NumberFormat") for name, column in (form.get("column_config") or {}).items()
    }
    least = {name: LEAST_SHOWN[pattern] for name, pattern in formats.items() if pattern in LEAST_SHOWN}

    def strip_sign(name: str, value: Any) -> Any:
        return 0.0 if name in least and isinstance(value, float) and -least[name] < value <= 0 else value

    return [{name: strip_sign(name, value) for name, value in row.items()} for row in rows]
