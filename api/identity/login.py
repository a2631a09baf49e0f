"""Login (登录): password check with a rate limit across processes, and its log.

Guesses lock the address they come from. The user goes on logging in from his own: failures
elsewhere lock only addresses that are strange to the name. Where many share one address, a cookie
identifies a browser: guesses without it don't lock the browser that has it, and its own guesses
lock it alone.
"""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Row, text

from api.identity import passwords
from api.identity.sessions import NewSession
from api.identity.tables import (
    KNOWN_DAYS,
    LOCK_MINUTES,
    LOCKED_AFTER,
    STRANGE_AFTER,
    attempt_origin_sql,
    counted_failure_sql,
    known_address_sql,
    own_device_sql,
    strange_failure_sql,
)
from api.kit.errors import Refusal
from api.kit.storage.database import run_transaction

MAX_PER_CLIENT = 50
"""Failures from one address that lock it, except for names that are known there."""
DEVICE_BYTES = 24

_USER = text(
    "select u.user_id, u.user_name, u.realname, u.password_hash, u.must_change_password,"
    " u.enabled and r.enabled as enabled, u.company_id, c.company_name, d.department_name, r.role_id, r.role_name"
    " from user_account u join role r using (role_id) join company c on c.company_id = u.company_id"
    " left join employee e using (employee_id) left join department d on d.department_id = e.department_id"
    " where u.user_name = :name or u.user_id = :key"
)
_FAILED = text(f"""
select (select count(*) from login_attempt a
        where {attempt_origin_sql("a")} = coalesce(:device, :client) and {counted_failure_sql(":name")}) as here,
    (select count(*) from login_attempt a where {strange_failure_sql(":name")}) as strange,
    (select count(*) from login_attempt where client = :client and device is null and not succeeded
        and at > now() - interval '{LOCK_MINUTES} minutes') as by_client,
    cast(:device as text) is not null or {known_address_sql(":name", ":client")} as known
""")
_RECORD = text(
    "insert into login_attempt"
    " (user_name, client, device, given, agent, user_id, succeeded, reason, imitator_id, session_id) values"
    " (:name, :client, :device, :given, :agent, :user, :succeeded, :reason, :imitator, :session) returning attempt_id"
)
_SET_SESSION = text("update login_attempt set session_id = :session where attempt_id = :attempt")
_RENEW_DEVICE = text(f"""
update login_attempt
set device = case when device = :before then :after else device end,
    given = case when given = :before then :after else given end
where :before in (device, given) and at > now() - interval '{KNOWN_DAYS} days'
""")
"""Rewrites a browser's old device token in the log as its new one; the old one is then worthless."""
_IS_OWN_DEVICE = text(f"select {own_device_sql(':name', ':device')}")
_LOCK_NAME = text("select pg_advisory_xact_lock(hashtextextended('login:' || :name, 0))")


def create_device_token() -> str:
    """Return a new device token for the cookie of a browser."""
    return secrets.token_urlsafe(DEVICE_BYTES)


def check_login(
    user_name: str, password: str, client: str, agent: str = "", device: str = ""
) -> tuple[Row[Any], int, str]:
    """Check a password; return the user, the entry in the login log and the device token to keep.

    `device` is the token that the browser sent. Raises: Refusal, which is logged; past the limit
    without a check.

    A token that isn't the name's own may have been planted by somebody who knows it: the browser gets
    another, and whoever logged in on it before is known by that.

    Runs in a transaction of its own, so that a failed attempt is stored.
    """

    def attempt(conn: Connection) -> tuple[Row[Any], int, str] | Refusal:
        own = _find_own_device(conn, user_name, device)
        if closed := _find_lockout(conn, user_name, client, own):
            return closed
        user = conn.execute(_USER, {"name": user_name, "key": 0}).first()
        fits = passwords.verify_password(password, user.password_hash if user else None)
        reason = None if user and fits and user.enabled else _describe_failure(user, fits)
        kept = device if own else create_device_token()
        given = None if reason or own else _hash_device(kept)
        if given and device:
            conn.execute(_RENEW_DEVICE, {"before": _hash_device(device), "after": given})
        entry = record_attempt(
            conn,
            user_name,
            client,
            agent,
            user_id=user.user_id if user else None,
            reason=reason,
            device=own,
            given=given,
        )
        if user is None or not fits:
            return Refusal("用户名或密码错误")
        return (user, entry, kept) if user.enabled else Refusal("账号已停用，请联系管理员")

    outcome = run_transaction(attempt, nested=True)
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


def require_password(user_name: str, password: str, client: str, agent: str = "", device: str = "") -> None:
    """Raise Refusal unless the password is that of the session's user; failures count as at the login."""

    def attempt(conn: Connection) -> Refusal | None:
        own = _find_own_device(conn, user_name, device)
        if closed := _find_lockout(conn, user_name, client, own):
            return closed
        user = conn.execute(_USER, {"name": user_name, "key": 0}).one()
        if passwords.verify_password(password, user.password_hash):
            return None
        reason = "修改密码时原密码错误"
        record_attempt(conn, user_name, client, agent, user_id=user.user_id, reason=reason, device=own)
        return Refusal("原密码不正确")

    if refusal := run_transaction(attempt, nested=True):
        raise refusal


def _hash_device(device: str) -> str:
    return sha256(device.encode()).hexdigest()


def _find_own_device(conn: Connection, user_name: str, device: str) -> str | None:
    """Return the hash of the device token where the name has logged in with it, else None."""
    digest = _hash_device(device)
    return (
        digest
        if device and conn.execute(_IS_OWN_DEVICE, {"name": user_name, "device": digest}).scalar_one()
        else None
    )


def _find_lockout(conn: Connection, user_name: str, client: str, own: str | None) -> Refusal | None:
    """Return the refusal of an attempt past the limit, else None; attempts on one name are serialized."""
    conn.execute(_LOCK_NAME, {"name": user_name})
    failed = conn.execute(_FAILED, {"name": user_name, "client": client, "device": own}).one()
    strange = failed.strange >= STRANGE_AFTER or failed.by_client >= MAX_PER_CLIENT
    if failed.here < LOCKED_AFTER and (failed.known or not strange):
        return None
    return Refusal(f"登录失败次数过多，请{LOCK_MINUTES}分钟后再试")


def read_user(conn: Connection, user_id: int) -> Row[Any] | None:
    """Read a user by his id, as a login does."""
    return conn.execute(_USER, {"name": "", "key": user_id}).first()


def record_attempt(
    conn: Connection,
    user_name: str,
    client: str,
    agent: str,
    *,
    user_id: int | None,
    reason: str | None,
    device: str | None = None,
    given: str | None = None,
    imitator_id: int | None = None,
    session_id: int | None = None,
) -> int:
    """Insert an attempt into the login log and return its key; it succeeded where `reason` is None."""
    values = {"name": user_name, "client": client, "agent": agent, "user": user_id, "reason": reason}
    more = {"succeeded": reason is None, "imitator": imitator_id, "session": session_id}
    devices = {"device": device, "given": given}
    return int(conn.execute(_RECORD, values | more | devices).scalar_one())


def record_session(conn: Connection, entry: int, session: NewSession) -> None:
    """Set the session that a login opened."""
    conn.execute(_SET_SESSION, {"attempt": entry, "session": session.session_id})


def _describe_failure(user: Row[Any] | None, fits: bool) -> str:
    if user is None:
        return "用户名不存在"
    return "账号已停用" if fits else "密码错误"
