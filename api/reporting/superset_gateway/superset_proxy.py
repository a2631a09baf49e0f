"""Proxy to Superset: forwards a request with the headers and the session that belong to it, and no others.

Each gateway to Superset has a session cookie of its own name, so that it never meets a session of another
gateway, or that of an administrator in the same browser.
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

from api.kit.errors import Refusal
from api.kit.http.request_body import MEGABYTE, BodyReader, ByteBudget, TooLarge
from api.reporting.superset_gateway.asset_cache import (
    CHUNK_SIZE,
    AssetCache,
    AssetKey,
    FetchedFile,
    RawHeaders,
)
from reports.superset import proxy_signing

Headers = list[tuple[str, str]]
HeaderReader = Callable[[Request], Awaitable[Headers]]

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
BODIES = ByteBudget(together=32 * MEGABYTE, each=8 * MEGABYTE)
"""Of requests on their way; a guest is proven by Superset alone."""
TIMEOUT = httpx.Timeout(60, connect=3)
UNAVAILABLE = "报表服务暂时不可用，请稍后刷新"
NO_REDIRECTS = re.compile(r"(?!)")
NO_MESSAGES: Mapping[int, str] = MappingProxyType({})
MOST_AT_ONCE = 8
"""Requests of one client that a worker has with Superset, whose threads are sixteen; his others wait."""
MAX_MEMORY = MEGABYTE
"""Of an answer on its way; what is longer lies on the disk."""
ANSWERS = ByteBudget(together=512 * MEGABYTE, each=128 * MEGABYTE)
"""Of answers that have not all been read."""


class SupersetProxy:
    """Superset behind one gateway; `cookie` is the name of its session on this side.

    `passed` are request headers that are forwarded besides the usual ones, `redirects` the addresses on
    this side that an answer may redirect to.

    An answer is read from Superset whole before it is sent on: slow readers hold none of its threads.
    """

    def __init__(
        self,
        address: str,
        cookie: str,
        expired: str,
        passed: Iterable[str] = (),
        redirects: re.Pattern[str] = NO_REDIRECTS,
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
        self._files = AssetCache(self._fetch)
        self._turns = ClientLimiter(MOST_AT_ONCE)

    async def serve_shared(self, request: Request) -> Response:
        """Answer with a static file from the cache."""
        try:
            return await self._files.respond(request, raw_path(request.scope))
        except httpx.HTTPError:
            return error_response(request, 503, UNAVAILABLE)

    async def _fetch(self, file: AssetKey) -> FetchedFile:
        path, packing = file
        upstream = self.client.build_request("GET", path, headers={"accept-encoding": packing})
        answer = await self.client.send(upstream, stream=True)
        try:
            content = b"".join([chunk async for chunk in answer.aiter_raw()])
        finally:
            await answer.aclose()
        if answer.is_redirect:
            return FetchedFile(401, [(b"content-type", b"text/plain; charset=utf-8")], self.expired.encode())
        return FetchedFile(answer.status_code, self._response_headers(answer), content)

    async def forward(
        self,
        request: Request,
        added: Headers | None = None,
        messages: Mapping[int, str] = NO_MESSAGES,
        read_headers: HeaderReader | None = None,
    ) -> Response:
        """Forward a request to Superset and return its answer.

        Args:
            added: headers that this side adds.
            instead: messages in place of answers with these statuses.
            heading: reads further headers from the request's body.
        """
        try:
            async with BodyReader(request, LARGEST_BODY, BODIES) as request:
                body = b"" if request.method in ("GET", "HEAD") else await request.body()
                more = await read_headers(request) if read_headers and body else []
                async with self._turns.slot(_read_client(request)):
                    return await self._send_request(request, body, [*(added or []), *more], messages)
        except ClientDisconnect:
            return Response(status_code=400)
        except Refusal as refusal:
            return error_response(
                request, 413 if isinstance(refusal, TooLarge) else refusal.code, refusal.msg
            )
        except httpx.HTTPError:
            return error_response(request, 503, UNAVAILABLE)

    async def _send_request(
        self, request: Request, body: bytes, added: Headers, messages: Mapping[int, str]
    ) -> Response:
        query = request.scope["query_string"]
        target = raw_path(request.scope) + (f"?{query.decode('latin-1')}" if query else "")
        headers = [*self._request_headers(request), *added]
        upstream = self.client.build_request(request.method, target, headers=headers, content=body)
        content, given = _SpooledContent(_read_client(request)), None
        try:
            answer = await self.client.send(upstream, stream=True)
            try:
                if answer.is_redirect and not self.redirects.fullmatch(answer.headers.get("location", "")):
                    # Superset redirects to its login, which this side doesn't have.
                    return JSONResponse({"code": 401, "msg": self.expired, "data": None}, 401)
                if answer.status_code in messages:
                    return error_response(request, answer.status_code, messages[answer.status_code])
                async for chunk in answer.aiter_raw():
                    content.write(chunk)
            finally:
                await answer.aclose()
            given = _SpooledResponse(content, answer.status_code, self._response_headers(answer))
            return given
        finally:
            if given is None:
                content.close()

    def _request_headers(self, request: Request) -> Headers:
        """Return the headers for Superset: no token of ours, no cookie except this gateway's session, and
        proof of the proxy."""
        headers = [(name, value) for name, value in request.headers.items() if name in self.passed]
        session = find_cookie(request.headers.getlist("cookie"), self.cookie)
        if session:
            headers.append(("cookie", f"{UPSTREAM_COOKIE}={session}"))
        headers.append(("host", request.headers.get("host", "")))
        headers.append(("x-forwarded-host", request.headers.get("host", "")))
        headers.append(("x-forwarded-proto", request.url.scheme))
        headers.append(("x-forwarded-for", request.client.host if request.client else ""))
        headers.append((proxy_signing.HEADER, proxy_signing.proxy_token()))
        return headers

    def _response_headers(self, answer: httpx.Response) -> RawHeaders:
        """Return the answer's headers; of its cookies only the session, under this gateway's name."""
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
    """Return the path as the client wrote it, so that the checked path is the forwarded one."""
    raw: bytes = scope.get("raw_path") or scope["path"].encode()
    return raw.split(b"?", 1)[0].decode("latin-1")


def is_among(paths: Iterable[tuple[str, re.Pattern[str]]], method: str, path: str) -> bool:
    """Return whether a request is one of the allowed ones. The path is taken as it came, undecoded tricks
    included."""
    wanted = "GET" if method == "HEAD" else method
    return (
        any(wanted == allowed and pattern.fullmatch(path) for allowed, pattern in paths) and ".." not in path
    )


def compile_paths(*paths: tuple[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Compile allowed paths, given as methods and patterns of whole paths."""
    return tuple((method, re.compile(pattern)) for method, pattern in paths)


def find_cookie(cookies: Iterable[str], wanted: str) -> str | None:
    """Return a cookie of the browser if it has the form of those given out here, else None."""
    for header in cookies:
        for part in header.split(";"):
            name, _, value = part.strip().partition("=")
            if name == wanted and re.fullmatch(r"[\w.\-]+", value):
                return value
    return None


def error_response(request: Request, status: int, msg: str) -> Response:
    """Return a refusal: an HTML page where the browser shows it, else a JSON envelope."""
    if "text/html" in request.headers.get("accept", ""):
        page = f"<!doctype html><meta charset=utf-8><title>报表</title><p style='padding:2em'>{msg}</p>"
        return HTMLResponse(page, status)
    return JSONResponse({"code": status, "msg": msg, "data": None}, status)


def _read_client(request: Request) -> str:
    return request.client.host if request.client else ""


class _SpooledContent:
    """An answer's bytes, spooled to disk when long; their memory is reserved until they are closed."""

    def __init__(self, client: str) -> None:
        ANSWERS.reserve(client, CHUNK_SIZE)
        self._client, self._length = client, CHUNK_SIZE
        self._file = SpooledTemporaryFile[bytes](max_size=MAX_MEMORY)

    def write(self, chunk: bytes) -> None:
        ANSWERS.reserve(self._client, len(chunk))
        self._length += len(chunk)
        self._file.write(chunk)

    async def pieces(self) -> AsyncIterator[bytes]:
        self._file.seek(0)
        while piece := self._file.read(CHUNK_SIZE):
            yield piece

    def close(self) -> None:
        self._file.close()
        ANSWERS.release(self._client, self._length)


class _SpooledResponse(StreamingResponse):
    """A response of spooled bytes, which are released once it was read or its reader is gone."""

    def __init__(self, content: _SpooledContent, status: int, headers: RawHeaders) -> None:
        super().__init__(content.pieces(), status)
        self.raw_headers = headers
        self._content = content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._content.close()


@dataclass(slots=True)
class _ClientSlot:
    free: asyncio.Semaphore
    users: int = 0


class ClientLimiter:
    """A limit of concurrent requests of each client; further ones wait."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._of: dict[str, _ClientSlot] = {}

    @asynccontextmanager
    async def slot(self, client: str) -> AsyncIterator[None]:
        turn = self._of.setdefault(client, _ClientSlot(asyncio.Semaphore(self._most)))
        turn.users += 1
        try:
            async with turn.free:
                yield
        finally:
            turn.users -= 1
            if not turn.users:
                del self._of[client]
