"""Identity tables (身份权限): roles with their grants, users, sessions, login attempts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    ARRAY,
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
from api.kit.declaration.fields import (
    derived_field,
    enabled_field,
    enum_field,
    flag_field,
    integer_field,
    key_field,
    reference_field,
    text_field,
    textarea_field,
)
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.errors import Forbidden, Refusal
from api.kit.storage.database import Base
from api.kit.storage.stamping import Stamped

SCOPES = {1: "全部公司", 2: "指定公司"}
OWNS = {1: "全部单据", 2: "本部门单据", 3: "本人单据"}
OWN_NAMES = {1: "all", 2: "department", 3: "own"}
OWN_KINDS = {name: kind for kind, name in OWN_NAMES.items()}
ALL_COMPANIES = 1
LOCKED_AFTER, LOCK_MINUTES = 5, 15
"""Failed logins and minutes that lock a name, only at the address or device that they came from."""
STRANGE_AFTER, KNOWN_DAYS = 20, 30
"""Failed logins that lock it at every address without a login of that name for so many days."""


def _recent_failure_sql(name: str) -> str:
    return f"""a.user_name = {name} and not a.succeeded and a.at > greatest(
        now() - interval '{LOCK_MINUTES} minutes',
        (select f.unlocked_at from user_account f where f.user_name = {name})
    )"""


def attempt_origin_sql(attempt: str) -> str:
    """Return SQL for the origin of a login attempt: the device known under that name, else the address."""
    return f"coalesce({attempt}.device, {attempt}.client)"


def counted_failure_sql(name: str) -> str:
    """Return SQL for whether failure `a` of a name counts at its origin.

    None counts from before a success there or an unlocking.
    """
    return f"""{_recent_failure_sql(name)} and a.at > coalesce((
        select max(s.at) from login_attempt s
        where s.user_name = {name} and {attempt_origin_sql("s")} = {attempt_origin_sql("a")}
            and s.succeeded and s.imitator_id is null
    ), '-infinity')"""


def known_address_sql(name: str, client: str) -> str:
    """Return SQL for whether a name has logged in from an address recently."""
    return f"""exists (
        select from login_attempt k where k.user_name = {name} and k.client = {client} and k.succeeded
            and k.imitator_id is null and k.at > now() - interval '{KNOWN_DAYS} days'
    )"""


def strange_failure_sql(name: str) -> str:
    """Return SQL for whether failure `a` of a name counts at all addresses that are strange to it."""
    return f"{_recent_failure_sql(name)} and a.device is null and not {known_address_sql(name, 'a.client')}"


def own_device_sql(name: str, device: str) -> str:
    """Return SQL for whether a name has logged in on a device recently, with its present password.

    An unlocking forgets devices too.
    """
    return f"""exists (
        select from login_attempt k where k.user_name = {name} and {device} in (k.device, k.given) and k.succeeded
            and k.imitator_id is null and k.at > greatest(
                now() - interval '{KNOWN_DAYS} days',
                (select greatest(f.unlocked_at, f.password_set_at) from user_account f where f.user_name = {name})
            )
    )"""


_LOCKED = f"""(
    exists (
        select from login_attempt a where {counted_failure_sql("{table}.user_name")}
        group by {attempt_origin_sql("a")} having count(*) >= {LOCKED_AFTER}
    )
    or (select count(*) from login_attempt a where {strange_failure_sql("{table}.user_name")}) >= {STRANGE_AFTER}
)"""
_DEPARTMENT = (
    "(select d.department_name from employee e join department d using (department_id)"
    " where e.employee_id = {table}.employee_id)"
)
LAST_LOGIN = (
    "(select max(a.at) from login_attempt a where a.user_name = {table}.user_name and a.succeeded"
    " and a.imitator_id is null)"
)
_ONLINE = (
    "(select count(*) from user_session s where s.user_id = {table}.user_id and s.expires_at > now()"
    " and s.sign_key is not null)"
)


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

    role_id: Mapped[int] = key_field()
    role_name: Mapped[str] = text_field("角色名称", required=True, unique=True, search=True)
    scope_kind: Mapped[int] = enum_field("数据范围", SCOPES, default=2)
    own_kind: Mapped[int] = enum_field("单据范围", OWNS, default=1)
    sees_cost: Mapped[bool] = flag_field("查看成本")
    enabled: Mapped[bool] = enabled_field()
    remark: Mapped[str | None] = textarea_field("备注")
    version: Mapped[int] = integer_field("权限版本", default=1, form=False, list=False)

    derived = (
        derived_field(
            "user_count",
            "用户数",
            "integer",
            "(select count(*) from user_account u where u.role_id = {table}.role_id)",
            width=80,
            extract=False,
        ),
    )

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        from api.identity import rights

        forbid_impersonation(ctx)
        rights.require_scope_within_own(ctx.principal, row)
        if before is not None:
            rights.require_can_edit_role(ctx, before.role_id)
            if any(row[name] != value for name, value in before._mapping.items() if name != "version"):
                row["version"] = before.version + 1


class UserAccount(Resource):
    """用户: one role in a session; the password is stored as an argon2 hash and never leaves the server."""

    __tablename__ = "user_account"
    declaration = Declaration(
        "用户",
        "v2/system/User",
        "realname",
        routes={"list": "/system/user"},
        menu=Menu("系统管理", "权限管理", 20),
        distinguishing_fields=("employee_id", "department_name"),
    )

    user_id: Mapped[int] = key_field()
    user_name: Mapped[str] = text_field("登录名", required=True, unique=True, search=True, max_length=50)
    realname: Mapped[str] = text_field("姓名", required=True, search=True, max_length=50)
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True)
    employee_id: Mapped[int | None] = reference_field("employee", "员工", within=("company_id",))
    role_id: Mapped[int] = reference_field("role", "角色", required=True, search=True)
    email: Mapped[str | None] = text_field("邮箱", rule="email", max_length=100, width=180)
    enabled: Mapped[bool] = enabled_field()
    password_hash: Mapped[str | None] = mapped_column(Text)
    must_change_password: Mapped[bool] = mapped_column(server_default="false")
    unlocked_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    password_set_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    # What he set in the shell: 1 standard or 2 simple, and whether new bills are told aloud.
    operating_version: Mapped[int] = mapped_column(server_default="1")
    is_broadcast: Mapped[bool] = mapped_column(server_default="false")

    derived = (
        derived_field("department_name", "部门", "text", _DEPARTMENT, width=110, extract=False),
        derived_field("locked", "已锁定", "bool", _LOCKED, width=80, extract=False),
        derived_field("last_login_at", "最近登录", "datetime", LAST_LOGIN, width=160, extract=False),
        derived_field("online_count", "在线会话", "integer", _ONLINE, width=80, extract=False),
    )

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        from api.identity import rights, sessions

        forbid_impersonation(ctx)
        for role_id in {row["role_id"], before.role_id if before is not None else row["role_id"]}:
            rights.require_can_assign_role(ctx, role_id)
        if before is not None and before.enabled and not row["enabled"]:
            if before.user_id == ctx.principal.user_id:
                raise Refusal("不能停用自己的账号")
            sessions.end_user_sessions(ctx.conn, before.user_id, sessions.DISABLED)


def forbid_impersonation(ctx: Context) -> None:
    """Raise Forbidden in a simulated login: it changes no accounts and rights."""
    if ctx.principal.imitator_id:
        raise Forbidden("模拟登录中不能修改账号、角色和密码，请先结束模拟")


class RightBundle(Resource):
    """权限包: rights under a name; roles that take it hold them, and follow when it changes."""

    __tablename__ = "right_bundle"
    declaration = Declaration(
        "权限包",
        "v2/system/RightBundle",
        "bundle_name",
        routes={"list": "/system/auth", "add": "/system/authAdd"},
        menu=Menu("系统管理", "权限管理", 5),
    )

    right_bundle_id: Mapped[int] = key_field()
    bundle_name: Mapped[str] = text_field("权限包名称", required=True, unique=True, search=True, width=220)
    remark: Mapped[str | None] = textarea_field("备注", width=320)

    derived = (
        derived_field(
            "right_count",
            "权限数",
            "integer",
            "(select count(*) from right_bundle_right b where b.right_bundle_id = {table}.right_bundle_id)",
            extract=False,
        ),
        derived_field(
            "role_count",
            "使用的角色数",
            "integer",
            "(select count(*) from role_bundle b where b.right_bundle_id = {table}.right_bundle_id)",
            extract=False,
        ),
    )

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        from api.identity import rights

        forbid_impersonation(ctx)
        if before is not None:
            rights.require_can_edit_bundle(ctx, before.right_bundle_id)


class RightBundleRight(Base):
    """One permission code of a bundle."""

    __tablename__ = "right_bundle_right"

    right_bundle_id: Mapped[int] = mapped_column(
        ForeignKey("right_bundle.right_bundle_id", ondelete="cascade"), primary_key=True
    )
    code: Mapped[str] = mapped_column(Text, primary_key=True)


class RoleBundle(Base):
    """A bundle that a role takes; one that is taken can't be deleted."""

    __tablename__ = "role_bundle"

    role_id: Mapped[int] = mapped_column(ForeignKey("role.role_id", ondelete="cascade"), primary_key=True)
    right_bundle_id: Mapped[int] = mapped_column(
        ForeignKey("right_bundle.right_bundle_id"), primary_key=True, index=True
    )


class RoleRight(Stamped, Base):
    """One permission code a role holds; `*` is every right. Without `direct` it comes from a bundle alone."""

    __tablename__ = "role_right"
    __table_args__ = (UniqueConstraint("role_id", "code"),)

    role_right_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    role_id: Mapped[int] = mapped_column(ForeignKey("role.role_id", ondelete="cascade"))
    code: Mapped[str] = mapped_column(Text)
    direct: Mapped[bool] = mapped_column(server_default="true")


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
    imitator_id: Mapped[int | None] = mapped_column(ForeignKey("user_account.user_id", ondelete="cascade"))
    origin_id: Mapped[int | None] = mapped_column(
        ForeignKey("user_session.session_id", ondelete="cascade"), index=True
    )
    """In a simulated login: the impersonator, and his own session that it ends with."""
    token_name: Mapped[str | None] = mapped_column(Text)
    scope: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    """Of an API token: its purpose, and the rights that it is limited to (none: all of its user's)."""


class LoginAttempt(Base):
    """A login attempt and the end of its session; the login log, and what the rate limit counts."""

    __tablename__ = "login_attempt"
    __table_args__ = (
        Index("ix_login_attempt_user", "user_name", "at"),
        Index("ix_login_attempt_client", "client", "at"),
        Index("ix_login_attempt_at", "at"),
    )

    attempt_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    user_name: Mapped[str] = mapped_column(Text)
    client: Mapped[str] = mapped_column(Text)
    device: Mapped[str | None] = mapped_column(Text)
    """Hash of the browser's device token, where the name had logged in with it before."""
    given: Mapped[str | None] = mapped_column(Text)
    """Hash of the device token that this login gave to the browser."""
    succeeded: Mapped[bool]
    at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())
    user_id: Mapped[int | None] = mapped_column(BigInteger)
    agent: Mapped[str | None] = mapped_column(Text)
    reason: Mapped[str | None] = mapped_column(Text)
    session_id: Mapped[int | None] = mapped_column(BigInteger, index=True)
    imitator_id: Mapped[int | None] = mapped_column(BigInteger)
    ended_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True))
    ended_how: Mapped[int | None]
