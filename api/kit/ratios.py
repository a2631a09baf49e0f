"""Ratios (比率): empty where the base is zero or negative; of several rows the ratio of their sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal


def quotient(part: Decimal, whole: Decimal, places: int) -> Decimal | None:
    return round(part / whole, places) if whole > 0 else None


@dataclass(frozen=True, slots=True)
class Ratio:
    """What a column tells of its row: `times` one column over another, or with `growth` what it has more than that."""

    part: str
    whole: str
    times: int = 100
    places: int = 4
    growth: bool = False

    @property
    def parts(self) -> tuple[str, str]:
        """The columns that it is worked out from."""
        return self.part, self.whole

    def of(self, sums: Mapping[str, Decimal]) -> Decimal | None:
        """The ratio of several rows, by the sums of their columns."""
        whole = sums[self.whole]
        return quotient(self.times * (sums[self.part] - self.growth * whole), whole, self.places)
