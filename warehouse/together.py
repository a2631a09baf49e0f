"""并行：相互独立的语句同时运行，各用一个连接；一条一条运行时，小语句用不满处理器。"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter

import duckdb


def each_after(
    after: Mapping[str, Iterable[str]],
    conn: duckdb.DuckDBPyConnection,
    work: Callable[[duckdb.DuckDBPyConnection, str], None],
    *,
    at_once: int,
) -> None:
    """Call `work` with a connection of its own for every key of `after`, once those that it names are done, so many
    `at_once`. When one fails nothing new begins, and the failure is raised."""
    waiting = TopologicalSorter(after)
    waiting.prepare()
    running: dict[Future[None], str] = {}

    def run(name: str) -> None:
        with conn.cursor() as own:
            work(own, name)

    with ThreadPoolExecutor(at_once) as pool:
        ready: list[str] = []
        while waiting.is_active():
            ready += waiting.get_ready()
            while ready and len(running) < at_once:
                name = ready.pop(0)
                running[pool.submit(run, name)] = name
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                done.result()
                waiting.done(running.pop(done))
