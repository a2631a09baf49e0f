"""GC freeze (载入): objects loaded at the start stay, so the garbage collector never looks through them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def frozen_gc() -> Iterator[None]:
    """Collect nothing in the block and freeze what it leaves; collections are a quarter of a start."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
