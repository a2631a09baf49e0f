"""Targets of a measurement; its process fails where one was missed."""

from __future__ import annotations

import sys
from collections.abc import Mapping


def require_targets(wanted: Mapping[str, bool]) -> None:
    """Print each target with its outcome; exits with 1 unless all of them were met."""
    for wish, held in wanted.items():
        print(f"{wish} — {'held' if held else 'MISSED'}")
    if not all(wanted.values()):
        sys.exit(1)
