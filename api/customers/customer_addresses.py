"""Customers' addresses (收货地址): where goods are sent to, one of them by default."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Index, Row, select, update
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.errors import Invalid
from api.kit.fields import enabled, flag, key, ref, text
from api.kit.resource import Declaration, Menu, Resource
from api.master.geography import area, city, province, street_address
from api.master.partners import Customer


class CustomerAddress(Resource):
    """收货地址: a customer's first one is his default until another is made it."""

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
        tells=("customer_id",),
        confided=True,
    )

    customer_address_id: Mapped[int] = key()
    company_id: Mapped[int] = ref("company", "公司", required=True, search=True, fixed="always")
    customer_id: Mapped[int] = ref(
        "customer",
        "客户",
        required=True,
        within=("company_id",),
        search=True,
        index=True,
        width=200,
        fixed="always",
    )
    consignee: Mapped[str] = text("收货人", required=True, search=True, max_length=50)
    mobile: Mapped[str] = text("手机号", required=True, rule="mobile", search=True, max_length=11)
    province_id: Mapped[int | None] = province()
    city_id: Mapped[int | None] = city()
    area_id: Mapped[int | None] = area()
    address: Mapped[str] = street_address("详细地址", required=True, search=True, width=260)
    is_default: Mapped[bool] = flag("默认地址", search=True)
    enabled: Mapped[bool] = enabled()

    @classmethod
    def check(cls, row: dict[str, Any]) -> None:
        if row["is_default"] and not row["enabled"]:
            raise Invalid("默认地址不能停用，请先将其他地址设为默认")

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        """One default at a time: the customer's lock makes saves at the same time see each other."""
        table, customer = cls.table(), Customer.table()
        locked = select(customer.c.customer_id).where(customer.c.customer_id == row["customer_id"])
        ctx.conn.execute(locked.with_for_update(key_share=True))
        default = (table.c.customer_id == row["customer_id"]) & table.c.is_default
        if row["is_default"] and not (before is not None and before.is_default):
            ctx.conn.execute(update(table).where(default).values(is_default=False))
        elif row["enabled"] and before is None:
            row["is_default"] = ctx.conn.execute(select(table.c.is_default).where(default)).first() is None


def default_address(ctx: Context, customer_id: int) -> int | None:
    """Where a customer's goods are sent to unless a bill says otherwise."""
    place = ("customer_address", customer_id)
    if place not in ctx.known:
        table = CustomerAddress.table()
        mine = (table.c.customer_id == customer_id) & table.c.is_default
        ctx.known[place] = ctx.conn.execute(select(table.c.customer_address_id).where(mine)).scalar()
    found: int | None = ctx.known[place]
    return found


class Sent:
    """A bill whose goods are sent to one of its customer's addresses, the default one where a new bill says none."""

    customer_address_id: Mapped[int | None] = ref(
        "customer_address", "收货地址", within=("company_id", "customer_id"), width=240, place=True, sort=-36
    )


def send_to_default(ctx: Context, header: dict[str, Any]) -> None:
    """Give a new bill its customer's default address."""
    if "bill_id" not in header and not header.get("customer_address_id"):
        header["customer_address_id"] = default_address(ctx, header["customer_id"])
