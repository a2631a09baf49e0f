"""Gateway of the explore port (自助分析): Superset's pages of charts and dashboards, limited to the paths
that exploring needs.

The port is an origin of its own, which can't reach the workspace's session. Superset has no logins here:
the gateway verifies the user's session before each request and sends Superset signed claims. Refused
requests never reach Superset.
"""

from __future__ import annotations

import re

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.kit.errors import Refusal
from api.kit.storage.database import request_engine
from api.reporting.superset_gateway.explore import TICKET_PATH, redeem_ticket, sign_introduction
from api.reporting.superset_gateway.frame_proxy import SHARED_PATHS
from api.reporting.superset_gateway.superset_proxy import (
    SupersetProxy,
    compile_paths,
    error_response,
    find_cookie,
    is_among,
    raw_path,
)
from reports.catalogue import EXPLORER_HEADER

EXPLORE_COOKIE = "erp_explore"
STATE_COOKIE = "erp_explore_state"
HOME_PATH = "/chart/list/"
EXPIRED = "分析界面已失效，请回到系统重新打开"
NO_SUCH_PAGE = "自助分析里没有这个页面"
NOT_FOUND_MESSAGES = {
    "/explore/": "没有这张图表，或者它不是您的",
    "/superset/dashboard/": "没有这张看板，或者它不是您的",
}
"""What is told where Superset has no such page, by how its path begins."""
NUMBER = r"\d{1,9}"
KEY = r"[\w-]{1,64}"
PATHS = compile_paths(
    # 页面
    ("GET", r"/chart/(?:add|list/)"),
    ("GET", r"/explore/"),
    ("GET", r"/dashboard/(?:new|list)/"),
    ("GET", rf"/superset/dashboard/{NUMBER}/"),
    # 数据集：名称、列、指标、列里有哪些值
    ("GET", rf"/api/v1/dataset/(?:{NUMBER}|_info)?"),
    ("GET", r"/api/v1/explore/"),
    ("GET", rf"/api/v1/datasource/table/{NUMBER}/column/\w{{1,64}}/values/"),
    ("POST", r"/api/v1/chart/data"),
    ("GET", r"/api/v1/time_range/"),
    ("POST", r"/api/v1/explore/form_data"),
    ("GET", rf"/api/v1/explore/form_data/{KEY}"),
    ("PUT", rf"/api/v1/explore/form_data/{KEY}"),
    # 自己的图表和看板
    (
        "GET",
        r"/api/v1/(?:chart|dashboard)/(?:_info|favorite_status/|related/(?:owners|changed_by|created_by))?",
    ),
    ("POST", r"/api/v1/(?:chart|dashboard)/"),
    ("DELETE", r"/api/v1/(?:chart|dashboard)/"),
    ("GET", rf"/api/v1/(?:chart|dashboard)/{NUMBER}"),
    ("PUT", rf"/api/v1/(?:chart|dashboard)/{NUMBER}"),
    ("DELETE", rf"/api/v1/(?:chart|dashboard)/{NUMBER}"),
    ("GET", rf"/api/v1/dashboard/{NUMBER}/(?:charts|datasets|tabs)"),
    ("PUT", rf"/api/v1/dashboard/{NUMBER}/(?:colors|filters)"),
    ("POST", rf"/api/v1/dashboard/{NUMBER}/filter_state"),
    ("GET", rf"/api/v1/dashboard/{NUMBER}/filter_state/{KEY}"),
    ("PUT", rf"/api/v1/dashboard/{NUMBER}/filter_state/{KEY}"),
    # Asked for with the properties of a board.
    ("GET", r"/api/v1/theme/"),
    # 谁在用
    ("GET", r"/api/v1/me/(?:roles/)?"),
    ("GET", r"/api/v1/security/csrf_token/"),
    ("POST", r"/superset/log/"),
)
REDIRECTS = re.compile(rf"/superset/dashboard/{NUMBER}/(?:\?edit=true)?")
UNFRAMED = "frame-ancestors 'none'"


class ExploreGateway:
    """ASGI middleware that keeps the explore port and the application apart: neither gets requests of the
    other."""

    def __init__(self, app: ASGIApp, upstream: str, port: int) -> None:
        self.app = app
        self.port = port
        self.upstream = SupersetProxy(upstream, STATE_COOKIE, EXPIRED, redirects=REDIRECTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or (scope.get("server") or ("", 0))[1] != self.port:
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            request = Request(scope, receive)
            response = await self._answer(request)
            # Beside Superset's own policy: a browser heeds both.
            response.headers.append("content-security-policy", UNFRAMED)
            response.headers.setdefault("referrer-policy", "same-origin")
            await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        method, path = request.method, raw_path(request.scope)
        if is_among(SHARED_PATHS, method, path):
            return await self.upstream.serve_shared(request)
        try:
            if (method, path) == ("GET", TICKET_PATH):
                return await run_in_threadpool(_enter_with_ticket, request)
            cookie = find_cookie(request.headers.getlist("cookie"), EXPLORE_COOKIE)
            introduction = await run_in_threadpool(_read_introduction, cookie)
        except Refusal as refusal:
            return error_response(request, refusal.code, refusal.msg)
        if (method, path) == ("GET", "/"):
            return RedirectResponse(HOME_PATH, 303)
        if not is_among(PATHS, method, path):
            return error_response(request, 404, NO_SUCH_PAGE)
        instead = next(
            ({404: msg} for start, msg in NOT_FOUND_MESSAGES.items() if path.startswith(start)), {}
        )
        return await self.upstream.forward(request, [(EXPLORER_HEADER, introduction)], instead)


def _enter_with_ticket(request: Request) -> Response:
    with request_engine().begin() as conn:
        cookie, board = redeem_ticket(conn, request.query_params.get("ticket", ""))
    place = HOME_PATH if board is None else f"/superset/dashboard/{board}/"
    response = RedirectResponse(place, 303, {"cache-control": "no-store"})
    secure = request.url.scheme == "https"
    response.set_cookie(EXPLORE_COOKIE, cookie, path="/", httponly=True, samesite="lax", secure=secure)
    return response


def _read_introduction(cookie: str | None) -> str:
    with request_engine().begin() as conn:
        return sign_introduction(conn, cookie)
