"""Work queue (排队): slow work runs for few at once, a few more wait, and others are refused.

Each that works or waits holds one of the threads that answer requests: all queues together leave enough of
them free.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from api.kit.errors import Refusal

CHECK_SECONDS = 0.5
"""Interval at which the client's connection is checked."""
WAIT_SECONDS = 30
"""Seconds that one waits; with the work itself less than the proxy before the API does (deploy/nginx.conf)."""


class ClientGone(Refusal):
    """The client has disconnected: nobody reads the answer."""

    def __init__(self) -> None:
        super().__init__("请求已取消")


class QueuePlace:
    """A place in the queue, working or waiting."""

    def __init__(self, busy: str) -> None:
        self._up, self._busy = threading.Event(), busy

    def admit(self) -> None:
        self._up.set()

    def is_admitted(self) -> bool:
        """Return whether it may work."""
        return self._up.is_set()

    def wait(self, has_left: Callable[[], bool]) -> None:
        """Wait to be admitted. Raises ClientGone, and Refusal when it takes too long."""
        until = time.monotonic() + WAIT_SECONDS
        while not self._up.wait(CHECK_SECONDS):
            if has_left():
                raise ClientGone()
            if time.monotonic() > until:
                raise Refusal(self._busy)


class WorkQueue:
    """The queue of one kind of slow work of this process.

    `busy` is the refusal with the number (`{}`) of waiting calls.
    """

    def __init__(self, busy: str, at_once: int, waiting: int) -> None:
        self.busy, self.at_once, self.waiting = busy, at_once, waiting
        self._lock = threading.Lock()
        self._working: set[QueuePlace] = set()
        self._line: deque[QueuePlace] = deque()

    @contextmanager
    def place(self) -> Iterator[QueuePlace]:
        """Hold a place until the block ends, working or waiting. Raises Refusal when the queue is full."""
        with self._lock:
            waiting = len(self._line)
            place = QueuePlace(self.busy.format(waiting))
            if len(self._working) < self.at_once:
                self._begin(place)
            elif waiting < self.waiting:
                self._line.append(place)
            else:
                raise Refusal(self.busy.format(waiting))
        try:
            yield place
        finally:
            with self._lock:
                self._give_up(place)

    def count_work(self) -> tuple[int, int]:
        """Return how many work, and how many wait."""
        with self._lock:
            return len(self._working), len(self._line)

    def _begin(self, place: QueuePlace) -> None:
        self._working.add(place)
        place.admit()

    def _give_up(self, place: QueuePlace) -> None:
        if place in self._working:
            self._working.remove(place)
            if self._line:
                self._begin(self._line.popleft())
        else:
            self._line.remove(place)
