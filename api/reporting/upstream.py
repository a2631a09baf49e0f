"""通往 Superset 的路：转发一个请求，只带去和带回该带的标头与会话。

Each door to Superset has a session cookie of its own name, so that none meets a session of another, nor that of an
administrator in the same browser.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from tempfile import SpooledTemporaryFile
from types import MappingProxyType

import httpx
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from api.kit.bodies import MEGABYTE, Intake, Room, TooLarge
from api.kit.errors import Refusal
from api.reporting.shared_files import PIECE, Fetched, File, RawHeaders, SharedFiles
from reports import proxy_signing

Headers = list[tuple[str, str]]
Heading = Callable[[Request], Awaitable[Headers]]

REQUEST_HEADERS = {
    "accept",
    "accept-encoding",
    "accept-language",
    "content-type",
    "if-modified-since",
    "if-none-match",
    "origin",
    "range",
    "referer",
    "user-agent",
    "x-csrftoken",
    "x-requested-with",
}
DROPPED_HEADERS = {
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "server",
}
UPSTREAM_COOKIE = "superset_session"
LARGEST_BODY = 2 * MEGABYTE
BODIES = Room(together=32 * MEGABYTE, each=8 * MEGABYTE)
"""Of requests on their way; a guest is proven by Superset alone."""
TIMEOUT = httpx.Timeout(60, connect=3)
UNAVAILABLE = "报表服务暂时不可用，请稍后刷新"
NOWHERE = re.compile(r"(?!)")
NOTHING: Mapping[int, str] = MappingProxyType({})
MOST_AT_ONCE = 8
"""Requests of one client that a worker has with Superset, whose threads are sixteen; his others wait."""
IN_MEMORY = MEGABYTE
"""Of an answer on its way; what is longer lies on the disk."""
ANSWERS = Room(together=512 * MEGABYTE, each=128 * MEGABYTE)
"""Of answers that have not all been read."""


class Upstream:
    """Superset as one door reaches it; `cookie` is the name of its session on this side.

    `passed` are request headers that go along beside the usual ones, `redirects` the addresses on this side that an
    answer may lead to.

    An answer is taken from Superset whole before it is given: nobody holds one of its threads by reading slowly.
    """

    def __init__(
        self,
        address: str,
        cookie: str,
        expired: str,
        passed: Iterable[str] = (),
        redirects: re.Pattern[str] = NOWHERE,
    ) -> None:
        self.cookie = cookie
        self.expired = expired
        self.passed = REQUEST_HEADERS | set(passed)
        self.redirects = redirects
        # A client of httpx keeps the cookies it is given: one user's session would go out with another's request.
        keep_no_cookie = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
        self.client = httpx.AsyncClient(
            base_url=address,
            cookies=keep_no_cookie,
            trust_env=False,
            timeout=TIMEOUT,
            limits=httpx.Limits(max_connections=64, max_keepalive_connections=16),
        )
        self._files = SharedFiles(self._fetch)
        self._turns = Turns(MOST_AT_ONCE)

    async def shared(self, request: Request) -> Response:
        """A file that is the same for everybody, from what is kept."""
        try:
            return await self._files.answer(request, raw_path(request.scope))
        except httpx.HTTPError:
            return told(request, 503, UNAVAILABLE)

    async def _fetch(self, file: File) -> Fetched:
        path, packing = file
        asked = self.client.build_request("GET", path, headers={"accept-encoding": packing})
        answer = await self.client.send(asked, stream=True)
        try:
            content = b"".join([chunk async for chunk in answer.aiter_raw()])
        finally:
            await answer.aclose()
        if answer.is_redirect:
            return Fetched(401, [(b"content-type", b"text/plain; charset=utf-8")], self.expired.encode())
        return Fetched(answer.status_code, self._response_headers(answer), content)

    async def forward(
        self,
        request: Request,
        added: Headers | None = None,
        instead: Mapping[int, str] = NOTHING,
        heading: Heading | None = None,
    ) -> Response:
        """Ask Superset and give its answer back; `added` headers are our own word to it, `instead` what is told
        where it answers with a status, `heading` finds further headers in what is sent."""
        try:
            async with Intake(request, LARGEST_BODY, BODIES) as request:
                body = b"" if request.method in ("GET", "HEAD") else await request.body()
                more = await heading(request) if heading and body else []
                async with self._turns.of(_client(request)):
                    return await self._asked(request, body, [*(added or []), *more], instead)
        except ClientDisconnect:
            return Response(status_code=400)
        except Refusal as refusal:
            return told(request, 413 if isinstance(refusal, TooLarge) else refusal.code, refusal.msg)
        except httpx.HTTPError:
            return told(request, 503, UNAVAILABLE)

    async def _asked(
        self, request: Request, body: bytes, added: Headers, instead: Mapping[int, str]
    ) -> Response:
        query = request.scope["query_string"]
        target = raw_path(request.scope) + (f"?{query.decode('latin-1')}" if query else "")
        said = [*self._request_headers(request), *added]
        upstream = self.client.build_request(request.method, target, headers=said, content=body)
        content, given = _Content(_client(request)), None
        try:
            answer = await self.client.send(upstream, stream=True)
            try:
                if answer.is_redirect and not self.redirects.fullmatch(answer.headers.get("location", "")):
                    # Superset redirects to its login, which this side doesn't have.
                    return JSONResponse({"code": 401, "msg": self.expired, "data": None}, 401)
                if answer.status_code in instead:
                    return told(request, answer.status_code, instead[answer.status_code])
                async for chunk in answer.aiter_raw():
                    content.write(chunk)
            finally:
                await answer.aclose()
            given = _Given(content, answer.status_code, self._response_headers(answer))
            return given
        finally:
            if given is None:
                content.close()

    def _request_headers(self, request: Request) -> Headers:
        """What Superset may know of the request: no token of ours, no cookie but this door's own session; and that it
        is we who pass it on."""
        headers = [(name, value) for name, value in request.headers.items() if name in self.passed]
        session = cookie_of(request.headers.getlist("cookie"), self.cookie)
        if session:
            headers.append(("cookie", f"{UPSTREAM_COOKIE}={session}"))
        headers.append(("host", request.headers.get("host", "")))
        headers.append(("x-forwarded-host", request.headers.get("host", "")))
        headers.append(("x-forwarded-proto", request.url.scheme))
        headers.append(("x-forwarded-for", request.client.host if request.client else ""))
        headers.append((proxy_signing.HEADER, proxy_signing.proxy_token()))
        return headers

    def _response_headers(self, answer: httpx.Response) -> RawHeaders:
        """The answer's headers; of its cookies only the session, under this door's name."""
        headers = [
            (name.lower(), value)
            for name, value in answer.headers.raw
            if name.lower().decode("latin-1") not in DROPPED_HEADERS
        ]
        for cookie in answer.headers.get_list("set-cookie"):
            name, separator, rest = cookie.partition("=")
            if separator and name.strip() == UPSTREAM_COOKIE:
                headers.append((b"set-cookie", f"{self.cookie}={rest}".encode("latin-1")))
        return headers


def raw_path(scope: Scope) -> str:
    """The path as the client wrote it, so that what is checked is what is forwarded."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return raw.split(b"?", 1)[0].decode("latin-1")


def is_among(paths: Iterable[tuple[str, re.Pattern[str]]], method: str, path: str) -> bool:
    """Whether a request is one of those let through. The path is taken as it came, undecoded tricks included."""
    wanted = "GET" if method == "HEAD" else method
    return (
        any(wanted == allowed and pattern.fullmatch(path) for allowed, pattern in paths) and ".." not in path
    )


def compiled(*paths: tuple[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Paths to let through, given as methods and patterns of whole paths."""
    return tuple((method, re.compile(pattern)) for method, pattern in paths)


def cookie_of(cookies: Iterable[str], wanted: str) -> str | None:
    """One cookie out of the browser's, when it looks like one that was given out here."""
    for header in cookies:
        for part in header.split(";"):
            name, _, value = part.strip().partition("=")
            if name == wanted and re.fullmatch(r"[\w.\-]+", value):
                return value
    return None


def told(request: Request, status: int, msg: str) -> Response:
    """A refusal as a page for whom a browser shows it, else as an envelope."""
    if "text/html" in request.headers.get("accept", ""):
        page = f"<!doctype html><meta charset=utf-8><title>报表</title><p style='padding:2em'>{msg}</p>"
        return HTMLResponse(page, status)
    return JSONResponse({"code": status, "msg": msg, "data": None}, status)


def _client(request: Request) -> str:
    return request.client.host if request.client else ""


class _Content:
    """An answer's bytes, which have room until they are closed; Superset isn't asked where there is none."""

    def __init__(self, client: str) -> None:
        ANSWERS.take(client, PIECE)
        self._client, self._length = client, PIECE
        self._file = SpooledTemporaryFile[bytes](max_size=IN_MEMORY)

    def write(self, chunk: bytes) -> None:
        ANSWERS.take(self._client, len(chunk))
        self._length += len(chunk)
        self._file.write(chunk)

    async def pieces(self) -> AsyncIterator[bytes]:
        self._file.seek(0)
        while piece := self._file.read(PIECE):
            yield piece

    def close(self) -> None:
        self._file.close()
        ANSWERS.give_back(self._client, self._length)


class _Given(StreamingResponse):
    """An answer that was taken whole; it is gone when it was read, or its reader is."""

    def __init__(self, content: _Content, status: int, headers: RawHeaders) -> None:
        super().__init__(content.pieces(), status)
        self.raw_headers = headers
        self._content = content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._content.close()


@dataclass(slots=True)
class _Turn:
    free: asyncio.Semaphore
    users: int = 0


class Turns:
    """So many requests of each client are under way; his others wait for them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._of: dict[str, _Turn] = {}

    @asynccontextmanager
    async def of(self, client: str) -> AsyncIterator[None]:
        turn = self._of.setdefault(client, _Turn(asyncio.Semaphore(self._most)))
        turn.users += 1
        try:
            async with turn.free:
                yield
        finally:
            turn.users -= 1
            if not turn.users:
                del self._of[client]
