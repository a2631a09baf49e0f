"""排队: few work, few wait in the order they came, the others are told; slow work holds no connection."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection

from api.kit.context import Context, active_context
from api.kit.errors import Refusal
from api.kit.http import child_process, work_queue
from api.kit.http.work_queue import ClientGone, WorkQueue

THREADS = 40
"""So many threads answer requests, as anyio has it."""
BUSY = "前面有{}个在等"


@pytest.fixture
def line() -> WorkQueue:
    return WorkQueue(BUSY, at_once=1, waiting=2)


@contextmanager
def occupied_places(line: WorkQueue, many: int) -> Iterator[list[work_queue.QueuePlace]]:
    with ExitStack() as held:
        yield [held.enter_context(line.place()) for _ in range(many)]


def sleep_long() -> bool:
    return False


class TestTurns:
    def test_whoever_finds_the_line_full_is_told_how_many_wait(self, line: WorkQueue) -> None:
        with occupied_places(line, 3), pytest.raises(Refusal, match="^前面有2个在等$"):
            line.place().__enter__()
        assert line.count_work() == (0, 0)

    def test_the_first_that_came_is_the_next(self, line: WorkQueue) -> None:
        working = line.place()
        working.__enter__()
        with line.place() as first, line.place() as second:
            working.__exit__(None, None, None)
            assert (first.is_admitted(), second.is_admitted()) == (True, False)
            assert line.count_work() == (1, 1)
        assert line.count_work() == (0, 0)

    def test_one_that_waits_goes_on_when_it_is_up(self, line: WorkQueue) -> None:
        done = threading.Event()

        def work() -> None:
            with line.place() as place:
                place.wait(sleep_long)
                done.set()

        with line.place():
            waiter = threading.Thread(target=work)
            waiter.start()
        waiter.join(60)
        assert done.is_set()

    def test_a_client_that_has_gone_gives_up_its_place(self, line: WorkQueue) -> None:
        with line.place():
            with pytest.raises(ClientGone), line.place() as place:
                place.wait(lambda: True)
            assert line.count_work() == (1, 0)

    def test_one_that_waits_too_long_is_told(self, line: WorkQueue, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(work_queue, "WAIT_SECONDS", 0)
        with line.place(), pytest.raises(Refusal, match="前面有0个在等"), line.place() as place:
            place.wait(sleep_long)

    def test_all_lines_together_leave_threads_to_the_other_requests(self) -> None:
        from api.main import app

        lines = {line for route in app.router.routes if (line := getattr(route, "turns", None))}
        assert len(lines) >= 5, "the press, tables, pictures, companies, the document"
        assert sum(one.at_once + one.waiting for one in lines) <= THREADS - 8


class TestApart:
    @pytest.fixture
    def ctx(self, conn: Connection) -> Context:
        return Context(conn, None, in_turn=True)  # type: ignore[arg-type]

    def test_a_child_is_not_waited_for_with_a_connection_held(self, ctx: Context) -> None:
        with active_context(ctx):
            for wait in (
                lambda: child_process.run_child([sys.executable, "-c", ""], b"", 60),
                lambda: next(child_process.stream_lines([sys.executable, "-c", ""])),
            ):
                with pytest.raises(RuntimeError, match="inside a request's transaction"):
                    wait()
            with ctx.without_transaction():
                assert child_process.run_child([sys.executable, "-c", "print(7)"], b"", 60).stdout == b"7\n"
        assert ctx.conn.exec_driver_sql("select 1").scalar() == 1
        ctx.conn.close()

    def test_a_call_without_a_line_before_it_may_not(self, ctx: Context) -> None:
        ctx.in_turn = False
        with pytest.raises(RuntimeError, match="without a queue"), ctx.without_transaction():
            pass

    def test_what_was_written_is_not_lost_in_silence(self, ctx: Context) -> None:
        ctx.conn.exec_driver_sql("create temporary table written (x int) on commit drop")
        with pytest.raises(RuntimeError, match="after something was written"), ctx.without_transaction():
            pass


class TestChildren:
    @pytest.fixture
    def gone(self) -> Iterator[list[bool]]:
        """A client that is there until the list says otherwise; it holds no connection."""
        told = [False]

        class Closed:
            closed = True

        ctx = Context(Closed(), None, has_left=lambda: told[0])  # type: ignore[arg-type]
        with active_context(ctx):
            yield told

    @pytest.mark.parametrize(
        "wait",
        [
            lambda command: child_process.run_child(command, b"", 600),
            lambda command: list(child_process.stream_lines(command)),
        ],
    )
    def test_ends_when_the_client_has_left(
        self,
        gone: list[bool],
        monkeypatch: pytest.MonkeyPatch,
        wait: Callable[[list[str]], Any],
    ) -> None:
        begun: list[subprocess.Popen[bytes]] = []

        class Noted(subprocess.Popen):  # type: ignore[type-arg]
            def __init__(self, *given: Any, **more: Any) -> None:
                super().__init__(*given, **more)
                begun.append(self)

        monkeypatch.setattr(subprocess, "Popen", Noted)
        gone[0] = True
        with pytest.raises(ClientGone):
            wait([sys.executable, "-c", "import time; time.sleep(600)"])
        assert [child.returncode for child in begun] == [-9]

    def test_one_that_takes_too_long_is_ended(self) -> None:
        with pytest.raises(child_process.ChildTimeout):
            child_process.run_child([sys.executable, "-c", "import time; time.sleep(600)"], b"", 0.2)

    def test_large_texts_go_in_and_come_back(self) -> None:
        content = b"x" * 3_000_000
        echo = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
        assert child_process.run_child([sys.executable, "-c", echo], content, 60).stdout == content

    def test_a_child_that_begins_to_read_late_reads_all(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(child_process, "CHECK_SECONDS", 0.05)
        content = b"x" * 1_000_000
        late = "import sys, time; time.sleep(0.5); print(len(sys.stdin.buffer.read()))"
        assert child_process.run_child([sys.executable, "-c", late], content, 60).stdout == b"1000000\n"

    def test_a_torn_last_line_is_none(self) -> None:
        code = "import sys; sys.stdout.write('a\\n' + 'b' * 200000 + '\\nc')"
        assert [len(line) for line in child_process.stream_lines([sys.executable, "-c", code])] == [
            1,
            200_000,
        ]
