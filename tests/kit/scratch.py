"""Where tests write: in memory, where the machine has enough of it. They make and remove files by the hundred thousand."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
NEEDED = 8 << 30
"""Bytes that a whole run may fill: four clusters, warehouses, products."""


def settle_in() -> None:
    """Let all temporary files of this process, and of what it starts, lie in memory, unless somebody chose their place."""
    if "TMPDIR" not in os.environ and _free() > NEEDED:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None


def _free() -> int:
    """Bytes that may be written to memory and are not needed elsewhere."""
    try:
        place = os.statvfs(MEMORY)
        facts = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    except OSError:
        return 0
    return min(place.f_bavail * place.f_frsize, int(facts["MemAvailable"].split()[0]) * 1024 // 2)
