"""A reader's filter states are bounded: the oldest go, others' stay, a huge one is not taken."""

from __future__ import annotations

from typing import Any

import pytest

from reports.superset.reader_states import LARGEST, BoundedStore


class DictStore(dict[str, Any]):
    """A dictionary with the methods of a cache of Superset's."""

    def set(self, key: str, value: Any) -> bool:
        self[key] = value
        return True

    def delete(self, key: str) -> bool:
        return self.pop(key, None) is not None


def test_the_oldest_of_a_reader_go() -> None:
    store, who = DictStore(), ["zhang"]
    bounded = BoundedStore(lambda: store, lambda: (who[0],), ValueError, most=3)
    bounded.set("other", 0)
    who[0] = "li"
    for number in range(5):
        bounded.set(f"key-{number}", number)
    bounded.set("key-3", "again")
    bounded.set("key-5", 5)
    kept = {key: value for key, value in store.items() if not key.startswith("kept/")}
    assert kept == {"other": 0, "key-3": "again", "key-4": 4, "key-5": 5}
    assert bounded.get("key-3") == "again"


def test_a_huge_one_is_refused() -> None:
    store = DictStore()
    bounded = BoundedStore(lambda: store, lambda: ("li",), ValueError)
    with pytest.raises(ValueError, match="筛选的内容太多"):
        bounded.set("key", {"value": "x" * LARGEST})
    assert store == {}


def test_who_logged_in_is_not_bounded() -> None:
    store = DictStore()
    bounded = BoundedStore(lambda: store, tuple, ValueError, most=1)
    for number in range(3):
        bounded.set(f"key-{number}", number)
    assert len(store) == 3
