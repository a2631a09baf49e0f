"""Tyre number management (胎号管理): registration of numbers (THDJ), the place of each number, and its history.

Numbers are created by the bills that bring numbered tyres; a registration numbers tyres already in stock.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, ClassVar

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.document import Bill, BillType, Block, Document, Rows, Values, declare_bill
from api.kit.declaration.fields import (
    bill_type_field,
    date_field,
    datetime_field,
    derived_field,
    enum_field,
    flag_field,
    goods_field,
    key_field,
    quantity_field,
    reference_field,
    text_field,
)
from api.kit.declaration.goods_bills import GoodsBillLine
from api.kit.declaration.posting import NumberRegistration, Postings
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import BILL, READ_ONLY, BillReferenceRow, Sql, View
from api.kit.declaration.view import Values as QueryValues
from api.kit.scope import Principal
from api.kit.storage.bill_visibility import bill_number_sql
from api.kit.storage.validation import Problems
from api.master.stock.stock_lines import OutboundPlaceMixin, WarehouseMixin
from api.master.stock.tyre_numbers import MAX_TEXT, parse_numbers, split_numbers
from api.master.warehouses.warehouses import TRANSIT

LIFE = "/inventory/tiremanagementSee"
ON_THE_WAY = 7
STATES = {
    1: "在库",
    ON_THE_WAY: "调拨在途",
    2: "已售出",
    3: "已退供应商",
    4: "已报废",
    5: "已盘亏",
    6: "已领用",
    0: "未入库",
}
"""Places of the journal, plus in-transit for warehouses of that type."""

_COUNT = (
    "(select coalesce(sum(l.quantity), 0) from tire_registration_line l where l.bill_id = {table}.bill_id)"
)


class TyreRegistrationLine(OutboundPlaceMixin, GoodsBillLine):
    __tablename__ = "tire_registration_line"
    bill_table = "tire_registration"

    quantity: Mapped[Decimal] = quantity_field(
        "胎号个数", form=False, total=True, decides=True, width=90, sort=10
    )
    tire_numbers: Mapped[str] = text_field(
        "胎号", required=True, max_length=MAX_TEXT, copied=False, width=320, sort=60
    )

    @classmethod
    def normalize_rows(cls, rows: list[dict[str, Any]], problems: Problems) -> None:
        for row in rows:
            row["quantity"] = Decimal(len(parse_numbers(row.get("tire_numbers"))))
            if not row["quantity"]:
                problems.place = f"第{row['line_no']}行"
                problems.add("请输入胎号")
        super().normalize_rows(rows, problems)


class TyreRegistration(WarehouseMixin, Bill):
    """胎号登记"""

    __tablename__ = "tire_registration"
    declaration = declare_bill(
        "胎号登记",
        "v2/inventory/TireRegistration",
        routes={
            "list": "/inventory/tireregistration",
            "add": "/inventory/tiremanagementAdd",
            "see": "/inventory/tireregistration/see",
        },
        menu=Menu("库存管理", "胎号", 20),
    )
    bill = BillType(
        "THDJ",
        (Block("lines", "登记明细", TyreRegistrationLine),),
        moves=True,
    )
    derived = (derived_field("numbers", "胎号个数", "quantity", _COUNT, width=100),)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        kept = "select goods_id from goods where is_numbered and goods_id = any (%s::bigint[])"
        wanted = sorted({line["goods_id"] for line in children["lines"]})
        found: set[int] = set(ctx.conn.exec_driver_sql(kept, (wanted,)).scalars())
        for line in children["lines"]:
            if line["goods_id"] not in found:
                problems.place = f"第{line['line_no']}行"
                problems.add("该商品未按胎号管理，请先在商品资料中设置")
        problems.place = ""

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings(
            registrations=tuple(
                NumberRegistration(
                    line_id=line.line_id,
                    warehouse_id=doc.header.warehouse_id,
                    goods_id=line.goods_id,
                    allocation_id=line.allocation_id or 0,
                    batch_id=line.batch_id or 0,
                    tire_numbers=split_numbers(line),
                )
                for line in doc.lines
            )
        )


class TireManagement(View):
    """胎号管理: every number with its present place; searched by a scanned number."""

    __tablename__ = "tire_management"
    whose = "place"
    declaration = Declaration(
        "胎号管理",
        "v2/inventory/Tire",
        "number",
        routes={"list": "/inventory/tiremanagement"},
        menu=Menu("库存管理", "胎号", 10),
        actions=READ_ONLY,
        order_by=("tire_management_id", "desc"),
        drill=Drill("胎号履历", LIFE, (("number", "number"),)),
    )

    tire_management_id: Mapped[int] = key_field()
    number: Mapped[str] = text_field("胎号", search=True, pieces=True, width=180)
    state: Mapped[int] = enum_field("状态", STATES, default=1, search=True, width=100)
    goods_id: Mapped[int] = goods_field(search=True)
    batch_id: Mapped[int | None] = reference_field(
        "goods_batch", "批次(DOT)", target="batch_id", within=("goods_id",), search=True, label_field="batch"
    )
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    warehouse_id: Mapped[int | None] = reference_field(
        "warehouse", "仓库", within=("company_id",), search=True
    )
    allocation_id: Mapped[int | None] = reference_field(
        "allocation", "库位", within=("warehouse_id",), search=True
    )
    customer_id: Mapped[int | None] = reference_field("customer", "客户", search=True)
    supplier_id: Mapped[int | None] = reference_field("supplier", "供应商", search=True)
    bill_no: Mapped[str | None] = text_field("最近单据", width=190)
    business_date: Mapped[date | None] = date_field("最近日期", search=True, width=110)

    @classmethod
    def source(cls, principal: Principal, params: QueryValues) -> Sql:
        sql = _NOW.format(bill_no=bill_number_sql(principal, "s"))
        return sql, {"transit": TRANSIT, "on_the_way": ON_THE_WAY}


_NOW = """
select
    t.number_id as tire_management_id, t.number,
    case when w.type = :transit then :on_the_way else t.place end as state,
    t.goods_id, nullif(t.batch_id, 0) as batch_id, t.company_id, t.warehouse_id,
    nullif(t.allocation_id, 0) as allocation_id, case when t.place = 2 then t.party_id end as customer_id,
    case when t.place = 3 then t.party_id end as supplier_id, {bill_no} as bill_no, s.business_date
from tire_number t
left join warehouse w on w.warehouse_id = t.warehouse_id
left join lateral (
    select s.bill_type, s.bill_id, s.bill_no, s.business_date from tire_step s
    where s.number_id = t.number_id order by s.entry_id desc limit 1
) s on true
"""


def _place_text_sql(prefix: str, alias: str) -> str:
    """Build the SQL text of a place: warehouse and location, or state and partner."""
    return f"""
    case
        when l.{prefix}place = 1 then {alias}w.warehouse_name || coalesce(' ' || {alias}a.allocation_name, '')
        else (cast(:names as text[]))[array_position(cast(:places as text[]), l.{prefix}place::text)]
            || coalesce(' ' || {alias}c.customer_name, ' ' || {alias}p.supplier_name, '')
    end"""


def _place_joins_sql(prefix: str, alias: str) -> str:
    return f"""
left join warehouse {alias}w on {alias}w.warehouse_id = l.{prefix}warehouse_id
left join allocation {alias}a on {alias}a.allocation_id = nullif(l.{prefix}allocation_id, 0)
left join customer {alias}c on l.{prefix}place = 2 and {alias}c.customer_id = l.{prefix}party_id
left join supplier {alias}p on l.{prefix}place = 3 and {alias}p.supplier_id = l.{prefix}party_id"""


_LIFE = f"""
select
    l.entry_id as tire_life_id, t.number, l.posted_at, l.business_date, l.bill_type, {{bill_no}} as bill_no,
    l.reverses is not null as reversal, l.goods_id,
    {_place_text_sql("from_", "f")} as from_text, {_place_text_sql("", "t")} as to_text,
    b.batch, l.company_id, l.warehouse_id, l.user_id,
    {{route}}
from tire_step l
join tire_number t on t.number_id = l.number_id
left join goods_batch b on b.batch_id = nullif(l.batch_id, 0)
{_place_joins_sql("from_", "f")}
{_place_joins_sql("", "t")}
where :number = '' or t.number = :number
"""


class TireLife(BillReferenceRow):
    """胎号履历: every step of a number, from where to where, with the bill and the user who posted or reversed
    it."""

    __tablename__ = "tire_life"
    whose = "place"
    declaration = Declaration(
        "胎号履历",
        "v2/inventory/TireLife",
        "number",
        routes={"list": LIFE},
        actions=READ_ONLY,
        order_by=("tire_life_id", "desc"),
        drill=BILL,
    )

    tire_life_id: Mapped[int] = key_field()
    number: Mapped[str] = text_field("胎号", search=True, width=180)
    posted_at: Mapped[datetime] = datetime_field("时间")
    business_date: Mapped[date] = date_field("业务日期", search=True, width=110)
    bill_type: Mapped[str] = bill_type_field(search=True)
    bill_no: Mapped[str] = text_field("单据号", search=True, width=190)
    from_text: Mapped[str] = text_field("从", width=180)
    to_text: Mapped[str] = text_field("到", width=180)
    reversal: Mapped[bool] = flag_field("冲销", width=70)
    goods_id: Mapped[int] = goods_field()
    batch: Mapped[str | None] = text_field("批次(DOT)", width=90)
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    warehouse_id: Mapped[int | None] = reference_field(
        "warehouse", "仓库", within=("company_id",), list=False
    )
    user_id: Mapped[int] = reference_field("user_account", "操作人", target="user_id", width=90)

    rows = _LIFE
    numbers: ClassVar[Mapping[str, str]] = {"bill_no": "l"}

    @classmethod
    def source(cls, principal: Principal, params: QueryValues) -> Sql:
        """Match the number exactly: the history of T1 is not that of T10."""
        sql, values = super().source(principal, params)
        names = {str(place): label for place, label in STATES.items() if place not in (1, ON_THE_WAY)}
        return sql, {
            **values,
            "number": "".join(parse_numbers(params.get("number")))[:100],
            "places": list(names),
            "names": list(names.values()),
        }
