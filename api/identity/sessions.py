"""Sessions (会话): opaque tokens in Postgres, proven on each call together with the role's present rights."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, Row, text

from api.identity.tables import OWN_NAMES
from api.kit import details
from api.kit.context import Session
from api.kit.errors import Unauthenticated
from api.kit.scope import Principal

IDLE_HOURS = 12
LIFE_DAYS = 7
TOUCH_MINUTES = 5

_PERSON = """
       u.user_id, u.user_name, u.realname, u.company_id, e.department_id,
       r.role_id, r.version, r.scope_kind, r.own_kind, r.sees_cost
from user_account u
join role r on r.role_id = u.role_id and r.enabled
left join employee e on e.employee_id = u.employee_id
"""
_FIND = f"""
select s.session_id, s.sign_key, s.seen_at < now() - make_interval(mins => %s) as stale, {_PERSON}
join user_session s on s.user_id = u.user_id
where s.token_hash = %s and s.expires_at > now() and u.enabled
"""
_BY_USER = f"select {_PERSON} where u.user_id = %s and u.enabled"
_TOUCH = """
update user_session set seen_at = now(), expires_at = least(ends_at, now() + make_interval(hours => %s))
where session_id = %s
"""
_OPEN = text(
    "insert into user_session (token_hash, sign_key, user_id, expires_at, ends_at) values (:hash, :key, :user,"
    " now() + make_interval(hours => :idle), now() + make_interval(days => :life)) returning expires_at"
)


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


_grants: WeakKeyDictionary[Engine, dict[int, tuple[int, Grants]]] = WeakKeyDictionary()
"""What roles hold, by database: two databases number their roles alike."""


def authenticate(conn: Connection, token: str) -> Session:
    """The session of a token; refused when unknown, expired, or its user or role is disabled."""
    row = conn.exec_driver_sql(_FIND, (TOUCH_MINUTES, _hash(token))).first()
    if row is None:
        raise Unauthenticated()
    if row.stale and row.sign_key is not None:
        conn.exec_driver_sql(_TOUCH, (IDLE_HOURS, row.session_id))
    return Session(_principal(conn, row, row.session_id), row.sign_key)


def principal_of(conn: Connection, user_id: int) -> Principal:
    """A user with his present rights, for work done on his behalf outside a request."""
    row = conn.exec_driver_sql(_BY_USER, (user_id,)).first()
    if row is None:
        raise Unauthenticated("账号已停用")
    return _principal(conn, row, 0)


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
    token, key = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    values = {"hash": _hash(token), "key": key, "user": user_id, "idle": IDLE_HOURS, "life": LIFE_DAYS}
    return Opened(token, key, conn.execute(_OPEN, values).scalar_one())


def open_api_token(conn: Connection, user_id: int, days: int) -> str:
    """A token for integrations: it needs no signature, and lives `days` days."""
    token = secrets.token_urlsafe(32)
    values = {"hash": _hash(token), "key": None, "user": user_id, "idle": days * 24, "life": days}
    conn.execute(_OPEN, values)
    return token


def close_session(conn: Connection, session_id: int) -> None:
    """Log out."""
    conn.execute(text("delete from user_session where session_id = :id"), {"id": session_id})


def _hash(token: str) -> bytes:
    return sha256(token.encode()).digest()
