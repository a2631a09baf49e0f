"""Login (登录): password check with a rate limit that holds across processes."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, text

from api.identity import passwords
from api.kit.database import transact
from api.kit.errors import Refusal

WINDOW_MINUTES = 15
MAX_PER_USER = 5
MAX_PER_CLIENT = 50

_USER = text(
    "select u.user_id, u.user_name, u.realname, u.password_hash, u.enabled and r.enabled as enabled, u.company_id,"
    " c.company_name, d.department_name, r.role_id, r.role_name"
    " from user_account u join role r using (role_id) join company c on c.company_id = u.company_id"
    " left join employee e using (employee_id) left join department d on d.department_id = e.department_id"
    " where u.user_name = :name"
)
_FAILED = text(
    "select count(*) filter (where user_name = :name) as by_user, count(*) filter (where client = :client) as by_client"
    " from login_attempt where not succeeded and at > now() - make_interval(mins => :window)"
    " and (user_name = :name or client = :client)"
    " and at > coalesce((select max(at) from login_attempt where user_name = :name and succeeded), '-infinity')"
)
_RECORD = text("insert into login_attempt (user_name, client, succeeded) values (:name, :client, :succeeded)")
_ALONE = text("select pg_advisory_xact_lock(hashtextextended('login:' || :name, 0))")


def check(user_name: str, password: str, client: str) -> Row[Any]:
    """The user behind a name and password; refusals are recorded and, past the limit, come without a check.

    It runs in a transaction of its own, so that a failed try is kept; tries on one name queue up.
    """

    def attempt(conn: Connection) -> Row[Any] | Refusal:
        named = {"name": user_name, "client": client}
        conn.execute(_ALONE, {"name": user_name})
        failed = conn.execute(_FAILED, {**named, "window": WINDOW_MINUTES}).one()
        if failed.by_user >= MAX_PER_USER or failed.by_client >= MAX_PER_CLIENT:
            return Refusal(f"登录失败次数过多，请{WINDOW_MINUTES}分钟后再试")
        user = conn.execute(_USER, {"name": user_name}).first()
        fits = passwords.matches(password, user.password_hash if user else None)
        conn.execute(_RECORD, {**named, "succeeded": fits})
        if user is None or not fits:
            return Refusal("用户名或密码错误")
        return user if user.enabled else Refusal("账号已停用，请联系管理员")

    outcome = transact(attempt, beside=True)
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome
