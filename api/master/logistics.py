"""Logistics (物流): who carries goods, as which supplier he is owed for it, and the drivers who come for them."""

from __future__ import annotations

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped

from api.kit.fields import enabled, enum, key, ref, text
from api.kit.resource import Declaration, Menu, Resource
from api.master.geography import area, city, province, street_address
from api.master.party_fillings import card_filling, company_fillings

LOGISTICS_TYPES = {1: "自有车队", 2: "第三方物流", 3: "快递"}


class Logistics(Resource):
    """物流公司"""

    __tablename__ = "logistics"
    declaration = Declaration(
        "物流公司",
        "v2/system/Logistics",
        "logistics_name",
        routes={"list": "/system/logisticscompany"},
        menu=Menu("系统管理", "物流设置", 10),
        lookup="open/Logistics/getLogisticsList",
        fillings=company_fillings(
            ("logistics_name", "name"),
            ("contact_name", "legal_person"),
            ("phone", "phone"),
            ("address", "address"),
        ),
        tells=("type",),
    )

    logistics_id: Mapped[int] = key()
    logistics_name: Mapped[str] = text("物流公司", required=True, unique=True, search=True, width=200)
    type: Mapped[int] = enum("类型", LOGISTICS_TYPES, default=2, search=True)
    supplier_id: Mapped[int | None] = ref("supplier", "结算供应商", search=True, index=True, width=200)
    contact_name: Mapped[str | None] = text("联系人", search=True, max_length=50)
    phone: Mapped[str | None] = text("联系电话", rule="phone", search=True, max_length=20)
    province_id: Mapped[int | None] = province()
    city_id: Mapped[int | None] = city()
    area_id: Mapped[int | None] = area()
    address: Mapped[str | None] = street_address()
    remark: Mapped[str | None] = text("备注", free=True, max_length=200)
    enabled: Mapped[bool] = enabled()


class LogisticsDriver(Resource):
    """司机"""

    __tablename__ = "logistics_driver"
    __table_args__ = (UniqueConstraint("logistics_id", "driver_name", "mobile"),)
    declaration = Declaration(
        "物流司机",
        "v2/system/LogisticsDriver",
        "driver_name",
        routes={"list": "/system/logisticsdriver"},
        menu=Menu("系统管理", "物流设置", 20),
        lookup="open/LogisticsDriver/getDriverList",
        fillings=(card_filling(("driver_name", "name"), ("id_card", "number")),),
        tells=("logistics_id",),
    )

    logistics_driver_id: Mapped[int] = key()
    driver_name: Mapped[str] = text("司机姓名", required=True, search=True, max_length=50)
    mobile: Mapped[str] = text("手机号", required=True, rule="mobile", search=True, max_length=11)
    logistics_id: Mapped[int] = ref(
        "logistics",
        "物流公司",
        required=True,
        search=True,
        index=True,
        width=200,
        shows=("type",),
        fixed="named",
    )
    plate_no: Mapped[str | None] = text("车牌号", search=True, max_length=12)
    id_card: Mapped[str | None] = text("身份证号", rule="idCard", list=False, max_length=18)
    enabled: Mapped[bool] = enabled()
