"""Message calls (消息接口): what the shell shows a user of announcements, and how administrators address them.

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
from api.kit import business_log, records
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.database import TIME_ZONE
from api.kit.endpoints import action
from api.kit.errors import Forbidden, Invalid, NotFound, Refusal
from api.kit.listing import paged
from api.kit.schemas import Count, Key, Keys, Paged, Payload, Saved
from api.kit.scope import within
from api.master.organisation import Company
from api.shell import messages
from api.shell.messages import COMPANIES, MAX_CONTENT, ROLES, MessageCompany, MessageLog, MessageRole

api = router()
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


class Opened(Payload):
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


class Named(BaseModel):
    id: int
    name: str


class Reader(BaseModel):
    realname: str
    company_name: str
    read_at: str | None


class Addressees(BaseModel):
    """Whom an announcement is for; `readers` are the first of those it reaches, those who have read it in front."""

    companies: list[Named]
    roles: list[Named]
    reached: int
    read: int
    readers: list[Reader]


def _unread(ctx: Context) -> Any:
    """未读公告数"""
    return {"count": messages.counts(ctx.conn, ctx.principal.user_id)[1]}


for name in ("getUserMessageCount", "getNoticeUnreadQuantity"):
    call(api, "GET", f"{PREFIX}/{name}", right=ANY_USER, returns=Count)(_unread)


@call(api, "GET", f"{PREFIX}/getUserMessageList", right=ANY_USER, returns=MessagePage)
def get_user_message_list(
    ctx: Context, page: Annotated[int, Query(ge=1, le=10_000)] = 1, per_page: PerPage = 10
) -> Any:
    """公告: unread ones first, then the newest; a list grows by a larger `per_page`."""
    me = ctx.principal.user_id
    total, _ = messages.counts(ctx.conn, me)
    found = messages.reaching(ctx.conn, me, unread=False, limit=per_page, offset=(page - 1) * per_page)
    return paged(found, total, page, per_page)


@call(api, "GET", f"{PREFIX}/getNoticeMessageList", right=ANY_USER, returns=NoticeList)
def get_notice_message_list(
    ctx: Context,
    is_unread: Annotated[int, Query(ge=0, le=1)] = 1,
    num: Annotated[int, Query(ge=1, le=100)] = 2,
) -> Any:
    """首页通知: the newest unread ones, and where the rest are."""
    found = messages.reaching(ctx.conn, ctx.principal.user_id, unread=is_unread == 1, limit=num)
    return {"list": found, "more_url": MORE_URL}


def _read(ctx: Context, payload: Opened) -> Any:
    """标为已读: opening an announcement reads it."""
    if not messages.mark_read(ctx.conn, ctx.principal.user_id, payload.message_log_id):
        raise NotFound("公告")
    return None


for name in ("readUserMessage", "getNoticeRead"):
    call(api, "POST", f"{PREFIX}/{name}", right=ANY_USER, returns=None, write=True)(_read)


@call(api, "POST", "v2/system/MessageLog/save", right=MessageLog.right("edit"), returns=Saved, write=True)
def save(ctx: Context, payload: Addressed) -> Any:
    """保存公告: text, whom it is for, and when it shows, in one call. Saving a withdrawn one shows it again."""
    values = payload.model_dump(
        include={"message_title", "message_abstract", "message_content", "company_id"}
    )
    if payload.message_log_id is None:
        ctx.require(MessageLog.right("add"))
        key = records.add(ctx, MessageLog, values)
    else:
        key = records.edit(ctx, MessageLog, payload.message_log_id, values)
    _may_address(ctx, payload)
    publish_at = {"now": datetime.now(TIME_ZONE), "at": _local(payload.publish_at), "draft": None}[
        payload.publish
    ]
    expires_at = _local(payload.expires_at)
    if payload.publish == "at" and publish_at is None:
        raise Refusal("请选择发布时间")
    if expires_at is not None and expires_at <= (publish_at or datetime.now(TIME_ZONE)):
        raise Refusal("过期时间应晚于发布时间")
    shown = {"audience": payload.audience, "publish_at": publish_at, "expires_at": expires_at}
    ctx.conn.execute(
        update(MessageLog).where(MessageLog.message_log_id == key).values(**shown, withdrawn_at=None)
    )
    _address(ctx, key, payload)
    told = {**shown, "companies": payload.companies, "roles": payload.roles}
    business_log.write(
        ctx.conn, ctx.principal, MessageLog.name(), key, "edit", company_id=payload.company_id, after=told
    )
    return {"id": key}


def _local(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=TIME_ZONE) if moment is not None and moment.tzinfo is None else moment


def _may_address(ctx: Context, payload: Addressed) -> None:
    """Nobody writes to companies or roles beyond his own."""
    mine = ctx.principal.companies
    if payload.audience == ROLES:
        if not payload.roles:
            raise Refusal("请选择接收的角色")
        for role_id in payload.roles:
            rights.may_hand_out(ctx, role_id)
    elif payload.audience == COMPANIES:
        if mine is not None and not mine.issuperset(payload.companies):
            raise Forbidden("只能发给自己数据范围内的公司")
    elif mine is not None:
        raise Forbidden("只能发给自己数据范围内的公司")


def _address(ctx: Context, key: int, payload: Addressed) -> None:
    chosen = (
        (MessageCompany, "company_id", payload.companies if payload.audience == COMPANIES else [], Company),
        (MessageRole, "role_id", payload.roles if payload.audience == ROLES else [], Role),
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


@action(api, MessageLog, "withdraw")
def withdraw(ctx: Context, payload: Keys) -> Any:
    """撤回公告: nobody sees it any more; who had read it stays known."""

    def one(row: Row[Any]) -> None:
        MessageLog.authorize(ctx, dict(row._mapping), row)
        if row.publish_at is None or row.withdrawn_at is not None:
            raise Invalid(f"公告“{row.message_title}”未发布或已撤回")
        key = row.message_log_id
        ctx.conn.execute(
            update(MessageLog).where(MessageLog.message_log_id == key).values(withdrawn_at=func.now())
        )
        business_log.write(
            ctx.conn, ctx.principal, MessageLog.name(), key, "withdraw", company_id=row.company_id
        )

    return records.each(ctx, MessageLog, payload.ids, "撤回", one)


_REACHED = text(f"""
select u.realname, c.company_name, r.read_at, count(*) over () as reached, count(r.read_at) over () as read
from message_log m
join user_account u on u.enabled
join company c on c.company_id = u.company_id
left join message_read r on r.message_log_id = m.message_log_id and r.user_id = u.user_id
where m.message_log_id = :key and ({messages.ADDRESSED})
order by r.read_at desc nulls last, u.user_id limit :limit
""")


@call(
    api,
    "GET",
    "v2/system/MessageLog/getAddressees",
    right=MessageLog.right("list"),
    returns=Addressees,
)
def get_addressees(ctx: Context, id: Key) -> Any:
    """接收人: whom it is for, and who of them has read it."""
    table = MessageLog.table()
    mine = (table.c.message_log_id == id) & within(table, ctx.principal)
    if ctx.conn.execute(select(table.c.message_log_id).where(mine)).first() is None:
        raise NotFound(MessageLog.declaration.label)

    def named(table: Any, target: Any) -> list[dict[str, Any]]:
        title = target.table().c[target.declaration.title]
        column = table.__table__.c[target.key().name]
        query = select(target.key().label("id"), title.label("name")).join(
            table.__table__, column == target.key()
        )
        rows = ctx.conn.execute(query.where(table.message_log_id == id).order_by(target.key()))
        return [dict(row._mapping) for row in rows]

    rows = ctx.conn.execute(_REACHED, {"key": id, "limit": READERS}).all()
    return {
        "companies": named(MessageCompany, Company),
        "roles": named(MessageRole, Role),
        "reached": rows[0].reached if rows else 0,
        "read": rows[0].read if rows else 0,
        "readers": [
            {"realname": row.realname, "company_name": row.company_name, "read_at": row.read_at}
            for row in rows
        ],
    }
