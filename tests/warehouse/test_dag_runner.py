"""Statements that run side by side: what they read comes first, and a failure ends it."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import duckdb
import pytest

from warehouse.dag_runner import run_in_dependency_order


@pytest.fixture
def conn() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as opened:
        yield opened


def test_each_runs_once_and_after_what_it_names(conn: duckdb.DuckDBPyConnection) -> None:
    after = {"last": ("left", "right"), "left": ("first",), "right": ("first",), "first": ()}
    done: list[str] = []
    run_in_dependency_order(after, conn, lambda _, name: done.append(name), at_once=2)
    assert (done[0], done[-1], sorted(done)) == ("first", "last", sorted(after))


def test_two_run_at_once_on_connections_of_their_own(conn: duckdb.DuckDBPyConnection) -> None:
    meeting = threading.Barrier(2, timeout=60)

    def work(own: duckdb.DuckDBPyConnection, name: str) -> None:
        own.execute(f"begin; create temp table mine as select '{name}' as name")
        meeting.wait()
        assert own.execute("select name from mine").fetchall() == [(name,)]
        own.execute("commit")

    run_in_dependency_order({"one": (), "other": ()}, conn, work, at_once=2)


def test_when_one_fails_nothing_new_begins(conn: duckdb.DuckDBPyConnection) -> None:
    began: list[str] = []

    def work(own: duckdb.DuckDBPyConnection, name: str) -> None:
        began.append(name)
        if name == "bad":
            own.execute("select nothing")

    with pytest.raises(duckdb.Error):
        run_in_dependency_order({"bad": (), "above": ("bad",)}, conn, work, at_once=2)
    assert began == ["bad"]
