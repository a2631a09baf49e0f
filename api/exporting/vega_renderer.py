"""Chart pictures (绘图): a plot as SVG for Typst, in points, rendered by Vega-Lite.

Steps and series are identified by number and named on axes and in the legend: equal labels stay apart,
and all keep the plot's order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import vl_convert

from api.exporting.chart_plot import Plot, Series
from api.exporting.text_format import format_value
from api.exporting.workbook import measure_text, smallest_difference
from api.printing.fonts import FAMILIES, list_font_folders

SIZE, HEIGHT = 7.0, 150.0
"""Of letters, and of the picture."""
LONGEST = 115
"""Of a step's name; what is beyond is cut."""
FEW = 31
"""So many points of a line are marked."""
TICKS, APART = 5, 2
"""Of an axis: so many marks, and how far apart in what its format tells; Vega sets one more than have room."""
GAP = 0.28
"""Of a step, between its bars and those of the next."""
FONT, FAINT, RULE = ", ".join(FAMILIES), "#606266", "#E4E7ED"
NUMBERS = {"decimal": ".", "thousands": ",", "grouping": [3], "currency": ["", ""], "minus": "-"}
CONFIG = {
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": SIZE,
        "labelColor": FAINT,
        "labelPadding": 3,
        "labelLimit": LONGEST,
        "gridColor": RULE,
        "gridWidth": 0.5,
        "domain": False,
        "ticks": False,
        "title": None,
    },
    "legend": {
        "orient": "top",
        "direction": "horizontal",
        "layout": {"top": {"anchor": "middle"}},
        "offset": 4,
        "title": None,
        "labelFontSize": SIZE,
        "labelColor": FAINT,
        "labelLimit": 2 * LONGEST,
        "symbolType": "square",
        "symbolSize": 40,
        "symbolStrokeWidth": 0,
        "symbolOpacity": 1,
    },
    "text": {"fontSize": SIZE, "fill": FAINT},
}
NOTE = {"titleFontSize": SIZE, "titleFontWeight": "normal", "titleColor": FAINT}
ENDS = {"x": {"baseline": "bottom", "dy": -2}, "y": {"align": "left", "dx": 3}}
"""Where a figure stands at its bar, by the axis of the steps."""
Spec = dict[str, Any]


def render_svg(plot: Plot, width: float) -> str:
    """Return the SVG picture of a plot."""
    _register_fonts()
    return vl_convert.vegalite_to_svg(build_spec(plot, width), format_locale=NUMBERS)


@cache
def _register_fonts() -> None:
    """Register the fonts of Typst, so that texts are measured as they are set."""
    for folder in list_font_folders():
        vl_convert.register_font_directory(folder)


def build_spec(plot: Plot, width: float) -> Spec:
    """Return a plot as a Vega-Lite specification."""
    sides = [[one for one in enumerate(plot.series) if one[1].second == second] for second in (False, True)]
    return {
        "width": width,
        "height": HEIGHT,
        "autosize": {"type": "fit", "contains": "padding"},
        "padding": 2,
        "background": None,
        "params": [
            {"name": "steps", "value": list(plot.steps)},
            {"name": "labels", "value": [one.label for one in plot.series]},
        ],
        "data": {"values": _build_rows(plot)},
        "encoding": {"color": _build_colors(plot.series, width)},
        "layer": [_build_side(plot, side, second) for second, side in enumerate(sides) if side],
        "resolve": {"scale": {"y" if plot.upright else "x": "independent"}},
        "config": CONFIG,
    }


def _build_rows(plot: Plot) -> list[Spec]:
    """Return each value with its step, its text, and the end of its bar: at least zero."""
    return [
        {
            "step": step,
            "series": number,
            "value": value,
            "words": format_value(value, plot.format),
            "end": max(value or 0, 0),
        }
        for number, one in enumerate(plot.series)
        for step, value in enumerate(one.values)
    ]


def _build_colors(series: Sequence[Series], width: float) -> Spec:
    """Return a color for each series; several get a legend in as many columns as there is room for."""
    widest = max((measure_text(one.label) for one in series), default=0) * SIZE * 0.55 + 22
    legend = {"columns": int(width // widest) or 1, "labelExpr": "labels[datum.value]"}
    return {
        "field": "series",
        "type": "ordinal",
        "scale": {"domain": list(range(len(series))), "range": [one.color for one in series]},
        "legend": legend if len(series) > 1 else None,
    }


def _build_side(plot: Plot, numbered: Sequence[tuple[int, Series]], second: int) -> Spec:
    """Return the layers that are read off one axis."""
    bars, lines = ([number for number, one in numbered if one.line == line] for line in (False, True))
    form = plot.second_format if second else plot.format
    value = {
        "field": "value",
        "type": "quantitative",
        "stack": "zero" if plot.stacked and bars else None,
        "scale": {"zero": bool(bars) or (plot.grounded and not second), "nice": TICKS},
        "axis": {
            "format": form,
            "tickCount": TICKS,
            "tickMinStep": APART * smallest_difference(form),
            "grid": not second,
            "orient": ("right" if second else "left") if plot.upright else "bottom",
            **({"title": plot.note, **NOTE} if plot.note and not second else {}),
        },
    }
    along, across = ("x", "y") if plot.upright else ("y", "x")
    layers = [_build_bars(plot, bars, along, across)] if bars else []
    layers += [_build_lines(plot, lines)] if lines else []
    return {"encoding": {along: _build_steps(plot), across: value}, "layer": layers}


def _build_steps(plot: Plot) -> Spec:
    """Return the axis of the steps in their order: to the right, or upwards."""
    return {
        "field": "step",
        "type": "ordinal",
        "scale": {
            "domain": list(range(len(plot.steps))),
            "reverse": not plot.upright,
            "paddingInner": GAP,
            "paddingOuter": GAP / 2,
        },
        "axis": {
            "labelExpr": "steps[datum.value]",
            "labelAngle": 0,
            "labelOverlap": "parity" if plot.upright else False,
            "grid": False,
        },
    }


def _build_bars(plot: Plot, numbers: Sequence[int], along: str, across: str) -> Spec:
    """Return stacked or grouped bars, with values at their ends where the plot asks for them."""
    placed: Spec = {"order": {"field": "series", "type": "quantitative"}}
    if not plot.stacked and len(numbers) > 1:
        placed = {f"{along}Offset": {"field": "series", "type": "ordinal"}}
    words = {"text": {"field": "words"}, "color": {"value": FAINT}, across: {"field": "end"}}
    labels = [{"mark": {"type": "text", **ENDS[along]}, "encoding": words}] if plot.valued else []
    return {"transform": [_filter_series(numbers)], "encoding": placed, "layer": [{"mark": "bar"}, *labels]}


def _build_lines(plot: Plot, numbers: Sequence[int]) -> Spec:
    """Return lines that break where there is no value; points are marked where steps are few."""
    point = {"size": 8, "filled": True} if len(plot.steps) <= FEW else False
    return {
        "transform": [_filter_series(numbers)],
        "mark": {"type": "line", "strokeWidth": 1.3, "point": point},
    }


def _filter_series(numbers: Sequence[int]) -> Spec:
    return {"filter": {"field": "series", "oneOf": list(numbers)}}
