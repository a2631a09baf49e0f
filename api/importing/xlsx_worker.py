"""Reading process of a workbook (读取子进程): it may be killed; it limits its own memory and time.

One JSON line a row goes to standard output, `{"end": true}` last, or `{"refused": …}`.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Any

MAX_ROWS = 2_000_000
MAX_COLUMNS = 60
MAX_BLANK = 2000
"""So many blank rows in succession end the sheet: a lone far cell is no data."""
MAX_LETTERS = 32_767
"""Excel itself takes no longer text into a cell."""
MEGABYTE = 1024 * 1024


def main(path: str, reader: str, memory: str, seconds: str) -> None:
    # What a process maps for itself counts, not the libraries that it shares: that is near what it resides in.
    resource.setrlimit(resource.RLIMIT_DATA, (int(memory) * MEGABYTE,) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    import orjson

    from api.importing import formula_cells

    out = sys.stdout.buffer
    try:
        missing = formula_cells.find_formulas(path)
        for number, texts in _skip_blank_rows(READERS[reader](path)):
            _insert_formulas(texts, missing.get(number, {}))
            if any(len(one) > MAX_LETTERS for one in texts):
                out.write(orjson.dumps({"refused": f"第{number}行有单元格的文字过长，已拒绝读取"}) + b"\n")
                break
            out.write(orjson.dumps([number, texts]) + b"\n")
        else:
            out.write(b'{"end":true}\n')
    except MemoryError:
        sys.exit(1)
    except Exception as error:  # whatever a broken file makes a library raise, the answer is the same
        remedy = (
            "已加密，请取消密码"
            if type(error).__name__ == "PasswordError"
            else "无法读取，请用 Excel 打开并另存"
        )
        out.write(orjson.dumps({"refused": f"Excel 文件{remedy}后再导入"}) + b"\n")
    out.flush()


def _skip_blank_rows(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[int, list[str]]]:
    """Yield rows with anything in them, by their numbers in the sheet."""
    blank = 0
    for number, cells in enumerate(islice(rows, MAX_ROWS), 1):
        texts = [_format_cell(cell) for cell in cells[:MAX_COLUMNS]]
        blank = 0 if any(texts) else blank + 1
        if blank > MAX_BLANK:
            return
        if not blank:
            yield number, texts


def _insert_formulas(texts: list[str], missing: dict[int, str]) -> None:
    """Put the formulas without a value into a row's cells."""
    for at, formula in missing.items():
        texts.extend([""] * (at + 1 - len(texts)))
        texts[at] = formula


def _read_whole(path: str) -> Iterator[list[Any]]:
    """Read xlsx and xls quickly: the sheet's whole area is in memory, so a far cell exhausts it."""
    from python_calamine import CalamineWorkbook

    sheet = CalamineWorkbook.from_path(path).get_sheet_by_index(0)
    if sheet.start is None:
        return
    lead = [""] * sheet.start[1]
    for cells in sheet.iter_rows():
        yield [*lead, *cells]


def _read_streamed(path: str) -> Iterator[tuple[Any, ...]]:
    """Read xlsx with one row in memory."""
    from openpyxl import load_workbook

    sheet = load_workbook(path, read_only=True, data_only=True, keep_links=False).worksheets[0]
    sheet.reset_dimensions()
    yield from sheet.iter_rows(max_row=MAX_ROWS, max_col=MAX_COLUMNS, values_only=True)


READERS = {"whole": _read_whole, "streamed": _read_streamed}


def _format_cell(cell: Any) -> str:
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
    main(*sys.argv[1:])
