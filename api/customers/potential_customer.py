"""Potential customers (潜在客户): prospects, notes of conversations with them, and their conversion to customers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from sqlalchemy import Row, UniqueConstraint, func, insert, update
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.fields import (
    date_field,
    datetime_field,
    enum_field,
    key_field,
    reference_field,
    text_field,
    textarea_field,
)
from api.kit.declaration.resource import ACTION_LABELS, READ, WRITE, Declaration, Drill, Menu, Resource
from api.kit.errors import InvalidInput
from api.kit.storage import business_log, records
from api.master.organization.geography import address_field, area_field, city_field, province_field
from api.master.partners.partner_autofill import declare_card_autofill, declare_company_autofill
from api.master.partners.partners import Customer
from api.master.settings.business_types import code_list_field

NEW, SPOKEN_TO, WON, LOST = 1, 2, 3, 4
STATES = {NEW: "待跟进", SPOKEN_TO: "跟进中", WON: "已转客户", LOST: "已放弃"}
SOURCES = {1: "上门", 2: "电话", 3: "网络", 4: "转介绍", 5: "展会", 6: "其他"}
NOTES = "/custom/potentialCustomerNotes"


class PotentialCustomer(Resource):
    """潜在客户: kept as a record after conversion to a customer."""

    __tablename__ = "potential_customer"
    __table_args__ = (UniqueConstraint("company_id", "customer_name"),)
    declaration = Declaration(
        "潜在客户",
        "v2/custom/PotentialCustomer",
        "customer_name",
        routes={"list": "/custom/potential_customer_list"},
        menu=Menu("客户管理", "客户资料", 5),
        actions=(*READ, *WRITE, "followUp", "convert", "giveUp", "export"),
        asks={"followUp": ("last_note", "next_on")},
        drill=Drill("跟进记录", NOTES, (("potential_customer_id", "potential_customer_id"),)),
        fillings=(
            *declare_company_autofill(
                ("customer_name", "name"),
                ("contact_name", "legal_person"),
                ("customer_mobile", "phone"),
                ("address", "address"),
            ),
            declare_card_autofill(("contact_name", "name"), ("address", "address")),
        ),
        names_confidential=True,
    )

    potential_customer_id: Mapped[int] = key_field()
    customer_name: Mapped[str] = text_field("客户名称", required=True, search=True, width=220)
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True, fixed="always")
    state: Mapped[int] = enum_field("跟进状态", STATES, default=NEW, search=True, form=False, width=90)
    source: Mapped[int] = enum_field("客户来源", SOURCES, default=1, search=True, width=90)
    customer_type_id: Mapped[int | None] = code_list_field("customer_type", "客户类别")
    contact_name: Mapped[str | None] = text_field("联系人", search=True, max_length=50)
    customer_mobile: Mapped[str | None] = text_field("手机号", rule="mobile", search=True, max_length=11)
    province_id: Mapped[int | None] = province_field()
    city_id: Mapped[int | None] = city_field()
    area_id: Mapped[int | None] = area_field()
    address: Mapped[str | None] = address_field("详细地址")
    employee_id: Mapped[int | None] = reference_field(
        "employee", "业务员", within=("company_id",), search=True
    )
    last_note: Mapped[str | None] = textarea_field("最近跟进", max_length=500, form=False, width=260)
    last_followed_at: Mapped[datetime | None] = datetime_field("最近跟进时间", form=False)
    next_on: Mapped[date | None] = date_field("下次跟进日期", search=True, width=120)
    customer_id: Mapped[int | None] = reference_field(
        "customer", "已转客户", form=False, label_field="won_name", width=200
    )
    remark: Mapped[str | None] = textarea_field("备注", max_length=500)

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        if before is not None and before.state == WON:
            raise InvalidInput(f"{before.customer_name}已转为客户，请在客户资料中修改")


class CustomerFollowUp(Resource):
    """跟进记录: note of a conversation with a potential customer; append-only."""

    __tablename__ = "customer_follow_up"
    declaration = Declaration(
        "潜在客户跟进记录",
        "v2/custom/CustomerFollowUp",
        "note",
        routes={"list": NOTES},
        menu=Menu("客户管理", "客户资料", 6),
        actions=(*READ, "export"),
        order_by=("customer_follow_up_id", "desc"),
    )

    customer_follow_up_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, form=False, search=True)
    potential_customer_id: Mapped[int] = reference_field(
        "potential_customer",
        "潜在客户",
        required=True,
        form=False,
        search=True,
        label_field="customer_name",
        width=220,
        column={"index": True},
    )
    note: Mapped[str] = textarea_field(
        "跟进内容", required=True, max_length=500, form=False, search=True, width=360
    )
    next_on: Mapped[date | None] = date_field("下次跟进日期", form=False, width=120)
    maker_id: Mapped[int] = reference_field(
        "user_account", "跟进人", target="user_id", required=True, form=False, search=True, width=100
    )
    made_at: Mapped[datetime] = datetime_field(
        "跟进时间",
        form=False,
        search=True,
        column={"server_default": func.now(), "nullable": False},
    )


def add_follow_up(ctx: Context, keys: list[int], note: str, next_on: date) -> dict[str, Any]:
    """Add a note and the date of the next conversation; reopens those that were given up."""

    def step(row: Row[Any]) -> None:
        made = {
            "company_id": row.company_id,
            "potential_customer_id": row.potential_customer_id,
            "note": note,
            "next_on": next_on,
            "maker_id": ctx.principal.user_id,
        }
        ctx.conn.execute(insert(CustomerFollowUp).values(made))
        _set_state(
            ctx, row, "followUp", SPOKEN_TO, last_note=note, last_followed_at=func.now(), next_on=next_on
        )

    return _update_each(ctx, keys, "followUp", step)


def give_up(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Mark potential customers as given up."""

    def step(row: Row[Any]) -> None:
        if row.state == LOST:
            raise InvalidInput(f"{row.customer_name}已放弃")
        _set_state(ctx, row, "giveUp", LOST, next_on=None)

    return _update_each(ctx, keys, "giveUp", step)


def convert_to_customers(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Create customers of potential ones; asks for confirmation of likely duplicates."""
    ctx.require_right(Customer.right("add"))
    same = (
        *("customer_name", "company_id", "customer_type_id", "contact_name", "customer_mobile"),
        *("province_id", "city_id", "area_id", "address", "employee_id"),
    )

    def step(row: Row[Any]) -> None:
        made = records.add_record(ctx, Customer, {name: getattr(row, name) for name in same})
        _set_state(ctx, row, "convert", WON, customer_id=made, next_on=None)

    return _update_each(ctx, keys, "convert", step)


def _update_each(
    ctx: Context, keys: list[int], action: str, step: Callable[[Row[Any]], None]
) -> dict[str, Any]:
    def require_open(row: Row[Any]) -> None:
        if row.state == WON:
            raise InvalidInput(f"{row.customer_name}已转为客户")
        step(row)

    return records.apply_to_each(ctx, PotentialCustomer, keys, ACTION_LABELS[action], require_open)


def _set_state(ctx: Context, row: Row[Any], action: str, state: int, **more: Any) -> None:
    table = PotentialCustomer.table()
    mine = table.c.potential_customer_id == row.potential_customer_id
    ctx.conn.execute(update(table).where(mine).values(state=state, **more))
    business_log.log_action(
        ctx.conn,
        ctx.principal,
        PotentialCustomer.name(),
        row.potential_customer_id,
        action,
        company_id=row.company_id,
        before={"state": row.state},
        after={"state": state},
    )
