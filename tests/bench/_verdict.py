"""Verdict: what a measurement wanted, and whether it held; its process fails where something was missed."""

from __future__ import annotations

import sys
from collections.abc import Mapping


def conclude(wanted: Mapping[str, bool]) -> None:
    """Tell each wish with what came of it; exits with 1 unless all of them held."""
    for wish, held in wanted.items():
        print(f"{wish} — {'held' if held else 'MISSED'}")
    if not all(wanted.values()):
        sys.exit(1)
