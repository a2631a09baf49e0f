"""按拼音首字母找名称：筛选框里敲 SHLT 也能找到“上海轮胎”。字母由 ICU 的拼音顺序得出，与排序同一来源。"""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import duckdb

from reports.catalogue.datasets import Dataset
from reports.name_order import is_text

SEARCH = "ILIKE"
LETTERS = re.compile(r"%([A-Za-z]{2,12})%")
FIRST_OF = dict(zip("ABCDEFGHJKLMNOPQRSTWXYZ", "吖丷嚓咑妸发旮哈丌咔垃呣拏喔妑七呥仨他屲夕丫帀", strict=True))
"""The first characters of each letter in pinyin order; none is read with I, U or V."""
MOST_NAMES = 1000
MOST_KEPT = 1_000_000
"""So many names are kept of all columns together."""
Names = Callable[[str], Sequence[str]]
"""All values of a dataset's column."""


class KeptNames:
    """The names of columns as they are in the newest snapshot: those of older ones are let go, and of more than
    `MOST_KEPT` those that were read first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mark = ""
        self._kept: dict[Hashable, Sequence[str]] = {}

    def __len__(self) -> int:
        """How many names are kept."""
        return sum(map(len, self._kept.values()))

    def of(self, mark: str, column: Hashable, read: Callable[[], Sequence[str]]) -> Sequence[str]:
        """A column's names in the snapshot of a mark, which `read` finds when they aren't kept."""
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
def _letters() -> Mapping[str, str]:
    """The letter that each Chinese character's usual reading begins with."""
    han = [chr(code) for code in range(0x4E00, 0xA000)]
    with duckdb.connect() as conn:
        query = "select told, icu_sort_key(told, 'zh') from unnest($1) as t(told)"
        keys = dict(conn.execute(query, [[*han, *FIRST_OF.values()]]).fetchall())
    bounds, letters = [keys[first] for first in FIRST_OF.values()], [*FIRST_OF]
    return {one: letters[bisect_right(bounds, keys[one]) - 1] for one in han if keys[one] >= bounds[0]}


def spelled(name: str) -> str:
    """The initials of a name; other characters stay as they are, capital."""
    letters = _letters()
    return "".join(letters.get(char, char.upper()) for char in name)


def found_by_letters(asked: Iterable[dict[str, Any]], dataset: Dataset, names: Names) -> list[dict[str, Any]]:
    """Conditions of which one that looks for letters in a text takes the names that contain or begin so as well."""
    return [_wider(one, dataset, names) for one in asked]


def _wider(condition: dict[str, Any], dataset: Dataset, names: Names) -> dict[str, Any]:
    sought = LETTERS.fullmatch(str(condition.get("val"))) if condition.get("op") == SEARCH else None
    column = condition.get("col")
    if sought is None or not isinstance(column, str) or not is_text(dataset, column):
        return condition
    letters = sought[1].upper()
    found = [name for name in names(column) if letters in name.upper() or letters in spelled(name)]
    return {**condition, "op": "IN", "val": found[:MOST_NAMES]} if found else condition
