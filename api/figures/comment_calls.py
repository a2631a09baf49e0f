"""Comment calls (数字批注接口): remarks on a figure of a report at a date, for users who may see the figure.

A remark is of one company, or of the whole group. It is visible to users with the report's right and the
figure, who see that company, or the group, without row restrictions: others see different figures.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import ColumnElement, Row, delete, false, insert, or_, select, true, update

from api.exporting import report_access
from api.exporting.export_request import ExportRequestBody
from api.figures.report_figures import list_figures
from api.figures.tables import FigureComment
from api.identity import sessions
from api.identity.tables import UserAccount
from api.kit.context import Context
from api.kit.errors import Forbidden, NotFound, Refusal
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Key, Payload, Saved
from api.kit.scope import Principal
from api.kit.storage.database import TIME_ZONE
from api.master.organization.companies import Company

api = build_router()
PREFIX = "v2/report/FigureComment"
MOST = 500
"""The most remarks of a report that are returned, newest first."""
_COMMENT = FigureComment.__table__


class Comment(BaseModel):
    """A remark; `company_name` is missing where it is of the whole group. One's own may be changed."""

    comment_id: int
    figure: str
    figure_label: str
    day: date
    words: str
    company_id: int | None
    company_name: str | None
    author: str
    at: datetime
    changed_at: datetime | None
    mine: bool


class CommentChoice(BaseModel):
    key: str
    label: str
    chart: str


class CommentCompany(BaseModel):
    company_id: int
    company_name: str


class Comments(BaseModel):
    """Remarks visible to the user, latest days first; the figures and companies that he may remark on.
    `group` says whether he may remark on the group's."""

    data: list[Comment]
    figures: list[CommentChoice]
    companies: list[CommentCompany]
    group: bool


class Remark(Payload):
    day: date
    words: Annotated[str, Described(min_length=1, max_length=1000)]


class NewRemark(Remark):
    """A remark of a company, or without one of the whole group."""

    code: Annotated[str, Described(max_length=100)]
    tab: Annotated[str, Described(max_length=50)]
    figure: Annotated[str, Described(max_length=200)]
    company_id: Key | None = None


class ChangedRemark(Remark):
    comment_id: Key


class OneRemark(Payload):
    comment_id: Key


@call(api, "GET", f"{PREFIX}/getList", right=ANY_USER, returns=Comments)
def get_list(
    ctx: Context,
    code: Annotated[str, Query(max_length=100)],
    tab: Annotated[str, Query(max_length=50)],
) -> Any:
    """数字批注: those of a report's tab or list that the session may see."""
    labels = _list_shown_figures(ctx, code, tab)
    me = ctx.principal
    narrowed = sessions.has_narrowed_scope(ctx.conn, me)
    rows = ctx.conn.execute(
        _build_list_query(build_visibility_condition(me, narrowed), code, tab, labels)
    ).all()
    return {
        "data": [
            {
                **{name: getattr(row, name) for name in Comment.model_fields if hasattr(row, name)},
                "figure_label": labels[row.figure]["label"],
                "mine": row.user_id == me.user_id,
            }
            for row in rows
        ],
        "figures": list(labels.values()),
        "companies": _list_companies(ctx),
        "group": _can_see_group(me),
    }


def _build_list_query(seen: ColumnElement[bool], code: str, tab: str, figures: Iterable[str]) -> Any:
    people, companies = UserAccount.table().c, Company.table().c
    return (
        select(_COMMENT, people.realname.label("author"), companies.company_name)
        .join(people.user_id.table, people.user_id == _COMMENT.c.user_id)
        .join(companies.company_id.table, companies.company_id == _COMMENT.c.company_id, isouter=True)
        .where(_COMMENT.c.code == code, _COMMENT.c.tab == tab, _COMMENT.c.figure.in_([*figures]), seen)
        .order_by(_COMMENT.c.day.desc(), _COMMENT.c.comment_id.desc())
        .limit(MOST)
    )


def build_visibility_condition(me: Principal, narrowed: bool = False) -> ColumnElement[bool]:
    """Build the condition of remarks that a user may see: of companies that he sees whole, and his own.

    `narrowed` excludes his own, for impersonators who see less than he does.
    """
    own = false() if narrowed else _COMMENT.c.user_id == me.user_id
    if not _can_see_whole(me):
        return own
    if me.companies is None:
        return true()
    return or_(own, _COMMENT.c.company_id.in_(sorted(me.companies)))


def _can_see_group(me: Principal) -> bool:
    return me.companies is None and _can_see_whole(me)


def _can_see_whole(me: Principal) -> bool:
    return me.warehouses is None and me.own == "all"


def _list_shown_figures(ctx: Context, code: str, tab: str) -> dict[str, dict[str, str]]:
    """Return the figures that the session is shown, by key. Raises NotFound, Forbidden."""
    board = report_access.parse_view_request(ctx, ExportRequestBody(code=code, tab=tab, form="detail")).board
    return {
        one.key: {"key": one.key, "label": one.label, "chart": one.chart.title} for one in list_figures(board)
    }


def _list_companies(ctx: Context) -> list[dict[str, Any]]:
    columns, mine = Company.table().c, ctx.principal.companies
    query = select(columns.company_id, columns.company_name).order_by(columns.company_id)
    if mine is not None:
        query = query.where(columns.company_id.in_(sorted(mine)))
    return [dict(row._mapping) for row in ctx.conn.execute(query)]


@call(api, "POST", f"{PREFIX}/add", right=ANY_USER, returns=Saved, write=True)
def add_remark(ctx: Context, payload: NewRemark) -> Any:
    """新增批注: on a figure that the user sees, of a company of his."""
    _require_full_scope(ctx)
    if payload.figure not in _list_shown_figures(ctx, payload.code, payload.tab):
        raise Refusal("报表上没有这个数字，或您没有看它的权限，请另选一个")
    _require_company(ctx, payload.company_id)
    values = {**payload.model_dump(), "user_id": ctx.principal.user_id}
    made = insert(FigureComment).values(values).returning(FigureComment.comment_id)
    return {"id": ctx.conn.execute(made).scalar_one()}


@call(api, "POST", f"{PREFIX}/edit", right=ANY_USER, returns=Saved, write=True)
def edit_remark(ctx: Context, payload: ChangedRemark) -> Any:
    """修改批注: one's own, as long as one may see its figure and its company."""
    _require_full_scope(ctx)
    row = _lock_own_remark(ctx, payload.comment_id)
    _require_company(ctx, row.company_id)
    values = {"day": payload.day, "words": payload.words, "changed_at": datetime.now(TIME_ZONE)}
    ctx.conn.execute(update(FigureComment).where(_COMMENT.c.comment_id == row.comment_id).values(values))
    return {"id": row.comment_id}


@call(api, "POST", f"{PREFIX}/del", right=ANY_USER, returns=None, write=True)
def delete_remark(ctx: Context, payload: OneRemark) -> Any:
    """删除批注: one's own, as long as one may see its figure."""
    _require_full_scope(ctx)
    row = _lock_own_remark(ctx, payload.comment_id)
    ctx.conn.execute(delete(FigureComment).where(_COMMENT.c.comment_id == row.comment_id))
    return None


def _require_company(ctx: Context, company_id: int | None) -> None:
    """Raise unless the user sees the company, or for no company the whole group."""
    if company_id is None and not _can_see_group(ctx.principal):
        raise Refusal("您看不到全集团的数字，请选择批注是哪家公司的")
    if company_id is not None and company_id not in {row["company_id"] for row in _list_companies(ctx)}:
        raise Forbidden("您没有看这家公司数字的权限")


def _require_full_scope(ctx: Context) -> None:
    sessions.require_full_scope(ctx.conn, ctx.principal, "写批注")


def _lock_own_remark(ctx: Context, key: int) -> Row[Any]:
    mine = _COMMENT.c.comment_id == key, _COMMENT.c.user_id == ctx.principal.user_id
    row = ctx.conn.execute(select(_COMMENT).where(*mine).with_for_update()).first()
    if row is None or row.figure not in _list_shown_figures(ctx, row.code, row.tab):
        raise NotFound("批注")
    return row
