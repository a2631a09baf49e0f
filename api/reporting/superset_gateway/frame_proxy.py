"""Proxy of embedded reports (报表框架代理): forwards the paths that frames need, and only these, to
Superset.

Everything else of Superset (its login, its admin, SQL Lab) stays on its own port. The session cookie has
another name on this side, so that an administrator's session in the same browser never reaches a frame. A
guest token is valid as long as its session and its user's rights: it is checked at each request, and goes
on as a header wherever it came in.
"""

from __future__ import annotations

import re

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.kit.errors import Refusal
from api.reporting.superset_gateway.frame_calls import require_current_token
from api.reporting.superset_gateway.superset_proxy import (
    LARGEST_BODY,
    Headers,
    SupersetProxy,
    compile_paths,
    error_response,
    is_among,
    raw_path,
)

UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
STATIC_PATHS = (
    ("GET", r"/static/assets/[\w.@~-]+(?:/[\w.@~-]+)*"),
    ("GET", r"/static/appbuilder/css/flags/flags16\.css"),
    ("GET", r"/superset/language_pack/zh/"),
)
"""What every page of Superset is drawn with; the same for everybody."""
SHARED_PATHS = compile_paths(*STATIC_PATHS)
PATHS = compile_paths(
    *STATIC_PATHS,
    ("GET", rf"/embedded/{UUID}"),
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
)
ACKNOWLEDGED_PATHS = compile_paths(("PUT", r"/api/v1/dashboard/\d{1,9}/colors"), ("POST", r"/superset/log/"))
"""Every frame wants to store the colours its labels were drawn in, which the catalogue fixes, and what its reader does,
which nobody reads. It is told that they are kept, and Superset is not asked."""
FRAME_COOKIE = "erp_frame_session"
GUEST_HEADER = "x-guesttoken"
TOKEN_FIELD = "guest_token"
TOKEN = re.compile(r"[\w.=-]{1,8000}", re.ASCII)
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
EXPIRED = "报表令牌已失效，请刷新页面"


def is_frame_path(method: str, path: str) -> bool:
    """Return whether a request belongs to an embedded dashboard."""
    return is_among(PATHS, method, path)


class FrameProxy:
    """ASGI middleware that sends frame paths to Superset and everything else to the application."""

    def __init__(self, app: ASGIApp, upstream: str) -> None:
        self.app = app
        self.upstream = SupersetProxy(
            upstream, FRAME_COOKIE, EXPIRED, passed={GUEST_HEADER, "x-narrow", "x-closed"}
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and is_among(ACKNOWLEDGED_PATHS, scope["method"], raw_path(scope)):
            await JSONResponse({"result": "ok"})(scope, receive, send)
            return
        if scope["type"] != "http" or not is_frame_path(scope["method"], raw_path(scope)):
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        if is_among(SHARED_PATHS, scope["method"], raw_path(scope)):
            response = await self.upstream.serve_shared(request)
        else:
            response = await self._refusal(request) or await self.upstream.forward(
                request, read_headers=_read_form_token
            )
        await response(scope, receive, send)

    async def _refusal(self, request: Request) -> Response | None:
        """Return the refusal of an outdated guest token, None if there is none."""
        try:
            if token := request.headers.get(GUEST_HEADER):
                await run_in_threadpool(require_current_token, token)
        except Refusal as refusal:
            return error_response(request, refusal.code, refusal.msg)
        return None


async def _read_form_token(request: Request) -> Headers:
    """Return the header for the token of a form by which a frame requests a file; Superset itself reads none
    from forms.

    Raises Refusal if the token is outdated.
    """
    sent = request.headers
    if sent.get(GUEST_HEADER) or not sent.get("content-type", "").startswith(FORMS):
        return []
    try:
        form = await request.form(max_files=1, max_fields=100, max_part_size=LARGEST_BODY)
    except (HTTPException, MultiPartException):
        return []
    found = form.get(TOKEN_FIELD)
    if not isinstance(found, str) or not TOKEN.fullmatch(found):
        return []
    await run_in_threadpool(require_current_token, found)
    return [(GUEST_HEADER, found)]
