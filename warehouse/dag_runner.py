"""DAG runner (并行): independent statements run at the same time, each on a connection of its own, since
small statements can't use all cores one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter

import duckdb


def run_in_dependency_order(
    after: Mapping[str, Iterable[str]],
    conn: duckdb.DuckDBPyConnection,
    work: Callable[[duckdb.DuckDBPyConnection, str], None],
    *,
    at_once: int,
) -> None:
    """Run `work(conn, key)` over the DAG `after`, each key after those that it names, at most `at_once` in
    parallel.

    Stops scheduling and re-raises on the first failure.
    """
    waiting = TopologicalSorter(after)
    waiting.prepare()
    running: dict[Future[None], str] = {}

    def run_node(name: str) -> None:
        with conn.cursor() as own:
            work(own, name)

    with ThreadPoolExecutor(at_once) as pool:
        ready: list[str] = []
        while waiting.is_active():
            ready += waiting.get_ready()
            while ready and len(running) < at_once:
                name = ready.pop(0)
                running[pool.submit(run_node, name)] = name
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                done.result()
                waiting.done(running.pop(done))
