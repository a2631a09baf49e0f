"""Reading an xlsx that nobody vouches for (安全读取): a look into the ZIP first, then a child process under limits."""

from __future__ import annotations

import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import orjson

from api.kit.errors import Refusal

MAX_PARTS = 2000
MAX_UNPACKED = 600 * 1024 * 1024
MAX_RATIO = 150
SECONDS = 300
NEEDED = ("[Content_Types].xml", "xl/workbook.xml")


def read_xlsx(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Rows of the first sheet as texts; dates are ISO, whole numbers carry no point."""
    _look_inside(path)
    return _rows_of_child(path)


def _look_inside(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError):
        raise Refusal("xlsx 文件已损坏，请用 Excel 打开并另存后再导入") from None
    names = {part.filename for part in parts}
    if not all(name in names for name in NEEDED):
        raise Refusal("这个压缩文件不是 xlsx，请用 Excel 另存为 xlsx 或 CSV 后再导入")
    if any(part.flag_bits & 1 for part in parts):
        raise Refusal("xlsx 文件已加密，请取消密码后再导入")
    unpacked, packed = sum(part.file_size for part in parts), sum(part.compress_size for part in parts)
    if len(parts) > MAX_PARTS or unpacked > MAX_UNPACKED or unpacked > MAX_RATIO * max(packed, 4096):
        raise Refusal("xlsx 解压后过大，已拒绝读取；请拆分或另存为 CSV")


def _rows_of_child(path: Path) -> Iterator[tuple[int, list[str]]]:
    command = [sys.executable, "-m", "api.importing.xlsx_child", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        alarm = threading.Timer(SECONDS, child.kill)
        alarm.start()
        complete = False
        try:
            assert child.stdout is not None
            for line in child.stdout:
                message = orjson.loads(line)
                if isinstance(message, dict):
                    complete = "end" in message
                    if not complete:
                        raise Refusal(message["refused"])
                    break
                yield message[0], message[1]
        finally:
            alarm.cancel()
            child.kill()
    if not complete:
        raise Refusal("xlsx 读取时超出内存或时间限制，请拆分或另存为 CSV")
