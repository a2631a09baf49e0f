"""Formula cells (没有结果的单元格): formulas without a stored result, and errors, of a workbook.

Readers of values take them for blank cells; written by a program and never opened in Excel, a sheet is
full of them.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from posixpath import join, normpath
from typing import IO
from xml.etree import ElementTree

MARK = re.compile(rb"<(\w+:)?f[ />]|t=[\"']e[\"']")
CHUNK = 1024 * 1024
MAX_CELLS = 100_000
"""More than this are a workbook that Excel has to save first."""

Formulas = dict[int, dict[int, str]]
"""What stands in cells instead of a value, by row and column: rows count from 1, columns from 0."""


def find_formulas(path: str) -> Formulas:
    """Return the formula cells of a workbook's first sheet; none of any other file. A formula's blank text is
    a value."""
    if not zipfile.is_zipfile(path):
        return {}
    with zipfile.ZipFile(path) as archive:
        part = _first_sheet(archive)
        with archive.open(part) as sheet:
            if not _is_marked(sheet):
                return {}
        found: Formulas = {}
        with archive.open(part) as sheet:
            for count, (row, column, description) in enumerate(_iterate_formulas(sheet)):
                if count >= MAX_CELLS:
                    raise ValueError("more formulas without a result than are told one by one")
                found.setdefault(row, {})[column] = description
        return found


def _first_sheet(archive: zipfile.ZipFile) -> str:
    with archive.open("xl/workbook.xml") as book:
        sheet = next(item for _, item in ElementTree.iterparse(book) if _local_name(item) == "sheet")
    key = next(value for name, value in sheet.attrib.items() if name.endswith("}id"))
    with archive.open("xl/_rels/workbook.xml.rels") as relations:
        parts = (item for _, item in ElementTree.iterparse(relations))
        target = next(item.attrib["Target"] for item in parts if item.get("Id") == key)
    part = target.lstrip("/") if target.startswith("/") else normpath(join("xl", target))
    return next(name for name in archive.namelist() if name.lower() == part.lower())


def _local_name(item: ElementTree.Element) -> str:
    """Return an element's name, in whichever of the two namespaces of workbooks."""
    return item.tag.rpartition("}")[2]


def _is_marked(sheet: IO[bytes]) -> bool:
    """Return whether there is a formula or an error at all: most sheets have none, and are not parsed."""
    tail = b""
    while part := sheet.read(CHUNK):
        if MARK.search(tail + part):
            return True
        tail = part[-16:]
    return False


def _iterate_formulas(sheet: IO[bytes]) -> Iterator[tuple[int, int, str]]:
    row, column, rows = 0, -1, None
    for event, item in ElementTree.iterparse(sheet, ("start", "end")):
        if event == "start":
            if _local_name(item) == "sheetData":
                rows = item
            elif _local_name(item) == "row":
                row, column = int(item.get("r", row + 1)), -1
        elif _local_name(item) == "c":
            place = re.match("[A-Z]+", item.get("r", ""))
            column = _column_number(place.group()) if place else column + 1
            if description := _describe_formula(item):
                yield row, column, description
        elif _local_name(item) == "row" and rows is not None:
            rows.clear()


def _describe_formula(cell: ElementTree.Element) -> str:
    parts = {_local_name(part): part.text or "" for part in cell}
    if cell.get("t") == "e":
        return parts.get("v") or "#VALUE!"
    if "f" not in parts or parts.get("v") or cell.get("t") == "str":
        return ""
    return f"={parts['f']}"


def _column_number(letters: str) -> int:
    at = 0
    for letter in letters:
        at = at * 26 + ord(letter) - 64
    return at - 1
