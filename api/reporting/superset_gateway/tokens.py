"""Tokens signed for Superset: guest tokens (访客令牌: one dashboard, one row filter by role) and
explorers' tokens (identity and readable reports); both live shortly."""

from __future__ import annotations

import time
from typing import Any

import jwt

from reports.catalogue import EXPLORER_AUDIENCE, GUEST_AUDIENCE

GUEST_LIFE = 300
"""Seconds; Superset refuses tokens that live longer."""
EXPLORER_LIFE = 60
TICKET_LIFE = 60
TICKET_AUDIENCE = "erp-explore-ticket"
EXPLORE_COOKIE_AUDIENCE = "erp-explore-door"
ALGORITHM = "HS256"


def build_guest_claims(embed_id: str, role_id: int, files: bool) -> dict[str, Any]:
    """Return the claims of a guest token: one embedded dashboard and the rows of one role, `files` if it may
    be exported."""
    return {
        "resources": [{"type": "dashboard", "id": embed_id}],
        "rls_rules": [{"clause": f"role_id = {int(role_id)}"}],
        "files": files,
    }


def sign_guest_token(
    secret: str,
    embed_id: str,
    role_id: int,
    user_name: str,
    *,
    files: bool,
    given: dict[str, Any] | None = None,
    now: float | None = None,
) -> str:
    """Sign a guest token; `given` names the session and the report that it was given to."""
    issued = int(time.time() if now is None else now)
    claims = {
        "user": {"username": user_name, "first_name": "", "last_name": ""},
        **build_guest_claims(embed_id, role_id, files),
        "given": given,
        "iat": issued,
        "exp": issued + GUEST_LIFE,
        "aud": GUEST_AUDIENCE,
        "type": "guest",
    }
    return jwt.encode(claims, secret, algorithm=ALGORITHM)


def sign_explorer_token(secret: str, explorer: dict[str, Any], now: float | None = None) -> str:
    """Sign an explorer's claims for one request."""
    return sign_token(secret, EXPLORER_AUDIENCE, EXPLORER_LIFE, explorer, now)


def sign_token(
    secret: str, audience: str, life: int, claims: dict[str, Any], now: float | None = None
) -> str:
    """Sign claims for one audience and so many seconds."""
    issued = int(time.time() if now is None else now)
    return jwt.encode(
        {**claims, "iat": issued, "exp": issued + life, "aud": audience}, secret, algorithm=ALGORITHM
    )


def verify_token(secret: str, audience: str, token: str) -> dict[str, Any] | None:
    """Return the claims of a token that was signed for this audience and is still valid, or None."""
    try:
        found: dict[str, Any] = jwt.decode(
            token, secret, algorithms=[ALGORITHM], audience=audience, options={"require": ["exp", "iat"]}
        )
    except jwt.InvalidTokenError:
        return None
    return found
