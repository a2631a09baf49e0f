"""Login (登录): password check with a rate limit that holds across processes, and the log of it.

Who guesses somebody's password is stopped at his own address. The one whose name it is goes on logging in from where he
does: what is counted elsewhere closes only addresses that are strange to the name.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, text

from api.identity import passwords
from api.identity.sessions import Opened
from api.identity.tables import (
    LOCK_MINUTES,
    LOCKED_AFTER,
    STRANGE_AFTER,
    counted_failure,
    is_known,
    strange_failure,
)
from api.kit.database import transact
from api.kit.errors import Refusal

MAX_PER_CLIENT = 50
"""So many failures from one address close it, but to names that are known there."""

_USER = text(
    "select u.user_id, u.user_name, u.realname, u.password_hash, u.must_change_password,"
    " u.enabled and r.enabled as enabled, u.company_id, c.company_name, d.department_name, r.role_id, r.role_name"
    " from user_account u join role r using (role_id) join company c on c.company_id = u.company_id"
    " left join employee e using (employee_id) left join department d on d.department_id = e.department_id"
    " where u.user_name = :name or u.user_id = :key"
)
_FAILED = text(f"""
select (select count(*) from login_attempt a where a.client = :client and {counted_failure(":name")}) as here,
    (select count(*) from login_attempt a where {strange_failure(":name")}) as strange,
    (select count(*) from login_attempt where client = :client and not succeeded
        and at > now() - interval '{LOCK_MINUTES} minutes') as by_client,
    {is_known(":name", ":client")} as known
""")
_RECORD = text(
    "insert into login_attempt (user_name, client, agent, user_id, succeeded, reason, imitator_id, session_id)"
    " values (:name, :client, :agent, :user, :succeeded, :reason, :imitator, :session) returning attempt_id"
)
_OPENED = text("update login_attempt set session_id = :session where attempt_id = :attempt")
_ALONE = text("select pg_advisory_xact_lock(hashtextextended('login:' || :name, 0))")


def check(user_name: str, password: str, client: str, agent: str = "") -> tuple[Row[Any], int]:
    """The user behind a name and password, and the entry in the login log.

    Refusals are recorded and, past the limit, come without a check.

    It runs in a transaction of its own, so that a failed try is kept.
    """

    def attempt(conn: Connection) -> tuple[Row[Any], int] | Refusal:
        if closed := _closed(conn, user_name, client):
            return closed
        user = conn.execute(_USER, {"name": user_name, "key": 0}).first()
        fits = passwords.matches(password, user.password_hash if user else None)
        reason = None if user and fits and user.enabled else _reason(user, fits)
        entry = record(conn, user_name, client, agent, user_id=user.user_id if user else None, reason=reason)
        if user is None or not fits:
            return Refusal("用户名或密码错误")
        return (user, entry) if user.enabled else Refusal("账号已停用，请联系管理员")

    outcome = transact(attempt, beside=True)
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome


def prove(user_name: str, password: str, client: str, agent: str = "") -> None:
    """Refuse what isn't a user's password, to whoever sits at his open session; failed tries count as at the login."""

    def attempt(conn: Connection) -> Refusal | None:
        if closed := _closed(conn, user_name, client):
            return closed
        user = conn.execute(_USER, {"name": user_name, "key": 0}).one()
        if passwords.matches(password, user.password_hash):
            return None
        record(conn, user_name, client, agent, user_id=user.user_id, reason="修改密码时原密码错误")
        return Refusal("原密码不正确")

    if refusal := transact(attempt, beside=True):
        raise refusal


def _closed(conn: Connection, user_name: str, client: str) -> Refusal | None:
    """The refusal of one more try, past the limit; tries on one name queue up here."""
    conn.execute(_ALONE, {"name": user_name})
    failed = conn.execute(_FAILED, {"name": user_name, "client": client}).one()
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
    imitator_id: int | None = None,
    session_id: int | None = None,
) -> int:
    """Enter a try into the login log; without a reason to refuse it succeeded."""
    values = {"name": user_name, "client": client, "agent": agent, "user": user_id, "reason": reason}
    more = {"succeeded": reason is None, "imitator": imitator_id, "session": session_id}
    return int(conn.execute(_RECORD, values | more).scalar_one())


def opened(conn: Connection, entry: int, session: Opened) -> None:
    """Say which session a login opened."""
    conn.execute(_OPENED, {"attempt": entry, "session": session.session_id})


def _reason(user: Row[Any] | None, fits: bool) -> str:
    if user is None:
        return "用户名不存在"
    return "账号已停用" if fits else "密码错误"
