"""Web assets (网页): the built web; hashed files cached forever, precompressed, index.html for pages."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterable
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send

from api.kit.http.content_encoding import parse_accept_encoding
from api.kit.http.sandbox_pages import sandbox_headers
from api.kit.settings import PROJECT_DIR

DIST = PROJECT_DIR / "web" / "dist"
ENCODINGS = (("br", ".br"), ("gzip", ".gz"))
FOREVER = "public, max-age=31536000, immutable"
SECURITY = {"x-content-type-options": "nosniff", "referrer-policy": "same-origin"}
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        # The component library writes its styles into the page as they are needed.
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "media-src 'self' data:",
        "connect-src 'self'",
        "frame-src 'self'{frames}",
        "worker-src 'none'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
"""Content security policy of the shell: its own built scripts only; frames its own pages and reports."""
LONE_PAGE = "lone.html"
"""Empty page that pages with policies of their own are written into (web/src/lib/SandboxedFrame.tsx)."""
LONE_POLICY = "frame-ancestors 'self'"


class WebAssets:
    """ASGI app that serves web/dist to GET and HEAD; a path that isn't a file gets index.html."""

    def __init__(self, root: Path = DIST, report_sites: Iterable[str] = ()) -> None:
        self.root = root.resolve()
        frames = (f" {site.rstrip('/')}/embedded/" for site in sorted({*report_sites} - {""}))
        policy = POLICY.format(frames="".join(frames))
        self._shell = {**SECURITY, "content-security-policy": policy}
        isolating = sandbox_headers(LONE_POLICY)["Content-Security-Policy"]
        self._lone = {**SECURITY, "content-security-policy": isolating}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(404)
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        await self._serve_file(scope["path"], headers)(scope, receive, send)

    def _serve_file(self, path: str, headers: dict[str, str]) -> Response:
        wanted = (self.root / path.lstrip("/")).resolve()
        if wanted.is_file() and wanted.is_relative_to(self.root):
            hashed = wanted.parent.name == "assets"
            return self._build_response(
                wanted, headers.get("accept-encoding", ""), FOREVER if hashed else "no-cache"
            )
        index = self.root / "index.html"
        is_page = path == "/" or "text/html" in headers.get("accept", "")
        if not is_page or not index.is_file():
            raise HTTPException(404)
        return self._build_response(index, headers.get("accept-encoding", ""), "no-cache")

    def _build_response(self, file: Path, accepted: str, cache: str) -> Response:
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        secured = self._lone if file == self.root / LONE_PAGE else self._shell
        headers = {"cache-control": cache, "vary": "accept-encoding", **secured}
        for encoding, suffix in ENCODINGS:
            packed = file.with_name(file.name + suffix)
            if encoding in parse_accept_encoding(accepted) and packed.is_file():
                return FileResponse(
                    packed, media_type=kind, headers={**headers, "content-encoding": encoding}
                )
        return FileResponse(file, media_type=kind, headers=headers)
