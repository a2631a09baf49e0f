"""Identity (身份权限): roles with what they may do and see, users, sessions, login attempts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    LargeBinary,
    Row,
    Text,
    UniqueConstraint,
    func,
)
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.context import Context
from api.kit.database import Base
from api.kit.fields import enum, flag, integer, key, ref, text, textarea
from api.kit.resource import Declaration, Menu, Resource
from api.kit.stamping import Stamped

SCOPES = {1: "全部公司", 2: "指定公司"}
OWNS = {1: "全部单据", 2: "本部门单据", 3: "本人单据"}
OWN_NAMES = {1: "all", 2: "department", 3: "own"}
OWN_KINDS = {name: kind for kind, name in OWN_NAMES.items()}
ALL_COMPANIES = 1


class Role(Resource):
    """角色: its rights, data scope and hidden fields stand in the tables below; `version` moves with each change."""

    __tablename__ = "role"
    declaration = Declaration(
        "角色",
        "v2/system/Role",
        "role_name",
        routes={"list": "/system/role", "add": "/system/roleAdd"},
        menu=Menu("系统管理", "权限管理", 10),
    )

    role_id: Mapped[int] = key()
    role_name: Mapped[str] = text("角色名称", required=True, unique=True, search=True)
    scope_kind: Mapped[int] = enum("数据范围", SCOPES, default=2)
    own_kind: Mapped[int] = enum("单据范围", OWNS, default=1)
    sees_cost: Mapped[bool] = flag("查看成本")
    enabled: Mapped[bool] = flag("启用", default=True)
    remark: Mapped[str | None] = textarea("备注")
    version: Mapped[int] = integer("权限版本", default=1, form=False, list=False)

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        from api.identity import rights

        rights.may_shape(ctx.principal, row)
        if before is not None:
            rights.may_touch(ctx, before.role_id)


class UserAccount(Resource):
    """用户: one role in a session; the password is stored as an argon2 hash and never leaves the server."""

    __tablename__ = "user_account"
    declaration = Declaration(
        "用户",
        "v2/system/User",
        "realname",
        routes={"list": "/system/user"},
        menu=Menu("系统管理", "权限管理", 20),
    )

    user_id: Mapped[int] = key()
    user_name: Mapped[str] = text("登录名", required=True, unique=True, search=True, max_length=50)
    realname: Mapped[str] = text("姓名", required=True, search=True, max_length=50)
    company_id: Mapped[int] = ref("company", "公司", required=True, search=True)
    employee_id: Mapped[int | None] = ref("employee", "员工", within=("company_id",))
    role_id: Mapped[int] = ref("role", "角色", required=True, search=True)
    enabled: Mapped[bool] = flag("启用", default=True)
    password_hash: Mapped[str | None] = mapped_column(Text)

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        from api.identity import rights

        for role_id in {row["role_id"], before.role_id if before is not None else row["role_id"]}:
            rights.may_hand_out(ctx, role_id)


class RoleRight(Stamped, Base):
    """One permission code a role holds; `*` is every right."""

    __tablename__ = "role_right"
    __table_args__ = (UniqueConstraint("role_id", "code"),)

    role_right_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    role_id: Mapped[int] = mapped_column(ForeignKey("role.role_id", ondelete="cascade"))
    code: Mapped[str] = mapped_column(Text)


class RoleCompany(Stamped, Base):
    """A company that a role with scope 指定公司 may touch."""

    __tablename__ = "role_company"
    __table_args__ = (UniqueConstraint("role_id", "company_id"),)

    role_company_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    role_id: Mapped[int] = mapped_column(ForeignKey("role.role_id", ondelete="cascade"))
    company_id: Mapped[int] = mapped_column(ForeignKey("company.company_id"))


class RoleWarehouse(Stamped, Base):
    """A warehouse that a role is limited to; a role without any may use all of its companies'."""

    __tablename__ = "role_warehouse"
    __table_args__ = (UniqueConstraint("role_id", "warehouse_id"),)

    role_warehouse_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    role_id: Mapped[int] = mapped_column(ForeignKey("role.role_id", ondelete="cascade"))
    warehouse_id: Mapped[int] = mapped_column(ForeignKey("warehouse.warehouse_id"))


class RoleFieldDeny(Base):
    """A field of a screen that a role does not see."""

    __tablename__ = "role_field_deny"

    role_id: Mapped[int] = mapped_column(ForeignKey("role.role_id", ondelete="cascade"), primary_key=True)
    screen: Mapped[str] = mapped_column(Text, primary_key=True)
    field: Mapped[str] = mapped_column(Text, primary_key=True)


class UserSession(Base):
    """A login or an API token; only the token's hash is kept."""

    __tablename__ = "user_session"

    session_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    token_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    sign_key: Mapped[str | None] = mapped_column(Text)
    user_id: Mapped[int] = mapped_column(ForeignKey("user_account.user_id", ondelete="cascade"), index=True)
    made_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
    seen_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
    expires_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    ends_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class LoginAttempt(Base):
    """A try to log in; the login log, and what the rate limit counts."""

    __tablename__ = "login_attempt"
    __table_args__ = (
        Index("ix_login_attempt_user", "user_name", "at"),
        Index("ix_login_attempt_client", "client", "at"),
    )

    attempt_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_name: Mapped[str] = mapped_column(Text)
    client: Mapped[str] = mapped_column(Text)
    succeeded: Mapped[bool]
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
