"""签发给 Superset 的令牌：访客的（一个看板、一条按角色过滤的规则），自助分析者的（他是谁、能看哪些报表），都很短命。"""

from __future__ import annotations

import time
from typing import Any

import jwt

from reports.catalogue import EXPLORER_AUDIENCE, GUEST_AUDIENCE

LIFE = 300
"""Seconds; Superset refuses tokens that live longer."""
EXPLORER_LIFE = 60
TICKET_LIFE = 60
TICKET_AUDIENCE = "erp-explore-ticket"
DOOR_AUDIENCE = "erp-explore-door"
ALGORITHM = "HS256"


def shown(embed_id: str, role_id: int, files: bool) -> dict[str, Any]:
    """What a guest token shows: one embedded dashboard and the rows of one role, in `files` too or on screen alone."""
    return {
        "resources": [{"type": "dashboard", "id": embed_id}],
        "rls_rules": [{"clause": f"role_id = {int(role_id)}"}],
        "files": files,
    }


def guest_token(
    secret: str,
    embed_id: str,
    role_id: int,
    user_name: str,
    *,
    files: bool,
    given: dict[str, Any] | None = None,
    now: float | None = None,
) -> str:
    """Sign a token for what is `shown`; `given` says whom it was given to for which report."""
    issued = int(time.time() if now is None else now)
    claims = {
        "user": {"username": user_name, "first_name": "", "last_name": ""},
        **shown(embed_id, role_id, files),
        "given": given,
        "iat": issued,
        "exp": issued + LIFE,
        "aud": GUEST_AUDIENCE,
        "type": "guest",
    }
    return jwt.encode(claims, secret, algorithm=ALGORITHM)


def explorer_token(secret: str, explorer: dict[str, Any], now: float | None = None) -> str:
    """Sign who explores and what he may see, for the one request that it goes along with."""
    return signed(secret, EXPLORER_AUDIENCE, EXPLORER_LIFE, explorer, now)


def signed(secret: str, audience: str, life: int, claims: dict[str, Any], now: float | None = None) -> str:
    """Sign claims for one audience and so many seconds."""
    issued = int(time.time() if now is None else now)
    return jwt.encode(
        {**claims, "iat": issued, "exp": issued + life, "aud": audience}, secret, algorithm=ALGORITHM
    )


def opened(secret: str, audience: str, token: str) -> dict[str, Any] | None:
    """The claims of a token that was signed for this audience and still lives, or None."""
    try:
        found: dict[str, Any] = jwt.decode(
            token, secret, algorithms=[ALGORITHM], audience=audience, options={"require": ["exp", "iat"]}
        )
    except jwt.InvalidTokenError:
        return None
    return found
