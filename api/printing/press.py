"""The press (排版): sets sheets as PDF, or as a page of HTML that prints the same.

Typst sets both, so that the preview is the paper. It runs in a child process: what a large bill needs of memory goes
back, and one that takes too long is ended.
"""

from __future__ import annotations

import html
import logging
import re
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from api.kit.errors import Refusal

SOURCES = Path(__file__).parent
SECONDS = 120
MAX_SHOWN = 60
"""So many pages are drawn in a browser; the whole is in the PDF."""
_PRESSES = threading.BoundedSemaphore(2)
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
class Printed:
    """A printable HTML document, how many pages it has, and how many the whole would have."""

    html: str
    shown: int
    pages: int


def pdf(source: str, sheets: list[dict[str, Any]]) -> bytes:
    """Sheets set by a source of this folder (`paper`, `labels`)."""
    return _set(source, "pdf", sheets)


def document(source: str, sheets: list[dict[str, Any]], title: str) -> Printed:
    """Sheets as HTML, each page a drawing of its true size."""
    drawn: list[str] = orjson.loads(_set(source, "svg", sheets))
    shown = drawn[:MAX_SHOWN]
    sizes = [_size(page) for page in shown]
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
    return Printed(
        f'<!doctype html><html lang="zh-CN"><head>{head}</head><body>{body}</body></html>',
        len(shown),
        len(drawn),
    )


def _size(page: str) -> tuple[str, str]:
    """Millimetres of a drawn page."""
    match = _SIZE.search(page)
    assert match, "every drawing says its size"
    width, height = (f"{float(points) / 72 * 25.4:.2f}".removesuffix(".00") for points in match.groups())
    return width, height


def _set(source: str, form: str, sheets: list[dict[str, Any]]) -> bytes:
    command = [sys.executable, "-m", "api.printing.press_child", str(SOURCES / f"{source}.typ"), form]
    with _PRESSES:
        try:
            done = subprocess.run(command, input=orjson.dumps(sheets), capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise Refusal("单据太大，排版超时，请减少张数后重试") from None
    if done.returncode:
        log.error("press: %s", done.stderr.decode(errors="replace")[-2000:])
        raise RuntimeError("the press failed")
    return done.stdout
