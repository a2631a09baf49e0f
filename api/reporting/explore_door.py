"""自助分析的门：Superset 的图表和看板页面，只在自己的端口上，只放行分析所需的路径。

The port is an origin of its own, out of whose reach the shell keeps its session. Superset knows nobody here: the door
proves the user's session before each request and tells Superset, signed, who asks. What it says no to, Superset is
never asked.
"""

from __future__ import annotations

import re

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.kit.database import request_engine
from api.kit.errors import Refusal
from api.reporting.explore import ENTRANCE, introduction, redeem
from api.reporting.proxy import SHARED
from api.reporting.upstream import Upstream, compiled, cookie_of, is_among, raw_path, told
from reports.catalogue import EXPLORER_HEADER

DOOR_COOKIE = "erp_explore"
STATE_COOKIE = "erp_explore_state"
HOME = "/chart/list/"
EXPIRED = "分析界面已失效，请回到系统重新打开"
ABSENT = "自助分析里没有这个页面"
NOT_HIS = {
    "/explore/": "没有这张图表，或者它不是您的",
    "/superset/dashboard/": "没有这张看板，或者它不是您的",
}
"""What is told where Superset has no such page, by how its path begins."""
NUMBER = r"\d{1,9}"
KEY = r"[\w-]{1,64}"
PATHS = compiled(
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


class ExploreDoor:
    """ASGI middleware: what comes in by the exploring port never reaches the application, nor the reverse."""

    def __init__(self, app: ASGIApp, upstream: str, port: int) -> None:
        self.app = app
        self.port = port
        self.upstream = Upstream(upstream, STATE_COOKIE, EXPIRED, redirects=REDIRECTS)

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
        if is_among(SHARED, method, path):
            return await self.upstream.shared(request)
        try:
            if (method, path) == ("GET", ENTRANCE):
                return await run_in_threadpool(_enter, request)
            cookie = cookie_of(request.headers.getlist("cookie"), DOOR_COOKIE)
            said = await run_in_threadpool(_introduced, cookie)
        except Refusal as refusal:
            return told(request, refusal.code, refusal.msg)
        if (method, path) == ("GET", "/"):
            return RedirectResponse(HOME, 303)
        if not is_among(PATHS, method, path):
            return told(request, 404, ABSENT)
        instead = next(({404: msg} for start, msg in NOT_HIS.items() if path.startswith(start)), {})
        return await self.upstream.forward(request, [(EXPLORER_HEADER, said)], instead)


def _enter(request: Request) -> Response:
    with request_engine().begin() as conn:
        cookie, board = redeem(conn, request.query_params.get("ticket", ""))
    place = HOME if board is None else f"/superset/dashboard/{board}/"
    response = RedirectResponse(place, 303, {"cache-control": "no-store"})
    secure = request.url.scheme == "https"
    response.set_cookie(DOOR_COOKIE, cookie, path="/", httponly=True, samesite="lax", secure=secure)
    return response


def _introduced(cookie: str | None) -> str:
    with request_engine().begin() as conn:
        return introduction(conn, cookie)
