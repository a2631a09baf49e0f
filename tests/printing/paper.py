"""Reading what was printed: the texts of a PDF's pages, its figures, its sizes."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any

import orjson
import pypdf

from tests.kit.client import Caller
from tests.kit.desk import Desk, Made

MM = 72 / 25.4


@dataclass(frozen=True)
class Paper:
    """A PDF's pages as texts, and their sizes in millimetres."""

    pages: list[str]
    sizes: list[tuple[int, int]]

    @property
    def text(self) -> str:
        return "\n".join(self.pages)

    def row(self, start: str) -> list[list[str]]:
        """The words of every line that starts with a text."""
        return [line.split() for line in self.text.splitlines() if line.startswith(start)]


def read(content: bytes) -> Paper:
    found = pypdf.PdfReader(io.BytesIO(content)).pages
    sizes = [(round(page.mediabox.width / MM), round(page.mediabox.height / MM)) for page in found]
    return Paper(
        [page.extract_text().replace("\u200b", "") for page in found], [(int(w), int(h)) for w, h in sizes]
    )


def printed(caller: Caller, path: str, body: dict[str, Any]) -> Paper:
    """The PDF that a call answers."""
    response = caller.raw("POST", path, body)
    assert response.headers["content-type"] == "application/pdf", orjson.loads(response.content)
    return read(response.content)


def bill_pdf(desk: Desk, bill: Made, **more: Any) -> Paper:
    return printed(desk.caller, desk.path(bill.resource, "printPdf"), {"ids": [bill.id], **more})


def visible(html: str) -> list[str]:
    """The page sizes that a printable document declares, in millimetres."""
    return re.findall(r"@page \w+ \{ size: ([\d.]+mm [\d.]+mm)", html)
