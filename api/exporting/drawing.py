"""Drawings (绘图): a plot as SVG for the press, in points; bars, lines, two axes, a legend where there are several."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal

from api.exporting.book import letters
from api.exporting.plotting import Plot, Series
from api.exporting.wording import worded

SIZE = 7.0
"""Of letters; half of it is how wide one is."""
HEIGHT, LINE = 150.0, 13.0
TICKS = 5
LONGEST = 30
"""Of the name of a step that lies beside its bars, in letters."""
FILLED = 0.72
"""Of a step, by bars."""
FONT, TEXT, FAINT, RULE = "Noto Sans SC", "#303133", "#606266", "#E4E7ED"
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Scale:
    """Values of an axis on a stretch of paper, with marks at round ones."""

    marks: Sequence[float]
    start: float
    end: float

    def at(self, value: float) -> float:
        low, high = self.marks[0], self.marks[-1]
        return self.start + (value - low) / (high - low) * (self.end - self.start)


def draw(plot: Plot, width: float) -> str:
    """The picture of a plot."""
    legend = _legend(plot.series, width) if len(plot.series) > 1 else []
    top = len(legend) * LINE + SIZE
    body = [mark for number, line in enumerate(legend) for mark in _named(line, number * LINE, width)]
    body += _upright(plot, width, top) if plot.upright else _lying(plot, width, top)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}pt" height="{HEIGHT}pt"'
        f' viewBox="0 0 {width} {HEIGHT}" font-family="{FONT}" font-size="{SIZE}">{"".join(body)}</svg>'
    )


def _upright(plot: Plot, width: float, top: float) -> Iterator[str]:
    first, second = _marks(plot, second=False), _marks(plot, second=True)
    left = _room(first, plot.format)
    right = width - (_room(second, plot.second_format) if second else SIZE)
    slot = (right - left) / len(plot.steps)
    wordy = max(map(_wide, plot.steps)) + SIZE
    every = max(1, math.ceil(wordy / slot))
    bottom = HEIGHT - LINE
    scales = {False: Scale(first, bottom, top), True: Scale(second or first, bottom, top)}
    for mark in first:
        at = scales[False].at(mark)
        yield _rule(left, at, right, at)
        yield _text(left - 3, at + SIZE / 3, worded(mark, plot.format), "end")
    for mark in second:
        yield _text(right + 3, scales[True].at(mark) + SIZE / 3, worded(mark, plot.second_format), "start")
    for number, step in enumerate(plot.steps):
        if number % every == 0:
            yield _text(left + (number + 0.5) * slot, HEIGHT - 3, step, "middle")
    for series, number, low, high, offset, thick in _bars(plot, slot):
        scale = scales[series.second]
        ends = sorted((scale.at(low), scale.at(high)))
        x = left + number * slot + offset
        yield _box(x, ends[0], thick, ends[1] - ends[0], series.color)
        if plot.valued:
            yield _text(x + thick / 2, ends[0] - 2, worded(high - low, plot.format), "middle")
    for series in plot.series:
        if series.line:
            scale = scales[series.second]
            yield from _line(series, [left + (at + 0.5) * slot for at in range(len(plot.steps))], scale)


def _lying(plot: Plot, width: float, top: float) -> Iterator[str]:
    marks = _marks(plot, second=False)
    names = [_cut(step) for step in plot.steps]
    left = max(map(_wide, names)) + 6
    told = max(
        (
            _wide(worded(one, plot.format))
            for series in plot.series
            for one in series.values
            if one is not None
        ),
        default=0,
    )
    right = width - (told + 6 if plot.valued else SIZE * 2)
    bottom = HEIGHT - LINE
    scale, slot = Scale(marks, left, right), (bottom - top) / len(plot.steps)
    for mark in marks:
        at = scale.at(mark)
        yield _rule(at, top, at, bottom)
        yield _text(at, HEIGHT - 3, worded(mark, plot.format), "middle")
    for number, name in enumerate(names):
        yield _text(left - 3, bottom - (number + 0.5) * slot + SIZE / 3, name, "end")
    for series, number, low, high, offset, thick in _bars(plot, slot):
        ends = sorted((scale.at(low), scale.at(high)))
        y = bottom - (number + 1) * slot + offset
        yield _box(ends[0], y, ends[1] - ends[0], thick, series.color)
        if plot.valued:
            yield _text(ends[1] + 3, y + thick / 2 + SIZE / 3, worded(high - low, plot.format), "start")


Bar = tuple[Series, int, float, float, float, float]


def _bars(plot: Plot, slot: float) -> Iterator[Bar]:
    """Of each bar its series and step, from where to where it reaches, and its place and thickness in the step."""
    bars = [series for series in plot.series if not series.line]
    thick = slot * FILLED / (1 if plot.stacked else max(1, len(bars)))
    for number in range(len(plot.steps)):
        held = {True: 0.0, False: 0.0}
        for place, series in enumerate(bars):
            value = series.values[number]
            if not value:
                continue
            low = held[value > 0] if plot.stacked else 0.0
            held[value > 0] += value
            offset = slot * (1 - FILLED) / 2 + (0 if plot.stacked else place * thick)
            yield series, number, low, low + value, offset, thick


def _line(series: Series, across: Sequence[float], scale: Scale) -> Iterator[str]:
    """A line that breaks where there is no value, and a dot where steps are few."""
    parts: list[list[str]] = [[]]
    for x, value in zip(across, series.values, strict=True):
        if value is None:
            parts.append([])
            continue
        parts[-1].append(f"{x:.1f},{scale.at(value):.1f}")
        if len(across) <= 31:
            yield f'<circle cx="{x:.1f}" cy="{scale.at(value):.1f}" r="1.5" fill="{series.color}"/>'
    for part in parts:
        if len(part) > 1:
            yield f'<polyline points="{" ".join(part)}" fill="none" stroke="{series.color}" stroke-width="1.3"/>'


def _marks(plot: Plot, *, second: bool) -> list[float]:
    """Round values from the least to the most that an axis holds; none where it has no series."""
    series = [one for one in plot.series if one.second == second]
    if not series:
        return [] if second else [0.0, 1.0]
    lines = [value for one in series if one.line for value in one.values if value is not None]
    bars = [end for one in _bars(plot, 1.0) if one[0].second == second for end in one[2:4]]
    held = [*lines, *bars, *([0.0] if bars or (plot.grounded and not second) else [])] or [0.0]
    low, high = min(held), max(held)
    if low == high:
        low, high = min(low, 0.0), max(high, 0.0) or 1.0
    rough = (high - low) / (TICKS - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * round_ for round_ in (1, 2, 5, 10) if power * round_ >= rough * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [number * step for number in range(first, last + 1)]


def _legend(series: Sequence[Series], width: float) -> list[list[Series]]:
    """The series in as many lines as their names take."""
    lines: list[list[Series]] = [[]]
    for one in series:
        if lines[-1] and _length([*lines[-1], one]) > width:
            lines.append([])
        lines[-1].append(one)
    return lines


def _named(line: Sequence[Series], top: float, width: float) -> Iterator[str]:
    x = (width - _length(line)) / 2
    for one in line:
        yield _box(x, top + (4 if one.line else 2), 9, 2 if one.line else 6, one.color)
        yield _text(x + 12, top + 8, one.label, "start")
        x += _length([one])


def _length(line: Sequence[Series]) -> float:
    return sum(_wide(one.label) + 22 for one in line)


def _room(marks: Sequence[float], form: str) -> float:
    """Beside an axis, for the words at its marks."""
    return max(_wide(worded(mark, form)) for mark in marks) + 6


def _wide(text: str) -> float:
    return letters(text) * SIZE * 0.55


def _cut(text: str) -> str:
    """A name as far as there is room for it."""
    if letters(text) <= LONGEST:
        return text
    kept = text
    while letters(kept) > LONGEST - 1:
        kept = kept[:-1]
    return f"{kept}…"


def _text(x: float, y: float, words: str, anchor: Anchor) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{FAINT}" text-anchor="{anchor}">{escape(words)}</text>'


def _box(x: float, y: float, width: float, height: float, color: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.2f}" height="{height:.2f}" fill="{color}"/>'


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{RULE}" stroke-width="0.5"/>'
