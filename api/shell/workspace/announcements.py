"""Announcements (系统公告): texts of administrators for an audience, and who has read them.

The text is plain with line breaks and a little Markdown, which the browser renders as text, never
as HTML.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Connection,
    DateTime,
    ForeignKey,
    Identity,
    Row,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from api.identity.login_response import STATION
from api.kit.context import Context
from api.kit.declaration.fields import (
    datetime_field,
    derived_field,
    enum_field,
    key_field,
    reference_field,
    text_field,
    textarea_field,
)
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.errors import Forbidden
from api.kit.scope import Principal
from api.kit.storage.database import Base

EVERYBODY, BACK_OFFICE, STATIONS, COMPANIES, ROLES = 1, 2, 3, 4, 5
AUDIENCES = {
    EVERYBODY: "全部用户",
    BACK_OFFICE: "ERP后台用户",
    STATIONS: "服务站用户",
    COMPANIES: "发布公司及指定公司",
    ROLES: "指定角色",
}
DRAFT, WAITING, SHOWN, EXPIRED, WITHDRAWN = 1, 2, 3, 4, 5
STATES = {DRAFT: "草稿", WAITING: "待发布", SHOWN: "已发布", EXPIRED: "已过期", WITHDRAWN: "已撤回"}
READ_STATES = {0: "未读", 1: "已读"}
MAX_CONTENT = 20_000

_STATE = (
    "(case when {table}.withdrawn_at is not null then 5 when {table}.publish_at is null then 1"
    " when {table}.publish_at > now() then 2 when {table}.expires_at <= now() then 4 else 3 end)"
)
_READERS = "(select count(*) from message_read r where r.message_log_id = {table}.message_log_id)"

IS_SHOWN_SQL = (
    "m.publish_at <= now() and m.withdrawn_at is null and (m.expires_at is null or m.expires_at > now())"
)
"""SQL: whether announcement `m` is published now."""
IS_ADDRESSED_SQL = f"""
case m.audience
    when {EVERYBODY} then true
    when {BACK_OFFICE} then c.type <> {STATION}
    when {STATIONS} then c.type = {STATION}
    when {COMPANIES} then m.company_id = u.company_id or exists (
        select from message_company t where t.message_log_id = m.message_log_id and t.company_id = u.company_id)
    when {ROLES} then exists (
        select from message_role t where t.message_log_id = m.message_log_id and t.role_id = u.role_id)
end
"""
"""SQL: whether announcement `m` is for user `u` of company `c`."""
_OWN_ANNOUNCEMENTS = f"""
select
    m.message_log_id, m.message_title, m.message_abstract, m.message_content, m.company_id,
    a.realname as author, m.publish_at,
    case when r.read_at is null then 0 else 1 end as is_read, r.read_at
from message_log m
join user_account u on u.user_id = :me
join company c on c.company_id = u.company_id
left join user_account a on a.user_id = m.author_id
left join message_read r on r.message_log_id = m.message_log_id and r.user_id = u.user_id
where {IS_SHOWN_SQL} and ({IS_ADDRESSED_SQL})
"""


class Announcement(Resource):
    """系统公告: generic calls keep its text; whom it is for and when it shows is set by its own call."""

    __tablename__ = "message_log"
    declaration = Declaration(
        "系统公告",
        "v2/system/MessageLog",
        "message_title",
        routes={
            "list": "/system/messageconfig",
            "add": "/system/messageconfigAdd",
            "see": "/system/messageconfigSee",
        },
        menu=Menu("系统管理", "消息管理", 10),
        actions=("list", "add", "edit", "del", "withdraw", "export"),
    )

    message_log_id: Mapped[int] = key_field()
    message_title: Mapped[str] = text_field("标题", free=True, required=True, search=True, width=260)
    message_abstract: Mapped[str | None] = text_field("摘要", max_length=200, width=260)
    message_content: Mapped[str] = textarea_field("内容", required=True, list=False, max_length=MAX_CONTENT)
    company_id: Mapped[int] = reference_field("company", "发布公司", required=True, search=True, width=160)
    audience: Mapped[int] = enum_field(
        "接收范围", AUDIENCES, default=COMPANIES, search=True, form=False, width=150
    )
    publish_at: Mapped[datetime | None] = datetime_field("发布时间", search=True, form=False)
    expires_at: Mapped[datetime | None] = datetime_field("过期时间", form=False)
    withdrawn_at: Mapped[datetime | None] = datetime_field("撤回时间", list=False, form=False)
    author_id: Mapped[int | None] = reference_field(
        "user_account", "发布人", target="user_id", form=False, width=100
    )

    derived = (
        derived_field(
            "state", "状态", "enum", _STATE, options=tuple(STATES.items()), width=90, extract=False
        ),
        derived_field("read_count", "已读人数", "integer", _READERS, width=90, extract=False),
    )

    @classmethod
    def fill_defaults(cls, row: dict[str, Any]) -> None:
        row["message_abstract"] = row.get("message_abstract") or None

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        mine = ctx.principal.companies
        if before is None:
            row["author_id"] = ctx.principal.user_id
        if mine is not None and row.get("audience", COMPANIES) in (EVERYBODY, BACK_OFFICE, STATIONS):
            raise Forbidden("该公告发给全部公司，您的数据范围不能修改")


class Information(View):
    """公告列表: the announcements that reach whoever asks, and whether he has read them."""

    __tablename__ = "information"
    declaration = Declaration(
        "公告列表",
        "v2/system/Information",
        "message_title",
        routes={"list": "/system/information", "see": "/system/informationSee"},
        menu=Menu("系统管理", "消息管理", 20),
        actions=READ_ONLY,
        order_by=("publish_at", "desc"),
    )

    message_log_id: Mapped[int] = key_field()
    is_read: Mapped[int] = enum_field("状态", READ_STATES, default=0, search=True, width=80)
    message_title: Mapped[str] = text_field("标题", free=True, search=True, width=300)
    message_abstract: Mapped[str | None] = text_field("摘要", width=420)
    message_content: Mapped[str] = textarea_field("内容", list=False)
    author: Mapped[str | None] = text_field("发布人", width=100)
    publish_at: Mapped[datetime] = datetime_field("发布时间", search=True)
    read_at: Mapped[datetime | None] = datetime_field("阅读时间")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _OWN_ANNOUNCEMENTS, {"me": principal.user_id}


class AnnouncementCompany(Base):
    """A company that an announcement is for."""

    __tablename__ = "message_company"

    message_log_id: Mapped[int] = mapped_column(
        ForeignKey("message_log.message_log_id", ondelete="cascade"), primary_key=True
    )
    company_id: Mapped[int] = mapped_column(
        ForeignKey("company.company_id", ondelete="cascade"), primary_key=True
    )


class AnnouncementRole(Base):
    """A role that an announcement is for."""

    __tablename__ = "message_role"

    message_log_id: Mapped[int] = mapped_column(
        ForeignKey("message_log.message_log_id", ondelete="cascade"), primary_key=True
    )
    role_id: Mapped[int] = mapped_column(ForeignKey("role.role_id", ondelete="cascade"), primary_key=True)


class AnnouncementRead(Base):
    """A user's reading of an announcement."""

    __tablename__ = "message_read"
    __table_args__ = (UniqueConstraint("message_log_id", "user_id"),)

    message_read_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    message_log_id: Mapped[int] = mapped_column(ForeignKey("message_log.message_log_id", ondelete="cascade"))
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.user_id", ondelete="cascade"), index=True)
    read_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


def list_announcements(
    conn: Connection, me: int, *, unread: bool, limit: int, offset: int = 0
) -> list[dict[str, Any]]:
    """Return the announcements that reach a user, unread and newest first."""
    query = f"""
        select message_log_id, message_title, message_abstract, message_content, author, publish_at, is_read
        from ({_OWN_ANNOUNCEMENTS}) mine where is_read = 0 or not :unread
        order by is_read, publish_at desc, message_log_id desc limit :limit offset :offset
    """
    rows = conn.execute(text(query), {"me": me, "unread": unread, "limit": limit, "offset": offset})
    return [dict(row._mapping) for row in rows]


def count_announcements(conn: Connection, me: int) -> tuple[int, int]:
    """Return the number of announcements that reach a user, and of those he has not read."""
    query = f"select count(*) as every, count(*) filter (where is_read = 0) as unread from ({_OWN_ANNOUNCEMENTS}) mine"
    row = conn.execute(text(query), {"me": me}).one()
    return row.every, row.unread


def mark_read(conn: Connection, me: int, message_log_id: int) -> bool:
    """Record that a user has read an announcement; return False where it doesn't reach him."""
    query = f"select 1 from ({_OWN_ANNOUNCEMENTS}) mine where message_log_id = :id"
    if conn.execute(text(query), {"me": me, "id": message_log_id}).first() is None:
        return False
    conn.execute(
        text(
            "insert into message_read (message_log_id, user_id) values (:id, :me)"
            " on conflict (message_log_id, user_id) do nothing"
        ),
        {"me": me, "id": message_log_id},
    )
    return True
