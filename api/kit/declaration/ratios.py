"""Ratios (比率): empty where the base is zero or negative; of several rows the ratio of their sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal


def divide_or_none(part: Decimal, whole: Decimal, places: int) -> Decimal | None:
    return round(part / whole, places) if whole > 0 else None


@dataclass(frozen=True, slots=True)
class Ratio:
    """A column's ratio: `times` one column over another, or with `growth` its excess over the other."""

    part: str
    whole: str
    times: int = 100
    places: int = 4
    growth: bool = False

    @property
    def parts(self) -> tuple[str, str]:
        """The columns that it is computed from."""
        return self.part, self.whole

    def compute(self, sums: Mapping[str, Decimal]) -> Decimal | None:
        """Return the ratio of several rows, by the sums of their columns."""
        whole = sums[self.whole]
        return divide_or_none(self.times * (sums[self.part] - self.growth * whole), whole, self.places)
