"""周期记录：最近若干次刷新各用多久、读多少行、落后多久、为何失败，供页面与监控读取。

One JSON file that is replaced whole: readers never wait for the worker, nor it for them, and it is there when Postgres
is not. It is bounded; the totals, which monitoring wants to see grow, go on when old cycles are forgotten.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from pathlib import Path
from typing import Any, TypedDict

from warehouse import status

KEEP = 500
BOUNDS = (0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 60.0, 300.0)
"""Upper edges of the buckets that `Totals.within` counts seconds in; a last one is open."""


class Cycle(TypedDict):
    """One refresh. Times are ISO 8601 in UTC; `mode` is what was built, `snapshot` what was published, if anything;
    `lag` as in `extract`; `times`: a failure that repeats itself is one record; `mended`: what had been wrong in what
    readers saw before."""

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


class Totals(TypedDict):
    """Since the store began: rows read, failures, cycles that mended something, and of the cycles that published their
    number by bucket of seconds, and the seconds together."""

    rows: int
    failures: int
    mended: int
    within: list[int]
    seconds: float


class Record(TypedDict):
    """The whole file; cycles oldest first."""

    totals: Totals
    cycles: list[Cycle]


def read(path: Path) -> Record:
    """What is recorded; nothing before the first cycle."""
    none: Totals = {"rows": 0, "failures": 0, "mended": 0, "within": [0] * (len(BOUNDS) + 1), "seconds": 0.0}
    try:
        found: Record = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return {"totals": none, "cycles": []}
    return {"totals": {**none, **found["totals"]}, "cycles": found["cycles"]}


def record(path: Path, **told: Any) -> None:
    """Add a cycle that ends now; `told` are its values but number, end and times."""
    found = read(path)
    totals, kept = found["totals"], found["cycles"]
    totals["rows"] += told["rows"]
    if told["error"] is not None:
        totals["failures"] += 1
    if told["mended"] is not None:
        totals["mended"] += 1
    if told["snapshot"] is not None:
        totals["within"][bisect_left(BOUNDS, told["seconds"])] += 1
        totals["seconds"] = round(totals["seconds"] + told["seconds"], 3)
    last = kept[-1] if kept else None
    if last is not None and last["error"] is not None and last["error"] == told["error"]:
        last["ended_at"], last["seconds"] = status.now(), told["seconds"]
        last["rows"] += told["rows"]
        last["times"] += 1
    else:
        number = last["number"] + 1 if last else 1
        kept.append({"number": number, **told, "ended_at": status.now(), "times": 1})  # type: ignore[typeddict-item]
    status.replace(path, json.dumps({"totals": totals, "cycles": kept[-KEEP:]}, ensure_ascii=False))
