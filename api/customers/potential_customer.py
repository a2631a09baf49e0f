"""Potential customers (潜在客户): who may buy one day, what was spoken with them, and their way to being customers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from sqlalchemy import Row, UniqueConstraint, func, insert, update
from sqlalchemy.orm import Mapped

from api.kit import business_log, records
from api.kit.context import Context
from api.kit.errors import Invalid
from api.kit.fields import day, enum, key, moment, ref, textarea
from api.kit.fields import text as words
from api.kit.resource import ACTION_LABELS, READ, WRITE, Declaration, Drill, Menu, Resource
from api.master.business_types import classified
from api.master.geography import area, city, province, street_address
from api.master.partners import Customer
from api.master.party_fillings import card_filling, company_fillings

NEW, SPOKEN_TO, WON, LOST = 1, 2, 3, 4
STATES = {NEW: "待跟进", SPOKEN_TO: "跟进中", WON: "已转客户", LOST: "已放弃"}
SOURCES = {1: "上门", 2: "电话", 3: "网络", 4: "转介绍", 5: "展会", 6: "其他"}
NOTES = "/custom/potentialCustomerNotes"


class PotentialCustomer(Resource):
    """潜在客户: turned into a customer, he stays as the story of how he was won."""

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
            *company_fillings(
                ("customer_name", "name"),
                ("contact_name", "legal_person"),
                ("customer_mobile", "phone"),
                ("address", "address"),
            ),
            card_filling(("contact_name", "name"), ("address", "address")),
        ),
        confided=True,
    )

    potential_customer_id: Mapped[int] = key()
    customer_name: Mapped[str] = words("客户名称", required=True, search=True, width=220)
    company_id: Mapped[int] = ref("company", "公司", required=True, search=True, fixed="always")
    state: Mapped[int] = enum("跟进状态", STATES, default=NEW, search=True, form=False, width=90)
    source: Mapped[int] = enum("客户来源", SOURCES, default=1, search=True, width=90)
    customer_type_id: Mapped[int | None] = classified("customer_type", "客户类别")
    contact_name: Mapped[str | None] = words("联系人", search=True, max_length=50)
    customer_mobile: Mapped[str | None] = words("手机号", rule="mobile", search=True, max_length=11)
    province_id: Mapped[int | None] = province()
    city_id: Mapped[int | None] = city()
    area_id: Mapped[int | None] = area()
    address: Mapped[str | None] = street_address("详细地址")
    employee_id: Mapped[int | None] = ref("employee", "业务员", within=("company_id",), search=True)
    last_note: Mapped[str | None] = textarea("最近跟进", max_length=500, form=False, width=260)
    last_followed_at: Mapped[datetime | None] = moment("最近跟进时间", form=False)
    next_on: Mapped[date | None] = day("下次跟进日期", search=True, width=120)
    customer_id: Mapped[int | None] = ref(
        "customer", "已转客户", form=False, label_field="won_name", width=200
    )
    remark: Mapped[str | None] = textarea("备注", max_length=500)

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        if before is not None and before.state == WON:
            raise Invalid(f"{before.customer_name}已转为客户，请在客户资料中修改")


class CustomerFollowUp(Resource):
    """跟进记录: what was spoken with a potential customer; only ever added to."""

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

    customer_follow_up_id: Mapped[int] = key()
    company_id: Mapped[int] = ref("company", "公司", required=True, form=False, search=True)
    potential_customer_id: Mapped[int] = ref(
        "potential_customer",
        "潜在客户",
        required=True,
        form=False,
        search=True,
        label_field="customer_name",
        width=220,
        column={"index": True},
    )
    note: Mapped[str] = textarea(
        "跟进内容", required=True, max_length=500, form=False, search=True, width=360
    )
    next_on: Mapped[date | None] = day("下次跟进日期", form=False, width=120)
    maker_id: Mapped[int] = ref(
        "user_account", "跟进人", target="user_id", required=True, form=False, search=True, width=100
    )
    made_at: Mapped[datetime] = moment(
        "跟进时间",
        form=False,
        search=True,
        column={"server_default": func.now(), "nullable": False},
    )


def follow_up(ctx: Context, keys: list[int], note: str, next_on: date) -> dict[str, Any]:
    """Note what was spoken, and when to speak again; whom one had given up is tried again."""

    def step(row: Row[Any]) -> None:
        made = {
            "company_id": row.company_id,
            "potential_customer_id": row.potential_customer_id,
            "note": note,
            "next_on": next_on,
            "maker_id": ctx.principal.user_id,
        }
        ctx.conn.execute(insert(CustomerFollowUp).values(made))
        _move(ctx, row, "followUp", SPOKEN_TO, last_note=note, last_followed_at=func.now(), next_on=next_on)

    return _each(ctx, keys, "followUp", step)


def give_up(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Speak with them no more."""

    def step(row: Row[Any]) -> None:
        if row.state == LOST:
            raise Invalid(f"{row.customer_name}已放弃")
        _move(ctx, row, "giveUp", LOST, next_on=None)

    return _each(ctx, keys, "giveUp", step)


def convert(ctx: Context, keys: list[int]) -> dict[str, Any]:
    """Make customers of them; who may be one already is asked about."""
    ctx.require(Customer.right("add"))
    same = (
        *("customer_name", "company_id", "customer_type_id", "contact_name", "customer_mobile"),
        *("province_id", "city_id", "area_id", "address", "employee_id"),
    )

    def step(row: Row[Any]) -> None:
        made = records.add(ctx, Customer, {name: getattr(row, name) for name in same})
        _move(ctx, row, "convert", WON, customer_id=made, next_on=None)

    return _each(ctx, keys, "convert", step)


def _each(ctx: Context, keys: list[int], action: str, step: Callable[[Row[Any]], None]) -> dict[str, Any]:
    def open_one(row: Row[Any]) -> None:
        if row.state == WON:
            raise Invalid(f"{row.customer_name}已转为客户")
        step(row)

    return records.each(ctx, PotentialCustomer, keys, ACTION_LABELS[action], open_one)


def _move(ctx: Context, row: Row[Any], action: str, state: int, **more: Any) -> None:
    table = PotentialCustomer.table()
    mine = table.c.potential_customer_id == row.potential_customer_id
    ctx.conn.execute(update(table).where(mine).values(state=state, **more))
    business_log.write(
        ctx.conn,
        ctx.principal,
        PotentialCustomer.name(),
        row.potential_customer_id,
        action,
        company_id=row.company_id,
        before={"state": row.state},
        after={"state": state},
    )
