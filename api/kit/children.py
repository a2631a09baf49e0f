"""Children (子进程): how a program of its own is waited for: with no connection held, and for no client who has left.

Whoever waits inside a request has ended its transaction before (`Context.apart`); jobs wait as long as they may.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import IO

from api.kit.context import current
from api.kit.turns import LOOK_SECONDS, Left

CHUNK = 1 << 16


class TooLong(Exception):
    """A child did not end in its time, and was killed."""


def run(
    command: Sequence[str], content: bytes, seconds: float, stderr: int = subprocess.DEVNULL
) -> subprocess.CompletedProcess[bytes]:
    """Run a child on what it reads; its answer. Raises TooLong, and Left when the client has gone."""
    refuse_held()
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr) as child,
        # Asked again after a timeout, `communicate` itself would not send the rest of what the child reads.
        ThreadPoolExecutor(1) as beside,
    ):
        until = time.monotonic() + seconds
        told = beside.submit(child.communicate, content)
        try:
            while True:
                try:
                    out, err = told.result(min(LOOK_SECONDS, seconds))
                    return subprocess.CompletedProcess(command, child.returncode, out, err)
                except TimeoutError:
                    _look(until)
        finally:
            child.kill()


def lines(command: Sequence[str]) -> Generator[bytes, None, None]:
    """The whole lines that a child writes, as they come. Raises Left when the client has gone."""
    refuse_held()
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        assert child.stdout is not None
        try:
            yield from _lines(child.stdout)
        finally:
            child.kill()


def ended(child: subprocess.Popen[bytes], seconds: float) -> int | None:
    """Wait for a child that others wait for too: what it answered, None while it works on. Raises Left."""
    refuse_held()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            return child.wait(min(LOOK_SECONDS, seconds))
        except subprocess.TimeoutExpired:
            _look()
    return child.poll()


def refuse_held() -> None:
    """Slow work holds no connection: others would wait for it."""
    ctx = current()
    if ctx is not None and not ctx.conn.closed:
        raise RuntimeError("slow work inside a request's transaction: see Context.apart")


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    rest, looked = b"", time.monotonic()
    with selectors.DefaultSelector() as ready:
        ready.register(stream, selectors.EVENT_READ)
        while True:
            chunk = os.read(stream.fileno(), CHUNK) if ready.select(LOOK_SECONDS) else None
            if chunk == b"":
                return
            if time.monotonic() - looked > LOOK_SECONDS:
                _look()
                looked = time.monotonic()
            *whole, rest = (rest + (chunk or b"")).split(b"\n")
            yield from whole


def _look(until: float | None = None) -> None:
    ctx = current()
    if ctx is not None and ctx.has_left():
        raise Left()
    if until is not None and time.monotonic() > until:
        raise TooLong()
