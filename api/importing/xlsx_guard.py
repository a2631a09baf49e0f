"""Reading a workbook that nobody vouches for (安全读取): a look into the ZIP, then a child process under limits."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import orjson

from api.kit import children
from api.kit.errors import Refusal

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
    """What a file may cost: megabytes of the child, its seconds of computing, megabytes that a ZIP may unpack to.

    How long rows take whoever reads them does not count: the child waits for that.
    """

    memory: int
    seconds: int
    unpacked: int


PATIENT = Limits(memory=1024, seconds=300, unpacked=600)
"""For the command line, where the administrator waits for millions of rows."""
QUICK = Limits(memory=250, seconds=40, unpacked=300)
"""For uploads: the child stays under 300 MiB."""


def read_xlsx(path: Path, limits: Limits = PATIENT) -> Iterator[tuple[int, list[str]]]:
    """Rows of the first sheet as texts; dates are ISO, whole numbers carry no point.

    The quick reader dies of a far cell before it has told a row; the patient one reads then.
    """
    look_inside(path, limits)
    child = _Child(path, "whole", limits)
    yield from child.rows()
    if child.died and not child.told:
        child = _Child(path, "streamed", limits)
        yield from child.rows()
    child.settle()


def read_xls(path: Path, limits: Limits = PATIENT) -> Iterator[tuple[int, list[str]]]:
    """Rows of the first sheet of a workbook in the format of Excel 97 to 2003."""
    child = _Child(path, "whole", limits)
    yield from child.rows()
    child.settle()


def look_inside(path: Path, limits: Limits = PATIENT) -> None:
    """Refuse a ZIP that is no workbook, would unpack to too much, or carries what a sheet of rows does not need."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            _check_parts(parts, limits)
            for part in parts:
                if part.filename.endswith((".xml", ".rels", ".vml")):
                    with archive.open(part) as opened:
                        _check_head(opened.read(HEAD))
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, ValueError, OSError, EOFError):
        raise Refusal("xlsx 文件已损坏，请用 Excel 打开并另存后再导入") from None
    except Exception as error:  # a broken deflate stream raises an error of the library's own
        if isinstance(error, Refusal):
            raise
        raise Refusal("xlsx 文件已损坏，请用 Excel 打开并另存后再导入") from None


def _check_parts(parts: list[zipfile.ZipInfo], limits: Limits) -> None:
    names = [part.filename for part in parts]
    if not all(name in names for name in NEEDED):
        raise Refusal("这个压缩文件不是 xlsx，请用 Excel 另存为 xlsx 或 CSV 后再导入")
    if any(part.flag_bits & 1 for part in parts):
        raise Refusal("xlsx 文件已加密，请取消密码后再导入")
    if len(set(names)) != len(names) or any(_strays(name) for name in names):
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


def _strays(name: str) -> bool:
    return (
        name.startswith(("/", "\\"))
        or ".." in name.replace("\\", "/").split("/")
        or "\\" in name
        or ":" in name
    )


def _check_head(head: bytes) -> None:
    """No part of a workbook declares entities or a document type; text of two bytes a letter could hide that."""
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in head or any(mark in head for mark in ENTITIES):
        raise Refusal("xlsx 文件含有不允许的 XML 声明，已拒绝读取")
    if any(mark in head for mark in REMOTE):
        raise Refusal("xlsx 文件含有外部数据链接（DDE），已拒绝读取")


class _Child:
    """One run of the reading process; `died` without having ended, after `told` rows."""

    def __init__(self, path: Path, reader: str, limits: Limits) -> None:
        numbers = (str(limits.memory), str(limits.seconds))
        self.command = [sys.executable, "-m", "api.importing.xlsx_child", str(path), reader, *numbers]
        self.died, self.told = False, 0

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        complete = False
        with closing(children.lines(self.command)) as lines:
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

    def settle(self) -> None:
        """Refuse what was not read to its end."""
        if self.died:
            raise Refusal("Excel 读取时超出内存或时间限制，请拆分或另存为 CSV")
