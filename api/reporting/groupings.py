"""Reports summed up as chosen (汇总方式): by one of several columns or by some of them together.

The chosen ones come as numbers in the filter `grouping`, joined by commas; columns that aren't chosen stay empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from api.kit.view import Values


@dataclass(frozen=True, slots=True)
class Groupings:
    """What a report may be summed up by: a label and columns by number, and the number that is usual."""

    choices: Mapping[int, tuple[str, tuple[str, ...]]]
    usual: int

    @property
    def labels(self) -> dict[int, str]:
        return {number: label for number, (label, _) in self.choices.items()}

    def numbers(self, asked: Values) -> list[int]:
        """The chosen groupings; the usual one when none is."""
        told = {part.strip() for part in str(asked.get("grouping") or "").split(",")}
        return [number for number in self.choices if str(number) in told] or [self.usual]

    def columns(self, asked: Values) -> str:
        """Every column, for a select that groups by `chosen`."""
        chosen = self._chosen(asked)
        return ", ".join(
            name if name in chosen else f"cast(null as bigint) as {name}" for name in self._every()
        )

    def chosen(self, asked: Values) -> str:
        """The columns to group by."""
        return ", ".join(self._chosen(asked))

    def row_id(self, name: str) -> str:
        """The key of a row, named `name`, by the values of every column."""
        return f"cast(hash({', '.join(self._every())}) % 9007199254740991 as bigint) as {name}"

    def leads(self) -> tuple[tuple[str, str], ...]:
        """The filters that a row of the report gives to the one it leads to."""
        return tuple((name, name) for name in self._every())

    def _every(self) -> list[str]:
        return list(dict.fromkeys(name for _, columns in self.choices.values() for name in columns))

    def _chosen(self, asked: Values) -> list[str]:
        numbers = self.numbers(asked)
        return list(dict.fromkeys(name for number in numbers for name in self.choices[number][1]))
