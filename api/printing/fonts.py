"""Fonts (字体): Simplified Chinese first, then Traditional and Japanese; a character of none is printed as
its code."""

from __future__ import annotations

import struct
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import pylopdf_fonts_jp
import pylopdf_fonts_zh_cn
import pylopdf_fonts_zh_tw

FAMILIES = ("Noto Sans SC", "Noto Sans TC", "Noto Sans JP")
PACKAGES = (pylopdf_fonts_zh_cn, pylopdf_fonts_zh_tw, pylopdf_fonts_jp)
LETTERS = ((0x0000, 0x0530), (0x1E00, 0x2000))
"""Latin, Greek and Cyrillic letters, of which the press itself has a font."""
UNSEEN = ("Cc", "Cf", "Mn", "Zl", "Zp")
"""Kinds of characters that draw nothing of their own."""
WHOLE = 12
"""The form of a font's table of all characters; others know the first 65,536."""


def list_font_folders() -> list[str]:
    """Return the folders of the fonts."""
    return [str(Path(str(package.__file__)).parent) for package in PACKAGES]


def replace_missing_glyphs(value: Any) -> Any:
    """Return a sheet's data, with the code of each character that no font can draw in its place."""
    if isinstance(value, str):
        return value if value.isascii() else "".join(map(_replace_glyph, value))
    if isinstance(value, dict):
        return {name: replace_missing_glyphs(one) for name, one in value.items()}
    return [replace_missing_glyphs(one) for one in value] if isinstance(value, list) else value


def _replace_glyph(letter: str) -> str:
    code = ord(letter)
    drawn = any(first <= code < last for first, last in LETTERS) or code in _known_characters()
    return letter if drawn or unicodedata.category(letter) in UNSEEN else f"〔U+{code:04X}〕"


@cache
def _known_characters() -> frozenset[int]:
    """Return the characters that the fonts have."""
    places = (Path(folder).glob("NotoSans*.otf") for folder in list_font_folders())
    return frozenset(
        code for fonts in places for font in fonts for code in read_characters(font.read_bytes())
    )


def read_characters(font: bytes) -> set[int]:
    """Return the characters of an OpenType font, from its cmap table."""
    tables = {font[at : at + 4]: at for at in range(12, 12 + 16 * _read_number(font, 4), 16)}
    [start] = struct.unpack_from(">I", font, tables[b"cmap"] + 8)
    places = (
        struct.unpack_from(">I", font, start + 8 + 8 * at)[0] for at in range(_read_number(font, start + 2))
    )
    found: set[int] = set()
    for place in (start + offset for offset in places):
        if _read_number(font, place) == WHOLE:
            [groups] = struct.unpack_from(">I", font, place + 12)
            for at in range(groups):
                first, last, _ = struct.unpack_from(">III", font, place + 16 + 12 * at)
                found.update(range(first, last + 1))
    return found


def _read_number(font: bytes, at: int) -> int:
    number: int = struct.unpack_from(">H", font, at)[0]
    return number
