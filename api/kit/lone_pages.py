"""Lone pages (独立页面): pages that run in a frame without an origin, where they reach neither token nor server."""

from __future__ import annotations


def isolating_headers(policy: str) -> dict[str, str]:
    """The headers of a page with a policy: opened by itself it is what the web's frame makes of it.

    A frame into which a page is written never sees them: the page itself bears the policy too.
    """
    return {"Content-Security-Policy": f"{policy}; sandbox allow-scripts", "Cache-Control": "no-store"}
