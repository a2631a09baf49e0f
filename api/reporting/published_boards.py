"""看板：分析者把自己在自助分析里做的看板发布给角色；每次发布是一个不变的版本，可以换回以前的版本，也可以撤回。

A publication copies the board, with its charts, in Superset; whom it is for sees the copy in the exploring port, with
the rows and datasets of his own role. What its charts are drawn of is kept here, and checked at each release.
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
from api.kit.calls import call, router
from api.kit.context import Context
from api.kit.database import dumps
from api.kit.errors import Forbidden, NotFound, Refusal
from api.kit.fields import integer, key, moment
from api.kit.fields import text as words
from api.kit.pinyin_order import in_pinyin
from api.kit.resource import Declaration, Menu
from api.kit.schemas import Key, Payload, Saved
from api.kit.scope import Principal
from api.kit.settings import settings
from api.kit.turns import Turns
from api.kit.view import READ_ONLY, Sql, Values, View
from api.reporting.board_checks import boards_of, known_to, looked_at, problem_of, unseen_by
from api.reporting.board_copies import charts_of, copy_board, drop_copy
from api.reporting.board_tables import (
    AUDIENCE,
    BOARD,
    SEEN,
    VERSION,
    PublishedBoard,
    PublishedBoardRole,
    PublishedBoardVersion,
    roles_of,
)
from api.reporting.explore import Entrance, allowed, entrance, explorer_of
from api.reporting.tokens import explorer_token
from reports.catalogue import EXPLORER_HEADER

api = router()
PREFIX = "v2/report/Board"
SECONDS = 30
MOST_VERSIONS = 20
"""So many of a board are kept."""
NO_BOARD = "没有这张看板，或者它不是您的"
TURNS = Turns("正在发布、打开看板的人较多，已有{}个在等，请稍后再试", at_once=2, waiting=4)

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
    select from published_board_role p where p.board_id = b.board_id and p.role_id = :role) and {SEEN}
"""


class Board(View):
    """看板: those that are published to the user's role, and his own."""

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

    board_id: Mapped[int] = key()
    board_title: Mapped[str] = words("看板", search=True, width=220)
    board_author: Mapped[str] = words("作者", search=True, width=100)
    board_version: Mapped[int] = integer("版本", width=70)
    published_at: Mapped[datetime] = moment("发布时间", search=True)
    publish_note: Mapped[str | None] = words("说明", width=240)
    role_names: Mapped[str | None] = words("发布给", max_length=2000, width=220)
    board_state: Mapped[str] = words("状态", max_length=500, width=240)
    is_own: Mapped[str] = words("本人的", width=70)

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        known = dumps(known_to(principal)).decode()
        return _BOARDS, {"me": principal.user_id, "role": principal.role_id, "known": known}


class OwnBoard(BaseModel):
    """A board that the user made himself, by its number in Superset; as what, to whom it is published already."""

    source_id: int
    title: str
    board_id: int | None
    role_ids: list[int]


class BoardRole(BaseModel):
    role_id: int
    role_name: str


class BoardChoices(BaseModel):
    """What the user may publish, and to whom."""

    boards: list[OwnBoard]
    roles: list[BoardRole]


class BoardVersion(BaseModel):
    version: int
    at: str
    note: str | None
    shown: bool
    problem: str | None


class PublishedBoardAnswer(BaseModel):
    """One's own published board, with the versions that it may be put back to."""

    board_id: int
    title: str
    role_ids: list[int]
    withdrawn: bool
    versions: list[BoardVersion]


class Publication(Payload):
    """A board as it is now, for roles; of one that is published already a new version."""

    source_id: Annotated[int, Field(ge=1, le=2**31 - 1)]
    role_ids: Annotated[list[Key], Field(min_length=1, max_length=200)]
    note: Annotated[str, Field(max_length=200)] | None = None


class OneBoard(Payload):
    board_id: Key


class ChosenVersion(OneBoard):
    version: Annotated[int, Field(ge=1, le=2**31 - 1)]


PUBLISHING = Board.right("publish")


class Superset:
    """Superset as an explorer talks to it, in his name; `absent` is what he is told where it finds nothing."""

    def __init__(self, said: dict[str, Any], absent: str = NO_BOARD) -> None:
        self._said, self._absent = said, absent
        self._http = httpx.Client(base_url=settings().report_upstream, timeout=SECONDS, trust_env=False)

    def get(self, path: str) -> Any:
        return self._answer("GET", path)

    def send(self, method: str, path: str, body: Any) -> Any:
        csrf = self._answer("GET", "/api/v1/security/csrf_token/")
        return self._answer(method, path, {"X-CSRFToken": csrf}, body)

    def _answer(self, method: str, path: str, headers: dict[str, str] | None = None, body: Any = None) -> Any:
        token = explorer_token(settings().secrets["explorer_secret"], self._said)
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


@call(api, "GET", f"{PREFIX}/getChoices", right=PUBLISHING, returns=BoardChoices, turns=TURNS)
def get_choices(ctx: Context) -> Any:
    """可发布的看板: the user's own, and the roles that there are."""
    me = allowed(ctx.principal)
    known = {
        row.source_id: row.board_id
        for row in ctx.conn.execute(select(BOARD).where(BOARD.c.user_id == me.user_id))
    }
    columns = Role.table().c
    asked = (
        select(columns.role_id, columns.role_name)
        .where(columns.enabled)
        .order_by(in_pinyin(columns.role_name))
    )
    roles = [dict(row._mapping) for row in ctx.conn.execute(asked)]
    audience = {board: roles_of(ctx.conn, board) for board in known.values()}
    said = explorer_of(ctx.conn, me)
    with ctx.apart():
        found = Superset(said).get("/api/v1/dashboard/?q=(page_size:100)")
    offered = {role["role_id"] for role in roles}
    boards = [
        {
            "source_id": one["id"],
            "title": one["dashboard_title"],
            "board_id": known.get(one["id"]),
            "role_ids": [role for role in audience.get(known.get(one["id"]), ()) if role in offered],
        }
        for one in found
        if one["uuid"] not in _copies(said)
    ]
    return {"boards": boards, "roles": roles}


def _copies(said: dict[str, Any]) -> set[str]:
    """The copies among the boards that an explorer finds: not his to publish."""
    return {*said["frozen"], *said["boards"]}


@call(api, "POST", f"{PREFIX}/publish", right=PUBLISHING, returns=Saved, write=True, turns=TURNS)
def publish(ctx: Context, payload: Publication) -> Any:
    """发布看板: a copy of the board as it is, whose charts all of the roles may see. Older versions than the newest few
    are deleted with their copies."""
    me = allowed(ctx.principal)
    _require_roles(ctx, payload.role_ids)
    said = explorer_of(ctx.conn, me)
    with ctx.apart():
        superset = Superset(said)
        if superset.get(f"/api/v1/dashboard/{payload.source_id}")["uuid"] in _copies(said):
            raise Refusal(NO_BOARD)
        charts = charts_of(superset, payload.source_id)
    _require_seen(ctx, charts, payload.role_ids)
    with ctx.apart():
        copy = copy_board(Superset(said), payload.source_id)
    try:
        # The board may have been changed since.
        _require_seen(ctx, copy.charts, payload.role_ids)
    except Refusal:
        _drop(ctx, said, [copy.uuid])
        raise
    old = _older_copies(ctx.conn, me.user_id, payload.source_id)
    _drop(ctx, said, old)
    ctx.conn.execute(delete(PublishedBoardVersion).where(VERSION.c.dashboard_uuid.in_(old)))
    checked = looked_at(ctx.conn, payload.role_ids)
    values = {"title": copy.title, "withdrawn": False, "problem": None, "checked_release": checked}
    made = insert_or_update(PublishedBoard).values(**values, user_id=me.user_id, source_id=payload.source_id)
    kept = made.on_conflict_do_update(index_elements=["user_id", "source_id"], set_=values)
    found = ctx.conn.execute(kept.returning(PublishedBoard.board_id)).scalar_one()
    last = select(func.coalesce(func.max(VERSION.c.version), 0)).where(VERSION.c.board_id == found)
    version = ctx.conn.execute(last).scalar_one() + 1
    told = {
        "board_id": found,
        "version": version,
        "dashboard_uuid": copy.uuid,
        "note": payload.note,
        "charts": copy.charts,
    }
    ctx.conn.execute(insert(PublishedBoardVersion).values(told))
    ctx.conn.execute(update(PublishedBoard).where(BOARD.c.board_id == found).values(version=version))
    ctx.conn.execute(delete(PublishedBoardRole).where(AUDIENCE.c.board_id == found))
    rows = [{"board_id": found, "role_id": role} for role in dict.fromkeys(payload.role_ids)]
    ctx.conn.execute(insert(PublishedBoardRole), rows)
    return {"id": found}


def _require_roles(ctx: Context, role_ids: list[int]) -> None:
    """Raises a Refusal where one of the roles is gone or disabled."""
    columns = Role.table().c
    asked = select(columns.role_id).where(columns.enabled, columns.role_id.in_(role_ids))
    if {*role_ids} - {*ctx.conn.execute(asked).scalars()}:
        raise Refusal("所选的角色已删除或停用，请重新选择")


def _require_seen(ctx: Context, charts: list[dict[str, Any]], role_ids: list[int]) -> None:
    if problem := problem_of(charts) or unseen_by(ctx.conn, charts, role_ids):
        raise Refusal(problem)


def _older_copies(conn: Connection, user_id: int, source_id: int) -> list[UUID]:
    """The copies that a new version of a board leaves no place for."""
    of_board = VERSION.join(BOARD, BOARD.c.board_id == VERSION.c.board_id)
    mine = BOARD.c.user_id == user_id, BOARD.c.source_id == source_id
    asked = select(VERSION.c.dashboard_uuid).select_from(of_board).where(*mine)
    newest_first = asked.order_by(VERSION.c.version.desc())
    return list(conn.execute(newest_first.offset(MOST_VERSIONS - 1)).scalars())


def _drop(ctx: Context, said: dict[str, Any], copies: list[UUID]) -> None:
    """Delete copies as their author's own boards, which they are where nobody says that they are published."""
    if not copies:
        return
    with ctx.apart():
        for copy in copies:
            # What stays is a board of his that he may delete himself.
            with suppress(Refusal):
                drop_copy(Superset({**said, "frozen": [], "boards": []}), copy)


@call(api, "GET", f"{PREFIX}/getVersions", right=PUBLISHING, returns=PublishedBoardAnswer)
def get_versions(ctx: Context, board_id: Key) -> Any:
    """看板版本: of one's own board."""
    row = _own(ctx, board_id)
    found = ctx.conn.execute(
        select(VERSION).where(VERSION.c.board_id == row.board_id).order_by(VERSION.c.version.desc())
    )
    return {
        "board_id": row.board_id,
        "title": row.title,
        "role_ids": roles_of(ctx.conn, row.board_id),
        "withdrawn": row.withdrawn,
        "versions": [
            {
                "version": one.version,
                "at": one.at,
                "note": one.note,
                "shown": one.version == row.version,
                "problem": problem_of(one.charts),
            }
            for one in found
        ],
    }


@call(api, "POST", f"{PREFIX}/showVersion", right=PUBLISHING, returns=None, write=True)
def show_version(ctx: Context, payload: ChosenVersion) -> Any:
    """换回版本: an earlier or later one of one's own board is shown from now on, if its roles may see it."""
    row = _own(ctx, payload.board_id)
    asked = VERSION.c.board_id == row.board_id, VERSION.c.version == payload.version
    charts = ctx.conn.execute(select(VERSION.c.charts).where(*asked)).scalar()
    if charts is None:
        raise NotFound("看板版本")
    roles = roles_of(ctx.conn, row.board_id)
    _require_seen(ctx, charts, roles)
    checked = looked_at(ctx.conn, roles)
    values = {"version": payload.version, "withdrawn": False, "problem": None, "checked_release": checked}
    ctx.conn.execute(update(PublishedBoard).where(BOARD.c.board_id == row.board_id).values(values))
    return None


@call(api, "POST", f"{PREFIX}/withdraw", right=PUBLISHING, returns=None, write=True)
def withdraw(ctx: Context, payload: OneBoard) -> Any:
    """撤回看板: nobody sees it any more; its versions are kept, and may be restored."""
    row = _own(ctx, payload.board_id)
    ctx.conn.execute(update(PublishedBoard).where(BOARD.c.board_id == row.board_id).values(withdrawn=True))
    return None


@call(api, "POST", f"{PREFIX}/open", right=Board.right("list"), returns=Entrance, turns=TURNS)
def open_board(ctx: Context, payload: OneBoard) -> Any:
    """打开看板: an address that opens once, for whom it is published to."""
    me = ctx.principal
    if me.imitator_id:
        raise Forbidden("模拟登录时不能打开看板")
    asked = select(VERSION.c.dashboard_uuid).where(
        VERSION.c.board_id == payload.board_id,
        VERSION.c.version
        == select(BOARD.c.version).where(BOARD.c.board_id == payload.board_id).scalar_subquery(),
    )
    copy = ctx.conn.execute(asked).scalar()
    if copy is None or copy not in boards_of(ctx.conn, me):
        raise NotFound("看板")
    said = explorer_of(ctx.conn, me)
    with ctx.apart():
        # The number that it has now: after a recovery another board may have the one that it had.
        number = Superset(said, "报表平台里没有这张看板了，请作者重新发布").get(f"/api/v1/dashboard/{copy}")[
            "id"
        ]
    return entrance(ctx, me, number)


def _own(ctx: Context, key_: int) -> Any:
    """A board that the user published, held until the call ends."""
    mine = BOARD.c.board_id == key_, BOARD.c.user_id == ctx.principal.user_id
    row = ctx.conn.execute(select(BOARD).where(*mine).with_for_update()).first()
    if row is None:
        raise NotFound("看板")
    return row
