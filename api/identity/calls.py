"""Identity's calls (登录、菜单、权限): the session and shell calls of spec/3-rules.md 7.1 and 7.2, and role rights."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import select, text

from api.identity import login, menu_tree, passwords, rights, sessions
from api.identity.tables import Role, UserAccount
from api.kit import business_log, menus, registry
from api.kit.calls import ANY_USER, ANYONE, call, router
from api.kit.context import Context
from api.kit.errors import Forbidden, NotFound, Refusal
from api.kit.resource import Resource
from api.kit.schemas import Payload
from api.kit.scope import within
from api.kit.screens import Screen, describe

api = router()

Code = Annotated[str, Query(max_length=100)]


class Credentials(Payload):
    user_name: str = Described(min_length=1, max_length=50, description="登录名")
    password: str = Described(min_length=1, max_length=128, description="密码")


class System(BaseModel):
    type: int = 0
    operatingVersion: int = 1


class LoggedIn(BaseModel):
    """A fresh session; `sign_key` signs its requests and is told only here."""

    token: str
    sign_key: str
    expires_at: str
    user_id: int
    user_name: str
    realname: str
    role_id: int
    role_name: str
    company_id: int
    company_name: str
    department_name: str | None
    company_admin_id: int | None
    system: System


class RequestOpen(BaseModel):
    service_company_type: int
    is_role: str
    role_list: list[str]


class VisibleField(BaseModel):
    field: str


class MenuNode(BaseModel):
    menu_id: int
    name: str
    route: str
    code: str
    icon: str
    sort: int
    action: list[str]
    tabRoute: str
    sub: list[MenuNode]


class Denied(Payload):
    screen: str
    field: str


class RoleHoldings(Payload):
    role_id: int
    rights: list[str] = Described(max_length=5000)
    companies: list[int] = Described(max_length=5000)
    warehouses: list[int] = Described([], max_length=5000)
    denied: list[Denied] = Described([], max_length=5000)


class NewPassword(Payload):
    user_id: int
    password: str = Described(max_length=128)


class OwnPassword(Payload):
    old_password: str = Described(max_length=128)
    password: str = Described(max_length=128)


@call(api, "POST", "v2/user/Login/login", right=ANYONE, returns=LoggedIn)
def log_in(ctx: Context, payload: Credentials) -> Any:
    """登录"""
    user = login.check(payload.user_name.strip(), payload.password, ctx.client)
    opened = sessions.open_session(ctx.conn, user.user_id)
    holds_all = "*" in rights.holdings(ctx.conn, user.role_id)["rights"]
    return {
        "token": opened.token,
        "sign_key": opened.sign_key,
        "expires_at": opened.expires_at,
        "user_id": user.user_id,
        "user_name": user.user_name,
        "realname": user.realname,
        "role_id": user.role_id,
        "role_name": user.role_name,
        "company_id": user.company_id,
        "company_name": user.company_name,
        "department_name": user.department_name,
        "company_admin_id": user.user_id if holds_all else None,
        "system": {"type": 0, "operatingVersion": 1},
    }


def _log_out(ctx: Context) -> Any:
    """退出登录"""
    sessions.close_session(ctx.conn, ctx.principal.session_id)
    return None


for path in ("v2/user/Login/logout", "repo_logout"):
    call(api, "POST", path, right=ANY_USER, returns=None)(_log_out)


@call(api, "GET", "system/user/isTokenInvalid", right=ANY_USER, returns=dict[str, int])
def is_token_invalid(ctx: Context) -> Any:
    """令牌是否失效: an invalid one never gets here, it answers 401."""
    return {"is_invalid": 0}


@call(api, "GET", "v2/Open/RoleAuth/getLeftMenuList", right=ANY_USER, returns=list[MenuNode])
def get_left_menu_list(ctx: Context) -> Any:
    """左侧菜单: the entries the role may see."""
    return menu_tree.tree(ctx.principal)


@call(api, "GET", "open/RequestOpen/getRequestOpenList", right=ANY_USER, returns=RequestOpen)
def get_request_open_list(ctx: Context, code: Code) -> Any:
    """页面权限: the actions the role holds on the screen whose route has `code` as third segment."""
    cls = registry.by_segment(code)
    if cls is not None:
        held = [name for name in cls.declaration.actions if ctx.principal.may(cls.right(name))]
    else:
        entry = menus.by_code(code)
        held = ["view"] if entry and ctx.principal.may(entry.right) else []
    return {"service_company_type": 0, "is_role": "Y" if held else "N", "role_list": held}


@call(api, "GET", "v2/open/FieldAuth/getFieldList", right=ANY_USER, returns=list[VisibleField])
def get_field_list(ctx: Context, menu_action: Code) -> Any:
    """字段权限: the fields of a screen that the role sees."""
    cls = registry.by_segment(menu_action)
    if cls is None or not ctx.principal.may(cls.right("list")):
        raise NotFound("页面")
    found = [item.name for item in cls.fields() if ctx.principal.sees(cls.name(), item.name, item.permission)]
    return [{"field": name} for name in found]


@call(api, "GET", "v2/Open/Screen/getScreen", right=ANY_USER, returns=Screen)
def get_screen(ctx: Context, route: Annotated[str, Query(max_length=200)]) -> Any:
    """界面描述: what the web draws at a route."""
    found = registry.by_route(route)
    if found is None:
        raise NotFound("页面")
    cls, kind, routes = found
    needed = {"list": "list", "see": "list", "add": "add", "edit": "edit"}[kind]
    if not ctx.principal.may(cls.right(needed)):
        raise Forbidden(f"您没有“{cls.declaration.label}”的权限")
    return describe(cls, kind, ctx.principal, routes).model_dump(by_alias=True)


@call(api, "GET", "v2/system/RoleAuth/getInfo", right=Role.right("list"), returns=RoleHoldings)
def get_role_auth(ctx: Context, role_id: int) -> Any:
    """角色权限"""
    if ctx.conn.execute(select(Role.role_id).where(Role.role_id == role_id)).first() is None:
        raise NotFound("角色")
    return {"role_id": role_id, **rights.holdings(ctx.conn, role_id)}


@call(api, "POST", "v2/system/RoleAuth/save", right=Role.right("edit"), returns=None, write=True)
def save_role_auth(ctx: Context, payload: RoleHoldings) -> Any:
    """保存角色权限: bites on the next request of the role's users."""
    denied = [(item.screen, item.field) for item in payload.denied]
    rights.grant(ctx, payload.role_id, payload.rights, payload.companies, payload.warehouses, denied)
    return None


@call(api, "GET", "v2/system/RoleAuth/getRightList", right=Role.right("list"), returns=dict[str, str])
def get_right_list(ctx: Context) -> Any:
    """全部权限: codes with their labels."""
    return menus.every_right()


@call(api, "POST", "v2/system/User/setPassword", right=UserAccount.right("edit"), returns=None, write=True)
def set_password(ctx: Context, payload: NewPassword) -> Any:
    """重设密码: ends the user's sessions."""
    user = ctx.conn.execute(select(UserAccount.role_id).where(UserAccount.user_id == payload.user_id)).first()
    if user is None or not _in_scope(ctx, UserAccount, payload.user_id):
        raise NotFound("用户")
    rights.may_hand_out(ctx, user.role_id)
    _set_password(ctx, payload.user_id, payload.password)
    return None


@call(api, "POST", "v2/system/User/changePassword", right=ANY_USER, returns=None, write=True)
def change_password(ctx: Context, payload: OwnPassword) -> Any:
    """修改本人密码"""
    me = ctx.principal.user_id
    stored = ctx.conn.execute(select(UserAccount.password_hash).where(UserAccount.user_id == me)).scalar_one()
    if not passwords.matches(payload.old_password, stored):
        raise Refusal("原密码不正确")
    _set_password(ctx, me, payload.password)
    return None


def _set_password(ctx: Context, user_id: int, password: str) -> None:
    new = passwords.hashed(password)
    table = UserAccount.table()
    ctx.conn.execute(table.update().where(table.c.user_id == user_id).values(password_hash=new))
    ctx.conn.execute(
        text("delete from user_session where user_id = :user and session_id <> :mine"),
        {"user": user_id, "mine": ctx.principal.session_id},
    )
    business_log.write(ctx.conn, ctx.principal, "user_account", user_id, "edit", reason="修改密码")


def _in_scope(ctx: Context, cls: type[Resource], key: int) -> bool:
    return (
        ctx.conn.execute(
            select(cls.key()).where(cls.key() == key, within(cls.table(), ctx.principal))
        ).first()
        is not None
    )
