"""A planted fault: a text of one file in the place of another, and the tests that must find it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault: `old` is in `file` exactly once.

    `tests` are pytest's files or nodes, `contract` whether they are rules of every declared type.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    contract: bool = False

    def count(self, tree: Path) -> int:
        """Return how often the old text is in a tree."""
        file = tree / self.file
        return file.read_text("utf-8").count(self.old) if file.is_file() else 0
