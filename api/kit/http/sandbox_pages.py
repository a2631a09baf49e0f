"""Sandbox pages (独立页面): pages in a frame without an origin, where they reach neither token nor server."""

from __future__ import annotations


def sandbox_headers(policy: str) -> dict[str, str]:
    """Return the headers of a sandboxed page with a policy, for a page that is opened by itself.

    A frame into which a page is written never sees them: the page itself bears the policy too.
    """
    return {"Content-Security-Policy": f"{policy}; sandbox allow-scripts", "Cache-Control": "no-store"}
