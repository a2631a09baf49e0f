"""Rights (授权): setting what a role may do, see and reach; nobody grants more than he holds."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, delete, insert, select, text

from api.identity.tables import Role, RoleCompany, RoleFieldDeny, RoleRight, RoleWarehouse
from api.kit import business_log, menus
from api.kit.context import Context
from api.kit.errors import Forbidden, NotFound, Refusal
from api.kit.scope import ALL_RIGHTS, Principal


def holdings(conn: Connection, role_id: int) -> dict[str, list[object]]:
    """What a role holds: rights, companies, warehouses, hidden fields."""
    denied = conn.execute(
        select(RoleFieldDeny.screen, RoleFieldDeny.field).where(RoleFieldDeny.role_id == role_id)
    )
    return {
        "rights": [
            row[0] for row in conn.execute(select(RoleRight.code).where(RoleRight.role_id == role_id))
        ],
        "companies": [
            row[0]
            for row in conn.execute(select(RoleCompany.company_id).where(RoleCompany.role_id == role_id))
        ],
        "warehouses": [
            row[0]
            for row in conn.execute(
                select(RoleWarehouse.warehouse_id).where(RoleWarehouse.role_id == role_id)
            )
        ],
        "denied": [{"screen": row.screen, "field": row.field} for row in denied],
    }


def settle(
    conn: Connection,
    role_id: int,
    rights: Iterable[str],
    companies: Iterable[int] = (),
    warehouses: Iterable[int] = (),
    denied: Iterable[tuple[str, str]] = (),
) -> None:
    """Replace what a role holds and move its version, so that the next request of its users sees the change."""
    rows = (
        (RoleRight, [{"role_id": role_id, "code": code} for code in sorted(set(rights))]),
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
    conn.execute(text("update role set version = version + 1 where role_id = :role"), {"role": role_id})


def grant(
    ctx: Context,
    role_id: int,
    rights: list[str],
    companies: list[int],
    warehouses: list[int],
    denied: list[tuple[str, str]],
) -> None:
    """Set a role's holdings on behalf of a user, inside what he holds himself."""
    me = ctx.principal
    if (
        ctx.conn.execute(select(Role.role_id).where(Role.role_id == role_id).with_for_update()).first()
        is None
    ):
        raise NotFound("角色")
    unknown = set(rights) - menus.every_right().keys()
    if unknown and ALL_RIGHTS not in me.rights:
        raise Refusal(f"权限“{sorted(unknown)[0]}”不存在")
    may_touch(ctx, role_id)
    beyond = [code for code in rights if not me.may(code)]
    if beyond or not _reaches(me.companies, companies) or not _reaches(me.warehouses, warehouses):
        raise Forbidden("不能授予超出自己权限的权限")
    before = holdings(ctx.conn, role_id)
    settle(ctx.conn, role_id, rights, companies, warehouses, denied)
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


def may_touch(ctx: Context, role_id: int) -> None:
    """Refuse to change a role that holds more than oneself; one's own role only when one holds all."""
    if role_id == ctx.principal.role_id and ALL_RIGHTS not in ctx.principal.rights:
        raise Forbidden("不能修改自己的角色")
    may_hand_out(ctx, role_id)


def may_hand_out(ctx: Context, role_id: int) -> None:
    """Refuse to give or take a role that holds more than oneself."""
    me = ctx.principal
    if ALL_RIGHTS in me.rights:
        return
    role = ctx.conn.execute(select(Role.scope_kind, Role.sees_cost).where(Role.role_id == role_id)).first()
    if role is None:
        raise NotFound("角色")
    held = holdings(ctx.conn, role_id)
    wider = role.sees_cost > me.sees_cost or (role.scope_kind == 1 and me.companies is not None)
    beyond = [code for code in held["rights"] if not me.may(str(code))]
    if wider or beyond or not _reaches(me.companies, held["companies"]):
        raise Forbidden("该角色的权限超出自己的权限，不能操作")


def _reaches(mine: frozenset[int] | None, asked: Iterable[object]) -> bool:
    return mine is None or set(asked) <= mine


def may_shape(me: Principal, row: dict[str, object]) -> None:
    """Refuse a role whose scope or cost right would pass one's own."""
    order = ("all", "department", "own")
    wider = int(str(row["own_kind"])) - 1 < order.index(me.own)
    if (
        (row["sees_cost"] and not me.sees_cost)
        or (row["scope_kind"] == 1 and me.companies is not None)
        or wider
    ):
        raise Forbidden("不能授予超出自己权限的数据范围")
