"""通往 Superset 的路：转发一个请求，只带去和带回该带的标头与会话。

Each door to Superset has a session cookie of its own name, so that none meets a session of another, nor that of an
administrator in the same browser.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable, Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import MappingProxyType

import httpx
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.types import Scope

Headers = list[tuple[str, str]]
RawHeaders = list[tuple[bytes, bytes]]
File = tuple[str, str]
"""A path, and how it is packed."""

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
LARGEST_BODY = 2 * 1024 * 1024
TIMEOUT = httpx.Timeout(60, connect=3)
UNAVAILABLE = "报表服务暂时不可用，请稍后刷新"
NOWHERE = re.compile(r"(?!)")
NOTHING: Mapping[int, str] = MappingProxyType({})
UNCHANGING = re.compile(r"/static/assets/(?:[\w@~-]+\.)?[0-9a-f]{20}\.\w+\.(?:js|css)")
"""Superset's code, named by its digest. It compresses each file anew for every reader."""
MOST_KEPT = 64 * 1024 * 1024


class Upstream:
    """Superset as one door reaches it; `cookie` is the name of its session on this side.

    `passed` are request headers that go along beside the usual ones, `redirects` the addresses on this side that an
    answer may lead to.
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
        self._kept: dict[File, tuple[RawHeaders, bytes]] = {}

    async def forward(
        self, request: Request, added: Headers | None = None, instead: Mapping[int, str] = NOTHING
    ) -> Response:
        """Ask Superset and stream its answer back; `added` headers are our own word to it, `instead` what is told
        where it answers with a status."""
        file = _unchanging(request)
        if file is not None and file in self._kept:
            return _answer(*self._kept[file])
        try:
            body = await request_body(request)
        except ClientDisconnect:
            return Response(status_code=400)
        if body is None:
            return JSONResponse({"code": 413, "msg": "请求内容过大", "data": None}, 413)
        query = request.scope["query_string"]
        target = raw_path(request.scope) + (f"?{query.decode('latin-1')}" if query else "")
        said = [*self._request_headers(request), *(added or [])]
        if file is not None:
            said = [*(one for one in said if one[0] != "accept-encoding"), ("accept-encoding", file[1])]
        upstream = self.client.build_request(request.method, target, headers=said, content=body)
        try:
            answer = await self.client.send(upstream, stream=True)
        except httpx.HTTPError:
            return told(request, 503, UNAVAILABLE)
        if answer.is_redirect and not self.redirects.fullmatch(answer.headers.get("location", "")):
            # Superset redirects to its login, which this side doesn't have.
            await answer.aclose()
            return JSONResponse({"code": 401, "msg": self.expired, "data": None}, 401)
        if answer.status_code in instead:
            await answer.aclose()
            return told(request, answer.status_code, instead[answer.status_code])
        headers = self._response_headers(answer)
        if file is not None and answer.status_code == 200 and self._has_room():
            try:
                content = b"".join([chunk async for chunk in _stream(answer)])
            except httpx.HTTPError:
                return told(request, 503, UNAVAILABLE)
            self._kept[file] = [header for header in headers if header[0] != b"set-cookie"], content
            return _answer(*self._kept[file])
        response = StreamingResponse(_stream(answer), answer.status_code)
        response.raw_headers = headers
        return response

    def _has_room(self) -> bool:
        return sum(len(content) for _, content in self._kept.values()) < MOST_KEPT

    def _request_headers(self, request: Request) -> Headers:
        """What Superset may know of the request: no token of ours, no cookie but this door's own session."""
        headers = [(name, value) for name, value in request.headers.items() if name in self.passed]
        session = cookie_of(request.headers.getlist("cookie"), self.cookie)
        if session:
            headers.append(("cookie", f"{UPSTREAM_COOKIE}={session}"))
        headers.append(("host", request.headers.get("host", "")))
        headers.append(("x-forwarded-host", request.headers.get("host", "")))
        headers.append(("x-forwarded-proto", request.url.scheme))
        headers.append(("x-forwarded-for", request.client.host if request.client else ""))
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
    raw = scope.get("raw_path") or scope["path"].encode()
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


def _unchanging(request: Request) -> File | None:
    """What a file of Superset's code is kept under, if it is asked for whole."""
    asked = request.headers
    path = raw_path(request.scope)
    if request.method != "GET" or not UNCHANGING.fullmatch(path) or {"range", "if-none-match"} & set(asked):
        return None
    return path, _packing(asked.get("accept-encoding", ""))


def _packing(understood: str) -> str:
    """The best of what a browser says that it can unpack."""
    said = {part.strip() for part in understood.split(",")}
    return next((packing for packing in ("br", "gzip") if packing in said), "identity")


def _answer(headers: RawHeaders, body: bytes) -> Response:
    response = Response(body)
    response.raw_headers = [*headers]
    return response


async def request_body(request: Request) -> bytes | None:
    """The request's body, or None when it is larger than any page of Superset would send. It may be asked for again."""
    if not hasattr(request, "_body"):
        received = bytearray()
        async for chunk in request.stream():
            received += chunk
            if len(received) > LARGEST_BODY:
                return None
        request._body = bytes(received)
    return request._body


async def _stream(answer: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for chunk in answer.aiter_raw():
            yield chunk
    finally:
        await answer.aclose()
