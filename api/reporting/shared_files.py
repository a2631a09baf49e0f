"""共用的文件：报表页面的代码、样式、图片、语言包，人人相同；第一次问到时整个取来，之后从内存给出。

None of them is streamed from Superset: whoever reads slowly, or not at all, holds kept bytes and none of its threads.
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

from api.kit.content_encoding import packings

RawHeaders = list[tuple[bytes, bytes]]
File = tuple[str, str]
"""A path, and how it is packed."""
UNCHANGING = re.compile(r"/static/assets/(?:[\w@~-]+\.)?[0-9a-f]{20}(?:\.\w+)+")
"""Named by their digest: kept as long as there is room. Superset compresses each file anew for every reader."""
KEPT_SECONDS = 60
"""The others are asked for again after that."""
MOST_KEPT = 64 * 1024 * 1024
PIECE = 64 * 1024
OWN = frozenset({b"set-cookie", b"content-length", b"accept-ranges", b"date", b"connection"})
"""Headers of one answer alone."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file as Superset answered it, whole."""

    status: int
    headers: RawHeaders
    content: bytes


@dataclass(frozen=True, slots=True)
class _Kept:
    file: Fetched
    until: float


class SharedFiles:
    """The files that were fetched last; `fetch` asks Superset for one."""

    def __init__(self, fetch: Callable[[File], Awaitable[Fetched]]) -> None:
        self._fetch = fetch
        self._kept: OrderedDict[File, _Kept] = OrderedDict()
        self._turns: dict[File, asyncio.Lock] = {}

    async def answer(self, request: Request, path: str) -> Response:
        """A file to a reader, or that what he has is still it."""
        file = path, _packing(request.headers.get("accept-encoding", ""))
        found = self._fresh(file) or await self._in_turn(file)
        if found.status == 200 and _is_known(request, dict(found.headers)):
            return _bare(Response(status_code=304), found.headers, b"")
        return _bare(Whole(found.content, found.status), found.headers, found.content)

    def _fresh(self, file: File) -> Fetched | None:
        kept = self._kept.get(file)
        if kept is None or kept.until < time.monotonic():
            return None
        self._kept.move_to_end(file)
        return kept.file

    async def _in_turn(self, file: File) -> Fetched:
        """Fetch a file once for all who ask for it meanwhile."""
        async with self._turns.setdefault(file, asyncio.Lock()):
            try:
                return self._fresh(file) or self._keep(file, await self._fetch(file))
            finally:
                self._turns.pop(file, None)

    def _keep(self, file: File, found: Fetched) -> Fetched:
        own = [header for header in found.headers if header[0] not in OWN]
        shared = Fetched(found.status, own, found.content)
        if found.status == 200:
            until = inf if UNCHANGING.fullmatch(file[0]) else time.monotonic() + KEPT_SECONDS
            self._kept[file] = _Kept(shared, until)
            self._kept.move_to_end(file)
            while sum(len(kept.file.content) for kept in self._kept.values()) > MOST_KEPT:
                self._kept.popitem(last=False)
        return shared


class Whole(Response):
    """Kept bytes, sent a piece at a time as they are read: no copy of the rest waits for a reader."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        content, length = memoryview(self.body), len(self.body)
        for at in range(0, max(length, 1), PIECE):
            more = at + PIECE < length
            await send({"type": "http.response.body", "body": content[at : at + PIECE], "more_body": more})


def _bare(response: Response, headers: RawHeaders, content: bytes) -> Response:
    """A response with these headers and no others."""
    about = () if response.status_code == 304 else ((b"content-length", str(len(content)).encode()),)
    left_out = {b"content-type", b"content-encoding"} if response.status_code == 304 else frozenset()
    response.raw_headers = [*(header for header in headers if header[0] not in left_out), *about]
    return response


def _packing(understood: str) -> str:
    """The best of what a browser says that it can unpack."""
    said = packings(understood)
    return next((packing for packing in ("br", "gzip") if packing in said), "identity")


def _is_known(request: Request, headers: dict[bytes, bytes]) -> bool:
    """Whether a browser has the very file that is kept."""
    marks = request.headers.get("if-none-match")
    if marks is not None:
        return headers.get(b"etag", b"-").decode("latin-1") in [one.strip() for one in marks.split(",")]
    since = request.headers.get("if-modified-since")
    return since is not None and headers.get(b"last-modified") == since.encode("latin-1")
