"""Proxy signature (转发标记).

A guest token counts only if the API passes it on, which alone knows whether the session still lives.

Nothing of it reaches a browser. It is made of a secret that both sides have: neither has to wait for the
other.
"""

from __future__ import annotations

import hmac
from functools import lru_cache
from pathlib import Path

from api.kit.settings import read_settings

HEADER = "X-Report-Proxy"


def proxy_token() -> str:
    """Return the token that our API puts beside a guest's token which it passes on."""
    return _derive_token(read_settings().data_dir)


@lru_cache(maxsize=8)
def _derive_token(_data_dir: Path) -> str:
    secret = read_settings().secrets["guest_token_secret"]
    return hmac.digest(secret.encode(), HEADER.encode(), "sha256").hex()


def is_proxy_token(value: str | None) -> bool:
    """Return whether a request comes from our API, by the value of its header."""
    return hmac.compare_digest((value or "").encode(), proxy_token().encode())
