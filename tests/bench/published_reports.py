"""Benchmark of the reports over the marts: a page and the totals of each, as their pages ask for them.

    python -m tests.bench.published_reports [DIR]

DIR as in `tests.bench._warehouse`.
Target: each page, and its totals, under 100 ms. Exits with 1 where one takes longer.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import partial
from typing import Any

from api import catalogue
from api.kit.declaration import registry
from api.kit.scope import ALL_RIGHTS, Principal
from api.kit.storage.listing import query_model, read_page, read_sums
from api.reporting.lists.list_report import ListReport
from api.reporting.snapshot.snapshot_connection import find_refreshed_at, open_snapshot
from tests.bench._targets import require_targets
from tests.bench._warehouse import open_filled_warehouse

assert catalogue.__all__
GROUP = Principal(1, "group", "group", 1, 1, rights=frozenset({ALL_RIGHTS}), sees_cost=True)
BRANCH = Principal(2, "branch", "branch", 2, 1, companies=frozenset({1}), sees_cost=True)
MORE: dict[str, dict[str, str]] = {
    "as it opens": {},
    "one goods": {"goods_id": "17"},
    "a keyword": {"keyword": "G00001"},
}
TIMES = 3
BOUND = 0.1
"""Seconds."""


def main() -> None:
    with open_filled_warehouse() as place:
        os.environ["ERP_DATA_DIR"] = str(place)
        _measure_all()


def _measure_all() -> None:
    print(f"figures of {find_refreshed_at()}; the best of {TIMES}, seconds (CPU)")
    slow = [
        told
        for cls in registry.list_resources()
        if issubclass(cls, ListReport)
        for told in _measure_report(cls)
    ]
    require_targets({f"native reports under {BOUND * 1000:.0f} ms: {'; '.join(slow) or 'all'}": not slow})


def _measure_report(cls: type[ListReport]) -> Iterator[str]:
    """Print the times of each query; yields those that take too long."""
    usual = cls.default_filters()
    year = {name: _subtract_year(value) for name, value in usual.items() if name.endswith("day_start")}
    for label, more in {**MORE, **({"a year": year} if year else {})}.items():
        asked = query_model(cls)(**{**usual, **more}, per_page=30, totals=0)
        for who in (GROUP, BRANCH):
            with open_snapshot() as conn:
                count = read_sums(conn, cls, asked, who).rows
                page = _measure_best(partial(read_page, conn, cls, asked, who))
                totals = _measure_best(partial(read_sums, conn, cls, asked, who))
            name = f"{cls.name():24}{label:12}{who.user_name:8}"
            print(
                f"{name}{count:>10,} rows   page {_format_times(page)}   totals {_format_times(totals)}",
                flush=True,
            )
            if max(page[0], totals[0]) > BOUND:
                yield f"{name.strip()} {max(page[0], totals[0]) * 1000:.0f} ms"


def _subtract_year(day: str) -> str:
    return (date.fromisoformat(day) - timedelta(365)).isoformat()


def _measure_best(work: Callable[[], Any]) -> tuple[float, float]:
    found = []
    for _ in range(TIMES):
        started, cpu = time.perf_counter(), time.process_time()
        work()
        found.append((time.perf_counter() - started, time.process_time() - cpu))
    return min(found)


def _format_times(taken: tuple[float, float]) -> str:
    return f"{taken[0]:7.3f} ({taken[1]:7.3f})"


if __name__ == "__main__":
    main()
