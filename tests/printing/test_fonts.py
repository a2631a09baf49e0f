"""Papers draw the characters that they are given: rare ones of names, signs, and the code of what no font has."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from pypdf import PdfReader
from pypdf.generic import ByteStringObject, ContentStream, TextStringObject

from api.printing import typst_renderer
from api.printing.fonts import FAMILIES, replace_missing_glyphs

PRINTING = Path(typst_renderer.__file__).parent
DRAWN = (
    *("𠮷田", "李㛃", "陶喆", "朱镕基", "毕昇", "龘", "𠝹", "𬴂", "珺玥"),
    *("-45℃", "20㎡", "Ø12", "①②⑳", "甲—乙", "“引”", "±0.5‰", "ẞ Ω Я"),
)
UNKNOWN = {"😀": "〔U+1F600〕", "𠀋𪚥": "𠀋〔U+2A6A5〕", "ไทย": "〔U+0E44〕〔U+0E17〕〔U+0E22〕"}


def render_page(text: str) -> PdfReader:
    sheet = {"paper": "a4", "title": text, "head": [], "figures": [], "charts": [], "tables": [], "foot": ""}
    return PdfReader(io.BytesIO(typst_renderer.render_pdf("report", [sheet])))


def list_glyphs(document: PdfReader) -> Iterator[int]:
    """Return the numbers of the glyphs that are drawn, each two bytes of a text; 0 is the box of what is
    missing."""
    [page] = document.pages
    for operands, operator in ContentStream(page.get_contents(), document).operations:
        if operator not in (b"Tj", b"TJ"):
            continue
        for part in operands[0] if operator == b"TJ" else operands:
            if isinstance(part, ByteStringObject | TextStringObject):
                told = part.original_bytes
                yield from (int.from_bytes(told[at : at + 2]) for at in range(0, len(told), 2))


class TestCharacters:
    @pytest.mark.parametrize("text", DRAWN)
    def test_are_drawn_as_they_are_given(self, text: str):
        document = render_page(text)
        assert text in document.pages[0].extract_text()
        assert replace_missing_glyphs(text) == text
        drawn = [*list_glyphs(document)]
        assert drawn and 0 not in drawn

    @pytest.mark.parametrize(("text", "told"), UNKNOWN.items())
    def test_that_no_font_has_are_told_by_their_codes(self, text: str, told: str):
        document = render_page(text)
        assert told in document.pages[0].extract_text().replace("\n", "")
        assert 0 not in list_glyphs(document)

    @pytest.mark.parametrize("paper", ["labels.typ", "paper.typ", "report.typ"])
    def test_of_all_papers_come_from_the_same_fonts(self, paper: str):
        families = ", ".join(f'"{family}"' for family in FAMILIES)
        assert f"font: ({families})" in (PRINTING / paper).read_text("utf-8")
