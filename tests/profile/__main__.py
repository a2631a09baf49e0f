"""Run `make test` once and report where its time goes: `python -m tests.profile [pytest's arguments]`.

Prints tables in Markdown: the steps, kinds of set-up, folders and the dearest files, in wall and processor
seconds.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.profile.plugin import PLACE, TESTS

CHECKS = ("check-sql", "check-python", "check-web")
PYTEST = ("--numprocesses", "3", "--dist", "loadfile", "-q")
DEAREST = 40

Cost = tuple[float, float]
"""Wall seconds, processor seconds."""
Row = tuple[str, str, float, float]
"""File, what was done for it, wall and processor seconds."""


def main(arguments: list[str]) -> int:
    steps = [
        (name, *_run_timed(["make", "--no-print-directory", name])) for name in (() if arguments else CHECKS)
    ]
    with tempfile.TemporaryDirectory(prefix="erp-profile-") as place:
        os.environ[PLACE] = place
        command = [sys.executable, "-m", "pytest", "-p", "tests.profile.plugin", *PYTEST, *arguments]
        steps.append(("pytest", *_run_timed(command)))
        rows: list[Row] = [
            tuple(row) for file in Path(place).glob("*.json") for row in json.loads(file.read_text())
        ]
    print(_format_report(steps, rows))
    return max(code for _, _, code in steps)


def _run_timed(command: list[str]) -> tuple[Cost, int]:
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    code = subprocess.run(command).returncode
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (time.monotonic() - begun, processor), code


def _format_report(steps: list[tuple[str, Cost, int]], rows: list[Row]) -> str:
    parts = [
        f"{os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f} at the end.",
        _format_table("Step", [(name, cost) for name, cost, _ in steps]),
        _format_table("Of pytest, over all workers", _sum_costs(rows, lambda row: row[1])),
        _format_table("Folder", _sum_costs(rows, lambda row: "/".join(row[0].split("/")[:2]) or "(no file)")),
        _format_table(
            "File: its tests",
            _sum_costs([row for row in rows if row[1] == TESTS], lambda row: row[0])[:DEAREST],
        ),
        _format_table(
            "File: what it set up",
            _sum_costs([row for row in rows if row[1] != TESTS], lambda row: f"{row[0]} {row[1]}")[:DEAREST],
        ),
    ]
    return "\n\n".join(parts)


def _sum_costs(rows: Iterable[Row], key: Callable[[Row], str]) -> list[tuple[str, Cost]]:
    """Sum costs by key, the dearest in processor seconds first."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for row in rows:
        entry = sums[key(row)]
        entry[0] += row[2]
        entry[1] += row[3]
    return sorted(((name, (cost[0], cost[1])) for name, cost in sums.items()), key=lambda one: -one[1][1])


def _format_table(title: str, costs: list[tuple[str, Cost]]) -> str:
    head = [f"| {title} | wall s | processor s |", "| --- | ---: | ---: |"]
    return "\n".join(
        head + [f"| {name} | {wall:.1f} | {processor:.1f} |" for name, (wall, processor) in costs]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
