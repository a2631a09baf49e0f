"""Warehouse of real size for benchmarks of its readers: 5 million ledger rows, loaded and built as the
product does."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def open_filled_warehouse() -> Iterator[Path]:
    """A directory with `warehouse/current/wh.duckdb`: the one given as an argument, or a temporary one.

    To be told one saves the minutes that it takes: `python -m tests.bench.warehouse_refresh --keep
    --directory DIR`.
    """
    if len(sys.argv) > 1:
        yield Path(sys.argv[1])
        return
    with tempfile.TemporaryDirectory(prefix="erp-bench-") as place:
        command = [sys.executable, "-m", "tests.bench.warehouse_refresh", "--keep", "--directory", place]
        subprocess.run(command, check=True)
        yield Path(place)
