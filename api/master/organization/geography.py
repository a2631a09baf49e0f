"""Geography (地区): countries, provinces, cities and districts, to which partners and companies belong."""

from __future__ import annotations

from typing import Any

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped, MappedColumn

from api.kit.declaration.fields import enabled_field, key_field, reference_field, text_field, textarea_field
from api.kit.declaration.resource import Declaration, Menu, Resource

_CODE = "行政区划代码"


class Country(Resource):
    """国家"""

    __tablename__ = "country"
    declaration = Declaration(
        "国家",
        "v2/system/Country",
        "country_name",
        routes={"list": "/system/country"},
        menu=Menu("系统管理", "地区设置", 10),
        order_by=("country_id", "asc"),
        lookup="open/Country/getCountryList",
        distinguishing_fields=("code",),
    )

    country_id: Mapped[int] = key_field()
    country_name: Mapped[str] = text_field("国家", required=True, unique=True, search=True, max_length=50)
    code: Mapped[str | None] = text_field("国家代码", unique=True, search=True, max_length=10)
    enabled: Mapped[bool] = enabled_field()


class Province(Resource):
    """省: also autonomous regions and municipalities."""

    __tablename__ = "province"
    __table_args__ = (UniqueConstraint("country_id", "province_name"),)
    declaration = Declaration(
        "省份",
        "v2/system/Province",
        "province_name",
        routes={"list": "/system/prov"},
        menu=Menu("系统管理", "地区设置", 20),
        order_by=("province_id", "asc"),
        lookup="open/Province/getProvinceList",
        distinguishing_fields=("country_id", "code"),
    )

    province_id: Mapped[int] = key_field()
    province_name: Mapped[str] = text_field("省", required=True, search=True, max_length=50)
    country_id: Mapped[int] = reference_field("country", "国家", required=True, search=True)
    code: Mapped[str | None] = text_field(_CODE, unique=True, search=True, max_length=12)
    enabled: Mapped[bool] = enabled_field()


class City(Resource):
    """市: a municipality has itself as its city."""

    __tablename__ = "city"
    __table_args__ = (UniqueConstraint("province_id", "city_name"),)
    declaration = Declaration(
        "城市",
        "v2/system/City",
        "city_name",
        routes={"list": "/system/city"},
        menu=Menu("系统管理", "地区设置", 30),
        order_by=("city_id", "asc"),
        lookup="open/City/getCityList",
        distinguishing_fields=("province_id", "code"),
    )

    city_id: Mapped[int] = key_field()
    city_name: Mapped[str] = text_field("市", required=True, search=True, max_length=50)
    province_id: Mapped[int] = reference_field("province", "省", required=True, search=True, fixed="named")
    code: Mapped[str | None] = text_field(_CODE, unique=True, search=True, max_length=12)
    enabled: Mapped[bool] = enabled_field()


class Area(Resource):
    """区县"""

    __tablename__ = "area"
    __table_args__ = (UniqueConstraint("city_id", "area_name"),)
    declaration = Declaration(
        "区县",
        "v2/system/Area",
        "area_name",
        routes={"list": "/system/address"},
        menu=Menu("系统管理", "地区设置", 40),
        order_by=("area_id", "asc"),
        lookup="open/Area/getAreaList",
        distinguishing_fields=("city_id", "code"),
    )

    area_id: Mapped[int] = key_field()
    area_name: Mapped[str] = text_field("区县", required=True, search=True, max_length=50)
    city_id: Mapped[int] = reference_field(
        "city", "市", required=True, search=True, shows=("province_id",), fixed="named"
    )
    code: Mapped[str | None] = text_field(_CODE, unique=True, search=True, max_length=12)
    enabled: Mapped[bool] = enabled_field()


def address_field(label: str = "地址", **marks: Any) -> MappedColumn[Any]:
    """Declare an address below its district; it can be found on a map."""
    return textarea_field(label, **{"max_length": 200, "place": True, "free": False, **marks})


def province_field() -> MappedColumn[Any]:
    """Declare the province of a partner or company."""
    return reference_field("province", "省", search=True, width=100)


def city_field() -> MappedColumn[Any]:
    """Declare the city; narrowed by the province."""
    return reference_field("city", "市", within=("province_id",), search=True, width=100)


def area_field() -> MappedColumn[Any]:
    """Declare the district; narrowed by the city."""
    return reference_field("area", "区县", within=("city_id",), search=True, width=100)
