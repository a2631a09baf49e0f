"""Opening rows (初始化数据): base of the three uploads, with columns, a heading, and the outcome of each row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from api.importing import cells, files
from api.importing.cells import SheetRow
from api.kit.context import Context
from api.kit.declaration.fields import Field
from api.kit.errors import Refusal
from api.kit.storage.database import today

REMARK = "系统初始化"
"""Of the bills that are made."""
ROW, COLUMN, REASON = "行号", "字段", "原因"
"""Leading columns of a file of refused rows; an upload of it passes them over."""


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A refused row: its number, the column, the reason, and its cells as they were."""

    row: int
    label: str
    reason: str
    texts: list[str]


@dataclass(slots=True)
class OpeningOutcome:
    """Counts of imported and known rows, and the refused rows."""

    taken: int = 0
    known: int = 0
    refused: list[RefusedRow] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TemplateColumn:
    """A column of the template with an example."""

    item: Field
    example: str
    note: str = ""


class OpeningUpload(ABC):
    """One of the three uploads, read for one company in one run; rows come in portions, each a transaction."""

    label: str
    portion: int

    def __init__(self, company_id: int) -> None:
        self.company_id = company_id
        self.today = today()
        self.seen: dict[tuple[object, ...], int] = {}

    @abstractmethod
    def examples(self, ctx: Context) -> list[TemplateColumn]:
        """Return the columns that the user may fill."""

    @abstractmethod
    def prepare(self, ctx: Context) -> None:
        """Raise Refusal or Forbidden where the upload can't begin at all."""

    @abstractmethod
    def read(self, ctx: Context, places: Mapping[Field, int], rows: Sequence[files.Row]) -> list[SheetRow]:
        """Parse the rows' cells; bad ones are reported."""

    def warnings(self, ctx: Context, lines: Sequence[SheetRow]) -> Mapping[int, str]:
        """Hook: return warnings about valid rows by their numbers, to be confirmed before they are entered."""
        return {}

    @abstractmethod
    def import_rows(self, ctx: Context, lines: list[SheetRow]) -> OpeningOutcome:
        """Insert valid rows and skip those that are there already; the caller commits."""

    def find_columns(self, ctx: Context, heading: Sequence[str]) -> dict[Field, int]:
        """Return the position of each column. Raises Refusal where a required one is missing."""
        titles = {one.item: (one.item.label,) for one in self.examples(ctx)}
        return cells.find_columns(heading, titles, f"{self.label}模板")

    def refuse_closed(self, ctx: Context, what: str) -> None:
        """Raise Refusal where today's month is closed."""
        period = f"{self.today:%Y-%m}"
        query = "select from accounting_period where company_id = %s and period = %s and status = 1"
        if ctx.conn.exec_driver_sql(query, (self.company_id, period)).first() is not None:
            raise Refusal(f"会计期间 {period} 已结账，不能录入{what}")

    def refuse_duplicate(self, line: SheetRow, item: Field, *key: object) -> None:
        """Refuse a row that repeats an earlier one of the file."""
        first = self.seen.setdefault(key, line.row)
        if first != line.row:
            line.add_error(item, f"与第{first}行重复")


def build_refused_row(line: SheetRow) -> RefusedRow:
    """Return a row with bad cells as a refused row."""
    labels = "、".join(dict.fromkeys(bad.item.label for bad in line.errors))
    reasons = "；".join(dict.fromkeys(f"{bad.item.label}：{bad.msg}" for bad in line.errors))
    return RefusedRow(line.row, labels, reasons, line.texts)


def split_rows(lines: Iterable[SheetRow]) -> tuple[list[SheetRow], list[RefusedRow]]:
    """Return valid rows, and refused ones."""
    sound: list[SheetRow] = []
    bad: list[RefusedRow] = []
    for line in lines:
        if line.errors:
            bad.append(build_refused_row(line))
        else:
            sound.append(line)
    return sound, bad
