"""报表接口：框架地址、访客令牌、数据更新时间和数据提示。

Each report is asked for with its own right, `report_<code>:view`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field

from api.identity import sessions
from api.kit import registry
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.database import request_engine
from api.kit.errors import Forbidden, NotFound
from api.kit.scope import Principal
from api.kit.settings import settings
from api.reporting import freshness, opening
from api.reporting.addresses import frame_address, report_site
from api.reporting.snapshot import refreshed_at
from api.reporting.tokens import LIFE, guest_token, opened, shown
from reports.catalogue import GUEST_AUDIENCE, REPORTS, Report, embed_id, filter_id, find_report
from reports.catalogue.boards import Tab

api = router()


class FrameRoute(BaseModel):
    """A page that is a framed report."""

    route: str
    code: str


class FrameFilter(BaseModel):
    """A filter in a frame: its key among the report's, the id under which the frame tells its values, the column that
    it filters and its name, whether it opens on the newest value, and whether it chooses a range of days."""

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
    """Which report and tab a frame shows."""

    code: str = Field(max_length=100)
    tab: str = Field(max_length=50)


class GuestToken(BaseModel):
    """A guest token and its life in seconds."""

    token: str
    expires_in: int


class PublishedFigures(BaseModel):
    """When the newest figures were published; `notices`: why they are not those of now, or may still change."""

    refreshed_at: datetime | None
    notices: list[str]


def permitted(ctx: Context, code: str) -> Report:
    """The report, when the session holds its right. Raises NotFound, Forbidden.

    Frames show what the user's role sees: a simulated login that sees less gets none.
    """
    report = find_report(code)
    if report is None:
        raise NotFound("报表")
    ctx.require(report.right)
    sessions.refuse_narrowed(ctx.conn, ctx.principal, "查看报表")
    return report


@call(api, "GET", "v2/report/Frame/getRoutes", right=ANY_USER, returns=list[FrameRoute])
def get_routes(ctx: Context) -> Any:
    """报表页面: the routes that open a framed report."""
    return [{"route": report.route, "code": report.code} for report in REPORTS]


@call(api, "GET", "v2/report/Frame/getFrame", right=ANY_USER, returns=Frame)
def get_frame(ctx: Context, query: Annotated[opening.FrameQuery, Query()]) -> Any:
    """报表框架: the addresses of a report's tabs, and what it opens on."""
    report = permitted(ctx, query.code)
    me = ctx.principal
    base = report_site(ctx.host, settings().report_sites)
    values = query.model_dump(exclude={"code"})
    tabs = [
        {
            "key": tab.key,
            "label": tab.label,
            "embed_id": embed_id(report.code, tab, me.sees_cost),
            "address": None if base is None else _address(base, report, tab, me),
            "filters": _filters(report, tab, me.sees_cost),
            "opens_with": opening.opening_values(tab.board(tab.variant(me.sees_cost)), me.role_id, values),
        }
        for tab in report.tabs
    ]
    return {
        "code": report.code,
        "route": report.route,
        "label": report.label,
        "refreshed_at": refreshed_at(),
        "default_tab": report.first_tab.key,
        "tabs": tabs,
        "may_export": me.may(report.export_right),
    }


def _address(base: str, report: Report, tab: Tab, me: Principal) -> str:
    pages = tab.board(tab.variant(me.sees_cost)).pages
    closed = [page for page in pages if not me.may(right_of(page))]
    return frame_address(base, report, tab, me.sees_cost, me.role_id, closed)


def right_of(page: str) -> str:
    """The right to open a page of the shell."""
    framed = next((report.right for report in REPORTS if report.route == page), "")
    if framed:
        return framed
    found = registry.by_route(page)
    assert found, page
    return found[0].right("list")


def _filters(report: Report, tab: Tab, sees_cost: bool) -> list[dict[str, Any]]:
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
    report = permitted(ctx, body.code)
    tab = report.tab(body.tab)
    if tab is None:
        raise NotFound("报表页签")
    me = ctx.principal
    given = {"session": me.session_id, "code": report.code, "tab": tab.key}
    board, role_id, files = _shown(me, report, tab)
    token = guest_token(_secret(), board, role_id, me.user_name, files=files, given=given)
    return {"token": token, "expires_in": LIFE}


def refuse_outlived(token: str) -> None:
    """Refuse a guest token that outlived the session that got it, or what its user may see.

    What isn't a sound token of ours is Superset's to refuse.
    """
    claims = opened(_secret(), GUEST_AUDIENCE, token) or {}
    given = claims.get("given")
    if not given:
        return
    with request_engine().begin() as conn:
        me = sessions.resume(conn, given["session"]).principal
        report = permitted(Context(conn, me), given["code"])
    tab = report.tab(given["tab"])
    now = shown(*_shown(me, report, tab)) if tab else None
    if now != {name: claims[name] for name in now or {}}:
        raise Forbidden("您的权限有变化，请重新打开报表")


def _shown(me: Principal, report: Report, tab: Tab) -> tuple[str, int, bool]:
    """The board of a report that a user sees, whose rows, and whether in files too."""
    return embed_id(report.code, tab, me.sees_cost), me.role_id, me.may(report.export_right)


def _secret() -> str:
    return settings().secrets["guest_token_secret"]


@call(api, "GET", "v2/report/Frame/getRefreshedAt", right=ANY_USER, returns=PublishedFigures)
def get_refreshed_at(ctx: Context) -> Any:
    """数据更新时间: of the newest published figures, and what to know of them: why there are none newer, where in the
    session's scope costs are being recalculated."""
    me = ctx.principal
    return {
        "refreshed_at": refreshed_at(),
        "notices": freshness.notices(ctx.conn, me, costs=me.sees_cost),
    }
