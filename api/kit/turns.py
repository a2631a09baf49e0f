"""Turns (排队): slow work is done for few at once, a few more wait, and whoever comes then is told how many do.

Each that works or waits holds one of the threads that answer requests: all turns together leave enough of them free.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from api.kit.errors import Refusal

LOOK_SECONDS = 0.5
"""So often is looked whether the client is still there."""
PATIENCE = 30
"""Seconds that one waits; with the work itself less than the proxy before the API does (deploy/nginx.conf)."""


class Left(Refusal):
    """The client has gone: nobody reads what he asked for."""

    def __init__(self) -> None:
        super().__init__("请求已取消")


class Place:
    """Somebody's place among those that work or wait."""

    def __init__(self, busy: str) -> None:
        self._up, self._busy = threading.Event(), busy

    def call(self) -> None:
        self._up.set()

    def is_up(self) -> bool:
        """Whether it is his turn."""
        return self._up.is_set()

    def wait(self, has_left: Callable[[], bool]) -> None:
        """Wait for his turn. Raises Left when the client has gone, Refusal when it takes too long."""
        until = time.monotonic() + PATIENCE
        while not self._up.wait(LOOK_SECONDS):
            if has_left():
                raise Left()
            if time.monotonic() > until:
                raise Refusal(self._busy)


class Turns:
    """The queue before one kind of slow work of this process. `busy` says how many (`{}`) wait already."""

    def __init__(self, busy: str, at_once: int, waiting: int) -> None:
        self.busy, self.at_once, self.waiting = busy, at_once, waiting
        self._lock = threading.Lock()
        self._working: set[Place] = set()
        self._line: deque[Place] = deque()

    @contextmanager
    def place(self) -> Iterator[Place]:
        """A place until the block ends: at once, or in the line. Raises Refusal when that is full."""
        with self._lock:
            waiting = len(self._line)
            place = Place(self.busy.format(waiting))
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

    def standing(self) -> tuple[int, int]:
        """How many work, and how many wait."""
        with self._lock:
            return len(self._working), len(self._line)

    def _begin(self, place: Place) -> None:
        self._working.add(place)
        place.call()

    def _give_up(self, place: Place) -> None:
        if place in self._working:
            self._working.remove(place)
            if self._line:
                self._begin(self._line.popleft())
        else:
            self._line.remove(place)
