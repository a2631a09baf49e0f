"""User preferences (个人偏好): drafts, columns, schemes and favorites that the server stores for a user."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import (
    BigInteger,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Text,
    UniqueConstraint,
    delete,
    func,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.orm import Mapped, mapped_column

from api.identity.tables import UserAccount
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.errors import Forbidden, Refusal
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Payload
from api.kit.storage.database import Base, dump_json

api = build_router()
Kind = Literal["draft", "columns", "scheme", "seen", "favourite"]
Screen = Annotated[str, Described(max_length=100, description="界面或表格的名称")]
Name = Annotated[str, Described(min_length=1, max_length=100, description="方案名称；草稿则是单据")]
MOST_BYTES = {"draft": 4_000_000, "columns": 64_000, "scheme": 64_000, "seen": 4_000, "favourite": 4_000}
MOST = 200
"""Most preferences of a kind for a user."""
DRAFT = "draft"
MOST_STORED = 32_000_000
"""Most bytes of all drafts of a user."""
_LOCK_DRAFTS = text("select pg_advisory_xact_lock(hashtextextended('drafts:' || :user, 0))")
_DROP_OLD_DRAFTS = text("""
delete from user_preference where preference_id in (
    select d.preference_id
    from (
        select preference_id, row_number() over (order by kept_at desc, preference_id desc) as place
        from user_preference
        where user_id = :user and kind = 'draft'
    ) d
    where d.place > :most
)
""")


SchemeGuard = Callable[[Context, str, str], None]
_guards: list[SchemeGuard] = []


def register_scheme_guard(guard: SchemeGuard) -> SchemeGuard:
    """Register a guard that may refuse the deletion of a user's query scheme, by its screen and name."""
    _guards.append(guard)
    return guard


class UserPreference(Base):
    """A stored preference of a user; a public scheme is offered to all who may open its screen."""

    __tablename__ = "user_preference"
    __table_args__ = (
        UniqueConstraint("user_id", "kind", "screen", "name"),
        Index("ix_user_preference_public", "screen", postgresql_where="is_public"),
    )

    preference_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.user_id", ondelete="cascade"))
    kind: Mapped[str] = mapped_column(Text)
    screen: Mapped[str] = mapped_column(Text)
    name: Mapped[str] = mapped_column(Text)
    value: Mapped[Any] = mapped_column(JSONB)
    bytes: Mapped[int] = mapped_column(BigInteger, server_default="0")
    is_public: Mapped[bool] = mapped_column(server_default="false")
    is_default: Mapped[bool] = mapped_column(server_default="false")
    kept_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class Preference(BaseModel):
    """`value` is left out (null) in a list of drafts, which may be long; ask for one by name."""

    preference_id: int
    kind: str
    screen: str
    name: str
    value: Any
    is_public: bool
    is_default: bool
    mine: bool
    owner_name: str
    kept_at: str


class PreferenceBody(Payload):
    kind: Kind
    screen: Screen = ""
    name: Name
    value: Any = Described(description="任意 JSON")
    is_public: bool = False
    is_default: bool = False


class PreferenceKey(Payload):
    kind: Kind
    screen: Screen = ""
    name: Name


@call(api, "GET", "v2/open/UserPreference/get", right=ANY_USER, returns=list[Preference])
def get_preferences(
    ctx: Context,
    kind: Kind,
    screen: Annotated[str, Query(max_length=100)] = "",
    name: Annotated[str, Query(max_length=100)] = "",
) -> Any:
    """个人偏好: one's own of a kind, newest first; of query schemes also the public ones of the screen."""
    table, owner = UserPreference.__table__, UserAccount.table()
    shown = [column for column in table.c if column.name != "bytes"]
    mine = table.c.user_id == ctx.principal.user_id
    visible = mine
    if kind == "scheme" and _can_open_screen(ctx, screen):
        visible = mine | table.c.is_public
    query = (
        select(*shown, owner.c.realname.label("owner_name"))
        .join(owner, owner.c.user_id == table.c.user_id)
        .where(visible, table.c.kind == kind)
        .order_by(table.c.kept_at.desc(), table.c.preference_id.desc())
        .limit(MOST)
    )
    if screen:
        query = query.where(table.c.screen == screen)
    if name:
        query = query.where(table.c.name == name)
    brief = kind == "draft" and not name
    return [
        {
            **row._asdict(),
            "value": None if brief else row.value,
            # What somebody else opens with is his affair.
            "is_default": row.is_default and row.user_id == ctx.principal.user_id,
            "mine": row.user_id == ctx.principal.user_id,
        }
        for row in ctx.conn.execute(query)
    ]


@call(api, "POST", "v2/open/UserPreference/save", right=ANY_USER, returns=None, write=True)
def save_preference(ctx: Context, payload: PreferenceBody) -> Any:
    """保存个人偏好: under its name, over what stood there; one default a screen."""
    size = len(dump_json(payload.value))
    if size > MOST_BYTES[payload.kind]:
        raise Refusal("内容过大，不能保存")
    if payload.is_public and payload.kind != "scheme":
        raise Refusal("只有查询方案可以公开")
    if payload.is_public and not _can_open_screen(ctx, payload.screen):
        raise Forbidden()
    table = UserPreference.__table__
    mine = (table.c.user_id == ctx.principal.user_id) & (table.c.kind == payload.kind)
    others = mine & ~((table.c.screen == payload.screen) & (table.c.name == payload.name))
    if payload.kind == DRAFT:
        # What others that are saved at once come to is known when they are through.
        ctx.conn.execute(_LOCK_DRAFTS, {"user": str(ctx.principal.user_id)})
    kept = select(func.count(), func.coalesce(func.sum(table.c.bytes), 0)).select_from(table).where(others)
    number, taken = ctx.conn.execute(kept).one()._tuple()
    # A draft is saved while its bill is written: of too many the oldest goes.
    if payload.kind != DRAFT and number >= MOST:
        raise Refusal(f"最多保存{MOST}个，请先删除不用的")
    if payload.kind == DRAFT and taken + size > MOST_STORED:
        raise Refusal(f"草稿合计超过 {MOST_STORED / 1_000_000:g} MB，请先提交或删除不用的草稿")
    if payload.is_default:
        ctx.conn.execute(
            update(UserPreference).where(mine, table.c.screen == payload.screen).values(is_default=False)
        )
    values = {**payload.model_dump(), "bytes": size}
    statement = insert(UserPreference).values(user_id=ctx.principal.user_id, **values)
    changed = {name: values[name] for name in ("value", "bytes", "is_public", "is_default")}
    ctx.conn.execute(
        statement.on_conflict_do_update(
            index_elements=["user_id", "kind", "screen", "name"], set_={**changed, "kept_at": func.now()}
        )
    )
    if payload.kind == DRAFT:
        ctx.conn.execute(_DROP_OLD_DRAFTS, {"user": ctx.principal.user_id, "most": MOST})
    return None


@call(api, "POST", "v2/open/UserPreference/del", right=ANY_USER, returns=None, write=True)
def delete_preference(ctx: Context, payload: PreferenceKey) -> Any:
    """删除个人偏好: one's own, that nothing uses; what isn't there is gone already."""
    for guard in _guards if payload.kind == "scheme" else ():
        guard(ctx, payload.screen, payload.name)
    table = UserPreference.__table__
    ctx.conn.execute(
        delete(UserPreference).where(
            table.c.user_id == ctx.principal.user_id,
            table.c.kind == payload.kind,
            table.c.screen == payload.screen,
            table.c.name == payload.name,
        )
    )
    return None


def _can_open_screen(ctx: Context, screen: str) -> bool:
    """Return whether the user may open the list that a scheme belongs to."""
    found = registry.find_resource(screen)
    return found is not None and ctx.principal.has_right(found.right("list"))
