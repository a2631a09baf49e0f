"""Chart declarations as Superset's form data and stored queries (图表参数).

The stored query is what a guest may ask for (`reports.superset.security`), so it names every column and metric of
the chart.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import cycle
from typing import Any

from reports.semantics.dashboards import Board, Chart
from reports.semantics.datasets import (
    CHANGE,
    DAYS,
    MONEY,
    POINTS,
    QUANTITY,
    WHOLE_MONEY,
    Dataset,
    Metric,
    add_order_prefix,
)
from reports.semantics.day_ranges import NO_RANGE, RANGE_OPERATOR
from reports.semantics.expressions import compare
from reports.superset.column_widths import column_widths
from reports.superset.theme import (
    BUCKET_COLORS,
    COLOR_SCHEME,
    OTHERS,
    ROOM_FOR_VALUES,
    SEQUENTIAL_SCHEME,
    SERIES_COLORS,
    UNKNOWN,
    UNKNOWN_COLOR,
)

VIZ_TYPES = {
    "figures": "table",
    "line": "echarts_timeseries_line",
    "area": "echarts_area",
    "bar": "echarts_timeseries_bar",
    "mixed": "mixed_timeseries",
    "donut": "pie",
    "treemap": "treemap_v2",
    "table": "table",
}
# Of equal strength in every table: shades would tell the least of a table from its most, not how much it is.
BAD = "#FBD5D5"
LEAST_SHOWN = {CHANGE: 0.0005, POINTS: 0.05}
"""Smaller changes read as none, and are not marked."""
BEFORE_COLOR, LAST_YEAR_COLOR = "#A9B7C6", "#D3D9E0"
MANY_NAMES = 15
UNMARKED = {name: {"show": False} for name in ("axisLabel", "axisTick", "splitLine")}
BUILT_AXIS = {"scale": False, "max": "dataMax"}
"""Axis of stacked bars: Superset would end it at a sum of its own, and leave out the last part of the longest bar
where that is less by a hair.
"""
PAGE_LENGTH = 20
MOST_ROWS = 10_000
STEPS = ",.1~f"
AXIS_NOTE = "纵轴不一定从 0 起"
RING = {"innerRadius": 32, "outerRadius": 50}
"""Radii of a donut that leave room for names."""
LEAST_NAMED = 1
"""Percent of the whole: thinner slices bear no name."""


def chart_params(chart: Chart, dataset: Dataset) -> dict[str, Any]:
    """Return Superset's form data of the chart, without the dataset's id (the importer fills it in)."""
    common = {
        "viz_type": VIZ_TYPES[chart.kind],
        "extra_form_data": {},
        "annotation_layers": [],
    }
    having = _non_empty_sql(chart, dataset)
    condition = {"clause": "HAVING", "expressionType": "SQL", "sqlExpression": having}
    conditions = [*([condition] if having else []), *_build_range_conditions(dataset)]
    built = _BUILDERS[chart.kind](chart, dataset)
    second = {"adhoc_filters_b": conditions} if chart.kind == "mixed" else {}
    return {**common, **built, **second, "adhoc_filters": conditions}


def _build_range_conditions(dataset: Dataset) -> list[dict[str, Any]]:
    """Return the condition that the filter of days fills in."""
    condition = {
        "clause": "WHERE",
        "expressionType": "SIMPLE",
        "subject": dataset.time_column,
        "operator": RANGE_OPERATOR,
        "comparator": NO_RANGE,
    }
    return [condition] if dataset.ranged else []


def stored_queries(chart: Chart, dataset: Dataset) -> list[dict[str, Any]]:
    """Return the queries of the chart as a guest may repeat them."""
    having = _non_empty_sql(chart, dataset)
    axis = [chart.x] if chart.x else []
    query = {
        "columns": [*axis, *chart.by],
        "metrics": [*chart.metrics, *chart.second],
        "orderby": [_build_order(chart)] if chart.order else [],
        "filters": [{"col": dataset.time_column, "op": RANGE_OPERATOR, "val": NO_RANGE}]
        if dataset.ranged
        else [],
        # In brackets, as the frame sends it.
        "extras": {"having": f"({having})" if having else "", "where": ""},
        "annotation_layers": [],
        "row_limit": chart.limit or MOST_ROWS,
        "post_processing": [],
    }
    if chart.kind != "table" or not chart.totalled:
        return [query]
    return [query, {**query, "columns": [], "orderby": [], "row_limit": 0}]


def _list_ranking_metrics(chart: Chart) -> tuple[str, ...]:
    """Return the metric by which the largest steps of a chart are found."""
    return (chart.order.lstrip("-"),) if chart.limit and chart.kind == "bar" else ()


def _non_empty_sql(chart: Chart, dataset: Dataset) -> str:
    """Return the condition that leaves out empty slices and named steps.

    Periods and ages stay even if empty.
    """
    ranked = bool(_list_ranking_metrics(chart)) or chart.order.lstrip("-") in chart.metrics
    named = chart.kind == "bar" and (ranked or chart.x.endswith("_name"))
    figures = [dataset.metric(name).expression for name in chart.metrics]
    if any(figure.has_window for figure in figures) or not (named or chart.kind == "donut"):
        return ""
    return " or ".join(compare(figure, "<>", 0).sql for figure in figures)


def axis_format(name: str, dataset: Dataset) -> str:
    """Return the format on axes and labels: no cents, and steps between whole pieces where there are few."""
    form = dataset.metric(name).format
    return {MONEY: WHOLE_MONEY, QUANTITY: STEPS, DAYS: STEPS}.get(form, form)


def _build_order(chart: Chart) -> list[Any]:
    return [chart.order.lstrip("-"), not chart.order.startswith("-")]


def label_colors(board: Board) -> dict[str, str]:
    """Return a color for each figure and each bucket of a board, the same in all its charts.

    Charts look a figure's color up by its name or by its label, so both are given.
    """
    drawn = [chart for chart in board.charts if chart.kind in ("line", "area", "bar", "mixed")]
    figures = {name: chart.dataset for chart in drawn for name in (*chart.metrics, *chart.second)}
    colors: dict[str, str] = {OTHERS: UNKNOWN_COLOR}
    for dataset in board.datasets:
        scale = BUCKET_COLORS[::-1] if dataset.buckets_descending else BUCKET_COLORS
        for number, label in enumerate(dataset.buckets, start=1):
            colors[add_order_prefix(number, label)] = colors[label] = (
                UNKNOWN_COLOR if label == UNKNOWN else scale[number - 1]
            )
    palette = cycle(SERIES_COLORS)
    for name, key in figures.items():
        label = board.dataset(key).metric(name).label
        colors[name] = colors[label] = colors.get(label) or _pick_prior_color(label) or next(palette)
    return colors


def _pick_prior_color(label: str) -> str | None:
    """Return the muted color of a prior period's figure, or None."""
    if label.startswith("去年"):
        return LAST_YEAR_COLOR
    return BEFORE_COLOR if label.startswith(("上", "期初")) else None


def _build_series_params(chart: Chart, dataset: Dataset) -> dict[str, Any]:
    order = chart.order.lstrip("-") or chart.x
    return {
        "x_axis": chart.x,
        "time_grain_sqla": None,
        "xAxisForceCategorical": True,
        # Bars that are built of several series stand by what these sum to.
        "x_axis_sort": "sum" if chart.stacked and order != chart.x else order,
        "x_axis_sort_asc": not chart.order.startswith("-"),
        "metrics": list(chart.metrics),
        "groupby": list(chart.by),
        "order_desc": True,
        "timeseries_limit_metric": next(iter(_list_ranking_metrics(chart)), None),
        "row_limit": chart.limit or MOST_ROWS,
        "truncate_metric": True,
        "show_empty_columns": True,
        "comparison_type": "values",
        "orientation": "horizontal" if chart.horizontal else "vertical",
        "stack": "Stack" if chart.stacked else None,
        "sort_series_type": "name" if chart.by else None,
        "sort_series_ascending": True,
        "seriesType": "line",
        "smooth": True,
        "area": chart.kind == "area",
        "opacity": 0.25,
        "markerEnabled": chart.kind == "line" and not chart.dense,
        "markerSize": 5,
        "only_total": True,
        "show_value": _shows_values(chart),
        "show_legend": len(chart.metrics) > 1 or bool(chart.by),
        "legendType": "scroll",
        "legendOrientation": "top",
        "rich_tooltip": True,
        "tooltipTimeFormat": "%Y-%m-%d",
        "showTooltipTotal": chart.stacked,
        "y_axis_format": axis_format(chart.metrics[0], dataset),
        "y_axis_bounds": [None, None],
        # A line tells how a figure moves; bars and areas tell how large it is, from zero. What of lying bars built of
        # parts is less than nothing, however small, would take a whole step of an axis that did not begin with it.
        "truncateYAxis": not is_grounded(chart, dataset) or _is_built(chart),
        "y_axis_title": axis_note(chart, dataset),
        "y_axis_title_position": "Top",
        "echart_options": json.dumps(_build_echarts_options(chart)),
        "x_axis_title_margin": 15,
        "y_axis_title_margin": 15,
        "xAxisLabelRotation": _pick_label_angle(chart, dataset),
        "xAxisLabelInterval": "0" if chart.horizontal or _has_all_labels(chart, dataset) else "auto",
        "color_scheme": COLOR_SCHEME,
    }


def is_grounded(chart: Chart, dataset: Dataset) -> bool:
    """Return whether the axis begins at nothing: shares are read by how high they stand."""
    return chart.kind != "line" or any(dataset.metric(name).format.endswith("%") for name in chart.metrics)


def axis_note(chart: Chart, dataset: Dataset) -> str:
    """Return the note that the axis of ratios need not begin at nothing; empty elsewhere."""
    divided = any(dataset.metric(name).expression.has_division for name in chart.metrics)
    return AXIS_NOTE if divided and not is_grounded(chart, dataset) else ""


def _is_built(chart: Chart) -> bool:
    """Return whether it is of lying bars built of parts."""
    return chart.horizontal and chart.stacked


def _shows_values(chart: Chart) -> bool:
    """Return whether bars bear their figures; several bars beside each other would overlap."""
    return chart.valued or _is_built(chart) or (chart.horizontal and len(chart.metrics) == 1)


def _build_echarts_options(chart: Chart) -> dict[str, Any]:
    """Return ECharts options that Superset's form lacks.

    No axis labels where bars bear values, room beside names.
    """
    if not (chart.horizontal and _shows_values(chart)):
        return {}
    return {
        "xAxis": {**UNMARKED, **(BUILT_AXIS if _is_built(chart) else {})},
        **({"yAxis": {"axisLabel": {"margin": ROOM_FOR_VALUES}}} if chart.is_signed else {}),
    }


def _has_all_labels(chart: Chart, dataset: Dataset) -> bool:
    return dataset.column(chart.x).has_all_labels


def _pick_label_angle(chart: Chart, dataset: Dataset) -> int:
    """Return the angle of the names beneath upright bars: the more there are, the steeper."""
    if chart.horizontal or not _has_all_labels(chart, dataset):
        return 0
    few = 0 < chart.limit < MANY_NAMES or not chart.x.endswith("_name")
    return 30 if few else 45


def _build_mixed_params(chart: Chart, dataset: Dataset) -> dict[str, Any]:
    shared = {"adhoc_filters": [], "order_desc": True, "row_limit": MOST_ROWS, "truncate_metric": True}
    second = {f"{name}_b": value for name, value in shared.items()}
    formats = {dataset.metric(name).format for name in (*chart.metrics, *chart.second)}
    is_level = any(dataset.metric(name).carries_forward for name in chart.second)
    return {
        **shared,
        **second,
        "x_axis": chart.x,
        "time_grain_sqla": None,
        "xAxisForceCategorical": True,
        "metrics": list(chart.metrics),
        "groupby": list(chart.by),
        "metrics_b": list(chart.second),
        "groupby_b": [],
        "seriesType": "line" if chart.dense else "bar",
        "area": chart.dense,
        "seriesTypeB": "line",
        "stack": chart.stacked,
        # Not by their sums, the greatest first.
        "sort_series_type": "name",
        "yAxisIndex": 0,
        # What is counted in one unit is read off one axis; but beside a level the moves of a step would lie flat.
        "yAxisIndexB": 1 if is_level or len(formats) > 1 else 0,
        # Small ones among many days; without any a day by itself would not be seen.
        "markerEnabled": chart.dense,
        "markerSize": 3,
        "markerEnabledB": True,
        "markerSizeB": 3 if chart.dense else 6,
        "opacity": 0.2,
        "show_legend": True,
        "legendType": "scroll",
        "legendOrientation": "top",
        "rich_tooltip": True,
        "tooltipTimeFormat": "%Y-%m-%d",
        "x_axis_time_format": "%Y-%m-%d",
        "y_axis_format": axis_format(chart.metrics[0], dataset),
        "y_axis_format_secondary": axis_format(chart.second[0], dataset),
        "y_axis_bounds": [None, None],
        "y_axis_bounds_secondary": [None, None],
        "truncateYAxis": False,
        "color_scheme": COLOR_SCHEME,
    }


def _build_donut_params(chart: Chart, dataset: Dataset) -> dict[str, Any]:
    return {
        "groupby": list(chart.by),
        "metric": chart.metrics[0],
        "row_limit": MOST_ROWS,
        # Put together in the answer: Superset draws what it puts together itself in the black of its texts.
        "threshold_for_other": 0,
        "least_slice": dataset.column(chart.by[0]).min_slice,
        "sort_by_metric": True,
        "donut": True,
        # Slices bear their names: of many a legend would be turned page by page.
        **RING,
        "label_type": "template",
        "label_template": "{name}\n{percent}",
        "labels_outside": True,
        "label_line": True,
        "show_labels": True,
        "show_labels_threshold": LEAST_NAMED,
        "show_legend": False,
        "show_total": False,
        "number_format": axis_format(chart.metrics[0], dataset),
        "color_scheme": COLOR_SCHEME,
    }


def _build_treemap_params(chart: Chart, dataset: Dataset) -> dict[str, Any]:
    return {
        "groupby": list(chart.by),
        "metric": chart.metrics[0],
        "row_limit": chart.limit or 100,
        "show_labels": True,
        "show_upper_labels": True,
        "label_type": "key_value",
        "number_format": axis_format(chart.metrics[0], dataset),
        "color_scheme": COLOR_SCHEME,
        "linear_color_scheme": SEQUENTIAL_SCHEME,
    }


def _build_table_params(chart: Chart, dataset: Dataset) -> dict[str, Any]:
    kinds = {column.name: column.kind for column in dataset.columns}
    config: dict[str, Any] = {}
    for name in chart.by:
        if kinds[name] == "date":
            config[name] = {"d3TimeFormat": "%Y-%m-%d", "horizontalAlign": "left"}
        elif kinds[name] == "number":
            config[name] = {"d3NumberFormat": dataset.column(name).number_format, "showCellBars": False}
    for name in chart.metrics:
        metric = dataset.metric(name)
        form = _kpi_format(metric) if chart.kind == "figures" else metric.format
        config[name] = {
            "d3NumberFormat": form,
            "d3SmallNumberFormat": form,
            "showCellBars": name in chart.bars,
            "horizontalAlign": "right",
            **({"customColumnName": metric.heading} if metric.heading else {}),
        }
    if chart.kind == "table":
        for name, width in column_widths(chart, dataset).items():
            config.setdefault(name, {})["columnWidth"] = width
    order = _build_order(chart) if chart.order else []
    return {
        "query_mode": "aggregate",
        "groupby": list(chart.by),
        "metrics": list(chart.metrics),
        "percent_metrics": [],
        "all_columns": [],
        "order_by_cols": [],
        "timeseries_limit_metric": order[0] if order else None,
        "order_desc": bool(order) and not order[1],
        "row_limit": chart.limit or MOST_ROWS,
        "server_page_length": PAGE_LENGTH,
        "page_length": PAGE_LENGTH if chart.is_served else 0,
        "server_pagination": chart.is_served,
        "show_totals": chart.totalled,
        # What is neither paged nor totalled is a statement of a few lines.
        "include_search": not chart.paged and chart.totalled,
        "table_timestamp_format": "%Y-%m-%d",
        "allow_rearrange_columns": True,
        "link_pages": {name: dataset.column(name).pages for name in chart.by if kinds[name] == "link"},
        # Names that users typed are text, whatever they contain.
        "allow_render_html": "link" in (kinds[name] for name in chart.by),
        "show_cell_bars": True,
        "color_pn": False,
        "column_config": config,
        "conditional_formatting": [
            _change_color(dataset.metric(name)) for name in chart.metrics if dataset.metric(name).worse
        ],
    }


def _kpi_format(metric: Metric) -> str:
    """Return the format of a KPI: large figures have no room for cents, save those of a price."""
    return WHOLE_MONEY if metric.format == MONEY and "price" not in metric.name else metric.format


def _change_color(metric: Metric) -> dict[str, Any]:
    least = LEAST_SHOWN[metric.format]
    operator, target = ("<", -least) if metric.worse == "fall" else (">", least)
    return {
        "column": metric.name,
        "operator": operator,
        "targetValue": target,
        "colorScheme": BAD,
        "useGradient": False,
    }


_BUILDERS: dict[str, Callable[[Chart, Dataset], dict[str, Any]]] = {
    "figures": _build_table_params,
    "line": _build_series_params,
    "area": _build_series_params,
    "bar": _build_series_params,
    "mixed": _build_mixed_params,
    "donut": _build_donut_params,
    "treemap": _build_treemap_params,
    "table": _build_table_params,
}
