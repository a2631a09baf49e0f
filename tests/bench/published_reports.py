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
from api.kit import registry
from api.kit.listing import page_of, query_model, sums_of
from api.kit.scope import ALL_RIGHTS, Principal
from api.reporting.published import Published
from api.reporting.snapshot import published, refreshed_at
from tests.bench._verdict import conclude
from tests.bench._warehouse import filled

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
    with filled() as place:
        os.environ["ERP_DATA_DIR"] = str(place)
        _measure_all()


def _measure_all() -> None:
    print(f"figures of {refreshed_at()}; the best of {TIMES}, seconds (CPU)")
    slow = [told for cls in registry.declared() if issubclass(cls, Published) for told in _measure(cls)]
    conclude({f"native reports under {BOUND * 1000:.0f} ms: {'; '.join(slow) or 'all'}": not slow})


def _measure(cls: type[Published]) -> Iterator[str]:
    """Print what each question takes; what takes too long is answered as well."""
    usual = cls.usual()
    year = {name: _earlier(value) for name, value in usual.items() if name.endswith("day_start")}
    for label, more in {**MORE, **({"a year": year} if year else {})}.items():
        asked = query_model(cls)(**{**usual, **more}, per_page=30, totals=0)
        for who in (GROUP, BRANCH):
            with published() as conn:
                count = sums_of(conn, cls, asked, who).rows
                page = _best(partial(page_of, conn, cls, asked, who))
                totals = _best(partial(sums_of, conn, cls, asked, who))
            name = f"{cls.name():24}{label:12}{who.user_name:8}"
            print(f"{name}{count:>10,} rows   page {_told(page)}   totals {_told(totals)}", flush=True)
            if max(page[0], totals[0]) > BOUND:
                yield f"{name.strip()} {max(page[0], totals[0]) * 1000:.0f} ms"


def _earlier(day: str) -> str:
    return (date.fromisoformat(day) - timedelta(365)).isoformat()


def _best(work: Callable[[], Any]) -> tuple[float, float]:
    found = []
    for _ in range(TIMES):
        started, cpu = time.perf_counter(), time.process_time()
        work()
        found.append((time.perf_counter() - started, time.process_time() - cpu))
    return min(found)


def _told(taken: tuple[float, float]) -> str:
    return f"{taken[0]:7.3f} ({taken[1]:7.3f})"


if __name__ == "__main__":
    main()
