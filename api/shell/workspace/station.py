"""Service station (服务站): a station's own settings and shopping cart, the super-station activity."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any, ClassVar

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    date_field,
    enabled_field,
    goods_field,
    integer_field,
    key_field,
    quantity_field,
    reference_field,
    text_field,
    textarea_field,
)
from api.kit.declaration.fields import money_field as amount
from api.kit.declaration.resource import READ, WRITE, Declaration, Menu, Resource, ScreenPlacement
from api.kit.errors import InvalidInput

TIMEOUT_HOURS = 24
"""Hours after which an outbound that nobody audited counts as timed out, where a station sets none."""
PRICE_DAYS = 7
"""Days for which a changed guide price is shown, where a station sets none."""
MOST_TIERS = 20


class StationSetting(Resource):
    """服务站设置: the newest row of a company holds, the older ones tell what held before."""

    __tablename__ = "station_setting"
    declaration = Declaration(
        "服务站设置",
        "v2/system/StationSetting",
        "company_id",
        routes={"list": "/system/stationsetting"},
        menu=Menu("系统管理", "服务站", 10),
    )
    extract: ClassVar[bool] = False

    station_setting_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field(
        "company", "公司", required=True, search=True, index=True, width=200
    )
    timeout_hours: Mapped[int] = integer_field("出库超时（小时）", default=TIMEOUT_HOURS, rule="PositiveInt")
    price_days: Mapped[int] = integer_field("调价提醒（天）", default=PRICE_DAYS, rule="PositiveInt")
    app_url: Mapped[str | None] = text_field("手机端下载地址", max_length=300, width=220)
    voice_url: Mapped[str | None] = text_field("语音播报客户端地址", max_length=300, width=220)

    @classmethod
    def validate_row(cls, row: dict[str, Any]) -> None:
        for name in ("app_url", "voice_url"):
            if row.get(name) and not row[name].startswith(("http://", "https://", "/")):
                raise InvalidInput("下载地址须以 http://、https:// 或 / 开头")


class ShoppingCart(Resource):
    """购物车: what a company means to order from the mall."""

    __tablename__ = "shopping_cart"
    __table_args__ = (UniqueConstraint("company_id", "goods_id"),)
    declaration = Declaration(
        "购物车",
        "service_station/purchase/ShoppingCart",
        "goods_id",
        routes={"list": "/purchase/shoppingCart"},
        menu=Menu("采购管理", "采购商城", 10),
        actions=(*READ, *WRITE, "delOutOfStock", "export"),
        also=(ScreenPlacement({"list": "/shoppingCart"}),),
        also_called={"del": "delete"},
    )
    extract: ClassVar[bool] = False

    shopping_cart_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True)
    goods_id: Mapped[int] = goods_field(required=True, search=True, index=True)
    quantity: Mapped[Decimal] = quantity_field("数量", default=1, rule="positive")
    remark: Mapped[str | None] = textarea_field("备注", max_length=200)


class SuperStation(Resource):
    """超级服务站活动: its period and rules; what is reached is counted from the audited purchase inbound bills."""

    __tablename__ = "super_station"
    declaration = Declaration(
        "超级服务站活动",
        "v2/system/SuperStation",
        "super_station_name",
        routes={"list": "/system/superstation"},
        menu=Menu("系统管理", "服务站", 20),
        names_confidential=True,
    )
    extract: ClassVar[bool] = False

    super_station_id: Mapped[int] = key_field()
    super_station_name: Mapped[str] = text_field(
        "活动名称", required=True, unique=True, search=True, max_length=50, width=200
    )
    start_date: Mapped[date] = date_field("开始日期", required=True)
    end_date: Mapped[date] = date_field("结束日期", since="start_date", required=True)
    rule_desc: Mapped[str] = textarea_field("活动规则", required=True, max_length=2000)
    enabled: Mapped[bool] = enabled_field()


class SuperStationReward(Resource):
    """活动奖励: what a purchase amount earns; an activity shows its twenty lowest tiers."""

    __tablename__ = "super_station_reward"
    declaration = Declaration(
        "活动奖励",
        "v2/system/SuperStationReward",
        "reward_name",
        routes={"list": "/system/superstationreward"},
        menu=Menu("系统管理", "服务站", 30),
        order_by=("purchase_amount", "asc"),
    )
    extract: ClassVar[bool] = False

    super_station_reward_id: Mapped[int] = key_field()
    super_station_id: Mapped[int] = reference_field(
        "super_station", "活动", required=True, search=True, index=True, width=200
    )
    purchase_amount: Mapped[Decimal] = amount("进货金额", required=True, rule="positive")
    reward_name: Mapped[str] = text_field("奖励", required=True, max_length=50, width=160)
    reward_value: Mapped[str] = text_field("奖励内容", required=True, max_length=100, width=200)
