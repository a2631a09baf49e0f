"""Lines of text (文字行) on a picture: where they stand once the picture is turned upright."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import atan2, cos, degrees, hypot, radians, sin
from statistics import median
from typing import Any

Point = Sequence[float]


@dataclass(frozen=True, slots=True)
class Line:
    """A piece of text without its blanks, how sure it is (0 to 1), and its box, downwards from the top left."""

    text: str
    score: float
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    def is_beside(self, other: Line) -> bool:
        """Whether both stand in one row."""
        shared = min(self.bottom, other.bottom) - max(self.top, other.top)
        return shared > min(self.height, other.height) / 2


def lines_of(found: Sequence[Any]) -> list[Line]:
    """Lines of `[text, score, corners]`, as they stand once a picture that was held askew is straight."""
    skew = _skew([corners for _, _, corners in found])
    return [_line(str(text), float(score), corners, skew) for text, score, corners in found]


def _line(text: str, score: float, corners: Sequence[Point], skew: float) -> Line:
    turn = (cos(-skew), sin(-skew))
    xs = [x * turn[0] - y * turn[1] for x, y in corners]
    ys = [x * turn[1] + y * turn[0] for x, y in corners]
    return Line("".join(text.split()), score, min(xs), min(ys), max(xs), max(ys))


def _skew(boxes: Sequence[Sequence[Point]]) -> float:
    """By how many radians long boxes lie askew of the nearest axis."""
    found = []
    for first, second, third, _ in boxes:
        across, down = _edge(first, second), _edge(second, third)
        long, short = max(across, down, key=lambda edge: hypot(*edge)), min(hypot(*across), hypot(*down))
        if hypot(*long) > 2 * short:
            angle = degrees(atan2(long[1], long[0]))
            found.append(angle - 90 * round(angle / 90))
    return radians(median(found)) if found else 0.0


def _edge(one: Point, other: Point) -> tuple[float, float]:
    return other[0] - one[0], other[1] - one[1]


def upright(lines: list[Line], order: Sequence[str]) -> list[Line]:
    """The lines as they stand when words that begin some of them follow each other downwards in this order.

    A picture is turned by quarters; the words tell which way is up, since each line is read whichever way it runs.
    """
    turns = [lines]
    for _ in range(3):
        turns.append([_quarter(line) for line in turns[-1]])
    return max(turns, key=lambda turned: (_is_level(turned), _in_order(turned, order)))


def _quarter(line: Line) -> Line:
    return replace(line, left=-line.bottom, top=line.left, right=-line.top, bottom=line.right)


def _is_level(lines: list[Line]) -> bool:
    long = [line for line in lines if len(line.text) > 2] or lines
    return 2 * sum(line.right - line.left > line.height for line in long) > len(long)


def _in_order(lines: list[Line], order: Sequence[str]) -> int:
    found = [[line.middle for line in lines if line.text.startswith(word)] for word in order]
    heights = [middles[0] for middles in found if middles]
    pairs = [(one, other) for at, one in enumerate(heights) for other in heights[at + 1 :]]
    return sum(1 if one < other else -1 for one, other in pairs)
