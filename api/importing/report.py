"""What an import run came to (导入结果)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from api.importing.checking import Refused
from api.importing.masters import Missing

Tick = Callable[[int], None]
"""Told how many lines were dealt with."""


@dataclass(slots=True)
class Report:
    """What a run came to; lines and bills by what became of them."""

    lines: int = 0
    bills: int = 0
    posted_lines: int = 0
    posted_bills: int = 0
    known_bills: int = 0
    waiting_bills: int = 0
    refused: list[Refused] = field(default_factory=list)
    missing: Missing = field(default_factory=Missing)
