"""Safety stock (安全库存): limits by warehouse and goods, and the warning of outbounds below them (362, 363)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from sqlalchemy import Connection, Index, UniqueConstraint
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.fields import (
    flag_field,
    key_field,
    quantity_field,
    reference_field,
    text_field,
    textarea_field,
)
from api.kit.declaration.posting import BillRef, Postings
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.errors import ConfirmationRequired, InvalidInput, SafetyStockBlocked
from api.kit.storage import business_log

BLOCKS = 1
"""`document_warning` of a warehouse that lets nothing below its limits."""

Wanted = Mapping[tuple[int, int], Decimal]
"""By warehouse and goods: what is going to leave, negative; 0 when it has left already."""


class SafetyStock(Resource):
    """安全库存: minimum and maximum stock of a goods, or of each goods of a type, in a warehouse."""

    __tablename__ = "safety_stock"
    __table_args__ = (
        UniqueConstraint("warehouse_id", "goods_id"),
        UniqueConstraint("warehouse_id", "goods_type_id"),
        Index("ix_safety_stock_company_id", "company_id"),
    )
    declaration = Declaration(
        "安全库存",
        "v2/risk/SafetyStock",
        "safety_stock_id",
        routes={
            "list": "/system/safetyStock",
            "add": "/system/safetyStockAdd",
            "see": "/system/safetyStockSee",
        },
        menu=Menu("系统管理", "库存预警", 10),
        also_called={"getInfo": "get"},
    )

    safety_stock_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True)
    warehouse_id: Mapped[int] = reference_field(
        "warehouse", "仓库", required=True, within=("company_id",), search=True
    )
    goods_id: Mapped[int | None] = reference_field(
        "goods",
        "商品",
        search=True,
        index=True,
        width=240,
        shows=("goods_num", "specification_type", "pattern"),
    )
    goods_type_id: Mapped[int | None] = reference_field("goods_type", "商品类型", search=True)
    minimum: Mapped[Decimal] = quantity_field("最低库存", rule="Positive")
    maximum: Mapped[Decimal | None] = quantity_field("最高库存", rule="Positive", default=None)
    remark: Mapped[str | None] = textarea_field("备注", max_length=200)

    @classmethod
    def validate_row(cls, row: dict[str, Any]) -> None:
        if bool(row.get("goods_id")) == bool(row.get("goods_type_id")):
            raise InvalidInput("请选择商品或商品类型中的一项")
        if row.get("maximum") is not None and row["maximum"] < (row.get("minimum") or 0):
            raise InvalidInput("最高库存不能小于最低库存")


class WarningBill(Resource):
    """预警单据: the bill types that are checked against the safety stock."""

    __tablename__ = "warning_bill"
    declaration = Declaration(
        "预警单据",
        "v2/risk/WarningBills",
        "bill_name",
        routes={"list": "/system/warningBills"},
        menu=Menu("系统管理", "库存预警", 20),
        actions=("list", "edit", "export"),
        order_by=("warning_bill_id", "asc"),
    )

    warning_bill_id: Mapped[int] = key_field()
    bill_type: Mapped[str] = text_field("单据前缀", required=True, unique=True, form=False, max_length=10)
    bill_name: Mapped[str] = text_field("单据", required=True, form=False, search=True)
    enabled: Mapped[bool] = flag_field("检查安全库存", default=True, search=True)


class SafetyStockShortage(NamedTuple):
    """Goods whose stock in a warehouse is below the limit."""

    warehouse_id: int
    warehouse_name: str
    document_warning: int
    goods_num: str
    goods_name: str
    stocks: Decimal
    minimum: Decimal


LIMIT = """
    select s.minimum, s.maximum
    from safety_stock s
    where s.warehouse_id = {warehouse} and (
        s.goods_id = g.goods_id or s.goods_type_id in (g.goods_type_id, t1.p_id, t2.p_id)
    )
    order by s.goods_id is null, array_position(array[g.goods_type_id, t1.p_id, t2.p_id], s.goods_type_id)
    limit 1
"""
"""The limits of goods `g`: its own, else those of its nearest type, where `t1` is its type and `t2` the one above."""

_BELOW = f"""
select w.warehouse_id, w.warehouse_name, w.document_warning, g.goods_num, g.goods_name, x.stocks, l.minimum
from unnest(%s::bigint[], %s::bigint[], %s::numeric[]) as o (warehouse_id, goods_id, quantity)
join warehouse w on w.warehouse_id = o.warehouse_id and w.document_warning <> 0
join goods g on g.goods_id = o.goods_id
left join goods_type t1 on t1.goods_type_id = g.goods_type_id
left join goods_type t2 on t2.goods_type_id = t1.p_id
cross join lateral ({LIMIT.format(warehouse="o.warehouse_id")}) l
left join stock_total t on t.warehouse_id = o.warehouse_id and t.goods_id = o.goods_id
cross join lateral (
    select coalesce(t.quantity - t.frozen - case when %s then t.reserved else 0 end, 0) + o.quantity as stocks
) x
where x.stocks < l.minimum and exists (select from warning_bill b where b.bill_type = %s and b.enabled)
order by pinyin_key(w.warehouse_name), g.goods_num
"""


def list_below_limits(
    conn: Connection, bill_type: str, wanted: Wanted, *, available: bool = False
) -> list[SafetyStockShortage]:
    """Return the goods that fall below their limit once `wanted` has left, in warehouses that warn of it.

    Frozen goods don't count; `available` leaves out what orders have reserved as well.
    """
    if not wanted:
        return []
    keys = sorted(wanted)
    columns = ([key[0] for key in keys], [key[1] for key in keys], [wanted[key] for key in keys])
    rows = conn.exec_driver_sql(_BELOW, (*columns, available, bill_type))
    return [SafetyStockShortage._make(row) for row in rows]


def sum_outgoing(postings: Postings) -> dict[tuple[int, int], Decimal]:
    """Return the decrease of each (warehouse, goods) by a posting; a move inside one warehouse takes nothing."""
    net: dict[tuple[int, int], Decimal] = defaultdict(Decimal)
    for move in postings.stock:
        if not move.frozen:
            net[move.warehouse_id, move.goods_id] += move.quantity
        if move.lands is not None and not move.lands.frozen:
            net[move.lands.warehouse_id, move.goods_id] -= move.quantity
    return {place: change for place, change in net.items() if change < 0}


def sum_reserved(postings: Postings) -> dict[tuple[int, int], Decimal]:
    """Return what orders take out of the available stock, by (warehouse, goods)."""
    net: dict[tuple[int, int], Decimal] = defaultdict(Decimal)
    for claim in postings.reservations:
        net[claim.warehouse_id, claim.goods_id] -= claim.quantity
    return {place: change for place, change in net.items() if change < 0}


def enforce_safety_stock(ctx: Context, bill: BillRef, postings: Postings, warning: frozenset[int]) -> None:
    """Refuse an audit that took a warehouse below its limits, or log that the user confirmed it.

    Call it after posting, while the totals are locked: two audits that pass one by one and not together
    can't both pass.
    """
    left = {place: Decimal(0) for place in sum_outgoing(postings) if place[0] in warning}
    short = list_below_limits(ctx.conn, bill.bill_type, left)
    if not short:
        return
    raise_stock_warning(short, confirmed=True)
    ctx.ask_confirmation(ConfirmationRequired(format_warning(short), data=build_warning_answer(short)))
    goods_text = "、".join(f"{item.goods_name}（{item.warehouse_name}）" for item in short[:5])
    business_log.log_confirmation(
        ctx.conn,
        ctx.principal,
        registry.map_prefixes()[bill.bill_type].name(),
        bill.bill_id,
        f"低于安全库存仍继续：{goods_text}{'等' if len(short) > 5 else ''}",
        bill_no=bill.bill_no,
        company_id=bill.company_id,
    )


def raise_stock_warning(short: Iterable[SafetyStockShortage], *, confirmed: bool) -> None:
    """Raise SafetyStockBlocked (362) for warehouses that block, else ask for confirmation (363)
    (spec/3-rules.md 8)."""
    found = list(short)
    blocked = [item for item in found if item.document_warning == BLOCKS]
    if blocked:
        raise SafetyStockBlocked(format_warning(blocked), data=build_warning_answer(blocked))
    if found and not confirmed:
        raise ConfirmationRequired(format_warning(found), data=build_warning_answer(found))


def format_warning(short: Iterable[SafetyStockShortage]) -> str:
    return f"您好，您的库存 {_join_warehouse_names(short)} 已经低于该仓库的安全库存"


def build_warning_answer(short: list[SafetyStockShortage]) -> dict[str, Any]:
    """Build the inventory warning response of spec/3-rules.md 3, with its goods."""
    return {
        "status": int(bool(short)),
        "check_stock": int(bool(short)),
        "warehouse_name": _join_warehouse_names(short),
        "document_warning": min((item.document_warning for item in short), default=0),
        "goods": [
            {
                "warehouse_name": item.warehouse_name,
                "goods_num": item.goods_num,
                "goods_name": item.goods_name,
                "stocks": item.stocks,
                "minimum": item.minimum,
            }
            for item in short[:100]
        ],
    }


def _join_warehouse_names(short: Iterable[SafetyStockShortage]) -> str:
    return "、".join(dict.fromkeys(item.warehouse_name for item in short))
