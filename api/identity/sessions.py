"""Sessions (会话): opaque tokens in Postgres, proven on each call together with the role's present rights."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, Row, text

from api.identity.tables import OWN_NAMES
from api.kit import details, menus
from api.kit.context import Session
from api.kit.errors import Forbidden, Unauthenticated
from api.kit.scope import ALL_RIGHTS, Principal

LIFE_DAYS = 7
TOUCH_MINUTES = 5
IMITATION_MINUTES = 60
LOGGED_OUT, ENDED, PASSWORD, DISABLED, IMITATED, EXPIRED, RESTORED = 1, 2, 3, 4, 5, 6, 7
ENDINGS = {
    LOGGED_OUT: "退出登录",
    ENDED: "被管理员结束",
    PASSWORD: "密码已修改",
    DISABLED: "账号停用",
    IMITATED: "结束模拟",
    EXPIRED: "已过期",
    RESTORED: "数据已恢复",
}
"""How a session ends."""
IMITATE = "imitate_login:imitate"
TOKEN_MARK = "接口令牌"
"""What the business log names beside a user whose API token acted."""
SENSITIVE = ("role:", "user_account:", "right_bundle:", "imitate_login:")
"""Rights that a simulated login leaves out, but for reading."""

_PERSON = """
       u.user_id, u.user_name, u.realname, u.company_id, u.must_change_password, e.department_id,
       r.role_id, r.version, r.scope_kind, r.own_kind, r.sees_cost
from user_account u
join role r on r.role_id = u.role_id and r.enabled
left join employee e on e.employee_id = u.employee_id
"""
_FIND = f"""
select s.session_id, s.sign_key, s.seen_at < now() - make_interval(mins => %s) as stale, s.imitator_id,
       s.token_name, s.scope, {_PERSON}
join user_session s on s.user_id = u.user_id
where s.{{which}} = %s and s.expires_at > now() and u.enabled and (s.origin_id is null or exists (
    select from user_session o where o.session_id = s.origin_id and o.expires_at > now()
))
"""
_BY_TOKEN, _BY_NUMBER = _FIND.format(which="token_hash"), _FIND.format(which="session_id")
_BY_USER = f"select {_PERSON} where u.user_id = %s and u.enabled"
_TOUCH = """
update user_session set seen_at = now(), expires_at = least(ends_at, now() + make_interval(hours => %s))
where session_id = %s
"""
_USED = "update user_session set seen_at = now() where session_id = %s"
_OPEN = text(
    "insert into user_session"
    " (token_hash, sign_key, user_id, expires_at, ends_at, imitator_id, origin_id, token_name, scope) values"
    " (:hash, :key, :user, now() + make_interval(mins => :idle), now() + make_interval(mins => :life), :imitator,"
    " :origin, :name, :scope) returning session_id, expires_at"
)
_NOT_SAID = {"imitator": None, "origin": None, "name": None, "scope": None}
_END = """
with ended as (
    delete from user_session s using user_session o
    where o.session_id = coalesce(s.origin_id, s.session_id) and {which}
    returning s.session_id, {at} as at
)
update login_attempt a set ended_at = ended.at, ended_how = :how from ended where a.session_id = ended.session_id
"""
"""A simulated login goes with `o`, the session that it was opened from; the login log is told of both."""
_END_ONE = text(_END.format(which=":session in (s.session_id, s.origin_id)", at="now()"))
_END_ALL = text(
    _END.format(
        which=":user in (s.user_id, o.user_id) and :but not in (s.session_id, o.session_id)", at="now()"
    )
)
_END_EVERY = text(_END.format(which="true", at="now()"))
_OVER = "least(s.expires_at, o.expires_at)"
_END_EXPIRED = text(_END.format(which=f"{_OVER} <= now()", at=_OVER))


@dataclass(frozen=True, slots=True)
class Grants:
    """What a role holds at one version."""

    rights: frozenset[str]
    companies: frozenset[int]
    warehouses: frozenset[int] | None
    denied: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Opened:
    """A fresh login: its token and signing key are told once."""

    token: str
    sign_key: str
    expires_at: Any
    session_id: int


_grants: WeakKeyDictionary[Engine, dict[int, tuple[int, Grants]]] = WeakKeyDictionary()
"""What roles hold, by database: two databases number their roles alike."""


def authenticate(conn: Connection, token: str) -> Session:
    """The session of a token; refused when unknown, expired, or its user or role is disabled."""
    return _proven(conn, _BY_TOKEN, _hash(token))


def resume(conn: Connection, session_id: int) -> Session:
    """A session that is known by its number: what it opened elsewhere lives, and sees, as it does itself."""
    return _proven(conn, _BY_NUMBER, session_id)


def _proven(conn: Connection, query: str, value: bytes | int) -> Session:
    row = conn.exec_driver_sql(query, (TOUCH_MINUTES, value)).first()
    if row is None:
        raise Unauthenticated()
    if row.stale and row.sign_key is not None:
        conn.exec_driver_sql(_TOUCH, (_idle_hours(conn), row.session_id))
    elif row.stale:
        conn.exec_driver_sql(_USED, (row.session_id,))
    principal = _principal(conn, row, row.session_id)
    if row.sign_key is None:
        principal = _limited(principal, row.token_name, row.scope)
    if row.imitator_id is not None:
        principal = _imitated(principal, _imitator(conn, row.imitator_id))
    elif row.must_change_password:
        principal = replace(principal, rights=frozenset())
    return Session(principal, row.sign_key)


def _limited(user: Principal, name: str | None, scope: list[str] | None) -> Principal:
    """A user's rights as far as an API token has them; the business log names the token beside him."""
    rights = user.rights
    if scope is not None:
        held = menus.every_right().keys() if ALL_RIGHTS in rights else rights
        rights = frozenset(code for code in held if any(covers(one, code) for one in scope))
    return replace(
        user,
        rights=rights,
        imitator_name=f"{TOKEN_MARK}{f'：{name}' if name else ''}",
        limited=scope is not None,
    )


def covers(scope: str, code: str) -> bool:
    """Whether an entry of a token's scope is a right, or all those of a screen or action (`goods:*`, `*:list`)."""
    wanted, given = scope.split(":"), code.split(":")
    return len(wanted) == len(given) and all(
        one in ("*", other) for one, other in zip(wanted, given, strict=True)
    )


def _imitator(conn: Connection, user_id: int) -> Principal:
    """Who acts in a simulated login; it ends when he may no longer."""
    row = conn.exec_driver_sql(_BY_USER, (user_id,)).first()
    found = _principal(conn, row, 0) if row is not None else None
    if found is None or found.own != "all" or not found.may(IMITATE):
        raise Unauthenticated("模拟登录已结束")
    return found


def _imitated(user: Principal, imitator: Principal) -> Principal:
    """A user's rights as far as the imitator holds them himself at this moment.

    Accounts, roles and passwords are out of reach; so are exports, which would be written with all the user's rights.
    """
    held = menus.every_right().keys() if ALL_RIGHTS in user.rights else user.rights
    rights = frozenset(
        code
        for code in held
        if imitator.may(code)
        and not code.endswith(":export")
        and (code.endswith(":list") or not code.startswith(SENSITIVE))
    )
    return replace(
        user,
        rights=rights,
        companies=_both(user.companies, imitator.companies),
        warehouses=_both(user.warehouses, imitator.warehouses),
        sees_cost=user.sees_cost and imitator.sees_cost,
        denied_fields=user.denied_fields | imitator.denied_fields,
        imitator_id=imitator.user_id,
        imitator_name=imitator.realname,
    )


def _both(one: frozenset[int] | None, other: frozenset[int] | None) -> frozenset[int] | None:
    """What lies in both scopes; None is no limit."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


def principal_of(conn: Connection, user_id: int) -> Principal:
    """A user with his present rights, for work done on his behalf outside a request."""
    row = conn.exec_driver_sql(_BY_USER, (user_id,)).first()
    if row is None:
        raise Unauthenticated("账号已停用")
    return _principal(conn, row, 0)


def is_narrowed(conn: Connection, me: Principal) -> bool:
    """Whether a simulated login sees less than the user himself."""
    if not me.imitator_id:
        return False
    user = principal_of(conn, me.user_id)
    return (me.companies, me.warehouses, me.sees_cost, me.denied_fields) != (
        user.companies,
        user.warehouses,
        user.sees_cost,
        user.denied_fields,
    )


def refuse_narrowed(conn: Connection, me: Principal, what: str) -> None:
    """Refuse what is done with the user's own rights to a simulated login that sees less than the user himself."""
    if is_narrowed(conn, me):
        raise Forbidden(f"您的数据范围小于被模拟的用户，模拟登录时不能{what}")


def _principal(conn: Connection, row: Row[Any], session_id: int) -> Principal:
    grants = _granted(conn, row.role_id, row.version)
    return Principal(
        user_id=row.user_id,
        user_name=row.user_name,
        realname=row.realname,
        role_id=row.role_id,
        company_id=row.company_id,
        department_id=row.department_id,
        companies=None if row.scope_kind == 1 else grants.companies,
        warehouses=grants.warehouses,
        own=OWN_NAMES[row.own_kind],  # type: ignore[arg-type]
        rights=grants.rights,
        sees_cost=row.sees_cost,
        denied_fields=grants.denied,
        session_id=session_id,
    )


def _granted(conn: Connection, role_id: int, version: int) -> Grants:
    """A role's grants, kept until its version moves."""
    kept = _grants.setdefault(conn.engine, {})
    known = kept.get(role_id)
    if known and known[0] == version:
        return known[1]
    where = {"role": role_id}

    def column(query: str) -> list[Any]:
        return list(conn.execute(text(query), where).scalars())

    warehouses = column("select warehouse_id from role_warehouse where role_id = :role")
    denied = conn.execute(text("select screen, field from role_field_deny where role_id = :role"), where)
    grants = Grants(
        rights=frozenset(column("select code from role_right where role_id = :role")),
        companies=frozenset(column("select company_id from role_company where role_id = :role")),
        warehouses=frozenset(warehouses) or None,
        denied=details.spread((row.screen, row.field) for row in denied),
    )
    kept[role_id] = (version, grants)
    return grants


def open_session(conn: Connection, user_id: int) -> Opened:
    """Log a user in."""
    return _open(conn, user_id, idle=_idle_hours(conn) * 60, life=LIFE_DAYS * 24 * 60)


def open_imitation(conn: Connection, user_id: int, imitator: Principal) -> Opened:
    """Let somebody act as a user for a while; it ends with his own session."""
    return _open(
        conn,
        user_id,
        idle=IMITATION_MINUTES,
        life=IMITATION_MINUTES,
        imitator=imitator.user_id,
        origin=imitator.session_id,
    )


def _open(conn: Connection, user_id: int, **values: Any) -> Opened:
    token, key = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    given = {"hash": _hash(token), "key": key, "user": user_id, **_NOT_SAID, **values}
    row = conn.execute(_OPEN, given).one()
    return Opened(token, key, row.expires_at, row.session_id)


def open_api_token(
    conn: Connection, user_id: int, days: int, name: str | None = None, scope: Sequence[str] | None = None
) -> str:
    """A token for integrations: it needs no signature, and lives `days` days.

    `name` says what it is for; `scope` limits it to some of the user's rights: whole codes, or with `*` for a part.
    """
    token = secrets.token_urlsafe(32)
    life = days * 24 * 60
    values = {"hash": _hash(token), "key": None, "user": user_id, "idle": life, "life": life}
    limits = {"name": name, "scope": None if scope is None else list(scope)}
    conn.execute(_OPEN, {**_NOT_SAID, **values, **limits})
    return token


def _idle_hours(conn: Connection) -> int:
    """After how many hours without a call a login ends, as the group has set it."""
    hours: int = conn.exec_driver_sql("select session_hours from erp_config limit 1").scalar_one()
    return hours


def close_session(conn: Connection, session_id: int, how: int = LOGGED_OUT) -> None:
    """End one session, and simulated logins with it."""
    conn.execute(_END_ONE, {"session": session_id, "how": how})


def end_all(conn: Connection, user_id: int, how: int, but: int = 0) -> None:
    """End a user's sessions, but for one."""
    conn.execute(_END_ALL, {"user": user_id, "but": but, "how": how})


def end_every(conn: Connection, how: int) -> None:
    """End all sessions and API tokens of everybody."""
    conn.execute(_END_EVERY, {"how": how})


def drop_expired(conn: Connection) -> None:
    """Delete the sessions and tokens that are past their time; the login log keeps when each was over."""
    conn.execute(_END_EXPIRED, {"how": EXPIRED})


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
