"""Login (登录): password check with a rate limit that holds across processes, and the log of it.

Who guesses somebody's password is stopped at his own address. The one whose name it is goes on logging in from where he
does: what is counted elsewhere closes only addresses that are strange to the name. Where many share one address, a
browser is known by a cookie: what is guessed without it closes nothing to the one who has it, and its own guesses close
it alone.
"""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Row, text

from api.identity import passwords
from api.identity.sessions import Opened
from api.identity.tables import (
    KNOWN_DAYS,
    LOCK_MINUTES,
    LOCKED_AFTER,
    STRANGE_AFTER,
    came_from,
    counted_failure,
    is_known,
    is_own,
    strange_failure,
)
from api.kit.database import transact
from api.kit.errors import Refusal

MAX_PER_CLIENT = 50
"""So many failures from one address close it, but to names that are known there."""
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
        where {came_from("a")} = coalesce(:device, :client) and {counted_failure(":name")}) as here,
    (select count(*) from login_attempt a where {strange_failure(":name")}) as strange,
    (select count(*) from login_attempt where client = :client and device is null and not succeeded
        and at > now() - interval '{LOCK_MINUTES} minutes') as by_client,
    cast(:device as text) is not null or {is_known(":name", ":client")} as known
""")
_RECORD = text(
    "insert into login_attempt"
    " (user_name, client, device, given, agent, user_id, succeeded, reason, imitator_id, session_id) values"
    " (:name, :client, :device, :given, :agent, :user, :succeeded, :reason, :imitator, :session) returning attempt_id"
)
_OPENED = text("update login_attempt set session_id = :session where attempt_id = :attempt")
_FOLLOWED = text(f"""
update login_attempt
set device = case when device = :before then :after else device end,
    given = case when given = :before then :after else given end
where :before in (device, given) and at > now() - interval '{KNOWN_DAYS} days'
""")
"""Whoever is known on a browser, and what he failed there, by what it keeps from now on; what it kept is nobody's."""
_OWN = text(f"select {is_own(':name', ':device')}")
_ALONE = text("select pg_advisory_xact_lock(hashtextextended('login:' || :name, 0))")


def new_device() -> str:
    """What a browser keeps that nobody has logged in on yet."""
    return secrets.token_urlsafe(DEVICE_BYTES)


def check(
    user_name: str, password: str, client: str, agent: str = "", device: str = ""
) -> tuple[Row[Any], int, str]:
    """The user behind a name and password, the entry in the login log, and what his browser keeps from now on;
    `device` is what it kept.

    Refusals are recorded and, past the limit, come without a check. What isn't the name's own may have been put into
    the browser by somebody who knows it: it is given another, and whoever logged in on it before is known by that.

    It runs in a transaction of its own, so that a failed try is kept.
    """

    def attempt(conn: Connection) -> tuple[Row[Any], int, str] | Refusal:
        own = _own(conn, user_name, device)
        if closed := _closed(conn, user_name, client, own):
            return closed
        user = conn.execute(_USER, {"name": user_name, "key": 0}).first()
        fits = passwords.matches(password, user.password_hash if user else None)
        reason = None if user and fits and user.enabled else _reason(user, fits)
        kept = device if own else new_device()
        given = None if reason or own else _digest(kept)
        if given and device:
            conn.execute(_FOLLOWED, {"before": _digest(device), "after": given})
        entry = record(
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

    outcome = transact(attempt, beside=True)
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


def prove(user_name: str, password: str, client: str, agent: str = "", device: str = "") -> None:
    """Refuse what isn't a user's password, to whoever sits at his open session; failed tries count as at the login."""

    def attempt(conn: Connection) -> Refusal | None:
        own = _own(conn, user_name, device)
        if closed := _closed(conn, user_name, client, own):
            return closed
        user = conn.execute(_USER, {"name": user_name, "key": 0}).one()
        if passwords.matches(password, user.password_hash):
            return None
        reason = "修改密码时原密码错误"
        record(conn, user_name, client, agent, user_id=user.user_id, reason=reason, device=own)
        return Refusal("原密码不正确")

    if refusal := transact(attempt, beside=True):
        raise refusal


def _digest(device: str) -> str:
    return sha256(device.encode()).hexdigest()


def _own(conn: Connection, user_name: str, device: str) -> str | None:
    """The device as it is logged, where the name was logged in under on it; another says nothing for it."""
    told = _digest(device)
    return told if device and conn.execute(_OWN, {"name": user_name, "device": told}).scalar_one() else None


def _closed(conn: Connection, user_name: str, client: str, own: str | None) -> Refusal | None:
    """The refusal of one more try, past the limit; tries on one name queue up here."""
    conn.execute(_ALONE, {"name": user_name})
    failed = conn.execute(_FAILED, {"name": user_name, "client": client, "device": own}).one()
    strange = failed.strange >= STRANGE_AFTER or failed.by_client >= MAX_PER_CLIENT
    if failed.here < LOCKED_AFTER and (failed.known or not strange):
        return None
    return Refusal(f"登录失败次数过多，请{LOCK_MINUTES}分钟后再试")


def person(conn: Connection, user_id: int) -> Row[Any] | None:
    """What a login tells of a user."""
    return conn.execute(_USER, {"name": "", "key": user_id}).first()


def record(
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
    """Enter a try into the login log; without a reason to refuse it succeeded."""
    values = {"name": user_name, "client": client, "agent": agent, "user": user_id, "reason": reason}
    more = {"succeeded": reason is None, "imitator": imitator_id, "session": session_id}
    devices = {"device": device, "given": given}
    return int(conn.execute(_RECORD, values | more | devices).scalar_one())


def opened(conn: Connection, entry: int, session: Opened) -> None:
    """Say which session a login opened."""
    conn.execute(_OPENED, {"attempt": entry, "session": session.session_id})


def _reason(user: Row[Any] | None, fits: bool) -> str:
    if user is None:
        return "用户名不存在"
    return "账号已停用" if fits else "密码错误"
