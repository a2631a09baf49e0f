"""接口转发时的话：访客令牌由接口转来才算数。会话还在不在只有接口知道，报表自己的端口不知道。

Nothing of it reaches a browser. It is made of a secret that both sides have: neither has to wait for the other.
"""

from __future__ import annotations

import hmac
from functools import lru_cache
from pathlib import Path

from api.kit.settings import settings

HEADER = "X-Report-Proxy"


def word() -> str:
    """What our API says beside a guest's token that it passes on."""
    return _word(settings().data_dir)


@lru_cache(maxsize=8)
def _word(_data_dir: Path) -> str:
    secret = settings().secrets["guest_token_secret"]
    return hmac.digest(secret.encode(), HEADER.encode(), "sha256").hex()


def is_said(told: str | None) -> bool:
    """Whether a request comes from our API, by its header."""
    return hmac.compare_digest((told or "").encode(), word().encode())
