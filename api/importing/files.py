"""Reading import files (读取导入文件): CSV in UTF-8 or GB18030, or the first sheet of a workbook, as rows of texts."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TextIO

from api.importing.xlsx_guard import PATIENT, Limits, read_xls, read_xlsx
from api.importing.xlsx_worker import MAX_COLUMNS, MAX_LETTERS, MAX_ROWS
from api.kit.errors import Refusal

MAX_BYTES = 512 * 1024 * 1024
ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
OLE_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
MAX_DIRECTORY = 64 * 1024 * 1024
ENCODINGS = ("utf-8-sig", "gb18030")
CHUNK = 1024 * 1024
LONGEST = MAX_COLUMNS * MAX_LETTERS
"""Letters of a row: all its columns, each as full as a cell can be."""

FULL = f"CSV 第 {{}} 行有一格超过 {MAX_LETTERS:,} 个字，请检查引号后再导入"

Row = tuple[int, list[str]]
"""The line's number in the file, as an editor or Excel counts, and its cells."""


def read_rows(path: Path, limits: Limits = PATIENT) -> Iterator[Row]:
    """Yield the file's rows without blank ones. Raises Refusal for what is neither CSV nor a workbook, or too
    large."""
    if not path.is_file():
        raise Refusal(f"找不到文件 {path}")
    if path.stat().st_size > MAX_BYTES:
        raise Refusal("文件超过 512 MB，请拆分后导入")
    with path.open("rb") as file:
        head = file.read(4096)
    suffix = path.suffix.lower()
    if head.startswith(OLE):
        if _contains(path, OLE_ENCRYPTED):
            raise Refusal("Excel 文件已加密，请取消密码后再导入")
        return read_xls(path, limits)
    if head.startswith(ZIP):
        return read_xlsx(path, limits)
    if suffix in (".xlsx", ".xlsm", ".xls"):
        raise Refusal("文件内容不是 xlsx 或 xls，请用 Excel 另存后再导入")
    if b"\0" in head:
        raise Refusal("文件不是 CSV 文本，也不是 Excel 文件")
    return _read_csv(path)


def _contains(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return mark in file.read(MAX_DIRECTORY)


def _read_csv(path: Path) -> Iterator[Row]:
    """Yield a row at a time: a reader that stops early has read no more of a long file."""
    with path.open(encoding=_detect_encoding(path), newline="") as file:
        lines = _Lines(file)
        first = next(lines, "")
        reader = csv.reader(chain([first], lines), delimiter=max(",;\t", key=first.count))
        try:
            for cells in reader:
                lines.letters = 0
                if len(cells) > MAX_COLUMNS or reader.line_num > MAX_ROWS:
                    raise Refusal(f"文件超过 {MAX_ROWS} 行或 {MAX_COLUMNS} 列，请拆分后导入")
                if any(len(cell) > MAX_LETTERS for cell in cells):
                    raise Refusal(FULL.format(reader.line_num))
                if any(cells):
                    yield reader.line_num, cells
        except csv.Error:  # the reader's own limit for a cell, which is further off
            raise Refusal(FULL.format(reader.line_num)) from None


class _Lines:
    """The lines of a text; `letters` counts those of the current row, which has a limit."""

    def __init__(self, file: TextIO) -> None:
        self.file, self.letters = file, 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self.file.readline(LONGEST + 1)
        if not line:
            raise StopIteration
        self.letters += len(line)
        if self.letters > LONGEST:
            raise Refusal(f"CSV 有一行超过 {LONGEST} 个字，请检查引号和换行后再导入")
        return line


def _detect_encoding(path: Path) -> str:
    """Return the encoding of all of a text; little of it is in memory at once."""
    for encoding in ENCODINGS:
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            with path.open("rb") as file:
                while part := file.read(CHUNK):
                    decoder.decode(part)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            continue
        return encoding
    raise Refusal("CSV 文件的编码应为 UTF-8 或 GB18030")
