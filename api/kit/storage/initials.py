"""Pinyin initials (拼音首字母): the letters by which Chinese names are found on a keyboard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, combinations, product
from unicodedata import normalize

from pypinyin import Style, lazy_pinyin
from pypinyin.constants import PHRASES_DICT, PINYIN_DICT

INITIALS_LENGTH = 500
RARE_SHARE = 0.01
"""A reading in fewer of the known phrases with a character is rare: 石 as in 一石, 车 as in 象棋."""


def initials(name: str) -> str:
    """Return the pinyin initials of a name, capital: 长乐 → CL ZL CY ZY; other characters stay as they are.

    Nobody knows by its letters alone how a place, a person or a brand is read (闵行 is MH), so a name is
    spelled by all readings of its characters, with a space between spellings: first as its words are
    usually read, then by usual readings, then by rare ones, as long as there is room.
    """
    parts = lazy_pinyin(name, style=Style.FIRST_LETTER, errors=list)  # type: ignore[arg-type]
    likely = ["" if part.isspace() else part.upper() for part in parts]
    usual = _other_letters(name, likely, RARE_SHARE)
    found: dict[str, None] = {}
    length = 0
    for spelling in chain(
        _generate_spellings(likely, usual), _generate_spellings(likely, _other_letters(name, likely, 0))
    ):
        if spelling in found:
            continue
        length += len(spelling) + 1
        if found and length > INITIALS_LENGTH:
            break
        found[spelling] = None
    return " ".join(found)[:INITIALS_LENGTH]


def _other_letters(name: str, likely: Sequence[str], least: float) -> dict[int, list[str]]:
    """Return, by position, the letters of other readings that are at least so usual."""
    found = {}
    for place, char in enumerate(name):
        letters = [
            letter for letter, share in _reading_letters(char) if share >= least and letter != likely[place]
        ]
        if letters:
            found[place] = letters
    return found


def _generate_spellings(likely: Sequence[str], others: Mapping[int, Sequence[str]]) -> Iterator[str]:
    """Generate every spelling, those that depart least from the likeliest first."""
    for departures in range(len(others) + 1):
        for places in combinations(others, departures):
            for letters in product(*(others[place] for place in places)):
                spelled = dict(zip(places, letters, strict=True))
                yield "".join(spelled.get(place, letter) for place, letter in enumerate(likely))


@lru_cache(maxsize=8192)
def _reading_letters(char: str) -> tuple[tuple[str, float], ...]:
    """Return the first letters of a character's readings, each with its share of the known phrases."""
    letters = dict.fromkeys(
        _first_letter(reading) for reading in PINYIN_DICT.get(ord(char), "").split(",") if reading
    )
    phrases = _count_phrases()
    total = sum(phrases[char, letter] for letter in letters)
    return tuple((letter, phrases[char, letter] / total if total else 1.0) for letter in letters)


@cache
def _count_phrases() -> Counter[tuple[str, str]]:
    """Count the phrases in which a character is read with a first letter."""
    found: Counter[tuple[str, str]] = Counter()
    for phrase, readings in PHRASES_DICT.items():
        for char, reading in zip(phrase, readings, strict=False):
            found[char, _first_letter(reading[0])] += 1
    return found


@cache
def _first_letter(reading: str) -> str:
    return normalize("NFD", reading)[:1].upper()
