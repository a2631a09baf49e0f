"""Child processes (子进程): waiting for one without holding a connection, and not after the client has left.

Whoever waits inside a request has ended its transaction before (`Context.without_transaction`); jobs wait
as long as they may.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import IO

from api.kit.context import current_context
from api.kit.http.work_queue import CHECK_SECONDS, ClientGone

CHUNK = 1 << 16


class ChildTimeout(Exception):
    """A child didn't end in its time, and was killed."""


def run_child(
    command: Sequence[str], content: bytes, seconds: float, stderr: int = subprocess.DEVNULL
) -> subprocess.CompletedProcess[bytes]:
    """Run a child on its input and return the completed process. Raises ChildTimeout, and ClientGone."""
    forbid_open_transaction()
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr) as child,
        # Asked again after a timeout, `communicate` itself would not send the rest of what the child reads.
        ThreadPoolExecutor(1) as executor,
    ):
        until = time.monotonic() + seconds
        future = executor.submit(child.communicate, content)
        try:
            while True:
                try:
                    out, err = future.result(min(CHECK_SECONDS, seconds))
                    return subprocess.CompletedProcess(command, child.returncode, out, err)
                except TimeoutError:
                    _check_client(until)
        finally:
            child.kill()


def stream_lines(command: Sequence[str]) -> Generator[bytes, None, None]:
    """Yield the whole lines that a child writes, as they come. Raises ClientGone."""
    forbid_open_transaction()
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        assert child.stdout is not None
        try:
            yield from _split_lines(child.stdout)
        finally:
            child.kill()


def wait_for_child(child: subprocess.Popen[bytes], seconds: float) -> int | None:
    """Wait for a child that others wait for too; return its exit code, None while it runs.

    Raises ClientGone.
    """
    forbid_open_transaction()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            return child.wait(min(CHECK_SECONDS, seconds))
        except subprocess.TimeoutExpired:
            _check_client()
    return child.poll()


def forbid_open_transaction() -> None:
    """Raise RuntimeError inside an open transaction: slow work must hold no connection."""
    ctx = current_context()
    if ctx is not None and not ctx.conn.closed:
        raise RuntimeError("slow work inside a request's transaction: see Context.apart")


def _split_lines(stream: IO[bytes]) -> Iterator[bytes]:
    rest, looked = b"", time.monotonic()
    with selectors.DefaultSelector() as ready:
        ready.register(stream, selectors.EVENT_READ)
        while True:
            chunk = os.read(stream.fileno(), CHUNK) if ready.select(CHECK_SECONDS) else None
            if chunk == b"":
                return
            if time.monotonic() - looked > CHECK_SECONDS:
                _check_client()
                looked = time.monotonic()
            *whole, rest = (rest + (chunk or b"")).split(b"\n")
            yield from whole


def _check_client(until: float | None = None) -> None:
    ctx = current_context()
    if ctx is not None and ctx.has_left():
        raise ClientGone()
    if until is not None and time.monotonic() > until:
        raise ChildTimeout()
