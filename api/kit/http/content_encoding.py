"""Content encodings that a client accepts (Accept-Encoding)."""

from __future__ import annotations


def parse_accept_encoding(header: str) -> set[str]:
    """Parse an Accept-Encoding header: the encodings that it names, without those refused by `q=0`."""
    return {name for name, quality in map(_parse_part, header.lower().split(",")) if name and quality > 0}


def _parse_part(part: str) -> tuple[str, float]:
    name, *settings = (word.strip() for word in part.split(";"))
    given = next((word[2:] for word in settings if word.startswith("q=")), "1")
    try:
        return name, float(given)
    except ValueError:
        return name, 0
