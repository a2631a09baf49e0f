"""Definitions (报表口径) of docs/definitions.md: chapters that apply to a report, and mentions of a figure.

A comment under each chapter's heading lists its codes of reports, and words that occur in names of
figures.
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
    """Chapter of the definitions: its scope, and its paragraphs and list items in order. The first is for
    all."""

    title: str
    names: frozenset[str]
    words: tuple[str, ...]
    blocks: tuple[str, ...]

    def is_for(self, code: str, labels: Iterable[str]) -> bool:
        """Return whether the chapter applies to a report with such figures."""
        return code in self.names or any(word in label for word in self.words for label in labels)


@lru_cache(maxsize=1)
def read_chapters() -> tuple[Chapter, ...]:
    """Read the chapters in their order, after the common one."""
    first, *rest = re.split(r"(?m)^(?=## )", FILE.read_text("utf-8"))
    common = _split_blocks(first.partition("\n")[2])
    return (Chapter("所有数字", frozenset(), ("",), common), *map(_parse_chapter, rest))


def _parse_chapter(text: str) -> Chapter:
    heading, reports, body = text.split("\n", 2)
    title, marks = HEADING.match(heading), FOR.fullmatch(reports)
    assert title and marks, f"{FILE.name}: {heading} says not what it is for"
    names = marks[1].split()
    return Chapter(
        title[1].strip(),
        frozenset(name for name in names if name.isascii()),
        tuple(name for name in names if not name.isascii()),
        _split_blocks(body),
    )


def _split_blocks(text: str) -> tuple[str, ...]:
    return tuple(block.strip() for block in BLOCK.split(text) if block.strip())


def find_chapters(code: str, labels: Iterable[str]) -> list[Chapter]:
    """Find the chapters that apply to a report's figures."""
    named = [*labels]
    return [chapter for chapter in read_chapters() if chapter.is_for(code, named)]


def find_mentions(label: str, known: Iterable[Chapter]) -> list[str]:
    """Find the paragraphs and list items that mention a figure."""
    return [block for chapter in known for block in chapter.blocks if label in block]
