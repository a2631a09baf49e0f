"""Search by pinyin initials (拼音首字母).

SHLT finds 上海轮胎; letters come from ICU's pinyin order, as sorting does.
"""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import duckdb

from reports.semantics.datasets import Dataset
from reports.semantics.text_order import is_text

SEARCH = "ILIKE"
LETTERS = re.compile(r"%([A-Za-z]{2,12})%")
FIRST_OF = dict(zip("ABCDEFGHJKLMNOPQRSTWXYZ", "吖丷嚓咑妸发旮哈丌咔垃呣拏喔妑七呥仨他屲夕丫帀", strict=True))
"""The first characters of each letter in pinyin order; none is read with I, U or V."""
MOST_NAMES = 1000
MOST_KEPT = 1_000_000
"""Number of cached names of all columns together."""
Names = Callable[[str], Sequence[str]]
"""All values of a dataset's column."""


class NameCache:
    """A cache of the columns' names in the newest snapshot; of more than `MOST_KEPT` the oldest go first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mark = ""
        self._kept: dict[Hashable, Sequence[str]] = {}

    def __len__(self) -> int:
        """Return the number of cached names."""
        return sum(map(len, self._kept.values()))

    def get_or_read(self, mark: str, column: Hashable, read: Callable[[], Sequence[str]]) -> Sequence[str]:
        """Return a column's names in the snapshot of a mark; `read` is called when they aren't cached."""
        with self._lock:
            names = self._kept.get(column) if mark == self._mark else None
        if names is not None:
            return names
        names = read()
        with self._lock:
            if mark != self._mark:
                self._mark, self._kept = mark, {}
            self._kept[column] = names
            while len(self) > MOST_KEPT:
                del self._kept[next(iter(self._kept))]
        return names


@lru_cache(1)
def _build_letter_index() -> Mapping[str, str]:
    """Return the first letter of each Chinese character's usual reading."""
    han = [chr(code) for code in range(0x4E00, 0xA000)]
    with duckdb.connect() as conn:
        query = "select told, icu_sort_key(told, 'zh') from unnest($1) as t(told)"
        keys = dict(conn.execute(query, [[*han, *FIRST_OF.values()]]).fetchall())
    bounds, letters = [keys[first] for first in FIRST_OF.values()], [*FIRST_OF]
    return {one: letters[bisect_right(bounds, keys[one]) - 1] for one in han if keys[one] >= bounds[0]}


def build_initials(name: str) -> str:
    """Return the pinyin initials of a name; other characters stay as they are, in capitals."""
    letters = _build_letter_index()
    return "".join(letters.get(char, char.upper()) for char in name)


def match_initials(
    conditions: Iterable[dict[str, Any]], dataset: Dataset, names: Names
) -> list[dict[str, Any]]:
    """Widen the conditions that search a text for letters to names with such initials."""
    return [_widen_condition(one, dataset, names) for one in conditions]


def _widen_condition(condition: dict[str, Any], dataset: Dataset, names: Names) -> dict[str, Any]:
    sought = LETTERS.fullmatch(str(condition.get("val"))) if condition.get("op") == SEARCH else None
    column = condition.get("col")
    if sought is None or not isinstance(column, str) or not is_text(dataset, column):
        return condition
    letters = sought[1].upper()
    found = [name for name in names(column) if letters in name.upper() or letters in build_initials(name)]
    return {**condition, "op": "IN", "val": found[:MOST_NAMES]} if found else condition
