"""Announcement calls (公告接口): a user's announcements, and their publication by administrators.

Source: spec/1-shell.md 7, spec/3-rules.md 7.2.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import Row, delete, func, insert, select, text, update

from api.identity import rights
from api.identity.tables import Role
from api.kit.context import Context
from api.kit.errors import Forbidden, InvalidInput, NotFound, Refusal
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Count, Key, Keys, Paged, Payload, Saved
from api.kit.scope import scope_condition
from api.kit.storage import business_log, records
from api.kit.storage.database import TIME_ZONE
from api.kit.storage.listing import build_page
from api.master.organization.companies import Company
from api.shell.workspace import announcements
from api.shell.workspace.announcements import (
    COMPANIES,
    MAX_CONTENT,
    ROLES,
    Announcement,
    AnnouncementCompany,
    AnnouncementRole,
)

api = build_router()
PREFIX = "v2/open/Message"
MORE_URL = "/messageconfig"
READERS = 200

PerPage = Annotated[int, Query(ge=1, le=500)]


class Message(BaseModel):
    """An announcement as its reader gets it; `is_read` 0 is unread."""

    message_log_id: int
    message_title: str
    message_abstract: str | None
    message_content: str
    author: str | None
    publish_at: str
    is_read: int


class MessagePage(Paged[Message]):
    """Announcements, unread ones first."""


class NoticeList(BaseModel):
    list: list[Message]
    more_url: str


class AnnouncementKey(Payload):
    message_log_id: Key


class Addressed(Payload):
    """An announcement with whom it is for; `publish` now, at `publish_at`, or not yet."""

    message_log_id: Key | None = None
    message_title: str = Described(min_length=1, max_length=100)
    message_abstract: str | None = Described(None, max_length=200)
    message_content: str = Described(min_length=1, max_length=MAX_CONTENT)
    company_id: Key
    audience: int = Described(ge=1, le=5)
    companies: list[Key] = Described([], max_length=5000)
    roles: list[Key] = Described([], max_length=5000)
    publish: Literal["now", "at", "draft"] = "now"
    publish_at: datetime | None = None
    expires_at: datetime | None = None


class AddresseeName(BaseModel):
    id: int
    name: str


class Reader(BaseModel):
    realname: str
    company_name: str
    read_at: str | None


class Addressees(BaseModel):
    """Audience of an announcement; `readers` are the first users it reaches, those who have read it first."""

    companies: list[AddresseeName]
    roles: list[AddresseeName]
    reached: int
    read: int
    readers: list[Reader]


def _count_unread(ctx: Context) -> Any:
    """未读公告数"""
    return {"count": announcements.count_announcements(ctx.conn, ctx.principal.user_id)[1]}


for name in ("getUserMessageCount", "getNoticeUnreadQuantity"):
    call(api, "GET", f"{PREFIX}/{name}", right=ANY_USER, returns=Count)(_count_unread)


@call(api, "GET", f"{PREFIX}/getUserMessageList", right=ANY_USER, returns=MessagePage)
def get_user_message_list(
    ctx: Context, page: Annotated[int, Query(ge=1, le=10_000)] = 1, per_page: PerPage = 10
) -> Any:
    """公告: unread ones first, then the newest; a list grows by a larger `per_page`."""
    me = ctx.principal.user_id
    total, _ = announcements.count_announcements(ctx.conn, me)
    found = announcements.list_announcements(
        ctx.conn, me, unread=False, limit=per_page, offset=(page - 1) * per_page
    )
    return build_page(found, total, page, per_page)


@call(api, "GET", f"{PREFIX}/getNoticeMessageList", right=ANY_USER, returns=NoticeList)
def get_notice_message_list(
    ctx: Context,
    is_unread: Annotated[int, Query(ge=0, le=1)] = 1,
    num: Annotated[int, Query(ge=1, le=100)] = 2,
) -> Any:
    """首页通知: the newest unread ones, and where the rest are."""
    found = announcements.list_announcements(
        ctx.conn, ctx.principal.user_id, unread=is_unread == 1, limit=num
    )
    return {"list": found, "more_url": MORE_URL}


def _mark_read(ctx: Context, payload: AnnouncementKey) -> Any:
    """标为已读: opening an announcement reads it."""
    if not announcements.mark_read(ctx.conn, ctx.principal.user_id, payload.message_log_id):
        raise NotFound("公告")
    return None


for name in ("readUserMessage", "getNoticeRead"):
    call(api, "POST", f"{PREFIX}/{name}", right=ANY_USER, returns=None, write=True)(_mark_read)


@call(api, "POST", "v2/system/MessageLog/save", right=Announcement.right("edit"), returns=Saved, write=True)
def save_announcement(ctx: Context, payload: Addressed) -> Any:
    """保存公告: text, whom it is for, and when it shows, in one call. Saving a withdrawn one shows it again."""
    values = payload.model_dump(
        include={"message_title", "message_abstract", "message_content", "company_id"}
    )
    if payload.message_log_id is None:
        ctx.require_right(Announcement.right("add"))
        key = records.add_record(ctx, Announcement, values)
    else:
        key = records.edit_record(ctx, Announcement, payload.message_log_id, values)
    _require_can_address(ctx, payload)
    publish_at = {"now": datetime.now(TIME_ZONE), "at": _localize_moment(payload.publish_at), "draft": None}[
        payload.publish
    ]
    expires_at = _localize_moment(payload.expires_at)
    if payload.publish == "at" and publish_at is None:
        raise Refusal("请选择发布时间")
    if expires_at is not None and expires_at <= (publish_at or datetime.now(TIME_ZONE)):
        raise Refusal("过期时间应晚于发布时间")
    shown = {"audience": payload.audience, "publish_at": publish_at, "expires_at": expires_at}
    ctx.conn.execute(
        update(Announcement).where(Announcement.message_log_id == key).values(**shown, withdrawn_at=None)
    )
    _replace_addressees(ctx, key, payload)
    logged = {**shown, "companies": payload.companies, "roles": payload.roles}
    business_log.log_action(
        ctx.conn, ctx.principal, Announcement.name(), key, "edit", company_id=payload.company_id, after=logged
    )
    return {"id": key}


def _localize_moment(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=TIME_ZONE) if moment is not None and moment.tzinfo is None else moment


def _require_can_address(ctx: Context, payload: Addressed) -> None:
    """Raise Forbidden or Refusal unless all addressed companies and roles are within the user's own."""
    mine = ctx.principal.companies
    if payload.audience == ROLES:
        if not payload.roles:
            raise Refusal("请选择接收的角色")
        for role_id in payload.roles:
            rights.require_can_assign_role(ctx, role_id)
    elif payload.audience == COMPANIES:
        if mine is not None and not mine.issuperset(payload.companies):
            raise Forbidden("只能发给自己数据范围内的公司")
    elif mine is not None:
        raise Forbidden("只能发给自己数据范围内的公司")


def _replace_addressees(ctx: Context, key: int, payload: Addressed) -> None:
    chosen = (
        (
            AnnouncementCompany,
            "company_id",
            payload.companies if payload.audience == COMPANIES else [],
            Company,
        ),
        (AnnouncementRole, "role_id", payload.roles if payload.audience == ROLES else [], Role),
    )
    for table, column, ids, target in chosen:
        wanted = sorted(set(ids))
        known: set[int] = set(
            ctx.conn.execute(select(target.key()).where(target.key().in_(wanted))).scalars()
        )
        if known != set(wanted):
            raise NotFound(target.declaration.label)
        ctx.conn.execute(delete(table).where(table.message_log_id == key))
        if wanted:
            ctx.conn.execute(insert(table), [{"message_log_id": key, column: one} for one in wanted])


@declare_action(api, Announcement, "withdraw")
def withdraw_announcements(ctx: Context, payload: Keys) -> Any:
    """撤回公告: nobody sees it any more; who had read it stays known."""

    def withdraw_one(row: Row[Any]) -> None:
        Announcement.authorize(ctx, dict(row._mapping), row)
        if row.publish_at is None or row.withdrawn_at is not None:
            raise InvalidInput(f"公告“{row.message_title}”未发布或已撤回")
        key = row.message_log_id
        ctx.conn.execute(
            update(Announcement).where(Announcement.message_log_id == key).values(withdrawn_at=func.now())
        )
        business_log.log_action(
            ctx.conn, ctx.principal, Announcement.name(), key, "withdraw", company_id=row.company_id
        )

    return records.apply_to_each(ctx, Announcement, payload.ids, "撤回", withdraw_one)


_REACHED = text(f"""
select u.realname, c.company_name, r.read_at, count(*) over () as reached, count(r.read_at) over () as read
from message_log m
join user_account u on u.enabled
join company c on c.company_id = u.company_id
left join message_read r on r.message_log_id = m.message_log_id and r.user_id = u.user_id
where m.message_log_id = :key and ({announcements.IS_ADDRESSED_SQL})
order by r.read_at desc nulls last, u.user_id limit :limit
""")


@call(
    api,
    "GET",
    "v2/system/MessageLog/getAddressees",
    right=Announcement.right("list"),
    returns=Addressees,
)
def get_addressees(ctx: Context, id: Key) -> Any:
    """接收人: whom it is for, and who of them has read it."""
    table = Announcement.table()
    mine = (table.c.message_log_id == id) & scope_condition(table, ctx.principal)
    if ctx.conn.execute(select(table.c.message_log_id).where(mine)).first() is None:
        raise NotFound(Announcement.declaration.label)

    def list_named(table: Any, target: Any) -> list[dict[str, Any]]:
        title = target.table().c[target.declaration.title]
        column = table.__table__.c[target.key().name]
        query = select(target.key().label("id"), title.label("name")).join(
            table.__table__, column == target.key()
        )
        rows = ctx.conn.execute(query.where(table.message_log_id == id).order_by(target.key()))
        return [dict(row._mapping) for row in rows]

    rows = ctx.conn.execute(_REACHED, {"key": id, "limit": READERS}).all()
    return {
        "companies": list_named(AnnouncementCompany, Company),
        "roles": list_named(AnnouncementRole, Role),
        "reached": rows[0].reached if rows else 0,
        "read": rows[0].read if rows else 0,
        "readers": [
            {"realname": row.realname, "company_name": row.company_name, "read_at": row.read_at}
            for row in rows
        ],
    }
