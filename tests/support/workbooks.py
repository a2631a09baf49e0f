"""Valid workbooks (工作簿), built of rows."""

from __future__ import annotations

import io
from typing import Any

from openpyxl import Workbook


def build_workbook(*rows: list[Any]) -> bytes:
    """Return a workbook of these rows; without any, of a heading and a row."""
    book, content = Workbook(), io.BytesIO()
    assert book.active is not None
    for row in rows or ([["序号", "商品编码"], ["1", "X"]]):
        book.active.append(row)
    book.save(content)
    return content.getvalue()
