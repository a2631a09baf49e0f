"""图表上的数：时间轴一格不缺，多个指标按图表声明的次序，环图里太小的几块合成“其他”，表里四舍五入为零的变化没有负号。"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reports.catalogue.datasets import Dataset, unplaced
from reports.chart_params import LEAST_SHOWN
from reports.ranges import WHOLE, DayRange
from reports.steps import every_step, figures_of
from reports.theme import OTHERS

Rows = list[dict[str, Any]]
PARTS_OF_WHOLE = ("pie", "treemap_v2")
LEFT_OUT = "left_out"
"""Beside the columns of the first part; the page writes it beneath the chart."""
MOST_TOLD = 3
SPLIT = ("echarts_", "mixed_timeseries")
"""Kinds of charts whose series are figures for each value of what splits them."""


def called_series(
    parts: Mapping[str, Sequence[str]], form: Mapping[str, Any], dataset: Dataset
) -> dict[str, str]:
    """What the series of a curve or bars are called that are split, by their names: each by the label of its figure and
    by what splits it. `parts` are the figure and the values that a series' name is made of; a figure alone has its
    label from the page, where it may also be of another time (`figure__1 year ago`)."""
    if not str(form.get("viz_type")).startswith(SPLIT):
        return {}
    labels = {metric.name: metric.label for metric in dataset.metrics}
    called = {}
    for name, (figure, *values) in parts.items():
        metric, apart, moved = figure.partition("__")
        if values and metric in labels:
            called[name] = ", ".join((f"{labels[metric]}{apart}{moved}", *values))
    return called


def in_order(rows: Rows, form: dict[str, Any]) -> Rows:
    """Rows whose figures stand in their order in the chart, as its series then do."""
    figures = [*(form.get("metrics") or []), *(form.get("metrics_b") or [])]
    places = {name: place for place, name in enumerate(figures) if isinstance(name, str)}
    return [dict(sorted(row.items(), key=lambda item: places.get(item[0], -1))) for row in rows]


def without_gaps(rows: Rows, form: dict[str, Any], dataset: Dataset, chosen: DayRange = WHOLE) -> Rows:
    """Rows of all days that are chosen, of weeks or months from the first to the last: those without bills are steps of
    the axis too, and so is a step of which only earlier periods tell something.

    Where figures are split their columns are named by what splits them.
    """
    axis, metrics = form.get("x_axis"), {metric.name: metric for metric in dataset.metrics}
    told = [name for name in (form.get("metrics") or []) if isinstance(name, str) and name in metrics]
    if not rows or not isinstance(axis, str) or axis not in rows[0]:
        return rows
    held = {row[axis]: row for row in rows}
    if len(held) < len(rows):
        return rows
    empty = {
        name: dataset.nothing(metrics[name if name in metrics else told[0]])
        for name in rows[0]
        if name != axis and (name in metrics or told)
    }
    steps = every_step([*held], chosen)
    figures = figures_of(steps, held, empty, dataset)
    return [{axis: step, **row} for step, row in zip(steps, figures, strict=True)]


def put_together(rows: Rows, form: dict[str, Any]) -> Rows:
    """The parts of a whole, of which those under a donut's least percent are one.

    Neither a ring nor a treemap has a place for what is less than nothing: the first part tells what is left out.
    """
    metric, by = form.get("metric"), form.get("groupby")
    if form.get("viz_type") not in PARTS_OF_WHOLE or not (by and isinstance(metric, str)):
        return rows
    slices = [row for row in rows if (row[metric] or 0) > 0]
    below = [row for row in rows if (row[metric] or 0) < 0]
    slices = _with_others(slices, metric, by, form.get("least_slice") or 0)
    if not (slices and below):
        return slices
    return [{**slices[0], LEFT_OUT: _left_out(below, metric, by)}, *slices[1:]]


def _with_others(rows: Rows, metric: str, by: list[str], least: float) -> Rows:
    whole = sum(row[metric] for row in rows)
    small = [row for row in rows if row[metric] * 100 < whole * least]
    if len(small) < 2:
        return rows
    figures = [name for name in small[0] if name not in by]
    together = {name: sum(row[name] or 0 for row in small) for name in figures}
    return [*(row for row in rows if row not in small), {by[0]: OTHERS, **together}]


def _left_out(rows: Rows, metric: str, by: list[str]) -> str:
    """Which slices are less than nothing, and what they come to."""
    names = ["，".join(unplaced(str(row[name])) for name in by) for row in rows]
    told = "、".join(names[:MOST_TOLD]) + ("等" if len(names) > MOST_TOLD else "")
    return f"未画出负数 {len(rows)} 项（{told}），合计 {sum(row[metric] for row in rows):,.2f}"


def without_signs_of_nothing(rows: Rows, form: dict[str, Any]) -> Rows:
    """The rows of a table in which changes that read as none have no minus: of signed figures d3 would write -0.0%."""
    formats = {
        name: column.get("d3NumberFormat") for name, column in (form.get("column_config") or {}).items()
    }
    least = {name: LEAST_SHOWN[told] for name, told in formats.items() if told in LEAST_SHOWN}

    def read(name: str, value: Any) -> Any:
        return 0.0 if name in least and isinstance(value, float) and -least[name] < value <= 0 else value

    return [{name: read(name, value) for name, value in row.items()} for row in rows]
