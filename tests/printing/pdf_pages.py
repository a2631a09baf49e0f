"""Reader of PDFs: the texts of their pages, their figures, their sizes."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import Any

import orjson
import pypdf

from tests.support.bill_client import BillClient, SavedBill
from tests.support.client import Caller

MM = 72 / 25.4


@dataclass(frozen=True)
class PdfPages:
    """A PDF's pages as texts, and their sizes in millimetres."""

    pages: list[str]
    sizes: list[tuple[int, int]]

    @property
    def text(self) -> str:
        return "\n".join(self.pages)

    def row(self, start: str) -> list[list[str]]:
        """Return the words of every line that starts with a text."""
        return [line.split() for line in self.text.splitlines() if line.startswith(start)]


def read_pdf(content: bytes) -> PdfPages:
    found = pypdf.PdfReader(io.BytesIO(content)).pages
    sizes = [(round(page.mediabox.width / MM), round(page.mediabox.height / MM)) for page in found]
    return PdfPages(
        [page.extract_text().replace("\u200b", "") for page in found], [(int(w), int(h)) for w, h in sizes]
    )


def print_pdf(caller: Caller, path: str, body: dict[str, Any]) -> PdfPages:
    """Return the PDF of a call's response."""
    response = caller.raw("POST", path, body)
    assert response.headers["content-type"] == "application/pdf", orjson.loads(response.content)
    return read_pdf(response.content)


def print_bill(desk: BillClient, bill: SavedBill, **more: Any) -> PdfPages:
    return print_pdf(desk.caller, desk.path(bill.resource, "printPdf"), {"ids": [bill.id], **more})


def list_page_sizes(html: str) -> list[str]:
    """Return the page sizes that a printable document declares, in millimetres."""
    return re.findall(r"@page \w+ \{ size: ([\d.]+mm [\d.]+mm)", html)
