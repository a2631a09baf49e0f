"""Definitions (报表口径) as docs/definitions.md tells them: what of it a report goes by, and where a figure is named.

Each of its chapters says in a comment under its heading what it is for: codes of reports, and words of which the name
of a figure has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "docs" / "definitions.md"
HEADING, FOR = re.compile(r"## ([^（\n]+)"), re.compile(r"<!-- 用于：(.+) -->")
BLOCK = re.compile(r"\n(?=- )|\n\n")


@dataclass(frozen=True)
class Chapter:
    """A chapter: what it is for, and its paragraphs and points, one after the other. The first one is for all."""

    title: str
    names: frozenset[str]
    words: tuple[str, ...]
    blocks: tuple[str, ...]

    def is_for(self, code: str, labels: Iterable[str]) -> bool:
        """Whether a report of such figures goes by it."""
        return code in self.names or any(word in label for word in self.words for label in labels)


@lru_cache(maxsize=1)
def chapters() -> tuple[Chapter, ...]:
    """The chapters in their order, after what holds of all figures."""
    first, *rest = re.split(r"(?m)^(?=## )", FILE.read_text("utf-8"))
    common = _blocks(first.partition("\n")[2])
    return (Chapter("所有数字", frozenset(), ("",), common), *map(_chapter, rest))


def _chapter(text: str) -> Chapter:
    heading, told, body = text.split("\n", 2)
    title, marks = HEADING.match(heading), FOR.fullmatch(told)
    assert title and marks, f"{FILE.name}: {heading} says not what it is for"
    names = marks[1].split()
    return Chapter(
        title[1].strip(),
        frozenset(name for name in names if name.isascii()),
        tuple(name for name in names if not name.isascii()),
        _blocks(body),
    )


def _blocks(text: str) -> tuple[str, ...]:
    return tuple(block.strip() for block in BLOCK.split(text) if block.strip())


def chapters_of(code: str, labels: Iterable[str]) -> list[Chapter]:
    """What a report's figures go by."""
    named = [*labels]
    return [chapter for chapter in chapters() if chapter.is_for(code, named)]


def said_of(label: str, known: Iterable[Chapter]) -> list[str]:
    """The paragraphs and points that name a figure."""
    return [block for chapter in known for block in chapter.blocks if label in block]
