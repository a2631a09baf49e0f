"""Setup (初始化): the administrator, without whom nobody could grant anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, select, text

from api.identity import passwords, rights, sessions
from api.identity.tables import Role, UserAccount
from api.kit import business_log, menus
from api.kit.database import transact
from api.kit.errors import NotFound, Refusal
from api.kit.initials import initials
from api.kit.scope import ALL_RIGHTS

ADMIN = "admin"
ADMIN_ROLE = "系统管理员"
GROUP_NAME = "集团总部"


def ensure_admin(conn: Connection, password: str) -> int:
    """Make the head company, the administrator's role and user where missing; answers the user's id.

    An existing administrator keeps his password.
    """
    user = conn.execute(select(UserAccount.user_id).where(UserAccount.user_name == ADMIN)).scalar()
    if user is not None:
        return int(user)
    company: int = conn.execute(
        text(
            "insert into company (company_name, logogram, company_code, short_name)"
            " values (:name, :initials, 'HQ', :name)"
            " on conflict (company_code) do update set company_code = excluded.company_code returning company_id"
        ),
        {"name": GROUP_NAME, "initials": initials(GROUP_NAME)},
    ).scalar_one()
    held = {"role_name": ADMIN_ROLE, "scope_kind": 1, "own_kind": 1, "sees_cost": True}
    Role.complete(held)
    role: int = conn.execute(
        Role.table().insert().values(held).returning(Role.table().c.role_id)
    ).scalar_one()
    rights.settle(conn, role, [ALL_RIGHTS])
    values: dict[str, Any] = {
        "user_name": ADMIN,
        "realname": "管理员",
        "company_id": company,
        "role_id": role,
    }
    UserAccount.complete(values)
    statement = UserAccount.table().insert().values(**values, password_hash=passwords.hashed(password))
    return int(conn.execute(statement.returning(UserAccount.table().c.user_id)).scalar_one())


def issue_token(user_name: str, days: int, name: str | None, scope: Sequence[str] | None) -> str:
    """An API token of a user, told once; the business log tells who may do what by it, not the token."""
    unknown = [
        one for one in scope or () if not any(sessions.covers(one, code) for code in menus.every_right())
    ]
    if unknown:
        raise Refusal(
            f"没有权限 {'、'.join(unknown)}；权限如 sales_outbound:list，可用 * 代替其中一段，见 erp calls"
        )

    def issue(conn: Connection) -> str:
        user = conn.execute(select(UserAccount.user_id).where(UserAccount.user_name == user_name)).scalar()
        if user is None:
            raise NotFound("用户")
        token = sessions.open_api_token(conn, user, days, name, scope)
        limits = "、".join(scope) if scope else "用户的全部权限"
        told = f"发放接口令牌{f'“{name}”' if name else ''}，{days}天，范围：{limits}"
        principal = sessions.principal_of(conn, user)
        business_log.write(
            conn, principal, UserAccount.name(), user, "edit", company_id=principal.company_id, reason=told
        )
        return token

    return transact(issue)
