"""Role calls (角色与权限): the role editor, bundles of rights, and the roles that have a right."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import delete, insert, select, text

from api.identity import right_tree, rights
from api.identity.right_tree import RightNode, ScreenFields
from api.identity.tables import (
    OWN_KINDS,
    RightBundle,
    RightBundleRight,
    Role,
    RoleFieldDeny,
    UserAccount,
    forbid_impersonation,
)
from api.kit.context import Context
from api.kit.declaration import menu, registry
from api.kit.errors import NotFound, Refusal
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Key, Payload, Saved
from api.kit.scope import ALL_RIGHTS, scope_condition
from api.kit.storage import business_log, records

api = build_router()
MANY = 5000
EDIT, LIST = Role.right("edit"), Role.right("list")

Codes = Annotated[list[str], Described(max_length=MANY)]
Ids = Annotated[list[Key], Described(max_length=MANY)]


class Denied(Payload):
    screen: str = Described(max_length=100)
    field: str = Described(max_length=100)


class RoleGrants(Payload):
    """Grants of a role; without `bundles` its present ones stay."""

    rights: Codes
    bundles: Ids | None = None
    companies: Ids
    warehouses: Ids = []
    denied: list[Denied] = Described([], max_length=MANY)


class RoleSave(RoleGrants):
    """A role with its holdings; `version` is the one that was read."""

    role_id: Key | None = None
    version: int | None = None
    role_name: str = Described(min_length=1, max_length=100)
    scope_kind: int
    own_kind: int
    sees_cost: bool = False
    enabled: bool = True
    remark: str | None = Described(None, max_length=500)


class FieldSetting(Payload):
    role_id: Key
    denied: list[Denied] = Described(max_length=MANY)


class NamedRecord(BaseModel):
    id: int
    name: str


class Bundle(BaseModel):
    right_bundle_id: int
    bundle_name: str
    remark: str | None
    rights: list[str]


class BundleSave(Payload):
    right_bundle_id: Key | None = None
    bundle_name: str = Described(min_length=1, max_length=100)
    remark: str | None = Described(None, max_length=500)
    rights: Codes


class ScopeWarehouse(BaseModel):
    """A company, or a warehouse of one."""

    id: int
    name: str
    company_id: int


class RoleEditor(BaseModel):
    """Data of the role editor: the role (none for a new one), the choices, and the user's own limits."""

    role: dict[str, Any] | None
    holdings: RoleGrants
    tree: list[RightNode]
    bundles: list[Bundle]
    companies: list[NamedRecord]
    warehouses: list[ScopeWarehouse]
    users: list[NamedRecord]
    may_all_companies: bool
    may_all_warehouses: bool
    may_cost: bool
    least_own: int


class Holder(BaseModel):
    role_id: int
    role_name: str
    via: str
    users: int


@call(api, "GET", "v2/system/RoleAuth/getRightTree", right=RightBundle.right("list"), returns=list[RightNode])
def get_right_tree(ctx: Context) -> Any:
    """权限树: module, group, screen, action, with how many roles hold each."""
    return _build_tree(ctx)


@call(api, "GET", "v2/system/RoleAuth/getHolders", right=RightBundle.right("list"), returns=list[Holder])
def get_holders(ctx: Context, code: Annotated[str, Query(max_length=200)]) -> Any:
    """谁有此权限: roles that hold a right, and by what."""
    return [dict(row._mapping) for row in ctx.conn.execute(_HOLDERS, {"code": code, "all": ALL_RIGHTS})]


@call(api, "GET", "v2/system/Role/getEditor", right=LIST, returns=RoleEditor)
def get_editor(ctx: Context, role_id: Key = 0) -> Any:
    """角色编辑: 0 is a new role."""
    me = ctx.principal
    return {
        "role": records.read_record(ctx, Role, role_id) if role_id else None,
        "holdings": rights.read_role_grants(ctx.conn, role_id),
        "tree": _build_tree(ctx),
        "bundles": _list_bundles(ctx),
        "companies": _list_choices(ctx, "company"),
        "warehouses": _list_choices(ctx, "warehouse"),
        "users": _list_users(ctx, role_id),
        "may_all_companies": me.companies is None,
        "may_all_warehouses": me.warehouses is None,
        "may_cost": me.sees_cost,
        "least_own": OWN_KINDS[me.own],
    }


@call(api, "POST", "v2/system/Role/save", right=EDIT, returns=Saved, write=True)
def save_role(ctx: Context, payload: RoleSave) -> Any:
    """保存角色: the role and all that it holds, refused when somebody else saved it since it was read."""
    values = payload.model_dump(
        include={"role_name", "scope_kind", "own_kind", "sees_cost", "enabled", "remark"}
    )
    if payload.role_id is None:
        ctx.require_right(Role.right("add"))
        key = records.add_record(ctx, Role, values)
    else:
        query = select(Role.version).where(Role.role_id == payload.role_id).with_for_update()
        stored = ctx.conn.execute(query).scalar()
        if stored is None:
            raise NotFound("角色")
        if stored != payload.version:
            raise Refusal("角色已被他人修改，请刷新后重试")
        key = records.edit_record(ctx, Role, payload.role_id, values)
    _set_grants(ctx, key, payload)
    return {"id": key}


@call(api, "GET", "v2/system/RoleFieldAuth/getList", right=LIST, returns=list[ScreenFields])
def get_field_auth_list(ctx: Context, role_id: Key = 0) -> Any:
    """字段权限: every screen's fields, and which of them the role does not see."""
    rows = ctx.conn.execute(
        select(RoleFieldDeny.screen, RoleFieldDeny.field).where(RoleFieldDeny.role_id == role_id)
    )
    denied = frozenset((row.screen, row.field) for row in rows)
    return [screen.model_dump() for screen in right_tree.list_screen_fields(ctx.principal, denied)]


@call(api, "POST", "v2/system/RoleFieldAuth/settingAuth", right=EDIT, returns=None, write=True)
def set_field_auth(ctx: Context, payload: FieldSetting) -> Any:
    """设置字段权限: the fields that the role does not see; the rest of its holdings stays."""
    _require_role(ctx, payload.role_id)
    grants = rights.read_role_grants(ctx.conn, payload.role_id)
    given = RoleGrants(**{**grants, "denied": [item.model_dump() for item in payload.denied]})
    _set_grants(ctx, payload.role_id, given)
    return None


@call(api, "GET", "v2/system/RightBundle/getBundle", right=RightBundle.right("list"), returns=Bundle)
def get_bundle(ctx: Context, id: Key) -> Any:
    """权限包及其权限"""
    found = [bundle for bundle in _list_bundles(ctx) if bundle["right_bundle_id"] == id]
    if not found:
        raise NotFound("权限包")
    return found[0]


@call(api, "POST", "v2/system/RightBundle/save", right=RightBundle.right("edit"), returns=Saved, write=True)
def save_bundle(ctx: Context, payload: BundleSave) -> Any:
    """保存权限包: roles that take it follow at once."""
    rights.require_known_rights(payload.rights)
    rights.require_can_grant(ctx, payload.rights)
    values = payload.model_dump(include={"bundle_name", "remark"})
    before: list[str] = []
    if payload.right_bundle_id is None:
        ctx.require_right(RightBundle.right("add"))
        key = records.add_record(ctx, RightBundle, values)
    else:
        key = records.edit_record(ctx, RightBundle, payload.right_bundle_id, values)
        before = sorted(rights.list_bundle_rights(ctx.conn, [key]))
    after = sorted(set(payload.rights))
    ctx.conn.execute(delete(RightBundleRight).where(RightBundleRight.right_bundle_id == key))
    if after:
        rows = [{"right_bundle_id": key, "code": code} for code in after]
        ctx.conn.execute(insert(RightBundleRight), rows)
    rights.sync_bundle_to_roles(ctx.conn, key)
    business_log.log_action(
        ctx.conn,
        ctx.principal,
        RightBundle.name(),
        key,
        "edit",
        company_id=ctx.principal.company_id,
        before={"rights": before},
        after={"rights": after},
    )
    return {"id": key}


_HOLDERS = text("""
select r.role_id, r.role_name,
    case when h.code = :all then '全部权限' when h.direct then '直接授予' else coalesce((
        select string_agg(b.bundle_name, '、' order by pinyin_key(b.bundle_name)) from role_bundle t
        join right_bundle b using (right_bundle_id) join right_bundle_right c using (right_bundle_id)
        where t.role_id = r.role_id and c.code = :code
    ), '权限包') end as via,
    (select count(*) from user_account u where u.role_id = r.role_id) as users
from role r
join lateral (
    select code, direct from role_right h where h.role_id = r.role_id and h.code in (:code, :all)
    order by h.code = :all desc limit 1
) h on true
order by r.role_id
""")
_BUNDLES = text("""
select b.right_bundle_id, b.bundle_name, b.remark,
    coalesce(array_agg(r.code order by r.code) filter (where r.code is not null), '{}') as rights
from right_bundle b left join right_bundle_right r using (right_bundle_id)
group by b.right_bundle_id order by b.right_bundle_id
""")


def _set_grants(ctx: Context, role_id: int, grants: RoleGrants) -> None:
    forbid_impersonation(ctx)
    denied = [(item.screen, item.field) for item in grants.denied]
    unknown = set(denied) - right_tree.list_known_fields()
    if unknown:
        raise Refusal(f"字段“{'.'.join(sorted(unknown)[0])}”不存在")
    rights.grant_to_role(
        ctx, role_id, grants.rights, grants.companies, grants.warehouses, denied, grants.bundles
    )


def _require_role(ctx: Context, role_id: int) -> None:
    if ctx.conn.execute(select(Role.role_id).where(Role.role_id == role_id)).first() is None:
        raise NotFound("角色")


def _build_tree(ctx: Context) -> list[dict[str, Any]]:
    granted: Counter[str] = Counter(ctx.conn.execute(text("select code from role_right")).scalars())
    everything = granted.pop(ALL_RIGHTS, 0)
    holders = {code: granted[code] + everything for code in menu.list_rights()}
    return [node.model_dump() for node in right_tree.build_right_tree(ctx.principal, holders)]


def _list_bundles(ctx: Context) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in ctx.conn.execute(_BUNDLES)]


def _list_choices(ctx: Context, resource: str) -> list[dict[str, Any]]:
    """Return the companies or warehouses of the user's scope."""
    cls = registry.get_resource(resource)
    table, title = cls.table(), cls.declaration.title
    columns = [cls.key().label("id"), table.c[title].label("name"), table.c.company_id]
    query = (
        select(*columns).where(scope_condition(table, ctx.principal)).order_by(table.c.company_id, cls.key())
    )
    return [dict(row._mapping) for row in ctx.conn.execute(query)]


def _list_users(ctx: Context, role_id: int) -> list[dict[str, Any]]:
    """Return the users of a role within the user's scope."""
    table = UserAccount.table()
    query = select(table.c.user_id.label("id"), table.c.realname.label("name")).where(
        table.c.role_id == role_id, scope_condition(table, ctx.principal)
    )
    return [dict(row._mapping) for row in ctx.conn.execute(query.order_by(table.c.user_id).limit(MANY))]
