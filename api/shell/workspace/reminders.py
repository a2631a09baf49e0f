"""Reminders (提醒): notes that a company's users see once in a dialog, say of an automatic refund request.

A module that reminds calls `add_reminder`; each user has seen a reminder when the shell reports it
(spec/1-shell.md 2, 7).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import BigInteger, Connection, DateTime, ForeignKey, Identity, Index, Text, func, insert, text
from sqlalchemy.orm import Mapped, mapped_column

from api.identity.sessions import has_narrowed_scope
from api.kit.context import Context
from api.kit.errors import Refusal
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Payload
from api.kit.storage.database import Base

api = build_router()
MAX_REMINDERS = 50


class Reminder(Base):
    """A reminder of a company's users, or of one of them."""

    __tablename__ = "popup_log"
    __table_args__ = (Index("ix_popup_log_company", "company_id", "popup_log_id"),)

    popup_log_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    company_id: Mapped[int] = mapped_column(ForeignKey("company.company_id", ondelete="cascade"))
    user_id: Mapped[int | None] = mapped_column(
        ForeignKey("user_account.user_id", ondelete="cascade"), index=True
    )
    content: Mapped[str] = mapped_column(Text)
    url: Mapped[str | None] = mapped_column(Text)
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class ReminderSeen(Base):
    """A user's acknowledgment of a reminder."""

    __tablename__ = "popup_log_seen"

    popup_log_id: Mapped[int] = mapped_column(
        ForeignKey("popup_log.popup_log_id", ondelete="cascade"), primary_key=True
    )
    user_id: Mapped[int] = mapped_column(
        ForeignKey("user_account.user_id", ondelete="cascade"), primary_key=True, index=True
    )
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class PopupRow(BaseModel):
    """`url` is where 查看更多 leads."""

    id: int
    content: str
    url: str | None


class Seen(Payload):
    id_str: str = Described(min_length=1, max_length=2000, description="提醒编号，逗号分隔")


_UNSEEN = """
from popup_log p
join user_account u on u.user_id = :me
where p.company_id = u.company_id and p.at > now() - interval '30 days'
    and (p.user_id is null or p.user_id = u.user_id and not cast(:narrowed as boolean))
    and not exists (select from popup_log_seen s where s.popup_log_id = p.popup_log_id and s.user_id = u.user_id)
"""


def add_reminder(
    conn: Connection, company_id: int, content: str, *, user_id: int | None = None, url: str | None = None
) -> int:
    """Add a reminder for a company's users, or for one of them, and return its key."""
    values = {"company_id": company_id, "user_id": user_id, "content": content, "url": url}
    key: int = conn.execute(insert(Reminder).values(values).returning(Reminder.popup_log_id)).scalar_one()
    return key


@call(api, "GET", "v2/open/Message/getPopUplogList", right=ANY_USER, returns=list[PopupRow])
def get_popup_log_list(ctx: Context) -> Any:
    """提醒: what the user was not shown yet, oldest first. What he is told himself may be of figures that whoever acts
    for him doesn't see."""
    query = text(f"select p.popup_log_id as id, p.content, p.url {_UNSEEN} order by 1 limit :many")
    rows = ctx.conn.execute(query, {**_reader_params(ctx), "many": MAX_REMINDERS})
    return [dict(row._mapping) for row in rows]


@call(api, "POST", "v2/open/Message/setPopUpLog", right=ANY_USER, returns=None, write=True)
def set_popup_log(ctx: Context, payload: Seen) -> Any:
    """提醒已看: those of `id_str` that are the user's; others are passed over."""
    parts = [part.strip() for part in payload.id_str.split(",") if part.strip()]
    if not parts or not all(part.isascii() and part.isdigit() and len(part) <= 18 for part in parts):
        raise Refusal("id_str 不正确")
    ctx.conn.execute(
        text(
            f"insert into popup_log_seen (popup_log_id, user_id) select p.popup_log_id, :me {_UNSEEN}"
            " and p.popup_log_id = any(cast(:ids as bigint[])) on conflict do nothing"
        ),
        {**_reader_params(ctx), "ids": [int(part) for part in parts]},
    )
    return None


def _reader_params(ctx: Context) -> dict[str, Any]:
    return {"me": ctx.principal.user_id, "narrowed": has_narrowed_scope(ctx.conn, ctx.principal)}
