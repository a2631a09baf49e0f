"""Drawings (绘图): a plot as SVG for the press, in points; what Vega-Lite makes of it.

Steps and series go by their numbers and are named on axes and in the legend: what reads alike stays apart, and all
keep the plot's order.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pylopdf_fonts_zh_cn
import vl_convert

from api.exporting.book import least, letters
from api.exporting.plotting import Plot, Series
from api.exporting.wording import worded

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
FONT, FAINT, RULE = "Noto Sans SC", "#606266", "#E4E7ED"
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
ENDS = {"x": {"baseline": "bottom", "dy": -2}, "y": {"align": "left", "dx": 3}}
"""Where a figure stands at its bar, by the axis of the steps."""
Spec = dict[str, Any]


def draw(plot: Plot, width: float) -> str:
    """The picture of a plot."""
    _bring_fonts()
    return vl_convert.vegalite_to_svg(described(plot, width), format_locale=NUMBERS)


@cache
def _bring_fonts() -> None:
    """Those of the press, so that texts are as wide as they are set."""
    vl_convert.register_font_directory(str(Path(pylopdf_fonts_zh_cn.__file__).parent))


def described(plot: Plot, width: float) -> Spec:
    """A plot in the terms of Vega-Lite."""
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
        "data": {"values": _rows(plot)},
        "encoding": {"color": _colors(plot.series, width)},
        "layer": [_side(plot, held, second) for second, held in enumerate(sides) if held],
        "resolve": {"scale": {"y" if plot.upright else "x": "independent"}},
        "config": CONFIG,
    }


def _rows(plot: Plot) -> list[Spec]:
    """Each figure with its place, in words, and where its bar ends that way: one below nothing at nothing."""
    return [
        {
            "step": step,
            "series": number,
            "value": value,
            "words": worded(value, plot.format),
            "end": max(value or 0, 0),
        }
        for number, one in enumerate(plot.series)
        for step, value in enumerate(one.values)
    ]


def _colors(series: Sequence[Series], width: float) -> Spec:
    """A color for each series, named where there are several, in as many columns as there is room for."""
    widest = max((letters(one.label) for one in series), default=0) * SIZE * 0.55 + 22
    legend = {"columns": int(width // widest) or 1, "labelExpr": "labels[datum.value]"}
    return {
        "field": "series",
        "type": "ordinal",
        "scale": {"domain": list(range(len(series))), "range": [one.color for one in series]},
        "legend": legend if len(series) > 1 else None,
    }


def _side(plot: Plot, held: Sequence[tuple[int, Series]], second: int) -> Spec:
    """What is read off one axis."""
    bars, lines = ([number for number, one in held if one.line == line] for line in (False, True))
    form = plot.second_format if second else plot.format
    value = {
        "field": "value",
        "type": "quantitative",
        "stack": "zero" if plot.stacked and bars else None,
        "scale": {"zero": bool(bars) or (plot.grounded and not second), "nice": TICKS},
        "axis": {
            "format": form,
            "tickCount": TICKS,
            "tickMinStep": APART * least(form),
            "grid": not second,
            "orient": ("right" if second else "left") if plot.upright else "bottom",
        },
    }
    along, across = ("x", "y") if plot.upright else ("y", "x")
    layers = [_bars(plot, bars, along, across)] if bars else []
    layers += [_lines(plot, lines)] if lines else []
    return {"encoding": {along: _steps(plot), across: value}, "layer": layers}


def _steps(plot: Plot) -> Spec:
    """In their order: to the right, or upwards."""
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


def _bars(plot: Plot, numbers: Sequence[int], along: str, across: str) -> Spec:
    """Bars on each other or beside each other, with the figures at their ends where these are told."""
    placed: Spec = {"order": {"field": "series", "type": "quantitative"}}
    if not plot.stacked and len(numbers) > 1:
        placed = {f"{along}Offset": {"field": "series", "type": "ordinal"}}
    words = {"text": {"field": "words"}, "color": {"value": FAINT}, across: {"field": "end"}}
    told = [{"mark": {"type": "text", **ENDS[along]}, "encoding": words}] if plot.valued else []
    return {"transform": [_only(numbers)], "encoding": placed, "layer": [{"mark": "bar"}, *told]}


def _lines(plot: Plot, numbers: Sequence[int]) -> Spec:
    """Lines that break where there is no value; their points are marked where steps are few."""
    point = {"size": 8, "filled": True} if len(plot.steps) <= FEW else False
    return {"transform": [_only(numbers)], "mark": {"type": "line", "strokeWidth": 1.3, "point": point}}


def _only(numbers: Sequence[int]) -> Spec:
    return {"filter": {"field": "series", "oneOf": list(numbers)}}
