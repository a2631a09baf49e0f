"""Login calls (登录、菜单、权限): the session and shell calls of spec/3-rules.md 7.1 and 7.2."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from pydantic import Field as Described

from api.identity import login, menu_tree, sessions
from api.identity.login_response import LoggedIn, build_login_response, read_system
from api.kit.context import Context
from api.kit.declaration import menu, registry
from api.kit.errors import Forbidden, NotFound
from api.kit.http.routing import ANY_USER, PUBLIC, build_router, call
from api.kit.http.schemas import Payload
from api.kit.http.screens import Screen, describe_screen
from api.kit.storage.projection import masked_names, shown_fields

api = build_router()

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


@call(api, "POST", "v2/user/Login/login", right=PUBLIC, returns=LoggedIn)
def log_in(ctx: Context, payload: Credentials) -> Any:
    """登录"""
    user, entry, ctx.new_device = login.check_login(
        payload.user_name.strip(), payload.password, ctx.client, ctx.agent, ctx.device
    )
    opened = sessions.open_session(ctx.conn, user.user_id)
    login.record_session(ctx.conn, entry, opened)
    return build_login_response(ctx.conn, user, opened)


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
    return menu_tree.build_menu_tree(ctx.principal)


@call(api, "GET", "open/RequestOpen/getRequestOpenList", right=ANY_USER, returns=RequestOpen)
def get_request_open_list(ctx: Context, code: Code) -> Any:
    """页面权限: the actions the role holds on the screen whose route has `code` as third segment."""
    cls = registry.find_by_segment(code)
    if cls is not None:
        granted = [name for name in cls.declaration.rights if ctx.principal.has_right(cls.right(name))]
    else:
        entry = menu.find_entry(code)
        rights = entry.rights if entry else {}
        granted = [name for name, right in rights.items() if ctx.principal.has_right(right)]
    kind = read_system(ctx.conn, ctx.principal.user_id)["type"]
    return {"service_company_type": kind, "is_role": "Y" if granted else "N", "role_list": granted}


@call(api, "GET", "v2/open/FieldAuth/getFieldList", right=ANY_USER, returns=list[VisibleField])
def get_field_list(ctx: Context, menu_action: Code) -> Any:
    """字段权限: the fields of a screen that the role sees, with what their references read along."""
    cls = registry.find_by_segment(menu_action)
    if cls is None or not ctx.principal.has_right(cls.right("list")):
        raise NotFound("页面")
    hidden = masked_names(cls, cls.name(), ctx.principal)
    return [{"field": item.name} for item in shown_fields(cls) if item.name not in hidden]


@call(api, "GET", "v2/Open/Screen/getScreen", right=ANY_USER, returns=Screen)
def get_screen(ctx: Context, route: Annotated[str, Query(max_length=200)]) -> Any:
    """界面描述: what the web draws at a route."""
    found = registry.find_by_route(route)
    if found is None:
        raise NotFound("页面")
    cls, kind, routes = found
    needed = {"list": "list", "see": "list", "add": "add", "edit": "edit"}[kind]
    if not ctx.principal.has_right(cls.right(needed)):
        raise Forbidden(f"您没有“{cls.declaration.label}”的权限")
    return describe_screen(cls, kind, ctx.principal, routes).model_dump(by_alias=True)
