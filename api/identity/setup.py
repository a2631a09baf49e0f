"""Setup (初始化): the administrator, without whom nobody could grant anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, select, text

from api.identity import passwords, rights, sessions
from api.identity.tables import Role, UserAccount
from api.kit.declaration import menu
from api.kit.errors import NotFound, Refusal
from api.kit.scope import ALL_RIGHTS
from api.kit.storage import business_log
from api.kit.storage.database import run_transaction
from api.kit.storage.initials import initials

ADMIN = "admin"
ADMIN_ROLE = "系统管理员"
GROUP_NAME = "集团总部"


def ensure_admin(conn: Connection, password: str) -> int:
    """Create the head company, the administrator's role and user where missing; return the user's id.

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
    role_values = {"role_name": ADMIN_ROLE, "scope_kind": 1, "own_kind": 1, "sees_cost": True}
    Role.fill_defaults(role_values)
    role: int = conn.execute(
        Role.table().insert().values(role_values).returning(Role.table().c.role_id)
    ).scalar_one()
    rights.replace_role_grants(conn, role, [ALL_RIGHTS])
    values: dict[str, Any] = {
        "user_name": ADMIN,
        "realname": "管理员",
        "company_id": company,
        "role_id": role,
    }
    UserAccount.fill_defaults(values)
    statement = UserAccount.table().insert().values(**values, password_hash=passwords.hash_password(password))
    return int(conn.execute(statement.returning(UserAccount.table().c.user_id)).scalar_one())


def issue_token(user_name: str, days: int, name: str | None, scope: Sequence[str] | None) -> str:
    """Create and return a user's API token; the business log records its scope, not the token.

    Raises: Refusal, NotFound.
    """
    unknown = [
        one
        for one in scope or ()
        if not any(sessions.scope_covers_right(one, code) for code in menu.list_rights())
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
        message = f"发放接口令牌{f'“{name}”' if name else ''}，{days}天，范围：{limits}"
        principal = sessions.read_principal(conn, user)
        business_log.log_action(
            conn, principal, UserAccount.name(), user, "edit", company_id=principal.company_id, reason=message
        )
        return token

    return run_transaction(issue)
