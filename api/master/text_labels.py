"""Labelled text (证照栏目): which text on a paper stands under which of its printed labels."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from api.master.text_lines import Line

NEAR = 1.6
"""A value goes on in the next row if that begins within so many heights of the last one."""
COLUMN = 4
"""Labels whose left edges lie within so many heights stand in one column."""


@dataclass(frozen=True, slots=True)
class Written:
    """What stands under a label, and how sure its least certain piece is."""

    text: str
    score: float


@dataclass(slots=True)
class _Label:
    name: str
    line: Line
    pieces: list[Line]

    @property
    def last(self) -> Line:
        return self.pieces[-1] if self.pieces else self.line


def labelled(
    lines: list[Line], labels: Mapping[str, tuple[str, ...]], *, long: Collection[str]
) -> dict[str, Written]:
    """The text under each label: behind it in its box or row, and where it is `long` in the rows below.

    `labels` are names with the words that are printed for them; of several boxes that begin with one the first counts.
    """
    words = sorted(
        ((word, name) for name, ways in labels.items() for word in ways), key=lambda pair: -len(pair[0])
    )
    found: list[_Label] = []
    others: list[Line] = []
    for line in _joined(sorted(lines, key=lambda line: (line.top, line.left))):
        name, rest = _begins(line, words)
        if name and all(label.name != name for label in found):
            found.append(_Label(name, line, [rest] if rest else []))
        else:
            others.append(line)
    for line in sorted(others, key=lambda line: line.middle):
        owner = next((label for label in _owners(line, found) if _takes(label, line, long)), None)
        if owner:
            owner.pieces.append(line)
    return {
        label.name: Written(
            "".join(piece.text for piece in _as_read(label.pieces)),
            min(piece.score for piece in label.pieces),
        )
        for label in found
        if label.pieces
    }


def _as_read(pieces: list[Line]) -> Iterator[Line]:
    """Row by row, each from left to right."""
    rest = sorted(pieces, key=lambda piece: piece.middle)
    while rest:
        row = [piece for piece in rest if piece.is_beside(rest[0])]
        yield from sorted(row, key=lambda piece: piece.left)
        rest = [piece for piece in rest if piece not in row]


def _joined(lines: list[Line]) -> Iterator[Line]:
    """Boxes of one letter are the beginning of the box behind them: labels are printed widely spaced."""
    taken: set[int] = set()
    for at, line in enumerate(lines):
        if at in taken:
            continue
        if len(line.text) == 1:
            behind = [
                (other.left, there)
                for there, other in enumerate(lines)
                if there not in taken and other.left >= line.right and other.is_beside(line)
            ]
            if behind and min(behind)[0] - line.right < COLUMN * line.height:
                there = min(behind)[1]
                taken.add(there)
                text, score = line.text + lines[there].text, min(line.score, lines[there].score)
                line = replace(line, text=text, score=score, right=lines[there].right)
        yield line


def _begins(line: Line, words: list[tuple[str, str]]) -> tuple[str, Line | None]:
    """The label that a box begins with, and the rest of the box."""
    for word, name in words:
        if line.text.startswith(word):
            rest = line.text[len(word) :].lstrip(":：")
            behind = line.left + (line.right - line.left) * len(word) / len(line.text)
            return name, replace(line, text=rest, left=behind) if rest else None
    return "", None


def _owners(line: Line, found: list[_Label]) -> Iterator[_Label]:
    """Labels that a box may belong to, the likeliest first: of its own row, then above it, the nearest column first."""
    left = [label for label in found if label.line.left <= line.left + line.height / 2]
    beside = [label for label in left if label.line.is_beside(line)]
    yield from sorted(beside, key=lambda label: -label.line.left)[:1]
    above = [label for label in left if label.line.middle < line.middle and label not in beside]
    columns: list[list[_Label]] = []
    for label in sorted(above, key=lambda label: -label.line.left):
        if columns and columns[-1][0].line.left - label.line.left < COLUMN * line.height:
            columns[-1].append(label)
        else:
            columns.append([label])
    for column in columns:
        yield max(column, key=lambda label: label.line.top)


def _takes(label: _Label, line: Line, long: Collection[str]) -> bool:
    if label.line.is_beside(line):
        return True
    return label.name in long and line.top - label.last.bottom < NEAR * line.height
