"""The child that opens an xlsx (读取子进程): it may be killed; it limits its own memory and the cells it looks at.

One JSON line a row goes to standard output, `{"end": true}` last, or `{"refused": …}`.
"""

from __future__ import annotations

import resource
import sys
from datetime import date, datetime
from typing import Any

MEMORY = 1024 * 1024 * 1024
MAX_ROWS = 2_000_000
MAX_COLUMNS = 60
MAX_BLANK = 2000
"""So many blank rows in succession end the sheet: a lone far cell is no data."""


def main(path: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    import orjson
    from openpyxl import load_workbook

    out = sys.stdout.buffer
    try:
        book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
        sheet = book.worksheets[0]
        sheet.reset_dimensions()
        blank = 0
        for number, cells in enumerate(
            sheet.iter_rows(max_row=MAX_ROWS, max_col=MAX_COLUMNS, values_only=True), 1
        ):
            texts = [_text(cell) for cell in cells]
            blank = 0 if any(texts) else blank + 1
            if blank > MAX_BLANK:
                break
            if not blank:
                out.write(orjson.dumps([number, texts]) + b"\n")
        out.write(b'{"end":true}\n')
    except MemoryError:
        sys.exit(1)
    except Exception:  # whatever a broken file makes the library raise, the answer is the same
        out.write(orjson.dumps({"refused": "xlsx 文件无法读取，请用 Excel 打开并另存后再导入"}) + b"\n")
    out.flush()


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, datetime):
        return f"{cell:%Y-%m-%d}" if cell.time() == datetime.min.time() else f"{cell:%Y-%m-%d %H:%M:%S}"
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 1e15 else repr(round(cell, 9))
    return str(cell)


if __name__ == "__main__":
    main(sys.argv[1])
