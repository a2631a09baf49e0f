"""SMS tables (短信平台、短信模板、短信记录): channels, templates and messages."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import orjson
from sqlalchemy import Index, Row, Text
from sqlalchemy import text as sql
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.context import Context
from api.kit.declaration.fields import (
    datetime_field,
    declared_column,
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
from api.kit.errors import InvalidInput
from api.messaging.outbound_http import validate_address
from api.messaging.secret_encryption import encrypt_secret

FILE, GATEWAY = 1, 2
KINDS = {FILE: "文件（不发送，写入数据目录）", GATEWAY: "HTTP 网关"}
WAITING, SENT, FAILED = 1, 2, 3
STATES = {WAITING: "等待发送", SENT: "已发送", FAILED: "失败"}
DEFAULT_BODY = (
    '{"mobile": "{mobile}", "content": "{content}", "sign": "{sign}", "template": "{template}", "id": "{id}"}'
)


class SmsChannel(Resource):
    """短信平台: a file, or any gateway that takes a JSON body over HTTP."""

    __tablename__ = "sms_channel"
    __table_args__ = (
        Index("ux_sms_channel_default", "is_default", unique=True, postgresql_where="is_default"),
    )
    extract = False
    declaration = Declaration(
        "短信平台",
        "v2/system/SmsChannel",
        "channel_name",
        routes={"list": "/system/smschannel"},
        menu=Menu("系统管理", "消息管理", 60),
        names_confidential=True,
    )

    sms_channel_id: Mapped[int] = key_field()
    channel_name: Mapped[str] = text_field(
        "短信平台名称", required=True, unique=True, search=True, max_length=40, width=180
    )
    kind: Mapped[int] = enum_field("方式", KINDS, default=FILE, width=200)
    signature: Mapped[str | None] = text_field("短信签名", max_length=20)
    url: Mapped[str | None] = text_field("网关地址", max_length=300, width=260)
    header: Mapped[str | None] = text_field("认证请求头", max_length=200, list=False)
    body: Mapped[str | None] = textarea_field("请求内容", max_length=2000, list=False)
    success: Mapped[str | None] = text_field("成功标志", max_length=100, list=False)
    secret: Mapped[str | None] = declared_column("password", "密钥", max_length=300, list=False, export=False)
    enabled: Mapped[bool] = enabled_field()
    is_default: Mapped[bool] = flag_field("默认")
    sealed: Mapped[str | None] = mapped_column(Text)
    """The encrypted secret; `secret` itself is only an input and stays empty."""

    @classmethod
    def validate_row(cls, row: dict[str, Any]) -> None:
        if row.get("kind") != GATEWAY:
            return
        if not row.get("url"):
            raise InvalidInput("请输入网关地址")
        validate_address(row["url"])
        if row.get("header") and not re.fullmatch(r"[A-Za-z0-9-]+:[ -~]+", row["header"]):
            raise InvalidInput("认证请求头的格式为“名称: 内容”，密钥写作 {secret}")
        _parse_body_template(row.get("body") or DEFAULT_BODY)

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        """Encrypt a new secret; one default at a time."""
        if row.get("secret"):
            row["sealed"] = encrypt_secret(row["secret"])
        row["secret"] = None
        if row.get("is_default") and not (before is not None and before.is_default):
            ctx.conn.exec_driver_sql("update sms_channel set is_default = false where is_default")


def _parse_body_template(body: str) -> dict[str, Any]:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        found = None
    if not isinstance(found, dict):
        raise InvalidInput("请求内容应是 JSON 对象，例如 " + DEFAULT_BODY)
    return found


def read_body_template(channel: Row[Any]) -> dict[str, Any]:
    """Return the gateway's body with its {placeholders}."""
    return _parse_body_template(channel.body or DEFAULT_BODY)


class SmsTemplate(Resource):
    """短信模板: a text with {placeholders}."""

    __tablename__ = "sms_template"
    extract = False
    declaration = Declaration(
        "短信模板",
        "v2/system/SmsTemplate",
        "template_name",
        routes={"list": "/system/smstemplate"},
        menu=Menu("系统管理", "消息管理", 61),
        names_confidential=True,
    )

    sms_template_id: Mapped[int] = key_field()
    template_name: Mapped[str] = text_field(
        "模板名称", required=True, unique=True, search=True, max_length=40
    )
    sms_channel_id: Mapped[int | None] = reference_field(
        "sms_channel", "短信平台", label_field="channel_name"
    )
    code: Mapped[str | None] = text_field("平台模板编号", max_length=60)
    content: Mapped[str] = textarea_field("短信内容", required=True, max_length=300, width=360)
    enabled: Mapped[bool] = enabled_field()


class SmsBill(Resource):
    """短信记录: what was to be sent to whom, and what became of it."""

    __tablename__ = "sms_bill"
    __table_args__ = (
        Index("ix_sms_bill_mobile", "mobile", "asked_at"),
        Index("ix_sms_bill_waiting", "next_at", postgresql_where=f"state = {WAITING}"),
    )
    extract = False
    declaration = Declaration(
        "短信记录",
        "v2/system/SmsBill",
        "mobile",
        routes={"list": "/system/smsbill"},
        menu=Menu("系统管理", "消息管理", 62),
        actions=("list", "send", "export"),
        order_by=("sms_bill_id", "desc"),
    )

    sms_bill_id: Mapped[int] = key_field()
    mobile: Mapped[str] = text_field("手机号", required=True, search=True, rule="mobile", max_length=11)
    sms_template_id: Mapped[int] = reference_field(
        "sms_template", "短信模板", required=True, label_field="template_name"
    )
    sms_channel_id: Mapped[int] = reference_field(
        "sms_channel", "短信平台", required=True, label_field="channel_name"
    )
    content: Mapped[str] = textarea_field("短信内容", required=True, max_length=500, width=360)
    state: Mapped[int] = enum_field("状态", STATES, default=WAITING, search=True, width=90)
    failure: Mapped[str | None] = text_field("失败原因", max_length=300, width=220)
    tries: Mapped[int] = integer_field("次数", width=70)
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True)
    user_id: Mapped[int] = reference_field(
        "user_account", "发送人", target="user_id", required=True, label_field="user_realname", width=90
    )
    asked_at: Mapped[datetime] = datetime_field(
        "提交时间", search=True, column={"server_default": sql("now()"), "nullable": False}
    )
    sent_at: Mapped[datetime | None] = datetime_field("发送时间")
    next_at: Mapped[datetime | None] = datetime_field("下次重试", list=False)
