"""Login response (登录结果): the user, his system and, in a simulated login, the impersonator."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import Connection, Row, text

from api.identity import rights
from api.identity.sessions import NewSession, read_principal
from api.kit.scope import describe_scope
from api.kit.settings import ENVIRONMENTS, read_settings

STATION = 3
"""`company.type` of a service station."""
_SYSTEM = text(
    "select c.type, u.operating_version from user_account u join company c on c.company_id = u.company_id"
    " where u.user_id = :user"
)
_PLACE = text(
    "select a.area_name, (select short_name from group_info limit 1) as title"
    " from company c left join area a on a.area_id = c.area_id where c.company_id = :company"
)


class System(BaseModel):
    """`type` 0: ERP back office, 1: service station; `operatingVersion` 1: standard, 2: simple."""

    type: int = 0
    operatingVersion: int = 1
    extendToolbar: str = "默认"


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
    titName: str | None = Described(description="集团的简称，页眉的标题")
    area_name: str | None = Described(description="公司所在的区县")
    system: System
    environment: int = Described(description="系统环境：1 scm，2 gyl")
    scope: str = Described(description="能看到的数据范围；只看本公司全部数据时为空")
    imitator: str | None = Described(description="模拟登录时，实际操作人的姓名")
    must_change_password: bool = Described(description="密码由他人设置，先修改才有权限")


def read_system(conn: Connection, user_id: int) -> dict[str, Any]:
    """Return the kind of system a user works in: the station's where his company is a service station."""
    row = conn.execute(_SYSTEM, {"user": user_id}).one()
    return {
        "type": int(row.type == STATION),
        "operatingVersion": row.operating_version,
        "extendToolbar": "默认",
    }


def build_login_response(
    conn: Connection, user: Row[Any], opened: NewSession, imitator: str | None = None
) -> dict[str, Any]:
    """Build the response to a login."""
    holds_all = "*" in rights.list_effective_rights(conn, user.role_id)
    place = conn.execute(_PLACE, {"company": user.company_id}).one()
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
        "titName": place.title,
        "area_name": place.area_name,
        "scope": describe_scope(read_principal(conn, user.user_id)),
        "system": read_system(conn, user.user_id),
        "environment": ENVIRONMENTS.index(read_settings().environment) + 1,
        "imitator": imitator,
        "must_change_password": user.must_change_password and imitator is None,
    }
