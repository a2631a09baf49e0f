"""Opening rows (初始化数据): what the three uploads have in common — columns, a heading, what became of each row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from api.importing import cells, files
from api.importing.cells import Line
from api.kit.context import Context
from api.kit.database import today
from api.kit.errors import Refusal
from api.kit.fields import Field

REMARK = "系统初始化"
"""Of the bills that are made."""
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
        self.today = today()
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

    def doubts(self, ctx: Context, lines: Sequence[Line]) -> Mapping[int, str]:
        """What is to be asked about sound rows before they are entered, by their numbers; override."""
        return {}

    @abstractmethod
    def take(self, ctx: Context, lines: list[Line]) -> Outcome:
        """Enter sound rows, pass over those that are there already; the caller commits."""

    def places(self, ctx: Context, heading: Sequence[str]) -> dict[Field, int]:
        """Where each column stands; refuses a heading without a required one."""
        titles = {one.item: (one.item.label,) for one in self.examples(ctx)}
        return cells.places_of(heading, titles, f"{self.label}模板")

    def refuse_closed(self, ctx: Context, what: str) -> None:
        """Refuse to enter what would be posted today into a month that is closed."""
        period = f"{self.today:%Y-%m}"
        query = "select from accounting_period where company_id = %s and period = %s and status = 1"
        if ctx.conn.exec_driver_sql(query, (self.company_id, period)).first() is not None:
            raise Refusal(f"会计期间 {period} 已结账，不能录入{what}")

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
