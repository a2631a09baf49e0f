"""Warehouses (仓库) and their locations (库位)."""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import ColumnElement, Row, select
from sqlalchemy.orm import Mapped, MappedColumn, mapped_column

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
)
from api.kit.declaration.resource import Declaration, Drill, Menu, Resource, ScreenPlacement
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.errors import ConfirmationRequired, InvalidInput
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.kit.storage.initials import initials
from api.master.organization.geography import address_field

GOOD, DEFECTIVE, GUARANTEE, TRANSIT, CONSIGNED = 1, 2, 3, 4, 5
WAREHOUSE_TYPES = {
    GOOD: "正品仓",
    DEFECTIVE: "残次品仓",
    GUARANTEE: "三包仓",
    TRANSIT: "在途仓",
    CONSIGNED: "寄售仓",
}
WARNING_MODES = {0: "不预警", 1: "预警并禁止", 2: "预警后确认"}
TYPE_RULES = {
    GOOD: "可销售、可领用",
    DEFECTIVE: "库存全部冻结，只由残次品单转入转出",
    GUARANTEE: "成本单独核算，只由三包单据出入",
    TRANSIT: "由系统管理，存放调拨途中的商品",
    CONSIGNED: "由系统管理，存放寄售在客户处、尚未结算的商品",
}
SYSTEM_TYPES = {TRANSIT: "在途", CONSIGNED: "寄售"}
"""Types of warehouses that no bill may name, and what they are called after their company."""


def warehouse_field(*types: int, label: str = "仓库", sort: int = -60, **marks: Any) -> MappedColumn[Any]:
    """Declare a bill's warehouse: one of its company's, of one of the types where any are given."""
    only = ("type", types) if types else None
    within = ("company_id",)
    return reference_field(
        "warehouse", label, within=within, only=only, search=True, width=160, sort=sort, **marks
    )


class WarehouseType(View):
    """仓库类型: the purpose of each type of warehouse, and the number of warehouses within the user's scope."""

    __tablename__ = "warehouse_type"
    declaration = Declaration(
        "仓库类型",
        "v2/system/WarehouseType",
        "warehouse_type_name",
        routes={"list": "/system/repertorytype"},
        menu=Menu("系统管理", "仓库设置", 5),
        actions=READ_ONLY,
        order_by=("warehouse_type_id", "asc"),
        drill=Drill("仓库", "/system/repertorymanage", (("type", "warehouse_type_id"),)),
        also=(
            ScreenPlacement(
                {"list": "/inventory/service_station_warehouse_type_list"},
                Menu("库存管理", "服务站仓库", 10),
            ),
        ),
    )

    warehouse_type_id: Mapped[int] = key_field()
    warehouse_type_name: Mapped[str] = text_field("类型名称", search=True)
    rule: Mapped[str] = text_field("用途", width=320)
    warehouses: Mapped[int] = integer_field("仓库数量", total=True)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        me = principal
        return _TYPES, {
            "types": list(WAREHOUSE_TYPES),
            "names": list(WAREHOUSE_TYPES.values()),
            "rules": [TYPE_RULES[kind] for kind in WAREHOUSE_TYPES],
            "companies": None if me.companies is None else sorted(me.companies),
            "allowed": None if me.warehouses is None else sorted(me.warehouses),
        }


_TYPES = """
select
    k.warehouse_type_id, k.warehouse_type_name, k.rule,
    (
        select count(*)
        from warehouse w
        where w.type = k.warehouse_type_id
            and (cast(:companies as bigint[]) is null or w.company_id = any(cast(:companies as bigint[])))
            and (cast(:allowed as bigint[]) is null or w.warehouse_id = any(cast(:allowed as bigint[])))
    ) as warehouses
from unnest(cast(:types as bigint[]), cast(:names as text[]), cast(:rules as text[]))
    as k (warehouse_type_id, warehouse_type_name, rule)
"""


class Warehouse(Resource):
    """仓库: belongs to a company; `document_warning` says what falling below safety stock does.

    One that comes to refuse negative stock has none then, and is held to it from that day on; months that are open
    still and ended below zero are told.
    A three-guarantee warehouse has averages of its own. What is on the way between a company's warehouses, or lies at
    its customers' unsold, is in warehouses of the system's, which no bill may name.
    """

    __tablename__ = "warehouse"
    declaration = Declaration(
        "仓库",
        "v2/system/Warehouse",
        "warehouse_name",
        routes={"list": "/system/repertorymanage"},
        menu=Menu("系统管理", "仓库设置", 10),
        lookup="open/Warehouse/getWarehouseList",
        starts_at_home=True,
        also=(
            # The specification's spelling.
            ScreenPlacement(
                {"list": "/inventory/service_station_warehosue_list"}, Menu("库存管理", "服务站仓库", 20)
            ),
        ),
        distinguishing_fields=("type",),
    )

    warehouse_id: Mapped[int] = key_field()
    warehouse_name: Mapped[str] = text_field("仓库名称", required=True, unique=True, search=True, width=180)
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True, fixed="always")
    type: Mapped[int] = enum_field("仓库类型", WAREHOUSE_TYPES, default=1, search=True, fixed="named")
    allow_negative: Mapped[bool] = flag_field("允许负库存")
    document_warning: Mapped[int] = enum_field("安全库存预警", WARNING_MODES, default=0)
    address: Mapped[str | None] = address_field()
    enabled: Mapped[bool] = enabled_field()
    strict_since: Mapped[date | None] = mapped_column(sort_order=90)
    """The day when it came to refuse negative stock, whose days before were allowed it; None from its beginning on."""

    @classmethod
    def describe_dependents(cls, ctx: Context, key: int, name: str) -> list[str]:
        return ["出入库流水"] if _has_moves(ctx, key) else []

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        if before is not None and before.allow_negative and not row["allow_negative"]:
            _forbid_negative_stock(ctx, before.warehouse_id)
            _confirm_negative_months(ctx, before)
            row["strict_since"] = today()

    @classmethod
    def selectable_condition(cls) -> ColumnElement[bool]:
        return cls.table().c.type.not_in(SYSTEM_TYPES)


_NEGATIVE = """
select g.goods_name, trim_scale(min(p.quantity)) as quantity, count(*) over () as found
from (
    select b.goods_id, b.quantity from stock_balance b where b.warehouse_id = %(warehouse)s and b.quantity < 0
    union all
    select b.goods_id, b.quantity - sum(l.quantity) over (
        partition by l.goods_id, l.allocation_id, l.batch_id order by l.business_date desc
    )
    from stock_ledger l
    join stock_balance b using (warehouse_id, goods_id, allocation_id, batch_id)
    where l.business_date > %(today)s and l.warehouse_id = %(warehouse)s
) p
join goods g using (goods_id)
where p.quantity < 0
group by g.goods_id
order by g.goods_num
limit 5
"""


_NEGATIVE_MONTHS = """
with moved as (
    select l.goods_id, l.allocation_id, l.batch_id, date_trunc('month', l.business_date)::date as month,
        sum(l.quantity) as quantity
    from stock_ledger l
    where l.warehouse_id = %(warehouse)s and l.quantity <> 0
    group by 1, 2, 3, 4
),
level as (
    select m.goods_id, m.month, sum(m.quantity) over (spot order by m.month) as quantity,
        lead(m.month, 1, %(month)s) over (spot order by m.month) as upto
    from moved m
    window spot as (partition by m.goods_id, m.allocation_id, m.batch_id)
),
ended as (
    select e.month, l.goods_id, min(l.quantity) as quantity
    from level l
    cross join lateral (
        select to_char(s.day, 'YYYY-MM') as month
        from generate_series(l.month, least(l.upto, %(month)s) - interval '1 day', interval '1 month') as s (day)
    ) e
    where l.quantity < 0 and not exists (
        select from accounting_period p
        where p.company_id = %(company)s and p.period = e.month and p.status = 1
    )
    group by e.month, l.goods_id
)
select e.month, g.goods_name, trim_scale(e.quantity) as quantity, count(*) over () as found
from ended e
join goods g using (goods_id)
order by e.month, g.goods_num
limit 5
"""


def _forbid_negative_stock(ctx: Context, warehouse_id: int) -> None:
    """Raise Invalid if a warehouse that begins to refuse negative stock has some, now or on a day to come."""
    rows = ctx.conn.exec_driver_sql(_NEGATIVE, {"warehouse": warehouse_id, "today": today()}).all()
    if rows:
        goods_text = "、".join(f"{row.goods_name} {row.quantity}" for row in rows)
        more = f"等{rows[0].found}种商品" if rows[0].found > len(rows) else ""
        raise InvalidInput(f"仓库现有负库存，不能改为不允许负库存：{goods_text}{more}，请先补录入库或盘点")


def _confirm_negative_months(ctx: Context, warehouse: Row[Any]) -> None:
    """Ask for confirmation where open months ended below zero, before a warehouse refuses negative stock."""
    values = {
        "warehouse": warehouse.warehouse_id,
        "company": warehouse.company_id,
        "month": today().replace(day=1),
    }
    rows = [] if ctx.confirmed else ctx.conn.exec_driver_sql(_NEGATIVE_MONTHS, values).all()
    if rows:
        months_text = "、".join(f"{row.month} {row.goods_name} {row.quantity}" for row in rows)
        more = f"等{rows[0].found}项" if rows[0].found > len(rows) else ""
        raise ConfirmationRequired(
            f"未结账的会计期间期末有负库存：{months_text}{more}，改后这些期间仍按允许负库存处理，结账时会提示，是否继续？"
        )


def _has_moves(ctx: Context, warehouse_id: int) -> bool:
    query = "select from stock_ledger where warehouse_id = %s limit 1"
    return ctx.conn.exec_driver_sql(query, (warehouse_id,)).first() is not None


def ensure_system_warehouse(ctx: Context, company_id: int, kind: int) -> int:
    """Return the warehouse of a company for goods on the way, or consigned; created when it has none."""
    values = (company_id, kind)
    found: int | None = ctx.conn.exec_driver_sql(
        "select min(warehouse_id) from warehouse where company_id = %s and type = %s", values
    ).scalar()
    if found is None:
        company = "select company_name from company where company_id = %s"
        name = f"{ctx.conn.exec_driver_sql(company, (company_id,)).scalar_one()}{SYSTEM_TYPES[kind]}"
        ctx.conn.exec_driver_sql(
            "insert into warehouse (warehouse_name, logogram, company_id, type) values (%s, %s, %s, %s)"
            " on conflict (warehouse_name) do nothing",
            (name, initials(name), company_id, kind),
        )
        return ensure_system_warehouse(ctx, company_id, kind)
    return found


def read_warehouse_type(ctx: Context, warehouse_id: int) -> int:
    """Return the type of a warehouse."""
    table = Warehouse.table()
    kind: int = ctx.conn.execute(
        select(table.c.type).where(table.c.warehouse_id == warehouse_id)
    ).scalar_one()
    return kind


class StorageLocation(Resource):
    """库位: a place inside a warehouse; a stock row without one lies in the warehouse at large."""

    __tablename__ = "allocation"
    declaration = Declaration(
        "库位",
        "v2/system/Allocation",
        "allocation_name",
        routes={"list": "/system/storagelocation"},
        menu=Menu("系统管理", "仓库设置", 20),
        lookup="open/Allocation/getAllocationList",
        also=(
            ScreenPlacement(
                {"list": "/inventory/service_station_allocation_list"}, Menu("库存管理", "服务站仓库", 30)
            ),
        ),
        distinguishing_fields=("warehouse_id",),
    )

    choice_fields = (
        (
            derived_field(
                "stocks",
                "库存",
                "quantity",
                "(select cast(coalesce(sum(b.quantity), 0) as numeric(14, 3)) from stock_balance b"
                " where b.warehouse_id = {table}.warehouse_id and b.allocation_id = {table}.allocation_id"
                " and {goods} in (0, b.goods_id))",
            ),
            "stock_detail.quantity",
        ),
    )

    allocation_id: Mapped[int] = key_field()
    allocation_name: Mapped[str] = text_field("库位", required=True, search=True)
    warehouse_id: Mapped[int] = reference_field(
        "warehouse", "仓库", required=True, search=True, index=True, fixed="always"
    )
    enabled: Mapped[bool] = enabled_field()
