"""Lazy models (按需生成): what follows from declarations is built on first use, by one thread at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from threading import RLock
from typing import TypeVar

Cls = TypeVar("Cls")
Model = TypeVar("Model")

MODEL_LOCK = RLock()


def cached_model(make: Callable[[Cls], Model]) -> Callable[[Cls], Model]:
    """Cache one model per class under a lock.

    Two models of one name get module-qualified names in OpenAPI.
    """
    kept = cache(make)

    @wraps(make)
    def locked(cls: Cls) -> Model:
        with MODEL_LOCK:
            return kept(cls)

    return locked
