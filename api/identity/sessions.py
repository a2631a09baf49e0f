"""Sessions (会话): opaque tokens in Postgres, checked on each call with the role's present rights."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, Row, text

from api.identity.tables import OWN_NAMES
from api.kit.context import Session
from api.kit.declaration import detail_reports, menu
from api.kit.errors import Forbidden, Unauthenticated
from api.kit.scope import ALL_RIGHTS, Principal

LIFE_DAYS = 7
TOUCH_MINUTES = 5
IMPERSONATION_MINUTES = 60
LOGGED_OUT, ENDED, PASSWORD, DISABLED, IMPERSONATION_ENDED, EXPIRED, RESTORED = 1, 2, 3, 4, 5, 6, 7
ENDINGS = {
    LOGGED_OUT: "退出登录",
    ENDED: "被管理员结束",
    PASSWORD: "密码已修改",
    DISABLED: "账号停用",
    IMPERSONATION_ENDED: "结束模拟",
    EXPIRED: "已过期",
    RESTORED: "数据已恢复",
}
"""Ends of sessions."""
IMPERSONATE_RIGHT = "imitate_login:imitate"
TOKEN_MARK = "接口令牌"
"""Label in the business log for an action by an API token."""
SENSITIVE = ("role:", "user_account:", "right_bundle:", "imitate_login:")
"""Rights that a simulated login lacks, except for reading."""

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
_MARK_USED = "update user_session set seen_at = now() where session_id = %s"
_OPEN = text(
    "insert into user_session"
    " (token_hash, sign_key, user_id, expires_at, ends_at, imitator_id, origin_id, token_name, scope) values"
    " (:hash, :key, :user, now() + make_interval(mins => :idle), now() + make_interval(mins => :life), :imitator,"
    " :origin, :name, :scope) returning session_id, expires_at"
)
_NO_EXTRAS = {"imitator": None, "origin": None, "name": None, "scope": None}
_END = """
with ended as (
    delete from user_session s using user_session o
    where o.session_id = coalesce(s.origin_id, s.session_id) and {which}
    returning s.session_id, {at} as at
)
update login_attempt a set ended_at = ended.at, ended_how = :how from ended where a.session_id = ended.session_id
"""
"""A simulated login ends with `o`, the session that it was opened from; the login log records both."""
_END_ONE = text(_END.format(which=":session in (s.session_id, s.origin_id)", at="now()"))
_END_ALL = text(
    _END.format(
        which=":user in (s.user_id, o.user_id) and :but not in (s.session_id, o.session_id)", at="now()"
    )
)
_END_EVERY = text(_END.format(which="true", at="now()"))
_EXPIRY = "least(s.expires_at, o.expires_at)"
_END_EXPIRED = text(_END.format(which=f"{_EXPIRY} <= now()", at=_EXPIRY))


@dataclass(frozen=True, slots=True)
class Grants:
    """Grants of a role at one version."""

    rights: frozenset[str]
    companies: frozenset[int]
    warehouses: frozenset[int] | None
    denied: frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class NewSession:
    """A new session; its token and signing key are answered once."""

    token: str
    sign_key: str
    expires_at: Any
    session_id: int


_grants: WeakKeyDictionary[Engine, dict[int, tuple[int, Grants]]] = WeakKeyDictionary()
"""Grants of roles by database: two databases number their roles alike."""


def authenticate_token(conn: Connection, token: str) -> Session:
    """Return the session of a token.

    Raises: Unauthenticated where it is unknown or expired, or its user or role is disabled.
    """
    return _prove_session(conn, _BY_TOKEN, _hash_token(token))


def resume_session(conn: Connection, session_id: int) -> Session:
    """Return a session by its number, for connections opened from it."""
    return _prove_session(conn, _BY_NUMBER, session_id)


def _prove_session(conn: Connection, query: str, value: bytes | int) -> Session:
    row = conn.exec_driver_sql(query, (TOUCH_MINUTES, value)).first()
    if row is None:
        raise Unauthenticated()
    if row.stale and row.sign_key is not None:
        conn.exec_driver_sql(_TOUCH, (_read_idle_hours(conn), row.session_id))
    elif row.stale:
        conn.exec_driver_sql(_MARK_USED, (row.session_id,))
    principal = _build_principal(conn, row, row.session_id)
    if row.sign_key is None:
        principal = _limit_to_token_scope(principal, row.token_name, row.scope)
    if row.imitator_id is not None:
        principal = _limit_to_impersonator(principal, _read_impersonator(conn, row.imitator_id))
    elif row.must_change_password:
        principal = replace(principal, rights=frozenset())
    return Session(principal, row.sign_key)


def _limit_to_token_scope(user: Principal, name: str | None, scope: list[str] | None) -> Principal:
    """Return the user's principal limited to an API token's scope; the business log names the token."""
    rights = user.rights
    if scope is not None:
        granted = menu.list_rights().keys() if ALL_RIGHTS in rights else rights
        rights = frozenset(code for code in granted if any(scope_covers_right(one, code) for one in scope))
    return replace(
        user,
        rights=rights,
        imitator_name=f"{TOKEN_MARK}{f'：{name}' if name else ''}",
        limited=scope is not None,
    )


def scope_covers_right(scope: str, code: str) -> bool:
    """Return whether a token's scope entry covers a right: exactly, or by `*` (`goods:*`, `*:list`)."""
    wanted, given = scope.split(":"), code.split(":")
    return len(wanted) == len(given) and all(
        one in ("*", other) for one, other in zip(wanted, given, strict=True)
    )


def _read_impersonator(conn: Connection, user_id: int) -> Principal:
    """Return the principal of an impersonator.

    Raises: Unauthenticated where he has lost the right.
    """
    row = conn.exec_driver_sql(_BY_USER, (user_id,)).first()
    found = _build_principal(conn, row, 0) if row is not None else None
    if found is None or found.own != "all" or not found.has_right(IMPERSONATE_RIGHT):
        raise Unauthenticated("模拟登录已结束")
    return found


def _limit_to_impersonator(user: Principal, imitator: Principal) -> Principal:
    """Return the user's principal limited to the rights that the impersonator has at this moment.

    Accounts, roles and passwords are excluded; so are exports, which would be written with all the
    user's rights.
    """
    granted = menu.list_rights().keys() if ALL_RIGHTS in user.rights else user.rights
    rights = frozenset(
        code
        for code in granted
        if imitator.has_right(code)
        and not code.endswith(":export")
        and (code.endswith(":list") or not code.startswith(SENSITIVE))
    )
    return replace(
        user,
        rights=rights,
        companies=_intersect_scopes(user.companies, imitator.companies),
        warehouses=_intersect_scopes(user.warehouses, imitator.warehouses),
        sees_cost=user.sees_cost and imitator.sees_cost,
        denied_fields=user.denied_fields | imitator.denied_fields,
        imitator_id=imitator.user_id,
        imitator_name=imitator.realname,
    )


def _intersect_scopes(one: frozenset[int] | None, other: frozenset[int] | None) -> frozenset[int] | None:
    """Return the intersection of two scopes; None is no limit."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


def read_principal(conn: Connection, user_id: int) -> Principal:
    """Read a user's principal with his present rights, for work on his behalf outside a request."""
    row = conn.exec_driver_sql(_BY_USER, (user_id,)).first()
    if row is None:
        raise Unauthenticated("账号已停用")
    return _build_principal(conn, row, 0)


def has_narrowed_scope(conn: Connection, me: Principal) -> bool:
    """Return whether a simulated login sees less than the user himself."""
    if not me.imitator_id:
        return False
    user = read_principal(conn, me.user_id)
    return (me.companies, me.warehouses, me.sees_cost, me.denied_fields) != (
        user.companies,
        user.warehouses,
        user.sees_cost,
        user.denied_fields,
    )


def require_full_scope(conn: Connection, me: Principal, what: str) -> None:
    """Raise Forbidden where a simulated login sees less than the user, whose own rights `what` uses."""
    if has_narrowed_scope(conn, me):
        raise Forbidden(f"您的数据范围小于被模拟的用户，模拟登录时不能{what}")


def _build_principal(conn: Connection, row: Row[Any], session_id: int) -> Principal:
    grants = _read_grants(conn, row.role_id, row.version)
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


def _read_grants(conn: Connection, role_id: int, version: int) -> Grants:
    """Return a role's grants, cached until its version changes."""
    kept = _grants.setdefault(conn.engine, {})
    known = kept.get(role_id)
    if known and known[0] == version:
        return known[1]
    where = {"role": role_id}

    def read_column(query: str) -> list[Any]:
        return list(conn.execute(text(query), where).scalars())

    warehouses = read_column("select warehouse_id from role_warehouse where role_id = :role")
    denied = conn.execute(text("select screen, field from role_field_deny where role_id = :role"), where)
    grants = Grants(
        rights=frozenset(read_column("select code from role_right where role_id = :role")),
        companies=frozenset(read_column("select company_id from role_company where role_id = :role")),
        warehouses=frozenset(warehouses) or None,
        denied=detail_reports.extend_denied_fields((row.screen, row.field) for row in denied),
    )
    kept[role_id] = (version, grants)
    return grants


def open_session(conn: Connection, user_id: int) -> NewSession:
    """Open a session of a user."""
    return _insert_session(conn, user_id, idle=_read_idle_hours(conn) * 60, life=LIFE_DAYS * 24 * 60)


def open_impersonation(conn: Connection, user_id: int, imitator: Principal) -> NewSession:
    """Open a session as another user, which ends with the impersonator's own."""
    return _insert_session(
        conn,
        user_id,
        idle=IMPERSONATION_MINUTES,
        life=IMPERSONATION_MINUTES,
        imitator=imitator.user_id,
        origin=imitator.session_id,
    )


def _insert_session(conn: Connection, user_id: int, **values: Any) -> NewSession:
    token, key = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    given = {"hash": _hash_token(token), "key": key, "user": user_id, **_NO_EXTRAS, **values}
    row = conn.execute(_OPEN, given).one()
    return NewSession(token, key, row.expires_at, row.session_id)


def open_api_token(
    conn: Connection, user_id: int, days: int, name: str | None = None, scope: Sequence[str] | None = None
) -> str:
    """Create a token for integrations and return it: it needs no signature, and lives `days` days.

    `name` says what it is for; `scope` limits it to some of the user's rights: whole codes, or with `*`
    for a part.
    """
    token = secrets.token_urlsafe(32)
    life = days * 24 * 60
    values = {"hash": _hash_token(token), "key": None, "user": user_id, "idle": life, "life": life}
    limits = {"name": name, "scope": None if scope is None else list(scope)}
    conn.execute(_OPEN, {**_NO_EXTRAS, **values, **limits})
    return token


def _read_idle_hours(conn: Connection) -> int:
    """Read the number of hours without a call after which a session ends."""
    hours: int = conn.exec_driver_sql("select session_hours from erp_config limit 1").scalar_one()
    return hours


def close_session(conn: Connection, session_id: int, how: int = LOGGED_OUT) -> None:
    """End one session, and simulated logins with it."""
    conn.execute(_END_ONE, {"session": session_id, "how": how})


def end_user_sessions(conn: Connection, user_id: int, how: int, but: int = 0) -> None:
    """End a user's sessions, except `but`."""
    conn.execute(_END_ALL, {"user": user_id, "but": but, "how": how})


def end_all_sessions(conn: Connection, how: int) -> None:
    """End all sessions and API tokens of all users."""
    conn.execute(_END_EVERY, {"how": how})


def delete_expired_sessions(conn: Connection) -> None:
    """Delete expired sessions and tokens; the login log keeps when each ended."""
    conn.execute(_END_EXPIRED, {"how": EXPIRED})


def _hash_token(token: str) -> bytes:
    return sha256(token.encode()).digest()
