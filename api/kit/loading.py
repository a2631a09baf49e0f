"""Loading (载入): what a process loads stays, so no garbage is looked for in it, at the start or at the end."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Keep what is imported and made here for ever: to look through it, again and again, is a quarter of a start."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
