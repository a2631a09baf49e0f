"""Customer addresses (收货地址): shipping addresses of customers, one of them the default."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Index, Row, select, update
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.fields import enabled_field, flag_field, key_field, reference_field, text_field
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.errors import InvalidInput
from api.master.organization.geography import address_field, area_field, city_field, province_field
from api.master.partners.partners import Customer


class CustomerAddress(Resource):
    """收货地址: the customer's first address is the default until another one is set."""

    __tablename__ = "customer_address"
    __table_args__ = (
        Index("ux_customer_address_default", "customer_id", unique=True, postgresql_where="is_default"),
    )
    declaration = Declaration(
        "收货地址",
        "v2/custom/CustomerAddress",
        "address",
        routes={"list": "/custom/customaddress"},
        menu=Menu("客户管理", "客户资料", 30),
        lookup="open/Customer/getAddressList",
        distinguishing_fields=("customer_id",),
        names_confidential=True,
    )

    customer_address_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True, fixed="always")
    customer_id: Mapped[int] = reference_field(
        "customer",
        "客户",
        required=True,
        within=("company_id",),
        search=True,
        index=True,
        width=200,
        fixed="always",
    )
    consignee: Mapped[str] = text_field("收货人", required=True, search=True, max_length=50)
    mobile: Mapped[str] = text_field("手机号", required=True, rule="mobile", search=True, max_length=11)
    province_id: Mapped[int | None] = province_field()
    city_id: Mapped[int | None] = city_field()
    area_id: Mapped[int | None] = area_field()
    address: Mapped[str] = address_field("详细地址", required=True, search=True, width=260)
    is_default: Mapped[bool] = flag_field("默认地址", search=True)
    enabled: Mapped[bool] = enabled_field()

    @classmethod
    def validate_row(cls, row: dict[str, Any]) -> None:
        if row["is_default"] and not row["enabled"]:
            raise InvalidInput("默认地址不能停用，请先将其他地址设为默认")

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        """Keep one default address; a lock on the customer serializes concurrent saves."""
        table, customer = cls.table(), Customer.table()
        locked = select(customer.c.customer_id).where(customer.c.customer_id == row["customer_id"])
        ctx.conn.execute(locked.with_for_update(key_share=True))
        default = (table.c.customer_id == row["customer_id"]) & table.c.is_default
        if row["is_default"] and not (before is not None and before.is_default):
            ctx.conn.execute(update(table).where(default).values(is_default=False))
        elif row["enabled"] and before is None:
            row["is_default"] = ctx.conn.execute(select(table.c.is_default).where(default)).first() is None


def read_default_address(ctx: Context, customer_id: int) -> int | None:
    """Read a customer's default address, cached in the context."""
    place = ("customer_address", customer_id)
    if place not in ctx.lookup_cache:
        table = CustomerAddress.table()
        mine = (table.c.customer_id == customer_id) & table.c.is_default
        ctx.lookup_cache[place] = ctx.conn.execute(select(table.c.customer_address_id).where(mine)).scalar()
    found: int | None = ctx.lookup_cache[place]
    return found


class ShippingAddressMixin:
    """Mixin of bills that ship to an address of their customer; a new bill without one gets the default."""

    customer_address_id: Mapped[int | None] = reference_field(
        "customer_address", "收货地址", within=("company_id", "customer_id"), width=240, place=True, sort=-36
    )


def fill_default_address(ctx: Context, header: dict[str, Any]) -> None:
    """Fill the customer's default address in a new bill that has none."""
    if "bill_id" not in header and not header.get("customer_address_id"):
        header["customer_address_id"] = read_default_address(ctx, header["customer_id"])
