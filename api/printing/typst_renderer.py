"""Typst renderer (排版): renders sheets as PDF, or as a page of HTML that prints the same.

Typst renders both, so that the preview is the paper. It runs in a child process: the memory of a large
bill is freed, and one that takes too long is ended.
"""

from __future__ import annotations

import html
import logging
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from api.kit.errors import Refusal
from api.kit.http import child_process
from api.kit.http.work_queue import WorkQueue
from api.printing.typst_worker import TOO_MANY

SOURCES = Path(__file__).parent
SECONDS = 75
MAX_SHOWN = 60
"""So many pages are drawn in a browser; the whole is in the PDF."""
MOST_PAGES = 2000
"""So many pages are set while one waits."""
TURNS = WorkQueue(
    "正在打印的人较多，已有{}个在等，请稍后再试；单据多时可用“后台生成PDF”", at_once=2, waiting=6
)
AS_TASK = {"as_task": True}
"""Answered where the whole can be had as a task."""
_SIZE = re.compile(r'width="([\d.]+)pt" height="([\d.]+)pt"')
_STYLE = """
html, body { margin: 0; }
.page svg { display: block; width: 100%; height: 100%; }
@media screen {
  body { background: #e8eaed; padding: 16px 0; }
  .page { background: #fff; margin: 0 auto 16px; box-shadow: 0 1px 4px rgb(0 0 0 / 25%); }
}
@media print {
  html { zoom: 1 !important; }
  .page { break-after: page; overflow: hidden; }
  .page:last-child { break-after: auto; }
}
"""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PrintableDocument:
    """A printable HTML document, the number of its pages, and of the pages of the whole."""

    html: str
    shown: int
    pages: int


def render_pdf(source: str, sheets: list[dict[str, Any]], most: int = 0) -> bytes:
    """Render sheets by a source of this folder (`paper`, `labels`). Raises Refusal beyond `most` pages,
    unless that is 0."""
    return _run_typst(source, "pdf", sheets, most)


def render_html(source: str, sheets: list[dict[str, Any]], title: str) -> PrintableDocument:
    """Render sheets as HTML, each page a drawing of its true size; only the first pages are shown."""
    drawn = orjson.loads(_run_typst(source, "svg", sheets, MOST_PAGES, MAX_SHOWN))
    shown: list[str] = drawn["shown"]
    sizes = [_page_size(page) for page in shown]
    kinds = {size: f"size{at}" for at, size in enumerate(dict.fromkeys(sizes))}
    rules = "".join(
        f"@page {name} {{ size: {width}mm {height}mm; margin: 0; }}"
        f" .{name} {{ page: {name}; width: {width}mm; height: {height}mm; }}\n"
        for (width, height), name in kinds.items()
    )
    body = "".join(
        f'<section class="page {kinds[size]}">{page}</section>'
        for page, size in zip(shown, sizes, strict=True)
    )
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{_STYLE}{rules}</style>'
    return PrintableDocument(
        f'<!doctype html><html lang="zh-CN"><head>{head}</head><body>{body}</body></html>',
        len(shown),
        drawn["pages"],
    )


def _page_size(page: str) -> tuple[str, str]:
    """Return the millimetres of a drawn page."""
    match = _SIZE.search(page)
    assert match, "every drawing says its size"
    width, height = (f"{float(points) / 72 * 25.4:.2f}".removesuffix(".00") for points in match.groups())
    return width, height


def _run_typst(source: str, form: str, sheets: list[dict[str, Any]], most: int, shown: int = 0) -> bytes:
    try:
        done = child_process.run_child(
            _build_command(source, form, most, shown), orjson.dumps(sheets), SECONDS, subprocess.PIPE
        )
    except child_process.ChildTimeout:
        raise Refusal("单据太大，排版超时，请减少张数后重试") from None
    if done.returncode == TOO_MANY:
        raise Refusal(f"超过{most}页，请减少张数后重试，单据也可用“后台生成PDF”", data=AS_TASK)
    if done.returncode:
        log.error("press: %s", done.stderr.decode(errors="replace")[-2000:])
        raise RuntimeError("the press failed")
    return done.stdout


def _build_command(source: str, form: str, most: int, shown: int) -> list[str]:
    place = str(SOURCES / f"{source}.typ")
    return [sys.executable, "-m", "api.printing.typst_worker", place, form, str(most), str(shown)]
