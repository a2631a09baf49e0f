"""Cache of Superset's static files (共用的文件): code, styles, images and language packs, the same for
everybody.

A file is fetched whole at its first request and then served from memory. None is streamed from Superset:
slow readers hold cached bytes and none of its threads.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.kit.http.content_encoding import parse_accept_encoding

RawHeaders = list[tuple[bytes, bytes]]
AssetKey = tuple[str, str]
"""A path, and how it is packed."""
IMMUTABLE_PATH = re.compile(r"/static/assets/(?:[\w@~-]+\.)?[0-9a-f]{20}(?:\.\w+)+")
"""Named by their digest: kept as long as there is room. Superset compresses each file anew for every reader."""
MAX_AGE_SECONDS = 60
"""The others are asked for again after that."""
MAX_BYTES = 64 * 1024 * 1024
CHUNK_SIZE = 64 * 1024
UNSHARED_HEADERS = frozenset({b"set-cookie", b"content-length", b"accept-ranges", b"date", b"connection"})
"""Headers of one answer alone."""


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A file as Superset answered it, whole."""

    status: int
    headers: RawHeaders
    content: bytes


@dataclass(frozen=True, slots=True)
class _CacheEntry:
    file: FetchedFile
    until: float


class AssetCache:
    """A cache of the files that were fetched last; `fetch` gets one from Superset."""

    def __init__(self, fetch: Callable[[AssetKey], Awaitable[FetchedFile]]) -> None:
        self._fetch = fetch
        self._kept: OrderedDict[AssetKey, _CacheEntry] = OrderedDict()
        self._turns: dict[AssetKey, asyncio.Lock] = {}

    async def respond(self, request: Request, path: str) -> Response:
        """Answer with a file, or with 304 where the browser has the same one."""
        file = path, _choose_encoding(request.headers.get("accept-encoding", ""))
        found = self._find_fresh(file) or await self._fetch_once(file)
        if found.status == 200 and _is_unmodified(request, dict(found.headers)):
            return _replace_headers(Response(status_code=304), found.headers, b"")
        return _replace_headers(ChunkedResponse(found.content, found.status), found.headers, found.content)

    def _find_fresh(self, file: AssetKey) -> FetchedFile | None:
        kept = self._kept.get(file)
        if kept is None or kept.until < time.monotonic():
            return None
        self._kept.move_to_end(file)
        return kept.file

    async def _fetch_once(self, file: AssetKey) -> FetchedFile:
        """Fetch a file once for all who ask for it meanwhile."""
        async with self._turns.setdefault(file, asyncio.Lock()):
            try:
                return self._find_fresh(file) or self._store(file, await self._fetch(file))
            finally:
                self._turns.pop(file, None)

    def _store(self, file: AssetKey, found: FetchedFile) -> FetchedFile:
        own = [header for header in found.headers if header[0] not in UNSHARED_HEADERS]
        shared = FetchedFile(found.status, own, found.content)
        if found.status == 200:
            until = inf if IMMUTABLE_PATH.fullmatch(file[0]) else time.monotonic() + MAX_AGE_SECONDS
            self._kept[file] = _CacheEntry(shared, until)
            self._kept.move_to_end(file)
            while sum(len(kept.file.content) for kept in self._kept.values()) > MAX_BYTES:
                self._kept.popitem(last=False)
        return shared


class ChunkedResponse(Response):
    """A response of cached bytes, sent in chunks as they are read, so that no copy of the rest waits for a
    slow reader."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        content, length = memoryview(self.body), len(self.body)
        for at in range(0, max(length, 1), CHUNK_SIZE):
            more = at + CHUNK_SIZE < length
            await send(
                {"type": "http.response.body", "body": content[at : at + CHUNK_SIZE], "more_body": more}
            )


def _replace_headers(response: Response, headers: RawHeaders, content: bytes) -> Response:
    """Give a response these headers and no others."""
    about = () if response.status_code == 304 else ((b"content-length", str(len(content)).encode()),)
    left_out = {b"content-type", b"content-encoding"} if response.status_code == 304 else frozenset()
    response.raw_headers = [*(header for header in headers if header[0] not in left_out), *about]
    return response


def _choose_encoding(accepted: str) -> str:
    """Return the best encoding that a browser accepts."""
    weights = parse_accept_encoding(accepted)
    return next((packing for packing in ("br", "gzip") if packing in weights), "identity")


def _is_unmodified(request: Request, headers: dict[bytes, bytes]) -> bool:
    """Return whether a browser has the very file that is cached."""
    marks = request.headers.get("if-none-match")
    if marks is not None:
        return headers.get(b"etag", b"-").decode("latin-1") in [one.strip() for one in marks.split(",")]
    since = request.headers.get("if-modified-since")
    return since is not None and headers.get(b"last-modified") == since.encode("latin-1")
