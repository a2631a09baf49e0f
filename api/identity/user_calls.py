"""User calls (用户维护): accounts, their passwords, locks and sessions."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import Row, select, text, update

from api.identity import login, passwords, rights, sessions
from api.identity.tables import UserAccount, forbid_impersonation
from api.kit.context import Context
from api.kit.errors import NotFound, Refusal
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Key, Keys, Payload, Saved
from api.kit.scope import scope_condition
from api.kit.storage import business_log, records

api = build_router()
PREFIX = "v2/system/User"
EDIT = UserAccount.right("edit")


class User(Payload):
    """An account; a `password` set here is changed at the first login."""

    user_id: Key | None = None
    user_name: str = Described(min_length=1, max_length=50)
    realname: str = Described(min_length=1, max_length=50)
    company_id: Key
    employee_id: Key | None = None
    role_id: Key
    email: str | None = Described(None, max_length=100)
    password: str | None = Described(None, max_length=128)


class NewPassword(Payload):
    user_id: int
    password: str = Described(max_length=128)


class OwnPassword(Payload):
    old_password: str = Described(max_length=128)
    password: str = Described(max_length=128)


class Enabling(Keys):
    enabled: bool


class Ending(Payload):
    session_id: Key


class OpenSession(BaseModel):
    session_id: int
    kind: str
    made_at: str
    seen_at: str
    expires_at: str
    client: str | None
    agent: str | None
    imitator: str | None
    is_own: bool


@call(api, "POST", f"{PREFIX}/save", right=EDIT, returns=Saved, write=True)
def save_user(ctx: Context, payload: User) -> Any:
    """保存用户: a new one gets a first password, which he changes when he logs in."""
    values = payload.model_dump(exclude={"user_id", "password"})
    if payload.user_id is None:
        ctx.require_right(UserAccount.right("add"))
        if not payload.password:
            raise Refusal("请输入初始密码")
        key = records.add_record(ctx, UserAccount, values)
    else:
        key = records.edit_record(ctx, UserAccount, payload.user_id, values)
    if payload.password:
        _reset_password(ctx, key, payload.password)
    return {"id": key}


@call(api, "POST", f"{PREFIX}/setPassword", right=EDIT, returns=None, write=True)
def set_password(ctx: Context, payload: NewPassword) -> Any:
    """重设密码: ends the user's sessions, and he changes it when he logs in."""
    _reset_password(ctx, payload.user_id, payload.password)
    return None


@call(api, "POST", f"{PREFIX}/changePassword", right=ANY_USER, returns=None, write=True)
def change_password(ctx: Context, payload: OwnPassword) -> Any:
    """修改本人密码"""
    forbid_impersonation(ctx)
    user = _require_user(ctx, ctx.principal.user_id, everywhere=True)
    login.require_password(user.user_name, payload.old_password, ctx.client, ctx.agent, ctx.device)
    _set_password(ctx, user, payload.password, must_change=False)
    return None


@call(api, "POST", f"{PREFIX}/setEnabled", right=EDIT, returns=None, write=True)
def set_enabled(ctx: Context, payload: Enabling) -> Any:
    """启用、停用: a disabled user's sessions end."""
    for key in payload.ids:
        records.edit_record(ctx, UserAccount, key, {"enabled": payload.enabled})
    return None


@call(api, "POST", f"{PREFIX}/unlock", right=EDIT, returns=None, write=True)
def unlock_users(ctx: Context, payload: Keys) -> Any:
    """解锁: failed logins before now no longer count."""
    for key in payload.ids:
        user = _require_manageable_user(ctx, key)
        ctx.conn.execute(
            update(UserAccount).where(UserAccount.user_id == user.user_id).values(unlocked_at=text("now()"))
        )
        _log_change(ctx, user, "解除登录锁定")
    return None


@call(api, "GET", f"{PREFIX}/getSessions", right=UserAccount.right("list"), returns=list[OpenSession])
def get_sessions(ctx: Context, user_id: Key) -> Any:
    """在线会话: a user's logins and tokens that are still good."""
    user = _require_user(ctx, user_id)
    rows = ctx.conn.execute(_SESSIONS, {"user": user.user_id})
    mine = ctx.principal.session_id
    return [{**row._mapping, "is_own": row.session_id == mine} for row in rows]


@call(api, "POST", f"{PREFIX}/endSession", right=EDIT, returns=None, write=True)
def end_session(ctx: Context, payload: Ending) -> Any:
    """结束会话: its next request is refused."""
    query = text("select user_id from user_session where session_id = :id")
    owner = ctx.conn.execute(query, {"id": payload.session_id}).scalar()
    if owner is None:
        raise NotFound("会话")
    user = _require_manageable_user(ctx, owner)
    sessions.close_session(ctx.conn, payload.session_id, sessions.ENDED)
    _log_change(ctx, user, "结束会话")
    return None


_SESSIONS = text("""
select s.session_id, s.made_at, s.seen_at, s.expires_at, a.client, a.agent, i.realname as imitator,
    case when s.sign_key is null
        then concat('接口令牌', '：' || s.token_name, '（限 ' || array_to_string(s.scope, '、') || '）')
        when s.imitator_id is not null then '模拟登录' else '登录' end as kind
from user_session s
left join login_attempt a on a.session_id = s.session_id
left join user_account i on i.user_id = s.imitator_id
where s.user_id = :user and s.expires_at > now()
order by s.seen_at desc
""")


def _require_user(ctx: Context, user_id: int, *, everywhere: bool = False) -> Row[Any]:
    """Return a user within scope.

    Raises: NotFound.
    """
    table = UserAccount.table()
    mine = [] if everywhere else [scope_condition(table, ctx.principal)]
    row = ctx.conn.execute(select(table).where(table.c.user_id == user_id, *mine)).first()
    if row is None:
        raise NotFound("用户")
    return row


def _require_manageable_user(ctx: Context, user_id: int) -> Row[Any]:
    """Return a user within scope whose role has no more than the caller's.

    Raises: NotFound, Forbidden.
    """
    forbid_impersonation(ctx)
    user = _require_user(ctx, user_id)
    rights.require_can_assign_role(ctx, user.role_id)
    return user


def _reset_password(ctx: Context, user_id: int, password: str) -> None:
    user = _require_manageable_user(ctx, user_id)
    _set_password(ctx, user, password, must_change=user_id != ctx.principal.user_id)


def _set_password(ctx: Context, user: Row[Any], password: str, *, must_change: bool) -> None:
    made = passwords.hash_new_password(password, user.user_name, user.password_hash)
    ctx.conn.execute(
        update(UserAccount)
        .where(UserAccount.user_id == user.user_id)
        .values(password_hash=made, must_change_password=must_change, password_set_at=text("now()"))
    )
    sessions.end_user_sessions(ctx.conn, user.user_id, sessions.PASSWORD, but=ctx.principal.session_id)
    _log_change(ctx, user, "修改密码")


def _log_change(ctx: Context, user: Row[Any], reason: str) -> None:
    business_log.log_action(
        ctx.conn,
        ctx.principal,
        "user_account",
        user.user_id,
        "edit",
        company_id=user.company_id,
        reason=reason,
    )
