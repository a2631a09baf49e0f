"""Granting (授权): what a role may do, see and reach; nobody grants more than he has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, delete, insert, select, text

from api.identity.tables import (
    ALL_COMPANIES,
    OWN_KINDS,
    RightBundle,
    RightBundleRight,
    Role,
    RoleBundle,
    RoleCompany,
    RoleFieldDeny,
    RoleRight,
    RoleWarehouse,
    forbid_impersonation,
)
from api.kit.context import Context
from api.kit.declaration import detail_reports, menu
from api.kit.errors import Forbidden, NotFound, Refusal
from api.kit.scope import ALL_RIGHTS, Principal
from api.kit.storage import business_log

BEYOND_OWN_RIGHTS = "不能授予超出自己权限的权限"


def read_role_grants(conn: Connection, role_id: int) -> dict[str, list[Any]]:
    """Return the grants of a role: own rights, bundles, companies, warehouses and denied fields."""

    def read_column(column: Any, *more: Any) -> list[Any]:
        mine = column.class_.role_id == role_id
        return list(conn.execute(select(column).where(mine, *more)).scalars())

    denied = select(RoleFieldDeny.screen, RoleFieldDeny.field).where(RoleFieldDeny.role_id == role_id)
    return {
        "rights": read_column(RoleRight.code, RoleRight.direct),
        "bundles": read_column(RoleBundle.right_bundle_id),
        "companies": read_column(RoleCompany.company_id),
        "warehouses": read_column(RoleWarehouse.warehouse_id),
        "denied": [{"screen": row.screen, "field": row.field} for row in conn.execute(denied)],
    }


def list_effective_rights(conn: Connection, role_id: int) -> list[str]:
    """Return every right of a role, those of its bundles among them."""
    return list(conn.execute(select(RoleRight.code).where(RoleRight.role_id == role_id)).scalars())


def list_bundle_rights(conn: Connection, bundles: Iterable[int]) -> frozenset[str]:
    """Return the rights in some bundles."""
    query = select(RightBundleRight.code).where(RightBundleRight.right_bundle_id.in_(sorted(bundles)))
    return frozenset(conn.execute(query).scalars())


def replace_role_grants(
    conn: Connection,
    role_id: int,
    rights: Iterable[str],
    companies: Iterable[int] = (),
    warehouses: Iterable[int] = (),
    denied: Iterable[tuple[str, str]] = (),
    bundles: Iterable[int] = (),
) -> None:
    """Replace the grants of a role and raise its version, so that its users' next request sees them."""
    rows = (
        (RoleRight, [{"role_id": role_id, "code": code} for code in sorted(set(rights))]),
        (RoleBundle, [{"role_id": role_id, "right_bundle_id": bundle} for bundle in sorted(set(bundles))]),
        (RoleCompany, [{"role_id": role_id, "company_id": key} for key in sorted(set(companies))]),
        (RoleWarehouse, [{"role_id": role_id, "warehouse_id": key} for key in sorted(set(warehouses))]),
        (
            RoleFieldDeny,
            [{"role_id": role_id, "screen": screen, "field": name} for screen, name in sorted(set(denied))],
        ),
    )
    for table, values in rows:
        conn.execute(delete(table).where(table.role_id == role_id))
        if values:
            conn.execute(insert(table), values)
    _sync_bundles(conn, [role_id])


def sync_bundle_to_roles(conn: Connection, bundle_id: int) -> None:
    """Update the rights of all roles that have a bundle."""
    taking = select(RoleBundle.role_id).where(RoleBundle.right_bundle_id == bundle_id)
    _sync_bundles(conn, list(conn.execute(taking).scalars()))


_SYNC_BUNDLES = (
    text("delete from role_right where role_id = any(:roles) and not direct"),
    text(
        "insert into role_right (role_id, code, direct) select distinct t.role_id, r.code, false"
        " from role_bundle t join right_bundle_right r using (right_bundle_id) where t.role_id = any(:roles)"
        " on conflict (role_id, code) do nothing"
    ),
    text("update role set version = version + 1 where role_id = any(:roles)"),
)


def _sync_bundles(conn: Connection, roles: list[int]) -> None:
    for statement in _SYNC_BUNDLES:
        conn.execute(statement, {"roles": roles})


def require_can_edit_bundle(ctx: Context, bundle_id: int) -> None:
    """Raise Forbidden where a bundle has more than the user, or a stronger role has the bundle."""
    require_can_grant(ctx, list_bundle_rights(ctx.conn, [bundle_id]))
    taking = select(RoleBundle.role_id).where(RoleBundle.right_bundle_id == bundle_id)
    for role_id in ctx.conn.execute(taking).scalars().all():
        require_can_edit_role(ctx, role_id)


def require_can_grant(ctx: Context, rights: Iterable[str]) -> None:
    """Raise Forbidden unless the user has all the rights himself."""
    if not all(map(ctx.principal.has_right, rights)):
        raise Forbidden(BEYOND_OWN_RIGHTS)


def require_known_rights(rights: Iterable[str]) -> None:
    """Raise Refusal for right codes that nothing declares."""
    unknown = set(rights) - menu.list_rights().keys() - {ALL_RIGHTS}
    if unknown:
        raise Refusal(f"权限“{sorted(unknown)[0]}”不存在")


def grant_to_role(
    ctx: Context,
    role_id: int,
    rights: list[str],
    companies: list[int],
    warehouses: list[int],
    denied: list[tuple[str, str]],
    bundles: list[int] | None = None,
) -> None:
    """Set a role's grants on behalf of a user, within his own; without `bundles` these stay.

    Raises: NotFound, Forbidden, Refusal.
    """
    me = ctx.principal
    forbid_impersonation(ctx)
    if (
        ctx.conn.execute(select(Role.role_id).where(Role.role_id == role_id).with_for_update()).first()
        is None
    ):
        raise NotFound("角色")
    require_known_rights(rights)
    require_can_edit_role(ctx, role_id)
    before = read_role_grants(ctx.conn, role_id)
    taken = _require_bundles(ctx.conn, before["bundles"] if bundles is None else bundles)
    if _is_beyond_own(me, {*rights, *list_bundle_rights(ctx.conn, taken)}, companies, warehouses, denied):
        raise Forbidden(BEYOND_OWN_RIGHTS)
    replace_role_grants(ctx.conn, role_id, rights, companies, warehouses, denied, taken)
    business_log.log_action(
        ctx.conn,
        me,
        "role",
        role_id,
        "edit",
        company_id=me.company_id,
        before=before,
        after=read_role_grants(ctx.conn, role_id),
    )


def _require_bundles(conn: Connection, bundle_ids: Iterable[int]) -> list[int]:
    wanted = sorted(set(bundle_ids))
    query = select(RightBundle.right_bundle_id).where(RightBundle.right_bundle_id.in_(wanted))
    if set(conn.execute(query).scalars()) != set(wanted):
        raise NotFound("权限包")
    return wanted


def require_can_edit_role(ctx: Context, role_id: int) -> None:
    """Raise Forbidden unless the user's grants cover the role's.

    His own role may be edited with all rights only.
    """
    if role_id == ctx.principal.role_id and ALL_RIGHTS not in ctx.principal.rights:
        raise Forbidden("不能修改自己的角色")
    require_can_assign_role(ctx, role_id)


def require_can_assign_role(ctx: Context, role_id: int) -> None:
    """Raise Forbidden where a role has, sees or reaches more than the user.

    Raises: NotFound.
    """
    me = ctx.principal
    query = select(Role.scope_kind, Role.own_kind, Role.sees_cost).where(Role.role_id == role_id)
    role = ctx.conn.execute(query).first()
    if role is None:
        raise NotFound("角色")
    grants = read_role_grants(ctx.conn, role_id)
    denied = [(str(item["screen"]), str(item["field"])) for item in grants["denied"]]
    if _is_wider_than_own(me, role.scope_kind, role.own_kind, role.sees_cost) or _is_beyond_own(
        me, list_effective_rights(ctx.conn, role_id), grants["companies"], grants["warehouses"], denied
    ):
        raise Forbidden("该角色的权限超出自己的权限，不能操作")


def _is_beyond_own(
    me: Principal,
    rights: Iterable[str],
    companies: Iterable[int],
    warehouses: Iterable[int],
    denied: Iterable[tuple[str, str]],
) -> bool:
    """Return whether grants exceed the user's own: right, company, warehouse or hidden field.

    No warehouses means all of them.
    """
    wanted = frozenset(warehouses)
    return (
        any(not me.has_right(code) for code in rights)
        or (me.companies is not None and not me.companies.issuperset(companies))
        or (me.warehouses is not None and not (wanted and wanted <= me.warehouses))
        or not me.denied_fields.issubset(detail_reports.extend_denied_fields(denied))
    )


def _is_wider_than_own(me: Principal, scope_kind: int, own_kind: int, sees_cost: bool) -> bool:
    """Return whether a role's scope exceeds the user's own: all companies, cost, or others' documents."""
    return (
        (sees_cost and not me.sees_cost)
        or (scope_kind == ALL_COMPANIES and me.companies is not None)
        or own_kind < OWN_KINDS[me.own]
    )


def require_scope_within_own(me: Principal, row: Mapping[str, Any]) -> None:
    """Raise Forbidden where a role's scope or cost right exceeds the user's own."""
    if _is_wider_than_own(me, row["scope_kind"], row["own_kind"], row["sees_cost"]):
        raise Forbidden("不能授予超出自己权限的数据范围")
