"""Labeled text (证照栏目): assigns the texts of a document to its printed labels."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from api.master.recognition.text_lines import TextLine

NEXT_ROW_HEIGHTS = 1.6
"""A value goes on in the next row if that begins within so many heights of the last one."""
COLUMN_HEIGHTS = 4
"""Labels whose left edges lie within so many heights stand in one column."""


@dataclass(frozen=True, slots=True)
class LabeledText:
    """Text of a label, and the score of its least certain piece."""

    text: str
    score: float


@dataclass(slots=True)
class _Label:
    name: str
    line: TextLine
    pieces: list[TextLine]

    @property
    def last(self) -> TextLine:
        return self.pieces[-1] if self.pieces else self.line


def read_labeled_text(
    lines: list[TextLine], labels: Mapping[str, tuple[str, ...]], *, long: Collection[str]
) -> dict[str, LabeledText]:
    """Return the text under each label: behind it in its box or row, and where it is `long` in the rows
    below.

    `labels` are names with the words that are printed for them; of several boxes that begin with one the
    first counts.
    """
    words = sorted(
        ((word, name) for name, ways in labels.items() for word in ways), key=lambda pair: -len(pair[0])
    )
    found: list[_Label] = []
    others: list[TextLine] = []
    for line in _join_letters(sorted(lines, key=lambda line: (line.top, line.left))):
        name, rest = _split_label(line, words)
        if name and all(label.name != name for label in found):
            found.append(_Label(name, line, [rest] if rest else []))
        else:
            others.append(line)
    for line in sorted(others, key=lambda line: line.middle):
        owner = next((label for label in _rank_owners(line, found) if _accepts_line(label, line, long)), None)
        if owner:
            owner.pieces.append(line)
    return {
        label.name: LabeledText(
            "".join(piece.text for piece in _sort_by_row(label.pieces)),
            min(piece.score for piece in label.pieces),
        )
        for label in found
        if label.pieces
    }


def _sort_by_row(pieces: list[TextLine]) -> Iterator[TextLine]:
    """Yield the pieces row by row, each from left to right."""
    rest = sorted(pieces, key=lambda piece: piece.middle)
    while rest:
        row = [piece for piece in rest if piece.is_in_row_of(rest[0])]
        yield from sorted(row, key=lambda piece: piece.left)
        rest = [piece for piece in rest if piece not in row]


def _join_letters(lines: list[TextLine]) -> Iterator[TextLine]:
    """Join boxes of one letter to the box behind them: labels are printed widely spaced."""
    taken: set[int] = set()
    for at, line in enumerate(lines):
        if at in taken:
            continue
        if len(line.text) == 1:
            behind = [
                (other.left, there)
                for there, other in enumerate(lines)
                if there not in taken and other.left >= line.right and other.is_in_row_of(line)
            ]
            if behind and min(behind)[0] - line.right < COLUMN_HEIGHTS * line.height:
                there = min(behind)[1]
                taken.add(there)
                text, score = line.text + lines[there].text, min(line.score, lines[there].score)
                line = replace(line, text=text, score=score, right=lines[there].right)
        yield line


def _split_label(line: TextLine, words: list[tuple[str, str]]) -> tuple[str, TextLine | None]:
    """Return the label that a box begins with, and the rest of the box."""
    for word, name in words:
        if line.text.startswith(word):
            rest = line.text[len(word) :].lstrip(":：")
            behind = line.left + (line.right - line.left) * len(word) / len(line.text)
            return name, replace(line, text=rest, left=behind) if rest else None
    return "", None


def _rank_owners(line: TextLine, found: list[_Label]) -> Iterator[_Label]:
    """Yield the labels that a box may belong to, likeliest first: of its row, then above it by nearest
    column."""
    left = [label for label in found if label.line.left <= line.left + line.height / 2]
    in_row = [label for label in left if label.line.is_in_row_of(line)]
    yield from sorted(in_row, key=lambda label: -label.line.left)[:1]
    above = [label for label in left if label.line.middle < line.middle and label not in in_row]
    columns: list[list[_Label]] = []
    for label in sorted(above, key=lambda label: -label.line.left):
        if columns and columns[-1][0].line.left - label.line.left < COLUMN_HEIGHTS * line.height:
            columns[-1].append(label)
        else:
            columns.append([label])
    for column in columns:
        yield max(column, key=lambda label: label.line.top)


def _accepts_line(label: _Label, line: TextLine, long: Collection[str]) -> bool:
    if label.line.is_in_row_of(line):
        return True
    return label.name in long and line.top - label.last.bottom < NEXT_ROW_HEIGHTS * line.height
