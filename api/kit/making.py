"""Making (按需生成): what follows from declarations is made when it is first asked for, by one thread at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from threading import RLock
from typing import TypeVar

Cls = TypeVar("Cls")
Model = TypeVar("Model")

MAKING = RLock()


def made_once(make: Callable[[Cls], Model]) -> Callable[[Cls], Model]:
    """A maker that makes one model of a class: of two, the description of the API would call each by a longer name."""
    kept = cache(make)

    @wraps(make)
    def asked(cls: Cls) -> Model:
        with MAKING:
            return kept(cls)

    return asked
