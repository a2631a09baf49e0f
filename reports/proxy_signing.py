"""接口转发的标记：访客令牌由接口转来才算数。会话还在不在只有接口知道，报表自己的端口不知道。

Nothing of it reaches a browser. It is made of a secret that both sides have: neither has to wait for the other.
"""

from __future__ import annotations

import hmac
from functools import lru_cache
from pathlib import Path

from api.kit.settings import settings

HEADER = "X-Report-Proxy"


def proxy_token() -> str:
    """Return the token that our API puts beside a guest's token which it passes on."""
    return _derive_token(settings().data_dir)


@lru_cache(maxsize=8)
def _derive_token(_data_dir: Path) -> str:
    secret = settings().secrets["guest_token_secret"]
    return hmac.digest(secret.encode(), HEADER.encode(), "sha256").hex()


def is_proxy_token(value: str | None) -> bool:
    """Return whether a request comes from our API, by the value of its header."""
    return hmac.compare_digest((value or "").encode(), proxy_token().encode())
