"""Typed text (录入的文字): what a keyboard, a scanner or another program brings along and nobody means."""

from __future__ import annotations

from string import ascii_letters, digits
from typing import Annotated

from pydantic import AfterValidator

UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\ufeff"))
"""Zero-width marks, which come with what is copied from chats and web pages."""
FULL_WIDTH = {ord(plain) + 0xFEE0: plain for plain in ascii_letters + digits}


def seen(text: str) -> str:
    """Without surrounding blanks and without what can't be seen."""
    return text.translate(UNSEEN).strip()


def half_width(text: str) -> str:
    """Letters and digits of a Chinese input method in full-width mode as a code has them; names keep their（）."""
    return seen(text).translate(FULL_WIDTH)


def spellings(words: str) -> list[str]:
    """Words as they were typed, which somebody may have stored in full width as well, and as they are meant."""
    return list(dict.fromkeys((words, half_width(words))))


Words = Annotated[str, AfterValidator(seen)]
"""What is looked for."""
