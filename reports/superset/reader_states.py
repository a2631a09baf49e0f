"""Readers' states (读者状态): a bounded number of filter states and unsaved charts for each guest or analyst.

All readers' states lie in one store of a fixed size: without a bound of his own one reader could push out
everybody's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

MOST_STATES = 200
"""Number of entries that a reader may have; a state has two, itself and its tab's key."""
LARGEST = 256 * 1024
"""Letters of one state."""
TOO_LARGE = "筛选的内容太多，不能保存，请少选一些"
_one = threading.Lock()


class BoundedStore:
    """A cache of Superset's for one kind of state, in which each reader has so many entries."""

    def __init__(
        self,
        store: Callable[[], Any],
        reader: Callable[[], tuple[str, ...]],
        refusal: Callable[[str], Exception],
        most: int = MOST_STATES,
    ) -> None:
        self._store, self._reader, self._refusal, self._most = store, reader, refusal, most

    def get(self, key: str) -> Any:
        return self._store().get(key)

    def delete(self, key: str) -> Any:
        return self._store().delete(key)

    def set(self, key: str, value: Any) -> Any:
        """Store a value; the reader's oldest goes when he has too many. Raises the refusal for a huge one."""
        if len(str(value)) > LARGEST:
            raise self._refusal(TOO_LARGE)
        reader, store = self._reader(), self._store()
        if reader:
            listed = "/".join(("kept", *reader))
            with _one:
                kept = [one for one in store.get(listed) or [] if one != key] + [key]
                for old in kept[: -self._most]:
                    store.delete(old)
                store.set(listed, kept[-self._most :])
        return store.set(key, value)
