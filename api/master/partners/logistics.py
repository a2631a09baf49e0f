"""Logistics (物流): who carries goods, as which supplier he is owed for it, and the drivers who come for them."""

from __future__ import annotations

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import enabled_field, enum_field, key_field, reference_field, text_field
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.master.organization.geography import address_field, area_field, city_field, province_field
from api.master.partners.partner_autofill import declare_card_autofill, declare_company_autofill

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
        fillings=declare_company_autofill(
            ("logistics_name", "name"),
            ("contact_name", "legal_person"),
            ("phone", "phone"),
            ("address", "address"),
        ),
        distinguishing_fields=("type",),
    )

    logistics_id: Mapped[int] = key_field()
    logistics_name: Mapped[str] = text_field("物流公司", required=True, unique=True, search=True, width=200)
    type: Mapped[int] = enum_field("类型", LOGISTICS_TYPES, default=2, search=True)
    supplier_id: Mapped[int | None] = reference_field(
        "supplier", "结算供应商", search=True, index=True, width=200
    )
    contact_name: Mapped[str | None] = text_field("联系人", search=True, max_length=50)
    phone: Mapped[str | None] = text_field("联系电话", rule="phone", search=True, max_length=20)
    province_id: Mapped[int | None] = province_field()
    city_id: Mapped[int | None] = city_field()
    area_id: Mapped[int | None] = area_field()
    address: Mapped[str | None] = address_field()
    remark: Mapped[str | None] = text_field("备注", free=True, max_length=200)
    enabled: Mapped[bool] = enabled_field()


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
        fillings=(declare_card_autofill(("driver_name", "name"), ("id_card", "number")),),
        distinguishing_fields=("logistics_id",),
    )

    logistics_driver_id: Mapped[int] = key_field()
    driver_name: Mapped[str] = text_field("司机姓名", required=True, search=True, max_length=50)
    mobile: Mapped[str] = text_field("手机号", required=True, rule="mobile", search=True, max_length=11)
    logistics_id: Mapped[int] = reference_field(
        "logistics",
        "物流公司",
        required=True,
        search=True,
        index=True,
        width=200,
        shows=("type",),
        fixed="named",
    )
    plate_no: Mapped[str | None] = text_field("车牌号", search=True, max_length=12)
    id_card: Mapped[str | None] = text_field("身份证号", rule="idCard", list=False, max_length=18)
    enabled: Mapped[bool] = enabled_field()
