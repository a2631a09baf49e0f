"""Typst process (排版进程): `python -m api.printing.typst_worker SOURCE pdf|svg MOST SHOWN`.

Sheets come on stdin, pages go to stdout: a PDF, or the number of pages and the drawings of the first.
Beyond MOST pages, unless that is 0, it exits with TOO_MANY.

It reads fonts and files only from its own packages and a folder of its own, where the pictures lie that
sheets name by their paths, so that a sheet looks alike on every machine.
"""

from __future__ import annotations

import io
import resource
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

MEMORY = 6 * 1024**3
TOO_MANY = 3
"""Its answer where there are too many pages."""


def main() -> None:
    import typst

    source, form, most, shown = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sheets: list[dict[str, Any]] = orjson.loads(sys.stdin.buffer.read())
    with TemporaryDirectory(prefix="press") as folder:
        main_file = Path(shutil.copy(source, folder))
        pictured = _copy_logos(sheets, main_file.parent)
        try:
            pages = _compile_pages(main_file, form, sheets)
        except typst.TypstError:
            if not pictured:
                raise
            # A picture may be broken where its header is sound; the bill is printed all the same.
            pages = _compile_pages(main_file, form, [{**sheet, "logo": ""} for sheet in sheets])
    if most and _count_pages(form, pages) > most:
        sys.exit(TOO_MANY)
    if form == "svg":
        drawn = [page.decode() for page in pages[:shown]]
        sys.stdout.buffer.write(orjson.dumps({"pages": len(pages), "shown": drawn}))
    else:
        [document] = pages
        sys.stdout.buffer.write(document)


def _count_pages(form: str, pages: list[bytes]) -> int:
    if form == "svg":
        return len(pages)
    from pypdf import PdfReader

    return len(PdfReader(io.BytesIO(pages[0])).pages)


def _copy_logos(sheets: list[dict[str, Any]], folder: Path) -> bool:
    """Copy the pictures beside the source, under names of their own; return whether there are any."""
    paths = {sheet["logo"] for sheet in sheets if sheet.get("logo")}
    names = {path: f"logo{at}{Path(path).suffix}" for at, path in enumerate(sorted(paths))}
    for path, name in names.items():
        shutil.copyfile(path, folder / name)
    for sheet in sheets:
        if sheet.get("logo"):
            sheet["logo"] = names[sheet["logo"]]
    return bool(names)


def _compile_pages(main_file: Path, form: str, sheets: list[dict[str, Any]]) -> list[bytes]:
    import typst

    from api.printing.fonts import list_font_folders, replace_missing_glyphs

    compiler = typst.Compiler(
        str(main_file),
        root=str(main_file.parent),
        font_paths=[*list_font_folders()],
        ignore_system_fonts=True,
    )
    inputs = {"data": orjson.dumps(replace_missing_glyphs(sheets)).decode()}
    return _list_pages(compiler.compile(format="svg" if form == "svg" else "pdf", sys_inputs=inputs))


def _list_pages(made: bytes | Sequence[bytes | None] | None) -> list[bytes]:
    """Return the pages as a list: the compiler returns a single one by itself."""
    pages = made if isinstance(made, Sequence) and not isinstance(made, bytes) else [made]
    return [page for page in pages if isinstance(page, bytes)]


if __name__ == "__main__":
    main()
