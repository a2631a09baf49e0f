"""Published dashboards (看板): analysts publish dashboards made in Superset's explore pages to roles.

Each publication is a fixed version; earlier versions can be restored, and a dashboard can be withdrawn. A
publication copies the dashboard with its charts in Superset; its roles see the copy through the explore
port, with the rows and datasets of their own role. The sources of its charts are stored here, and checked
at each release.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import httpx
from pydantic import BaseModel, Field
from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as insert_or_update
from sqlalchemy.orm import Mapped

from api.identity.tables import Role
from api.kit.context import Context
from api.kit.declaration.fields import datetime_field, integer_field, key_field, text_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.errors import Forbidden, NotFound, Refusal
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Key, Payload, Saved
from api.kit.http.work_queue import WorkQueue
from api.kit.scope import Principal
from api.kit.settings import read_settings
from api.kit.storage.database import dump_json
from api.kit.storage.pinyin_order import pinyin_sort_key
from api.reporting.superset_gateway.dashboard_copies import copy_dashboard, delete_copy, list_chart_sources
from api.reporting.superset_gateway.dashboard_tables import (
    AUDIENCE,
    DASHBOARD,
    VERSION,
    VISIBLE_SQL,
    PublishedDashboard,
    PublishedDashboardRole,
    PublishedDashboardVersion,
    read_role_ids,
)
from api.reporting.superset_gateway.dashboard_validation import (
    describe_problem,
    describe_unseen,
    digest_audience,
    index_readable_datasets,
    list_visible_copies,
)
from api.reporting.superset_gateway.explore import (
    Entrance,
    build_explorer_claims,
    issue_entrance,
    require_explorer,
)
from api.reporting.superset_gateway.tokens import sign_explorer_token
from reports.catalogue import EXPLORER_HEADER

api = build_router()
PREFIX = "v2/report/Board"
TIMEOUT_SECONDS = 30
MAX_VERSIONS = 20
"""So many of a board are kept."""
NO_BOARD = "没有这张看板，或者它不是您的"
TURNS = WorkQueue("正在发布、打开看板的人较多，已有{}个在等，请稍后再试", at_once=2, waiting=4)

_BOARDS = f"""
select b.board_id, b.title as board_title, u.realname as board_author, b.version as board_version,
    v.note as publish_note, v.at as published_at,
    case when b.withdrawn then '已撤回' when b.user_id = :me and b.problem is not null then b.problem
        else '已发布' end as board_state,
    (select string_agg(r.role_name, '、' order by pinyin_key(r.role_name))
        from published_board_role p join role r using (role_id) where p.board_id = b.board_id) as role_names,
    case when b.user_id = :me then '是' else '否' end as is_own
from published_board b
join published_board_version v on v.board_id = b.board_id and v.version = b.version
join user_account u on u.user_id = b.user_id
where b.user_id = :me or not b.withdrawn and exists (
    select from published_board_role p where p.board_id = b.board_id and p.role_id = :role) and {VISIBLE_SQL}
"""


class SharedDashboard(View):
    """Dashboards (看板) that are published to the user's role, and the user's own."""

    __tablename__ = "board"
    declaration = Declaration(
        "看板",
        PREFIX,
        "board_title",
        routes={"list": "/report/board"},
        menu=Menu("报表中心", "报表总览", 25),
        actions=(*READ_ONLY, "publish"),
        order_by=("published_at", "desc"),
    )

    board_id: Mapped[int] = key_field()
    board_title: Mapped[str] = text_field("看板", search=True, width=220)
    board_author: Mapped[str] = text_field("作者", search=True, width=100)
    board_version: Mapped[int] = integer_field("版本", width=70)
    published_at: Mapped[datetime] = datetime_field("发布时间", search=True)
    publish_note: Mapped[str | None] = text_field("说明", width=240)
    role_names: Mapped[str | None] = text_field("发布给", max_length=2000, width=220)
    board_state: Mapped[str] = text_field("状态", max_length=500, width=240)
    is_own: Mapped[str] = text_field("本人的", width=70)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        known = dump_json(index_readable_datasets(principal)).decode()
        return _BOARDS, {"me": principal.user_id, "role": principal.role_id, "known": known}


class OwnBoard(BaseModel):
    """A dashboard of the user, by its id in Superset, with its publication and the roles of that."""

    source_id: int
    title: str
    board_id: int | None
    role_ids: list[int]


class BoardRole(BaseModel):
    role_id: int
    role_name: str


class BoardChoices(BaseModel):
    """The dashboards that the user may publish, and the roles to publish to."""

    boards: list[OwnBoard]
    roles: list[BoardRole]


class BoardVersion(BaseModel):
    version: int
    at: str
    note: str | None
    shown: bool
    problem: str | None


class PublishedBoardAnswer(BaseModel):
    """A published dashboard of the user, with the versions that can be restored."""

    board_id: int
    title: str
    role_ids: list[int]
    withdrawn: bool
    versions: list[BoardVersion]


class Publication(Payload):
    """A publication of a dashboard as it is now to roles; a new version if it is published already."""

    source_id: Annotated[int, Field(ge=1, le=2**31 - 1)]
    role_ids: Annotated[list[Key], Field(min_length=1, max_length=200)]
    note: Annotated[str, Field(max_length=200)] | None = None


class OneBoard(Payload):
    board_id: Key


class ChosenVersion(OneBoard):
    version: Annotated[int, Field(ge=1, le=2**31 - 1)]


PUBLISH_RIGHT = SharedDashboard.right("publish")


class ExplorerClient:
    """Client of Superset's REST API on behalf of an explorer; `absent` is the message where it finds nothing."""

    def __init__(self, claims: dict[str, Any], absent: str = NO_BOARD) -> None:
        self._said, self._absent = claims, absent
        self._http = httpx.Client(
            base_url=read_settings().report_upstream, timeout=TIMEOUT_SECONDS, trust_env=False
        )

    def get(self, path: str) -> Any:
        return self._answer("GET", path)

    def send(self, method: str, path: str, body: Any) -> Any:
        csrf = self._answer("GET", "/api/v1/security/csrf_token/")
        return self._answer(method, path, {"X-CSRFToken": csrf}, body)

    def _answer(self, method: str, path: str, headers: dict[str, str] | None = None, body: Any = None) -> Any:
        token = sign_explorer_token(read_settings().secrets["explorer_secret"], self._said)
        try:
            answer = self._http.request(
                method, path, headers={EXPLORER_HEADER: token, **(headers or {})}, json=body
            )
        except httpx.HTTPError as error:
            raise Refusal("报表服务暂时不可用，请稍后再试") from error
        if answer.status_code == 404:
            raise Refusal(self._absent)
        if answer.status_code >= 400:
            raise Refusal("报表服务没有接受，请稍后再试")
        return answer.json().get("result")


@call(api, "GET", f"{PREFIX}/getChoices", right=PUBLISH_RIGHT, returns=BoardChoices, turns=TURNS)
def get_choices(ctx: Context) -> Any:
    """可发布的看板: the user's own, and the roles that there are."""
    me = require_explorer(ctx.principal)
    known = {
        row.source_id: row.board_id
        for row in ctx.conn.execute(select(DASHBOARD).where(DASHBOARD.c.user_id == me.user_id))
    }
    columns = Role.table().c
    query = (
        select(columns.role_id, columns.role_name)
        .where(columns.enabled)
        .order_by(pinyin_sort_key(columns.role_name))
    )
    roles = [dict(row._mapping) for row in ctx.conn.execute(query)]
    audience = {board: read_role_ids(ctx.conn, board) for board in known.values()}
    claims = build_explorer_claims(ctx.conn, me)
    with ctx.without_transaction():
        found = ExplorerClient(claims).get("/api/v1/dashboard/?q=(page_size:100)")
    offered = {role["role_id"] for role in roles}
    boards = [
        {
            "source_id": one["id"],
            "title": one["dashboard_title"],
            "board_id": known.get(one["id"]),
            "role_ids": [role for role in audience.get(known.get(one["id"]), ()) if role in offered],
        }
        for one in found
        if one["uuid"] not in _collect_copy_uuids(claims)
    ]
    return {"boards": boards, "roles": roles}


def _collect_copy_uuids(claims: dict[str, Any]) -> set[str]:
    """Return the published copies among the dashboards that an explorer finds, which can't be published
    again."""
    return {*claims["frozen"], *claims["boards"]}


@call(api, "POST", f"{PREFIX}/publish", right=PUBLISH_RIGHT, returns=Saved, write=True, turns=TURNS)
def publish(ctx: Context, payload: Publication) -> Any:
    """发布看板: a copy of the board as it is, whose charts all of the roles may see. Older versions than the newest few
    are deleted with their copies."""
    me = require_explorer(ctx.principal)
    _require_roles(ctx, payload.role_ids)
    said = build_explorer_claims(ctx.conn, me)
    with ctx.without_transaction():
        superset = ExplorerClient(said)
        if superset.get(f"/api/v1/dashboard/{payload.source_id}")["uuid"] in _collect_copy_uuids(said):
            raise Refusal(NO_BOARD)
        charts = list_chart_sources(superset, payload.source_id)
    _require_visible(ctx, charts, payload.role_ids)
    with ctx.without_transaction():
        copy = copy_dashboard(ExplorerClient(said), payload.source_id)
    try:
        # The board may have been changed since.
        _require_visible(ctx, copy.charts, payload.role_ids)
    except Refusal:
        _delete_copies(ctx, said, [copy.uuid])
        raise
    old = _older_copies(ctx.conn, me.user_id, payload.source_id)
    _delete_copies(ctx, said, old)
    ctx.conn.execute(delete(PublishedDashboardVersion).where(VERSION.c.dashboard_uuid.in_(old)))
    checked = digest_audience(ctx.conn, payload.role_ids)
    values = {"title": copy.title, "withdrawn": False, "problem": None, "checked_release": checked}
    made = insert_or_update(PublishedDashboard).values(
        **values, user_id=me.user_id, source_id=payload.source_id
    )
    kept = made.on_conflict_do_update(index_elements=["user_id", "source_id"], set_=values)
    found = ctx.conn.execute(kept.returning(PublishedDashboard.board_id)).scalar_one()
    last = select(func.coalesce(func.max(VERSION.c.version), 0)).where(VERSION.c.board_id == found)
    version = ctx.conn.execute(last).scalar_one() + 1
    version_values = {
        "board_id": found,
        "version": version,
        "dashboard_uuid": copy.uuid,
        "note": payload.note,
        "charts": copy.charts,
    }
    ctx.conn.execute(insert(PublishedDashboardVersion).values(version_values))
    ctx.conn.execute(update(PublishedDashboard).where(DASHBOARD.c.board_id == found).values(version=version))
    ctx.conn.execute(delete(PublishedDashboardRole).where(AUDIENCE.c.board_id == found))
    rows = [{"board_id": found, "role_id": role} for role in dict.fromkeys(payload.role_ids)]
    ctx.conn.execute(insert(PublishedDashboardRole), rows)
    return {"id": found}


def _require_roles(ctx: Context, role_ids: list[int]) -> None:
    """Raise Refusal where one of the roles is deleted or disabled."""
    columns = Role.table().c
    query = select(columns.role_id).where(columns.enabled, columns.role_id.in_(role_ids))
    if {*role_ids} - {*ctx.conn.execute(query).scalars()}:
        raise Refusal("所选的角色已删除或停用，请重新选择")


def _require_visible(ctx: Context, charts: list[dict[str, Any]], role_ids: list[int]) -> None:
    if problem := describe_problem(charts) or describe_unseen(ctx.conn, charts, role_ids):
        raise Refusal(problem)


def _older_copies(conn: Connection, user_id: int, source_id: int) -> list[UUID]:
    """Return the copies of the oldest versions, which make room for a new one."""
    of_board = VERSION.join(DASHBOARD, DASHBOARD.c.board_id == VERSION.c.board_id)
    mine = DASHBOARD.c.user_id == user_id, DASHBOARD.c.source_id == source_id
    query = select(VERSION.c.dashboard_uuid).select_from(of_board).where(*mine)
    newest_first = query.order_by(VERSION.c.version.desc())
    return list(conn.execute(newest_first.offset(MAX_VERSIONS - 1)).scalars())


def _delete_copies(ctx: Context, claims: dict[str, Any], copies: list[UUID]) -> None:
    """Delete copies as their author's own dashboards: Superset allows that where the claims don't list them
    as published."""
    if not copies:
        return
    with ctx.without_transaction():
        for copy in copies:
            # What stays is a board of his that he may delete himself.
            with suppress(Refusal):
                delete_copy(ExplorerClient({**claims, "frozen": [], "boards": []}), copy)


@call(api, "GET", f"{PREFIX}/getVersions", right=PUBLISH_RIGHT, returns=PublishedBoardAnswer)
def get_versions(ctx: Context, board_id: Key) -> Any:
    """看板版本: of one's own board."""
    row = _lock_own_board(ctx, board_id)
    found = ctx.conn.execute(
        select(VERSION).where(VERSION.c.board_id == row.board_id).order_by(VERSION.c.version.desc())
    )
    return {
        "board_id": row.board_id,
        "title": row.title,
        "role_ids": read_role_ids(ctx.conn, row.board_id),
        "withdrawn": row.withdrawn,
        "versions": [
            {
                "version": one.version,
                "at": one.at,
                "note": one.note,
                "shown": one.version == row.version,
                "problem": describe_problem(one.charts),
            }
            for one in found
        ],
    }


@call(api, "POST", f"{PREFIX}/showVersion", right=PUBLISH_RIGHT, returns=None, write=True)
def show_version(ctx: Context, payload: ChosenVersion) -> Any:
    """换回版本: an earlier or later one of one's own board is shown from now on, if its roles may see it."""
    row = _lock_own_board(ctx, payload.board_id)
    conditions = VERSION.c.board_id == row.board_id, VERSION.c.version == payload.version
    charts = ctx.conn.execute(select(VERSION.c.charts).where(*conditions)).scalar()
    if charts is None:
        raise NotFound("看板版本")
    roles = read_role_ids(ctx.conn, row.board_id)
    _require_visible(ctx, charts, roles)
    checked = digest_audience(ctx.conn, roles)
    values = {"version": payload.version, "withdrawn": False, "problem": None, "checked_release": checked}
    ctx.conn.execute(update(PublishedDashboard).where(DASHBOARD.c.board_id == row.board_id).values(values))
    return None


@call(api, "POST", f"{PREFIX}/withdraw", right=PUBLISH_RIGHT, returns=None, write=True)
def withdraw(ctx: Context, payload: OneBoard) -> Any:
    """撤回看板: nobody sees it any more; its versions are kept, and may be restored."""
    row = _lock_own_board(ctx, payload.board_id)
    ctx.conn.execute(
        update(PublishedDashboard).where(DASHBOARD.c.board_id == row.board_id).values(withdrawn=True)
    )
    return None


@call(api, "POST", f"{PREFIX}/open", right=SharedDashboard.right("list"), returns=Entrance, turns=TURNS)
def open_board(ctx: Context, payload: OneBoard) -> Any:
    """打开看板: an address that opens once, for whom it is published to."""
    me = ctx.principal
    if me.imitator_id:
        raise Forbidden("模拟登录时不能打开看板")
    query = select(VERSION.c.dashboard_uuid).where(
        VERSION.c.board_id == payload.board_id,
        VERSION.c.version
        == select(DASHBOARD.c.version).where(DASHBOARD.c.board_id == payload.board_id).scalar_subquery(),
    )
    copy = ctx.conn.execute(query).scalar()
    if copy is None or copy not in list_visible_copies(ctx.conn, me):
        raise NotFound("看板")
    claims = build_explorer_claims(ctx.conn, me)
    with ctx.without_transaction():
        # The number that it has now: after a recovery another board may have the one that it had.
        number = ExplorerClient(claims, "报表平台里没有这张看板了，请作者重新发布").get(
            f"/api/v1/dashboard/{copy}"
        )["id"]
    return issue_entrance(ctx, me, number)


def _lock_own_board(ctx: Context, key_: int) -> Any:
    """Return a dashboard that the user published, locked until the call ends. Raises NotFound."""
    mine = DASHBOARD.c.board_id == key_, DASHBOARD.c.user_id == ctx.principal.user_id
    row = ctx.conn.execute(select(DASHBOARD).where(*mine).with_for_update()).first()
    if row is None:
        raise NotFound("看板")
    return row
