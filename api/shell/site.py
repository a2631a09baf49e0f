"""The built web (网页): hashed assets cached for ever, precompressed where taken, index.html elsewhere."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send

from api.kit.settings import PROJECT_DIR

DIST = PROJECT_DIR / "web" / "dist"
ENCODINGS = (("br", ".br"), ("gzip", ".gz"))
FOREVER = "public, max-age=31536000, immutable"
SECURITY = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "content-security-policy": "frame-ancestors 'self'; object-src 'none'; base-uri 'self'",
}


class Site:
    """Serves web/dist to GET and HEAD; a path that isn't a file answers the shell, which routes it."""

    def __init__(self, root: Path = DIST) -> None:
        self.root = root.resolve()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(404)
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        await self._file(scope["path"], headers)(scope, receive, send)

    def _file(self, path: str, headers: dict[str, str]) -> Response:
        wanted = (self.root / path.lstrip("/")).resolve()
        if wanted.is_file() and wanted.is_relative_to(self.root):
            hashed = wanted.parent.name == "assets"
            return _response(wanted, headers.get("accept-encoding", ""), FOREVER if hashed else "no-cache")
        index = self.root / "index.html"
        is_page = path == "/" or "text/html" in headers.get("accept", "")
        if not is_page or not index.is_file():
            raise HTTPException(404)
        return _response(index, headers.get("accept-encoding", ""), "no-cache")


def _response(file: Path, accepted: str, cache: str) -> Response:
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    headers = {"cache-control": cache, "vary": "accept-encoding", **SECURITY}
    for encoding, suffix in ENCODINGS:
        packed = file.with_name(file.name + suffix)
        if encoding in accepted and packed.is_file():
            return FileResponse(packed, media_type=kind, headers={**headers, "content-encoding": encoding})
    return FileResponse(file, media_type=kind, headers=headers)
