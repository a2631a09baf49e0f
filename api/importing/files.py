"""Reading import files (读取导入文件): CSV in UTF-8 or GB18030, or the first sheet of a workbook, as rows of texts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from api.importing.xlsx_child import MAX_COLUMNS, MAX_ROWS
from api.importing.xlsx_guard import PATIENT, Limits, read_xls, read_xlsx
from api.kit.errors import Refusal

MAX_BYTES = 512 * 1024 * 1024
ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
OLE_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
MAX_DIRECTORY = 64 * 1024 * 1024

Row = tuple[int, list[str]]
"""The line's number in the file, as an editor or Excel counts, and its cells."""


def rows(path: Path, limits: Limits = PATIENT) -> Iterator[Row]:
    """The file's rows, blank ones left out. Refuses what is neither CSV nor a workbook, and what is too large."""
    if not path.is_file():
        raise Refusal(f"找不到文件 {path}")
    if path.stat().st_size > MAX_BYTES:
        raise Refusal("文件超过 512 MB，请拆分后导入")
    with path.open("rb") as file:
        head = file.read(4096)
    suffix = path.suffix.lower()
    if head.startswith(OLE):
        if _holds(path, OLE_ENCRYPTED):
            raise Refusal("Excel 文件已加密，请取消密码后再导入")
        return read_xls(path, limits)
    if head.startswith(ZIP):
        return read_xlsx(path, limits)
    if suffix in (".xlsx", ".xlsm", ".xls"):
        raise Refusal("文件内容不是 xlsx 或 xls，请用 Excel 另存后再导入")
    if b"\0" in head:
        raise Refusal("文件不是 CSV 文本，也不是 Excel 文件")
    return _read_csv(path)


def _holds(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return mark in file.read(MAX_DIRECTORY)


def _read_csv(path: Path) -> Iterator[Row]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        try:
            text = path.read_bytes().decode("gb18030")
        except UnicodeDecodeError:
            raise Refusal("CSV 文件的编码应为 UTF-8 或 GB18030") from None
    first = text[: text.find("\n")]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for cells in reader:
            if any(cells):
                if len(cells) > MAX_COLUMNS or reader.line_num > MAX_ROWS:
                    raise Refusal(f"文件超过 {MAX_ROWS} 行或 {MAX_COLUMNS} 列，请拆分后导入")
                yield reader.line_num, cells
    except csv.Error as error:
        raise Refusal(f"CSV 第 {reader.line_num} 行无法读取：{error}") from None
