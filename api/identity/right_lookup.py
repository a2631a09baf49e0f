"""Right lookup (权限的持有人): users who may approve what another user is refused."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import exists, or_, select

from api.identity.tables import ALL_COMPANIES, OWN_KINDS, Role, RoleCompany, RoleRight, UserAccount
from api.kit.context import Context
from api.kit.scope import ALL_RIGHTS

SHOWN = 5


def list_right_holders(ctx: Context, right: str) -> Sequence[str]:
    """Return some enabled users with a right for all bills of the user's company, colleagues first."""
    company = ctx.principal.company_id
    has_right = exists().where(RoleRight.role_id == Role.role_id, RoleRight.code.in_((right, ALL_RIGHTS)))
    reached = exists().where(RoleCompany.role_id == Role.role_id, RoleCompany.company_id == company)
    query = (
        select(UserAccount.realname)
        .join_from(UserAccount, Role, UserAccount.role_id == Role.role_id)
        .where(UserAccount.enabled, Role.enabled, Role.own_kind == OWN_KINDS["all"], has_right)
        .where(or_(UserAccount.company_id == company, Role.scope_kind == ALL_COMPANIES, reached))
        .order_by((UserAccount.company_id == company).desc(), UserAccount.user_id)
        .limit(SHOWN)
    )
    return ctx.conn.execute(query).scalars().all()
