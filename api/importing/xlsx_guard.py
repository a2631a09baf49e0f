"""Reading an untrusted workbook (安全读取): a check of the ZIP, then a child process under limits."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import orjson

from api.kit.errors import Refusal
from api.kit.http import child_process

MAX_PARTS = 2000
MAX_RATIO = 150
HEAD = 4096
NEEDED = ("[Content_Types].xml", "xl/workbook.xml")
FORBIDDEN = {
    "xl/vbaproject": "xlsx 文件含有宏，请另存为不含宏的 xlsx 后再导入",
    "xl/embeddings/": "xlsx 文件含有嵌入的文件，请删除后再导入",
    "xl/activex/": "xlsx 文件含有控件，请删除后再导入",
}
NESTED = (".zip", ".xlsx", ".xlsm", ".xls", ".exe", ".bin.gz", ".jar", ".docx")
ENTITIES = (b"<!DOCTYPE", b"<!ENTITY")
REMOTE = (b"<ddeLink", b":ddeLink", b"<oleLink", b":oleLink")
TOO_MUCH = "文件解压后过大，已拒绝读取；请拆分后再导入"


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a file: megabytes of the child, its seconds of computing, megabytes that a ZIP may unpack to.

    The time that the reader of rows takes does not count: the child waits for it.
    """

    memory: int
    seconds: int
    unpacked: int


PATIENT = Limits(memory=1024, seconds=300, unpacked=600)
"""For the command line, where the administrator waits for millions of rows."""
QUICK = Limits(memory=250, seconds=40, unpacked=300)
"""For uploads: the child stays under 300 MiB."""


def read_xlsx(path: Path, limits: Limits = PATIENT) -> Iterator[tuple[int, list[str]]]:
    """Yield rows of the first sheet as texts; dates are ISO, whole numbers carry no point.

    The quick reader dies of a far cell before the first row; then the patient one reads.
    """
    validate_archive(path, limits)
    child = _Worker(path, "whole", limits)
    yield from child.rows()
    if child.died and not child.told:
        child = _Worker(path, "streamed", limits)
        yield from child.rows()
    child.raise_if_incomplete()


def read_xls(path: Path, limits: Limits = PATIENT) -> Iterator[tuple[int, list[str]]]:
    """Yield rows of the first sheet of a workbook in the format of Excel 97 to 2003."""
    child = _Worker(path, "whole", limits)
    yield from child.rows()
    child.raise_if_incomplete()


def validate_archive(path: Path, limits: Limits = PATIENT) -> None:
    """Raise Refusal for a ZIP that is no workbook, would unpack to too much, or has parts that a sheet
    doesn't need."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            _validate_parts(parts, limits)
            for part in parts:
                if part.filename.endswith((".xml", ".rels", ".vml")):
                    with archive.open(part) as opened:
                        _validate_head(opened.read(HEAD))
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, ValueError, OSError, EOFError):
        raise Refusal("xlsx 文件已损坏，请用 Excel 打开并另存后再导入") from None
    except Exception as error:  # a broken deflate stream raises an error of the library's own
        if isinstance(error, Refusal):
            raise
        raise Refusal("xlsx 文件已损坏，请用 Excel 打开并另存后再导入") from None


def _validate_parts(parts: list[zipfile.ZipInfo], limits: Limits) -> None:
    names = [part.filename for part in parts]
    if not all(name in names for name in NEEDED):
        raise Refusal("这个压缩文件不是 xlsx，请用 Excel 另存为 xlsx 或 CSV 后再导入")
    if any(part.flag_bits & 1 for part in parts):
        raise Refusal("xlsx 文件已加密，请取消密码后再导入")
    if len(set(names)) != len(names) or any(_is_outside(name) for name in names):
        raise Refusal("xlsx 文件的内部结构不正常，已拒绝读取")
    unpacked, packed = sum(part.file_size for part in parts), sum(part.compress_size for part in parts)
    bound = min(limits.unpacked * 1024 * 1024, MAX_RATIO * max(packed, HEAD))
    if len(parts) > MAX_PARTS or unpacked > bound:
        raise Refusal(f"xlsx {TOO_MUCH}")
    for name in names:
        for start, reason in FORBIDDEN.items():
            if name.lower().startswith(start):
                raise Refusal(reason)
        if name.lower().endswith(NESTED):
            raise Refusal("xlsx 文件里还有别的文件，已拒绝读取")


def _is_outside(name: str) -> bool:
    return (
        name.startswith(("/", "\\"))
        or ".." in name.replace("\\", "/").split("/")
        or "\\" in name
        or ":" in name
    )


def _validate_head(head: bytes) -> None:
    """Raise Refusal for a part that declares entities or a document type, or may hide that in UTF-16."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in head or any(mark in head for mark in ENTITIES):
        raise Refusal("xlsx 文件含有不允许的 XML 声明，已拒绝读取")
    if any(mark in head for mark in REMOTE):
        raise Refusal("xlsx 文件含有外部数据链接（DDE），已拒绝读取")


class _Worker:
    """One run of the reading process; `died` if it ended incomplete, after `row_count` rows."""

    def __init__(self, path: Path, reader: str, limits: Limits) -> None:
        numbers = (str(limits.memory), str(limits.seconds))
        self.command = [sys.executable, "-m", "api.importing.xlsx_worker", str(path), reader, *numbers]
        self.died, self.told = False, 0

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        complete = False
        with closing(child_process.stream_lines(self.command)) as lines:
            for line in lines:
                message = orjson.loads(line)
                if isinstance(message, dict):
                    complete = "end" in message
                    if not complete:
                        raise Refusal(message["refused"])
                    break
                self.told += 1
                yield message[0], message[1]
        self.died = not complete

    def raise_if_incomplete(self) -> None:
        """Raise Refusal where the file was not read to its end."""
        if self.died:
            raise Refusal("Excel 读取时超出内存或时间限制，请拆分或另存为 CSV")
