"""Initials (拼音首字母): what Chinese names are found by on a keyboard."""

from __future__ import annotations

from pypinyin import Style, lazy_pinyin


def initials(name: str) -> str:
    """Pinyin initials of a name, capital: 米其林 → MQL; other characters stay as they are."""
    return "".join(lazy_pinyin(name, style=Style.FIRST_LETTER)).upper().replace(" ", "")[:100]
