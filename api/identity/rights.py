"""Rights (授权): setting what a role may do, see and reach; nobody grants more than he holds."""

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
    refuse_imitators,
)
from api.kit import business_log, details, menus
from api.kit.context import Context
from api.kit.errors import Forbidden, NotFound, Refusal
from api.kit.scope import ALL_RIGHTS, Principal

BEYOND = "不能授予超出自己权限的权限"


def holdings(conn: Connection, role_id: int) -> dict[str, list[Any]]:
    """What a role holds: rights of its own, bundles, companies, warehouses, hidden fields."""

    def held(column: Any, *more: Any) -> list[Any]:
        mine = column.class_.role_id == role_id
        return list(conn.execute(select(column).where(mine, *more)).scalars())

    denied = select(RoleFieldDeny.screen, RoleFieldDeny.field).where(RoleFieldDeny.role_id == role_id)
    return {
        "rights": held(RoleRight.code, RoleRight.direct),
        "bundles": held(RoleBundle.right_bundle_id),
        "companies": held(RoleCompany.company_id),
        "warehouses": held(RoleWarehouse.warehouse_id),
        "denied": [{"screen": row.screen, "field": row.field} for row in conn.execute(denied)],
    }


def effective(conn: Connection, role_id: int) -> list[str]:
    """Every right of a role, those of its bundles among them."""
    return list(conn.execute(select(RoleRight.code).where(RoleRight.role_id == role_id)).scalars())


def bundled(conn: Connection, bundles: Iterable[int]) -> frozenset[str]:
    """The rights in some bundles."""
    query = select(RightBundleRight.code).where(RightBundleRight.right_bundle_id.in_(sorted(bundles)))
    return frozenset(conn.execute(query).scalars())


def settle(
    conn: Connection,
    role_id: int,
    rights: Iterable[str],
    companies: Iterable[int] = (),
    warehouses: Iterable[int] = (),
    denied: Iterable[tuple[str, str]] = (),
    bundles: Iterable[int] = (),
) -> None:
    """Replace what a role holds and move its version, so that the next request of its users sees the change."""
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
    _follow_bundles(conn, [role_id])


def follow_bundle(conn: Connection, bundle_id: int) -> None:
    """Give the roles that take a bundle what it holds now."""
    taking = select(RoleBundle.role_id).where(RoleBundle.right_bundle_id == bundle_id)
    _follow_bundles(conn, list(conn.execute(taking).scalars()))


_FOLLOW = (
    text("delete from role_right where role_id = any(:roles) and not direct"),
    text(
        "insert into role_right (role_id, code, direct) select distinct t.role_id, r.code, false"
        " from role_bundle t join right_bundle_right r using (right_bundle_id) where t.role_id = any(:roles)"
        " on conflict (role_id, code) do nothing"
    ),
    text("update role set version = version + 1 where role_id = any(:roles)"),
)


def _follow_bundles(conn: Connection, roles: list[int]) -> None:
    for statement in _FOLLOW:
        conn.execute(statement, {"roles": roles})


def may_bundle(ctx: Context, bundle_id: int) -> None:
    """Refuse to change or delete a bundle that holds more than oneself, or that a stronger role takes."""
    may_give(ctx, bundled(ctx.conn, [bundle_id]))
    taking = select(RoleBundle.role_id).where(RoleBundle.right_bundle_id == bundle_id)
    for role_id in ctx.conn.execute(taking).scalars().all():
        may_touch(ctx, role_id)


def may_give(ctx: Context, rights: Iterable[str]) -> None:
    """Refuse rights that one does not hold oneself."""
    if not all(map(ctx.principal.may, rights)):
        raise Forbidden(BEYOND)


def known_rights(rights: Iterable[str]) -> None:
    """Refuse codes that nothing declares."""
    unknown = set(rights) - menus.every_right().keys() - {ALL_RIGHTS}
    if unknown:
        raise Refusal(f"权限“{sorted(unknown)[0]}”不存在")


def grant(
    ctx: Context,
    role_id: int,
    rights: list[str],
    companies: list[int],
    warehouses: list[int],
    denied: list[tuple[str, str]],
    bundles: list[int] | None = None,
) -> None:
    """Set a role's holdings on behalf of a user, inside what he holds himself; without `bundles` these stay."""
    me = ctx.principal
    refuse_imitators(ctx)
    if (
        ctx.conn.execute(select(Role.role_id).where(Role.role_id == role_id).with_for_update()).first()
        is None
    ):
        raise NotFound("角色")
    known_rights(rights)
    may_touch(ctx, role_id)
    before = holdings(ctx.conn, role_id)
    taken = _bundles(ctx.conn, before["bundles"] if bundles is None else bundles)
    if _beyond(me, {*rights, *bundled(ctx.conn, taken)}, companies, warehouses, denied):
        raise Forbidden(BEYOND)
    settle(ctx.conn, role_id, rights, companies, warehouses, denied, taken)
    business_log.write(
        ctx.conn,
        me,
        "role",
        role_id,
        "edit",
        company_id=me.company_id,
        before=before,
        after=holdings(ctx.conn, role_id),
    )


def _bundles(conn: Connection, asked: Iterable[int]) -> list[int]:
    wanted = sorted(set(asked))
    query = select(RightBundle.right_bundle_id).where(RightBundle.right_bundle_id.in_(wanted))
    if set(conn.execute(query).scalars()) != set(wanted):
        raise NotFound("权限包")
    return wanted


def may_touch(ctx: Context, role_id: int) -> None:
    """Refuse to change a role that holds more than oneself; one's own role only when one holds all."""
    if role_id == ctx.principal.role_id and ALL_RIGHTS not in ctx.principal.rights:
        raise Forbidden("不能修改自己的角色")
    may_hand_out(ctx, role_id)


def may_hand_out(ctx: Context, role_id: int) -> None:
    """Refuse to give or take a role that holds, sees or reaches more than oneself."""
    me = ctx.principal
    query = select(Role.scope_kind, Role.own_kind, Role.sees_cost).where(Role.role_id == role_id)
    role = ctx.conn.execute(query).first()
    if role is None:
        raise NotFound("角色")
    held = holdings(ctx.conn, role_id)
    denied = [(str(item["screen"]), str(item["field"])) for item in held["denied"]]
    if _wider(me, role.scope_kind, role.own_kind, role.sees_cost) or _beyond(
        me, effective(ctx.conn, role_id), held["companies"], held["warehouses"], denied
    ):
        raise Forbidden("该角色的权限超出自己的权限，不能操作")


def _beyond(
    me: Principal,
    rights: Iterable[str],
    companies: Iterable[int],
    warehouses: Iterable[int],
    denied: Iterable[tuple[str, str]],
) -> bool:
    """Whether holdings pass one's own: a right, a company, a warehouse (none = all of them), or a hidden field."""
    asked = frozenset(warehouses)
    return (
        any(not me.may(code) for code in rights)
        or (me.companies is not None and not me.companies.issuperset(companies))
        or (me.warehouses is not None and not (asked and asked <= me.warehouses))
        or not me.denied_fields.issubset(details.spread(denied))
    )


def _wider(me: Principal, scope_kind: int, own_kind: int, sees_cost: bool) -> bool:
    """Whether a role's shape passes one's own: all companies, cost, or more than one's own documents."""
    return (
        (sees_cost and not me.sees_cost)
        or (scope_kind == ALL_COMPANIES and me.companies is not None)
        or own_kind < OWN_KINDS[me.own]
    )


def may_shape(me: Principal, row: Mapping[str, Any]) -> None:
    """Refuse a role whose scope or cost right would pass one's own."""
    if _wider(me, row["scope_kind"], row["own_kind"], row["sees_cost"]):
        raise Forbidden("不能授予超出自己权限的数据范围")
