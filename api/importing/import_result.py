"""Result of an import run (导入结果)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from api.importing.line_checker import RefusedLine
from api.importing.masters import MissingMasters

Tick = Callable[[int], None]
"""Told how many lines were dealt with."""


@dataclass(slots=True)
class ImportResult:
    """Counts of a run's lines and bills by their outcome."""

    lines: int = 0
    bills: int = 0
    posted_lines: int = 0
    posted_bills: int = 0
    known_bills: int = 0
    waiting_bills: int = 0
    refused: list[RefusedLine] = field(default_factory=list)
    missing: MissingMasters = field(default_factory=MissingMasters)
