"""Calls of embedded reports (报表接口): addresses of frames, guest tokens, time of the data and notices.

Each report has its own right, `report_<code>:view`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field

from api.identity import sessions
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.errors import Forbidden, NotFound
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.scope import Principal
from api.kit.settings import read_settings
from api.kit.storage.database import request_engine
from api.reporting.snapshot import data_freshness
from api.reporting.snapshot.snapshot_connection import find_refreshed_at
from api.reporting.superset_gateway import default_filters
from api.reporting.superset_gateway.addresses import frame_address, report_site
from api.reporting.superset_gateway.tokens import (
    GUEST_LIFE,
    build_guest_claims,
    sign_guest_token,
    verify_token,
)
from reports.catalogue import GUEST_AUDIENCE, REPORTS, Report, embed_id, filter_id, find_report
from reports.semantics.dashboards import Tab

api = build_router()


class FrameRoute(BaseModel):
    """A page that is a framed report."""

    route: str
    code: str


class FrameFilter(BaseModel):
    """A filter in a frame: its key among the report's, the id under which the frame sends its values, the
    column that it filters and its name, `latest` where it opens on the newest value, `ranged` where it
    selects a range of days."""

    key: str
    id: str
    column: str
    label: str
    latest: bool
    ranged: bool


class FrameTab(BaseModel):
    """A tab of a framed report; no address when the site's hostname is not among the deployments. `opens_with` are the
    values of filters by their keys."""

    key: str
    label: str
    embed_id: str
    address: str | None
    filters: list[FrameFilter]
    opens_with: dict[str, list[str]]


class Frame(BaseModel):
    """A framed report as its page opens it."""

    code: str
    route: str
    label: str
    refreshed_at: datetime | None
    default_tab: str
    tabs: list[FrameTab]
    may_export: bool


class TokenRequest(BaseModel):
    """The report and the tab that a frame shows."""

    code: str = Field(max_length=100)
    tab: str = Field(max_length=50)


class GuestToken(BaseModel):
    """A guest token and its life in seconds."""

    token: str
    expires_in: int


class PublishedFigures(BaseModel):
    """Time of the newest published figures; `notices`: why they are not current, or may still change."""

    refreshed_at: datetime | None
    notices: list[str]


def require_report(ctx: Context, code: str) -> Report:
    """Return the report if the session has its right. Raises NotFound, Forbidden.

    Frames show the rows of the user's role: an impersonation that sees less is refused.
    """
    report = find_report(code)
    if report is None:
        raise NotFound("报表")
    ctx.require_right(report.right)
    sessions.require_full_scope(ctx.conn, ctx.principal, "查看报表")
    return report


@call(api, "GET", "v2/report/Frame/getRoutes", right=ANY_USER, returns=list[FrameRoute])
def get_routes(ctx: Context) -> Any:
    """报表页面: the routes that open a framed report."""
    return [{"route": report.route, "code": report.code} for report in REPORTS]


@call(api, "GET", "v2/report/Frame/getFrame", right=ANY_USER, returns=Frame)
def get_frame(ctx: Context, query: Annotated[default_filters.FrameQuery, Query()]) -> Any:
    """报表框架: the addresses of a report's tabs, and what it opens on."""
    report = require_report(ctx, query.code)
    me = ctx.principal
    base = report_site(ctx.host, read_settings().report_sites)
    values = query.model_dump(exclude={"code"})
    tabs = [
        {
            "key": tab.key,
            "label": tab.label,
            "embed_id": embed_id(report.code, tab, me.sees_cost),
            "address": None if base is None else _build_address(base, report, tab, me),
            "filters": _list_filters(report, tab, me.sees_cost),
            "opens_with": default_filters.default_filter_values(
                tab.board(tab.variant(me.sees_cost)), me.role_id, values
            ),
        }
        for tab in report.tabs
    ]
    return {
        "code": report.code,
        "route": report.route,
        "label": report.label,
        "refreshed_at": find_refreshed_at(),
        "default_tab": report.first_tab.key,
        "tabs": tabs,
        "may_export": me.has_right(report.export_right),
    }


def _build_address(base: str, report: Report, tab: Tab, me: Principal) -> str:
    pages = tab.board(tab.variant(me.sees_cost)).pages
    closed = [page for page in pages if not me.has_right(find_page_right(page))]
    return frame_address(base, report, tab, me.sees_cost, me.role_id, closed)


def find_page_right(page: str) -> str:
    """Return the right that opens a page of the workspace."""
    framed = next((report.right for report in REPORTS if report.route == page), "")
    if framed:
        return framed
    found = registry.find_by_route(page)
    assert found, page
    return found[0].right("list")


def _list_filters(report: Report, tab: Tab, sees_cost: bool) -> list[dict[str, Any]]:
    variant = tab.variant(sees_cost)
    return [
        {
            "key": item.key,
            "id": filter_id(report.code, tab.key, variant, item.key),
            "column": item.column,
            "latest": item.latest,
            "label": item.label,
            "ranged": item.ranged,
        }
        for item in tab.board(variant).filters
    ]


@call(api, "POST", "v2/report/Frame/getGuestToken", right=ANY_USER, returns=GuestToken)
def get_guest_token(ctx: Context, body: TokenRequest) -> Any:
    """访客令牌: good for one dashboard and the rows of the session's role."""
    report = require_report(ctx, body.code)
    tab = report.tab(body.tab)
    if tab is None:
        raise NotFound("报表页签")
    me = ctx.principal
    given = {"session": me.session_id, "code": report.code, "tab": tab.key}
    board, role_id, files = _resolve_grant(me, report, tab)
    token = sign_guest_token(_read_secret(), board, role_id, me.user_name, files=files, given=given)
    return {"token": token, "expires_in": GUEST_LIFE}


def require_current_token(token: str) -> None:
    """Raise Forbidden or Unauthenticated for a guest token whose session has ended or whose user's rights
    have changed.

    Tokens that aren't validly signed are left to Superset, which refuses them.
    """
    claims = verify_token(_read_secret(), GUEST_AUDIENCE, token) or {}
    given = claims.get("given")
    if not given:
        return
    with request_engine().begin() as conn:
        me = sessions.resume_session(conn, given["session"]).principal
        report = require_report(Context(conn, me), given["code"])
    tab = report.tab(given["tab"])
    now = build_guest_claims(*_resolve_grant(me, report, tab)) if tab else None
    if now != {name: claims[name] for name in now or {}}:
        raise Forbidden("您的权限有变化，请重新打开报表")


def _resolve_grant(me: Principal, report: Report, tab: Tab) -> tuple[str, int, bool]:
    """Return the dashboard of a report that a user sees, the role of its rows, and whether files may be
    exported."""
    return embed_id(report.code, tab, me.sees_cost), me.role_id, me.has_right(report.export_right)


def _read_secret() -> str:
    return read_settings().secrets["guest_token_secret"]


@call(api, "GET", "v2/report/Frame/getRefreshedAt", right=ANY_USER, returns=PublishedFigures)
def get_refreshed_at(ctx: Context) -> Any:
    """数据更新时间: of the newest published figures, and what to know of them: why there are none newer, where in the
    session's scope costs are being recalculated."""
    me = ctx.principal
    return {
        "refreshed_at": find_refreshed_at(),
        "notices": data_freshness.list_notices(ctx.conn, me, costs=me.sees_cost),
    }
