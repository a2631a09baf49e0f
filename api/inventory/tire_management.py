"""Tyre number management (胎号管理): registration of numbers (THDJ), where each number is, and its life.

Numbers come into being on the bills that bring numbered tyres; a registration numbers tyres that lay there before.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, ClassVar

from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.document import Bill, BillType, Block, Document, Rows, Values, declare
from api.kit.fields import bill_type, day, derived, enum, flag, goods, key, moment, quantity, ref, text
from api.kit.goods_bills import GoodsChild
from api.kit.named_bills import opened_no
from api.kit.posting import NumberRegistration, Postings
from api.kit.resource import Declaration, Drill, Menu
from api.kit.scope import Principal
from api.kit.validation import Problems
from api.kit.view import BILL, READ_ONLY, BillRow, Sql, View
from api.kit.view import Values as Asked
from api.master.stock_lines import FromPlace, OfWarehouse
from api.master.tire_numbers import MAX_TEXT, read, stored
from api.master.warehouses import TRANSIT

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
"""Places of the journal, and of those in a warehouse which are on the way."""

_COUNT = (
    "(select coalesce(sum(l.quantity), 0) from tire_registration_line l where l.bill_id = {table}.bill_id)"
)


class TireRegistrationLine(FromPlace, GoodsChild):
    __tablename__ = "tire_registration_line"
    bill_table = "tire_registration"

    quantity: Mapped[Decimal] = quantity("胎号个数", form=False, total=True, decides=True, width=90, sort=10)
    tire_numbers: Mapped[str] = text(
        "胎号", required=True, max_length=MAX_TEXT, copied=False, width=320, sort=60
    )

    @classmethod
    def settle(cls, rows: list[dict[str, Any]], problems: Problems) -> None:
        for row in rows:
            row["quantity"] = Decimal(len(read(row.get("tire_numbers"))))
            if not row["quantity"]:
                problems.place = f"第{row['line_no']}行"
                problems.add("请输入胎号")
        super().settle(rows, problems)


class TireRegistration(OfWarehouse, Bill):
    """胎号登记"""

    __tablename__ = "tire_registration"
    declaration = declare(
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
        (Block("lines", "登记明细", TireRegistrationLine),),
        moves=True,
    )
    derived = (derived("numbers", "胎号个数", "quantity", _COUNT, width=100),)

    @classmethod
    def inspect(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
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
                    tire_numbers=stored(line),
                )
                for line in doc.lines
            )
        )


class TireManagement(View):
    """胎号管理: every number, and where it is now; a scanned number finds its own."""

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

    tire_management_id: Mapped[int] = key()
    number: Mapped[str] = text("胎号", search=True, pieces=True, width=180)
    state: Mapped[int] = enum("状态", STATES, default=1, search=True, width=100)
    goods_id: Mapped[int] = goods(search=True)
    batch_id: Mapped[int | None] = ref(
        "goods_batch", "批次(DOT)", target="batch_id", within=("goods_id",), search=True, label_field="batch"
    )
    company_id: Mapped[int] = ref("company", "公司", search=True)
    warehouse_id: Mapped[int | None] = ref("warehouse", "仓库", within=("company_id",), search=True)
    allocation_id: Mapped[int | None] = ref("allocation", "库位", within=("warehouse_id",), search=True)
    customer_id: Mapped[int | None] = ref("customer", "客户", search=True)
    supplier_id: Mapped[int | None] = ref("supplier", "供应商", search=True)
    bill_no: Mapped[str | None] = text("最近单据", width=190)
    business_date: Mapped[date | None] = day("最近日期", search=True, width=110)

    @classmethod
    def source(cls, principal: Principal, asked: Asked) -> Sql:
        sql = _NOW.format(bill_no=opened_no(principal, "s"))
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


def _told(prefix: str, alias: str) -> str:
    """A place in words: warehouse and location, or what became of it and with whom."""
    return f"""
    case
        when l.{prefix}place = 1 then {alias}w.warehouse_name || coalesce(' ' || {alias}a.allocation_name, '')
        else (cast(:names as text[]))[array_position(cast(:places as text[]), l.{prefix}place::text)]
            || coalesce(' ' || {alias}c.customer_name, ' ' || {alias}p.supplier_name, '')
    end"""


def _joins(prefix: str, alias: str) -> str:
    return f"""
left join warehouse {alias}w on {alias}w.warehouse_id = l.{prefix}warehouse_id
left join allocation {alias}a on {alias}a.allocation_id = nullif(l.{prefix}allocation_id, 0)
left join customer {alias}c on l.{prefix}place = 2 and {alias}c.customer_id = l.{prefix}party_id
left join supplier {alias}p on l.{prefix}place = 3 and {alias}p.supplier_id = l.{prefix}party_id"""


_LIFE = f"""
select
    l.entry_id as tire_life_id, t.number, l.posted_at, l.business_date, l.bill_type, {{bill_no}} as bill_no,
    l.reverses is not null as reversal, l.goods_id, {_told("from_", "f")} as from_text, {_told("", "t")} as to_text,
    b.batch, l.company_id, l.warehouse_id, l.user_id,
    {{route}}
from tire_step l
join tire_number t on t.number_id = l.number_id
left join goods_batch b on b.batch_id = nullif(l.batch_id, 0)
{_joins("from_", "f")}
{_joins("", "t")}
where :number = '' or t.number = :number
"""


class TireLife(BillRow):
    """胎号履历: every step of a number's life, from where to where, with the bill and who audited or took it back."""

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

    tire_life_id: Mapped[int] = key()
    number: Mapped[str] = text("胎号", search=True, width=180)
    posted_at: Mapped[datetime] = moment("时间")
    business_date: Mapped[date] = day("业务日期", search=True, width=110)
    bill_type: Mapped[str] = bill_type(search=True)
    bill_no: Mapped[str] = text("单据号", search=True, width=190)
    from_text: Mapped[str] = text("从", width=180)
    to_text: Mapped[str] = text("到", width=180)
    reversal: Mapped[bool] = flag("冲销", width=70)
    goods_id: Mapped[int] = goods()
    batch: Mapped[str | None] = text("批次(DOT)", width=90)
    company_id: Mapped[int] = ref("company", "公司", search=True)
    warehouse_id: Mapped[int | None] = ref("warehouse", "仓库", within=("company_id",), list=False)
    user_id: Mapped[int] = ref("user_account", "操作人", target="user_id", width=90)

    rows = _LIFE
    numbers: ClassVar[Mapping[str, str]] = {"bill_no": "l"}

    @classmethod
    def source(cls, principal: Principal, asked: Asked) -> Sql:
        """A number that is asked for is a whole one: the life of T1 is not that of T10."""
        sql, values = super().source(principal, asked)
        names = {str(place): label for place, label in STATES.items() if place not in (1, ON_THE_WAY)}
        return sql, {
            **values,
            "number": "".join(read(asked.get("number")))[:100],
            "places": list(names),
            "names": list(names.values()),
        }
