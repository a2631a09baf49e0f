"""访客令牌：在本地签发，只含一个看板和一条按角色过滤的规则，五分钟内有效。"""

from __future__ import annotations

import time

import jwt

from reports.catalogue import GUEST_AUDIENCE

LIFE = 300
"""Seconds; Superset refuses tokens that live longer."""


def guest_token(secret: str, embed_id: str, role_id: int, user_name: str, now: float | None = None) -> str:
    """Sign a token for one embedded dashboard and the rows of one role."""
    issued = int(time.time() if now is None else now)
    claims = {
        "user": {"username": user_name, "first_name": "", "last_name": ""},
        "resources": [{"type": "dashboard", "id": embed_id}],
        "rls_rules": [{"clause": f"role_id = {int(role_id)}"}],
        "iat": issued,
        "exp": issued + LIFE,
        "aud": GUEST_AUDIENCE,
        "type": "guest",
    }
    return jwt.encode(claims, secret, algorithm="HS256")
