"""同名数字：两张报表里名称相同的数字，同一时期、同样筛选下相等，或在这里说明为何不同。

A test compares all pairs; what is said here is told to readers beside the figure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Difference:
    """Why figures of some names (a pattern of the whole name) in some places, tabs as `code/tab` or whole reports, are
    not those of the same name elsewhere; without places no two of them are the same."""

    names: str
    reason: str
    places: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.names)

    def tells(self, name: str, one: str, other: str) -> bool:
        """Whether it says why the figures of a name in two places differ."""
        if self.pattern.fullmatch(name) is None:
            return False
        return not self.places or self._has(one) != self._has(other)

    def _has(self, place: str) -> bool:
        return place in self.places or place.split("/")[0] in self.places


DIFFERENCES: tuple[Difference, ...] = ()


def reason(name: str, one: str, other: str) -> str | None:
    """Why the figures of a name in two places, each `code/tab`, are not the same; None where they are."""
    return next((told.reason for told in DIFFERENCES if told.tells(name, one, other)), None)
