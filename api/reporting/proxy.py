"""报表框架代理：把嵌入报表所需的、且只有这些 Superset 路径，接到用户端口上。

Everything else of Superset (its login, its admin, SQL Lab) stays on its own port. The session cookie has another name
on this side, so that an administrator's session in the same browser never reaches a frame.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterable
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import ASGIApp, Receive, Scope, Send

UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
PATHS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (method, re.compile(pattern))
    for method, pattern in (
        ("GET", rf"/embedded/{UUID}"),
        ("GET", r"/static/assets/[\w.@~-]+(?:/[\w.@~-]+)*"),
        ("GET", r"/static/appbuilder/css/flags/flags16\.css"),
        ("GET", r"/superset/language_pack/zh/"),
        ("GET", r"/api/v1/me/roles/"),
        ("GET", r"/api/v1/security/csrf_token/"),
        ("GET", rf"/api/v1/embedded_dashboard/{UUID}"),
        ("GET", r"/api/v1/dashboard/\d{1,9}"),
        ("GET", r"/api/v1/dashboard/\d{1,9}/(?:charts|datasets|tabs)"),
        ("POST", r"/api/v1/dashboard/\d{1,9}/filter_state"),
        ("PUT", r"/api/v1/dashboard/\d{1,9}/filter_state/[\w-]{1,64}"),
        ("GET", r"/api/v1/dashboard/\d{1,9}/filter_state/[\w-]{1,64}"),
        ("POST", r"/api/v1/chart/data"),
        ("GET", r"/api/v1/time_range/"),
        ("POST", r"/superset/log/"),
    )
)
COLORS = re.compile(r"/api/v1/dashboard/\d{1,9}/colors")
"""Every frame wants to store the colours its labels were drawn in, guests as well. The catalogue fixes them: it is told
that they are kept, and Superset is not asked."""
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
    "x-guesttoken",
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
FRAME_COOKIE = "erp_frame_session"
UPSTREAM_COOKIE = "superset_session"
LARGEST_BODY = 2 * 1024 * 1024
TIMEOUT = httpx.Timeout(60, connect=3)
UNAVAILABLE = "报表服务暂时不可用，请稍后刷新"


def is_frame_path(method: str, path: str) -> bool:
    """Whether a request belongs to an embedded dashboard. The path is taken as it came, undecoded tricks included."""
    wanted = "GET" if method == "HEAD" else method
    return (
        any(wanted == allowed and pattern.fullmatch(path) for allowed, pattern in PATHS) and ".." not in path
    )


class FrameProxy:
    """ASGI middleware: frame paths go to Superset, everything else to the application."""

    def __init__(self, app: ASGIApp, upstream: str) -> None:
        self.app = app
        # A client of httpx keeps the cookies it is given: one user's session would go out with another's request.
        keep_no_cookie = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
        self.client = httpx.AsyncClient(
            base_url=upstream,
            cookies=keep_no_cookie,
            trust_env=False,
            timeout=TIMEOUT,
            limits=httpx.Limits(max_connections=64, max_keepalive_connections=16),
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "PUT" and COLORS.fullmatch(raw_path(scope)):
            await JSONResponse({"result": "ok"})(scope, receive, send)
            return
        if scope["type"] != "http" or not is_frame_path(scope["method"], raw_path(scope)):
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        response = await self.forward(request)
        await response(scope, receive, send)

    async def forward(self, request: Request) -> Response:
        """Ask Superset and stream its answer back."""
        try:
            body = await _body(request)
        except ClientDisconnect:
            return Response(status_code=400)
        if body is None:
            return JSONResponse({"code": 413, "msg": "请求内容过大", "data": None}, 413)
        query = request.scope["query_string"]
        target = raw_path(request.scope) + (f"?{query.decode('latin-1')}" if query else "")
        upstream = self.client.build_request(
            request.method, target, headers=request_headers(request), content=body
        )
        try:
            answer = await self.client.send(upstream, stream=True)
        except httpx.HTTPError:
            return _unavailable(request)
        if answer.is_redirect:
            # Superset redirects to its login, which this side doesn't have.
            await answer.aclose()
            return JSONResponse({"code": 401, "msg": "报表令牌已失效，请刷新页面", "data": None}, 401)
        response = StreamingResponse(_stream(answer), answer.status_code)
        response.raw_headers = response_headers(answer)
        return response


def raw_path(scope: Scope) -> str:
    """The path as the client wrote it, so that what is checked is what is forwarded."""
    raw = scope.get("raw_path") or scope["path"].encode()
    return raw.split(b"?", 1)[0].decode("latin-1")


def request_headers(request: Request) -> list[tuple[str, str]]:
    """What Superset may know of the request: no token of ours, no cookie but the frame's own session."""
    headers = [(name, value) for name, value in request.headers.items() if name in REQUEST_HEADERS]
    session = frame_session(request.headers.getlist("cookie"))
    if session:
        headers.append(("cookie", f"{UPSTREAM_COOKIE}={session}"))
    headers.append(("host", request.headers.get("host", "")))
    headers.append(("x-forwarded-host", request.headers.get("host", "")))
    headers.append(("x-forwarded-proto", request.url.scheme))
    headers.append(("x-forwarded-for", request.client.host if request.client else ""))
    return headers


def frame_session(cookies: Iterable[str]) -> str | None:
    """The frame's session out of the browser's cookies."""
    for header in cookies:
        for part in header.split(";"):
            name, _, value = part.strip().partition("=")
            if name == FRAME_COOKIE and re.fullmatch(r"[\w.\-]+", value):
                return value
    return None


def response_headers(answer: httpx.Response) -> list[tuple[bytes, bytes]]:
    """The answer's headers; of its cookies only the session, under the frame's name."""
    headers = [
        (name.lower(), value)
        for name, value in answer.headers.raw
        if name.lower().decode("latin-1") not in DROPPED_HEADERS
    ]
    for cookie in answer.headers.get_list("set-cookie"):
        renamed = _renamed(cookie)
        if renamed:
            headers.append((b"set-cookie", renamed.encode("latin-1")))
    return headers


def _renamed(cookie: str) -> str | None:
    name, separator, rest = cookie.partition("=")
    return f"{FRAME_COOKIE}={rest}" if separator and name.strip() == UPSTREAM_COOKIE else None


async def _body(request: Request) -> bytes | None:
    """The request's body, or None when it is larger than any frame would send."""
    received = bytearray()
    async for chunk in request.stream():
        received += chunk
        if len(received) > LARGEST_BODY:
            return None
    return bytes(received)


async def _stream(answer: httpx.Response) -> AsyncIterator[bytes]:
    try:
        async for chunk in answer.aiter_raw():
            yield chunk
    finally:
        await answer.aclose()


def _unavailable(request: Request) -> Response:
    if "text/html" in request.headers.get("accept", ""):
        page = (
            f"<!doctype html><meta charset=utf-8><title>报表</title><p style='padding:2em'>{UNAVAILABLE}</p>"
        )
        return Response(page, 503, media_type="text/html")
    return JSONResponse({"code": 503, "msg": UNAVAILABLE, "data": None}, 503)
