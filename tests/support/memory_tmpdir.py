"""Temporary directory of tests: in memory, where the machine has enough of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
NEEDED = 8 << 30
"""Bytes that a whole run may fill: four clusters, warehouses, products."""


def use_memory_tmpdir() -> None:
    """Put temporary files of this process and its children in memory, unless TMPDIR was chosen."""
    if "TMPDIR" not in os.environ and _count_free_bytes() > NEEDED:
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None


def _count_free_bytes() -> int:
    """Return the bytes that may be written to memory and are not needed elsewhere."""
    try:
        place = os.statvfs(MEMORY)
        facts = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    except OSError:
        return 0
    return min(place.f_bavail * place.f_frsize, int(facts["MemAvailable"].split()[0]) * 1024 // 2)
