"""Identity's calls (登录、菜单、权限): the session and shell calls of spec/3-rules.md 7.1 and 7.2."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from pydantic import Field as Described

from api.identity import login, menu_tree, sessions
from api.identity.answers import LoggedIn, logged_in, system_of
from api.kit import menus, registry
from api.kit.calls import ANY_USER, ANYONE, call, router
from api.kit.context import Context
from api.kit.errors import Forbidden, NotFound
from api.kit.projection import masks, shown_fields
from api.kit.schemas import Payload
from api.kit.screens import Screen, describe

api = router()

Code = Annotated[str, Query(max_length=100)]


class Credentials(Payload):
    user_name: str = Described(min_length=1, max_length=50, description="登录名")
    password: str = Described(min_length=1, max_length=128, description="密码")


class RequestOpen(BaseModel):
    service_company_type: int
    is_role: str
    role_list: list[str]


class VisibleField(BaseModel):
    field: str


class MenuNode(BaseModel):
    menu_id: int
    name: str
    initials: str = Described("", description="名称的拼音首字母")
    route: str
    code: str
    icon: str
    sort: int
    action: list[str]
    tabRoute: str
    pages: list[str] = Described([], description="属于它的新增、修改和详情页")
    sub: list[MenuNode]


@call(api, "POST", "v2/user/Login/login", right=ANYONE, returns=LoggedIn)
def log_in(ctx: Context, payload: Credentials) -> Any:
    """登录"""
    user, entry, ctx.keeps = login.check(
        payload.user_name.strip(), payload.password, ctx.client, ctx.agent, ctx.device
    )
    opened = sessions.open_session(ctx.conn, user.user_id)
    login.opened(ctx.conn, entry, opened)
    return logged_in(ctx.conn, user, opened)


def _log_out(ctx: Context) -> Any:
    """退出登录"""
    sessions.close_session(ctx.conn, ctx.principal.session_id)
    return None


for path in ("v2/user/Login/logout", "repo_logout"):
    call(api, "POST", path, right=ANY_USER, returns=None, says="已退出登录")(_log_out)


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
        held = [name for name in cls.declaration.rights if ctx.principal.may(cls.right(name))]
    else:
        entry = menus.by_code(code)
        rights = entry.rights if entry else {}
        held = [name for name, right in rights.items() if ctx.principal.may(right)]
    kind = system_of(ctx.conn, ctx.principal.user_id)["type"]
    return {"service_company_type": kind, "is_role": "Y" if held else "N", "role_list": held}


@call(api, "GET", "v2/open/FieldAuth/getFieldList", right=ANY_USER, returns=list[VisibleField])
def get_field_list(ctx: Context, menu_action: Code) -> Any:
    """字段权限: the fields of a screen that the role sees, with what their references read along."""
    cls = registry.by_segment(menu_action)
    if cls is None or not ctx.principal.may(cls.right("list")):
        raise NotFound("页面")
    hidden = masks(cls, cls.name(), ctx.principal)
    return [{"field": item.name} for item in shown_fields(cls) if item.name not in hidden]


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
