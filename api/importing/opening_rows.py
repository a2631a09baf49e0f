"""Opening rows (初始化数据): what the three uploads have in common — columns, a heading, what became of each row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from api.importing import files
from api.importing.cells import Line
from api.kit.context import Context
from api.kit.errors import Refusal
from api.kit.fields import Field

MARKS = "*（必填） "
ROW, COLUMN, REASON = "行号", "字段", "原因"
"""Leading columns of a file of refused rows; an upload of it passes them over."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A refused row: its number, the column, the reason, and its cells as they were."""

    row: int
    label: str
    reason: str
    texts: list[str]


@dataclass(slots=True)
class Outcome:
    """What became of some rows."""

    taken: int = 0
    known: int = 0
    refused: list[Refused] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Example:
    """A column of the template with what may stand in it."""

    item: Field
    example: str
    note: str = ""


class Opening(ABC):
    """One of the three uploads, read for one company in one run; rows come in portions, each a transaction."""

    label: str
    portion: int

    def __init__(self, company_id: int) -> None:
        self.company_id = company_id
        self.seen: dict[tuple[object, ...], int] = {}

    @abstractmethod
    def examples(self, ctx: Context) -> list[Example]:
        """The columns that the user may fill."""

    @abstractmethod
    def prepare(self, ctx: Context) -> None:
        """Refuse what can't begin at all."""

    @abstractmethod
    def read(self, ctx: Context, places: Mapping[Field, int], rows: Sequence[files.Row]) -> list[Line]:
        """The rows' cells as values, bad ones told."""

    @abstractmethod
    def take(self, ctx: Context, lines: list[Line]) -> Outcome:
        """Enter sound rows, pass over those that are there already; the caller commits."""

    def places(self, ctx: Context, heading: Sequence[str]) -> dict[Field, int]:
        """Where each column stands; refuses a heading without a required one."""
        items = {one.item.label: one.item for one in self.examples(ctx)}
        found: dict[Field, int] = {}
        for at, title in enumerate(heading):
            item = items.get(title.strip().strip(MARKS))
            if item is not None:
                if item in found:
                    raise Refusal(f"“{item.label}”列出现了两次，请只保留一列")
                found[item] = at
        missing = [item.label for item in items.values() if item.required and item not in found]
        if missing:
            raise Refusal(f"第一行缺少列：{'、'.join(missing)}，请使用下载的{self.label}模板")
        return found

    def twice(self, line: Line, item: Field, *key: object) -> None:
        """Refuse a row that says the same as an earlier one of the file."""
        first = self.seen.setdefault(key, line.row)
        if first != line.row:
            line.refuse(item, f"与第{first}行重复")


def refused(line: Line) -> Refused:
    """A line with bad cells as a refused row."""
    labels = "、".join(dict.fromkeys(bad.item.label for bad in line.bad))
    reasons = "；".join(dict.fromkeys(f"{bad.item.label}：{bad.msg}" for bad in line.bad))
    return Refused(line.row, labels, reasons, line.texts)


def parted(lines: Iterable[Line]) -> tuple[list[Line], list[Refused]]:
    """Sound lines, and refused ones."""
    sound: list[Line] = []
    bad: list[Refused] = []
    for line in lines:
        if line.bad:
            bad.append(refused(line))
        else:
            sound.append(line)
    return sound, bad
