"""Progress (进度): a line for each step, with the seconds since the start."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

STARTED_VARIABLE = "ERP_LAUNCHED_AT"


class Progress:
    """Printer of steps to stderr; its clock goes on from the process that began the start, if there was one."""

    def __init__(self) -> None:
        self._started = float(os.environ.get(STARTED_VARIABLE) or time.time())

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables by which a child goes on with the same clock."""
        return {STARTED_VARIABLE: str(self._started)}

    def say(self, text: str) -> None:
        sys.stderr.write(f"[{time.time() - self._started:6.1f}s] {text}\n")

    def done(self, label: str, began: float) -> None:
        self.say(f"✓ {label}（{time.monotonic() - began:.1f} 秒）")

    @contextmanager
    def step(self, label: str) -> Iterator[None]:
        began = time.monotonic()
        self.say(f"… {label}")
        yield
        self.done(label, began)
