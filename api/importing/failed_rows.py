"""Failed rows (失败明细): the refused rows of an upload as a workbook, to be corrected and uploaded again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType

import xlsxwriter

from api.importing.opening_rows import COLUMN, REASON, ROW, RefusedRow
from api.shell.files.export_job import WORKBOOK_OPTIONS


class FailedRows:
    """Writer of refused rows, row by row; there is no file when no row failed."""

    def __init__(self, path: Path, heading: Sequence[str]) -> None:
        self.path, self.heading = path, heading
        self._book: xlsxwriter.Workbook | None = None
        self._line = 0

    def __enter__(self) -> FailedRows:
        self.path.unlink(missing_ok=True)
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._book is not None:
            self._book.close()

    def add(self, refused: Iterable[RefusedRow]) -> None:
        """Append rows: number, column, reason, and their cells as they were."""
        for one in refused:
            self._write([str(one.row), one.label, one.reason, *one.texts])

    def _write(self, texts: Sequence[str]) -> None:
        if self._book is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._book = xlsxwriter.Workbook(str(self.path), WORKBOOK_OPTIONS)
            self._sheet = self._book.add_worksheet("失败明细")
            self._sheet.set_column(1, 1, 16)
            self._sheet.set_column(2, 2, 60)
            own = {ROW, COLUMN, REASON}
            self._lead = [at for at, title in enumerate(self.heading) if title.strip() not in own]
            words, bold = self._book.add_format({"num_format": "@"}), self._book.add_format({"bold": True})
            self._sheet.set_column(3, 2 + max(1, len(self._lead)), None, words)
            for at, title in enumerate([ROW, COLUMN, REASON, *(self.heading[at] for at in self._lead)]):
                self._sheet.write_string(0, at, title, bold)
        self._line += 1
        cells = [texts[3 + at] if 3 + at < len(texts) else "" for at in self._lead]
        for at, value in enumerate([*texts[:3], *cells]):
            if value:
                self._sheet.write_string(self._line, at, value)
