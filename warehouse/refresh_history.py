"""History of refresh runs (周期记录): duration, rows, lag and failure of the last runs, for pages and
monitoring.

One JSON file that is replaced whole: readers never wait for the worker, nor it for them, and it is there
when Postgres is not. It is bounded; the totals, which monitoring wants to see grow, go on when old runs
are dropped.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from pathlib import Path
from typing import Any, TypedDict

from warehouse import status

MAX_RUNS = 500
BOUNDS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 60.0, 300.0)
"""Upper edges of the buckets that `Totals.within` counts seconds in; a last one is open."""


class RefreshRun(TypedDict):
    """One refresh run. Times are ISO 8601 in UTC; `mode` is the kind of build, `snapshot` the number of the
    published one, if any; `lag` as in `extract`; `times`: a failure that repeats itself is one record;
    `mended`: errors found and corrected in published figures."""

    number: int
    started_at: str
    ended_at: str
    mode: str | None
    snapshot: int | None
    rows: int
    seconds: float
    test_seconds: float | None
    lag: float | None
    error: str | None
    mended: str | None
    times: int


class RefreshTotals(TypedDict):
    """Sums since the history began: rows read, failures, runs that corrected something, and of the runs that
    published their number by bucket of seconds, and the seconds together."""

    rows: int
    failures: int
    mended: int
    within: list[int]
    seconds: float


class RefreshHistory(TypedDict):
    """The whole file; runs oldest first."""

    totals: RefreshTotals
    cycles: list[RefreshRun]


def read_history(path: Path) -> RefreshHistory:
    """Read the history; empty before the first run."""
    none: RefreshTotals = {
        "rows": 0,
        "failures": 0,
        "mended": 0,
        "within": [0] * (len(BOUNDS) + 1),
        "seconds": 0.0,
    }
    try:
        found: RefreshHistory = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {"totals": none, "cycles": []}
    return {"totals": {**none, **found["totals"]}, "cycles": found["cycles"]}


def record_run(path: Path, **values: Any) -> None:
    """Add a run that ends now; `values` are its fields except number, end and times."""
    found = read_history(path)
    totals, kept = found["totals"], found["cycles"]
    totals["rows"] += values["rows"]
    if values["error"] is not None:
        totals["failures"] += 1
    if values["mended"] is not None:
        totals["mended"] += 1
    if values["snapshot"] is not None:
        totals["within"][bisect_left(BOUNDS, values["seconds"])] += 1
        totals["seconds"] = round(totals["seconds"] + values["seconds"], 3)
    last = kept[-1] if kept else None
    if last is not None and last["error"] is not None and last["error"] == values["error"]:
        last["ended_at"], last["seconds"] = status.format_now(), values["seconds"]
        last["rows"] += values["rows"]
        last["times"] += 1
    else:
        number = last["number"] + 1 if last else 1
        kept.append({"number": number, **values, "ended_at": status.format_now(), "times": 1})  # type: ignore[typeddict-item]
    status.replace_file(path, json.dumps({"totals": totals, "cycles": kept[-MAX_RUNS:]}, ensure_ascii=False))
