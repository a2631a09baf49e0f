"""Text normalization (录入的文字): strips what keyboards, scanners and other programs add to texts."""

from __future__ import annotations

from string import ascii_letters, digits
from typing import Annotated

from pydantic import AfterValidator

ZERO_WIDTH = dict.fromkeys(
    map(ord, "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\ufeff")
)
"""Zero-width marks, which come with what is copied from chats and web pages."""
FULL_WIDTH = {ord(plain) + 0xFEE0: plain for plain in ascii_letters + digits}


def strip_invisible(text: str) -> str:
    """Strip surrounding blanks and zero-width characters."""
    return text.translate(ZERO_WIDTH).strip()


def half_width(text: str) -> str:
    """Convert full-width letters and digits, as in codes; punctuation of names (（）) stays."""
    return strip_invisible(text).translate(FULL_WIDTH)


def width_variants(words: str) -> list[str]:
    """Return a text as typed, which may be stored in full width as well, and in half width."""
    return list(dict.fromkeys((words, half_width(words))))


SearchText = Annotated[str, AfterValidator(strip_invisible)]
"""A search text."""
