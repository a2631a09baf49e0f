"""Lines of text (文字行) on a picture, in their positions once the picture is upright."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import atan2, cos, degrees, hypot, radians, sin
from statistics import median
from typing import Any

Point = Sequence[float]


@dataclass(frozen=True, slots=True)
class TextLine:
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

    def is_in_row_of(self, other: TextLine) -> bool:
        """Return whether both lines are in one row."""
        shared = min(self.bottom, other.bottom) - max(self.top, other.top)
        return shared > min(self.height, other.height) / 2


def build_lines(found: Sequence[Any]) -> list[TextLine]:
    """Build lines of `[text, score, corners]`, in their positions once a skewed picture is straight."""
    skew = _measure_skew([corners for _, _, corners in found])
    return [_build_line(str(text), float(score), corners, skew) for text, score, corners in found]


def _build_line(text: str, score: float, corners: Sequence[Point], skew: float) -> TextLine:
    turn = (cos(-skew), sin(-skew))
    xs = [x * turn[0] - y * turn[1] for x, y in corners]
    ys = [x * turn[1] + y * turn[0] for x, y in corners]
    return TextLine("".join(text.split()), score, min(xs), min(ys), max(xs), max(ys))


def _measure_skew(boxes: Sequence[Sequence[Point]]) -> float:
    """Return the median angle in radians of long boxes to the nearest axis."""
    found = []
    for first, second, third, _ in boxes:
        across, down = _edge_vector(first, second), _edge_vector(second, third)
        long, short = max(across, down, key=lambda edge: hypot(*edge)), min(hypot(*across), hypot(*down))
        if hypot(*long) > 2 * short:
            angle = degrees(atan2(long[1], long[0]))
            found.append(angle - 90 * round(angle / 90))
    return radians(median(found)) if found else 0.0


def _edge_vector(one: Point, other: Point) -> tuple[float, float]:
    return other[0] - one[0], other[1] - one[1]


def turn_upright(lines: list[TextLine], order: Sequence[str]) -> list[TextLine]:
    """Return the lines in the rotation in which the words of `order` follow each other downwards.

    A picture is turned by quarters; the words say which way is up, since each line is read whichever way
    it runs.
    """
    turns = [lines]
    for _ in range(3):
        turns.append([_turn_quarter(line) for line in turns[-1]])
    return max(turns, key=lambda turned: (_is_level(turned), _score_order(turned, order)))


def _turn_quarter(line: TextLine) -> TextLine:
    return replace(line, left=-line.bottom, top=line.left, right=-line.top, bottom=line.right)


def _is_level(lines: list[TextLine]) -> bool:
    long = [line for line in lines if len(line.text) > 2] or lines
    return 2 * sum(line.right - line.left > line.height for line in long) > len(long)


def _score_order(lines: list[TextLine], order: Sequence[str]) -> int:
    found = [[line.middle for line in lines if line.text.startswith(word)] for word in order]
    heights = [middles[0] for middles in found if middles]
    pairs = [(one, other) for at, one in enumerate(heights) for other in heights[at + 1 :]]
    return sum(1 if one < other else -1 for one, other in pairs)
