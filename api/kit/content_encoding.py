"""What a client can unpack (Accept-Encoding)."""

from __future__ import annotations


def packings(understood: str) -> set[str]:
    """The packings that an Accept-Encoding header takes: those that it names, but for what it refuses by `q=0`."""
    return {name for name, quality in map(_split, understood.lower().split(",")) if name and quality > 0}


def _split(part: str) -> tuple[str, float]:
    name, *settings = (word.strip() for word in part.split(";"))
    given = next((word[2:] for word in settings if word.startswith("q=")), "1")
    try:
        return name, float(given)
    except ValueError:
        return name, 0
