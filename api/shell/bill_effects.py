"""What a bill caused (单据影响): its sources and later bills, and its rows in every ledger, read in one panel.

Sources and later bills are found by the foreign keys between the tables of declared bills. Rows of other companies and
warehouses, bills that one may not list, and figures that one may not see stay hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Any, ClassVar, NamedTuple

from pydantic import BaseModel
from sqlalchemy import Column, Select, select
from sqlalchemy.orm import Mapped

from api.kit import registry
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.document import Bill
from api.kit.errors import NotFound
from api.kit.fields import COST, day, flag, goods, key, moment, money, price, ref, text
from api.kit.fields import quantity as counted
from api.kit.flow import STATUSES
from api.kit.projection import MASK, masked, masks, project
from api.kit.schemas import Key
from api.kit.scope import Principal, within
from api.kit.screens import BlockScreen, field_screens
from api.kit.told import Told, of
from api.kit.view import BillRow, Sql, Values, bill_routes, sourced
from api.master.advances import ADVANCED

api = router()
MOST = 500
"""So many rows of a kind are shown; the ledgers' own lists have them all."""
AMOUNTS = ("total_amount", "amount")
"""The header's figure that a settlement or a payment repeats."""


def of_list(screen: str, *names: str) -> dict[str, Told]:
    """Columns that a list has by the same names."""
    return {name: of(f"{screen}.{name}") for name in names}


class Effects(BaseModel):
    """A kind of effect: what its columns are, and its rows, of which there may be `more`."""

    block: BlockScreen
    rows: list[dict[str, Any]]
    more: bool


class Effect(BillRow):
    """A row that a bill wrote or led to; `route` is where the bill stands that it names."""

    __abstract__ = True

    label: ClassVar[str]
    figures: ClassVar[tuple[str, ...]] = ()
    """Columns that repeat the bill's own amounts."""
    listed: ClassVar[Mapping[str, Told]] = {}
    """What the columns repeat of the ledgers' own lists, where a field is hidden or not."""

    effect_id: Mapped[int] = key()

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        sql, values = super().source(principal, asked)
        return sql, {**values, **asked}

    @classmethod
    def reader(cls, principal: Principal, bill: type[Bill]) -> Principal:
        """The principal to whom is hidden here what is hidden from him on the ledgers' lists and on the bill."""
        hidden = {name for name, mark in cls.listed.items() if not mark.seen_by(principal)}
        if masks(bill, bill.name(), principal) & set(AMOUNTS):
            hidden |= set(cls.figures)
        denied = {(cls.name(), name) for name in hidden}
        return replace(principal, denied_fields=principal.denied_fields | denied)


class RelatedBill(Effect):
    """上下游单据: a bill that it was made from or that was made from it."""

    __tablename__ = "related_bill"
    label = "上下游单据"

    relation: Mapped[str] = text("关系", width=80)
    bill_name: Mapped[str] = text("单据类型", width=120)
    bill_no: Mapped[str] = text("单据号", width=190)
    business_date: Mapped[date] = day("业务日期", width=110)
    status: Mapped[str] = text("状态", width=90)


class StockEffect(Effect):
    """库存流水: rows of the stock ledger."""

    __tablename__ = "stock_effect"
    label = "库存流水"
    listed = of_list(
        "stock_move",
        *("business_date", "company_id", "warehouse_id", "allocation_id", "goods_id", "batch_id"),
        *("quantity", "unit_cost", "amount", "reversal", "posted_at"),
    )

    business_date: Mapped[date] = day("业务日期", width=110)
    company_id: Mapped[int] = ref("company", "公司", width=140)
    warehouse_id: Mapped[int] = ref("warehouse", "仓库", width=130)
    allocation_id: Mapped[int] = ref("allocation", "库位", width=100)
    goods_id: Mapped[int] = goods(shows=("goods_num",))
    batch_id: Mapped[int] = ref("goods_batch", "批次(DOT)", target="batch_id", label_field="batch", width=100)
    quantity: Mapped[Decimal] = counted("数量", total=True)
    unit_cost: Mapped[Decimal] = price("成本单价", permission=COST)
    amount: Mapped[Decimal] = money("成本金额", permission=COST, total=True)
    reversal: Mapped[bool] = flag("冲销", width=70)
    posted_at: Mapped[datetime] = moment("过账时间")

    rows = """
        select l.ledger_id as effect_id, l.business_date, l.company_id, l.warehouse_id, l.allocation_id, l.goods_id,
            l.batch_id, l.quantity, l.unit_cost, l.amount, l.reverses is not null as reversal, l.posted_at,
            {route}
        from stock_ledger l
        where l.bill_type = :bill_type and l.bill_id = :bill_id
    """


class ReservationEffect(Effect):
    """订单占用: what an order keeps of a warehouse's stock, and what later bills gave back."""

    __tablename__ = "reservation_effect"
    label = "订单占用"
    listed = {
        **of_list("stock_summary", "company_id", "warehouse_id", "goods_id"),
        **of_list("sales_order", "business_date", "bill_no"),
        "quantity": of("stock_summary.reserved"),
        "posted_at": of("sales_order.audited_at"),
    }

    business_date: Mapped[date] = day("业务日期", width=110)
    bill_no: Mapped[str] = text("单据号", width=190)
    company_id: Mapped[int] = ref("company", "公司", width=140)
    warehouse_id: Mapped[int] = ref("warehouse", "仓库", width=130)
    goods_id: Mapped[int] = goods(shows=("goods_num",))
    quantity: Mapped[Decimal] = counted("占用数量", total=True)
    posted_at: Mapped[datetime] = moment("过账时间")

    rows = """
        select l.entry_id as effect_id, l.business_date, l.bill_no, l.company_id, l.warehouse_id, l.goods_id,
            l.quantity, l.posted_at, {route}
        from reservation_ledger l
        where l.order_line_id in (
            select r.order_line_id from reservation_ledger r where r.bill_type = :bill_type and r.bill_id = :bill_id
        )
    """


_PARTY = """
    case l.party_type when 'customer' then (select customer_name from customer where customer_id = l.party_id)
        else (select supplier_name from supplier where supplier_id = l.party_id) end as party_name"""


class SettlementEffect(Effect):
    """往来项目: the receivables and payables that it opened, and what is left of them."""

    __tablename__ = "settlement_effect"
    label = "往来项目"
    figures = ("amount", "open_amount")
    listed = {
        "party_name": of("credit_item.customer_id", "supplier_item.supplier_id"),
        "company_id": of("credit_item.company_id", "supplier_item.company_id"),
        "due_date": of("credit_item.due_date", "supplier_item.due_date"),
        "amount": of("credit_item.amount", "supplier_item.amount"),
        "open_amount": of("credit_item.used_amount", "supplier_item.open_amount"),
    }

    party_name: Mapped[str] = text("往来单位", width=200)
    company_id: Mapped[int] = ref("company", "公司", width=140)
    kind_name: Mapped[str] = text("类别", width=90)
    due_date: Mapped[date] = day("到期日", width=110)
    amount: Mapped[Decimal] = money("金额", total=True)
    open_amount: Mapped[Decimal] = money("未结金额", total=True)

    rows = f"""
        select l.settlement_id as effect_id, {_PARTY}, l.company_id, l.due_date, l.amount, l.open_amount, {{route}},
            case when {ADVANCED} then case l.party_type when 'customer' then '预收' else '预付' end
                else case l.party_type when 'customer' then '应收' else '应付' end end as kind_name
        from settlement_item l
        where l.bill_type = :bill_type and l.bill_id = :bill_id
    """


class SettlementEntryEffect(Effect):
    """往来流水: what it did to receivables and payables, and what other bills did to its own."""

    __tablename__ = "settlement_entry_effect"
    label = "往来流水"
    numbers: ClassVar[Mapping[str, str]] = {"settled_no": "i"}
    figures = ("amount",)
    listed = {
        "business_date": of("customer_statement.business_date", "supplier_statement.business_date"),
        "bill_no": of("customer_statement.bill_no", "supplier_statement.bill_no"),
        "settled_no": of("customer_statement.bill_no", "supplier_statement.bill_no"),
        "company_id": of("customer_statement.company_id", "supplier_statement.company_id"),
        "entry_name": of("customer_statement.entry", "supplier_statement.entry"),
        "amount": of("customer_statement.increase_amount", "supplier_statement.increase_amount"),
        "posted_at": of("customer_statement.business_date", "supplier_statement.business_date"),
    }

    business_date: Mapped[date] = day("业务日期", width=110)
    bill_no: Mapped[str] = text("单据号", width=190)
    settled_no: Mapped[str] = text("往来单据号", width=190, bill=True)
    company_id: Mapped[int] = ref("company", "公司", width=140)
    entry_name: Mapped[str] = text("事项", width=80)
    amount: Mapped[Decimal] = money("金额", total=True)
    posted_at: Mapped[datetime] = moment("过账时间")

    rows = """
        select l.entry_id as effect_id, l.business_date, l.bill_no, {settled_no} as settled_no, l.company_id, l.amount,
            case l.entry when 'open' then '挂账' when 'write_off' then case when l.waived then '抹零' else '核销' end
                else '冲回' end as entry_name,
            l.posted_at, {route}
        from settlement_ledger l
        join settlement_item i using (settlement_id)
        where l.entry_id in (
            select entry_id from settlement_ledger where bill_type = :bill_type and bill_id = :bill_id
            union
            select e.entry_id from settlement_item s join settlement_ledger e using (settlement_id)
            where s.bill_type = :bill_type and s.bill_id = :bill_id
        )
    """


class MoneyEffect(Effect):
    """资金流水: moves on the accounts of settlement methods."""

    __tablename__ = "money_effect"
    label = "资金流水"
    figures = ("amount",)
    listed = {
        **of_list("account_entry", "business_date", "company_id", "receivables_mode_id", "reversal"),
        "amount": of("account_entry.received", "account_entry.paid"),
        "posted_at": of("account_entry.business_date"),
    }

    business_date: Mapped[date] = day("业务日期", width=110)
    company_id: Mapped[int] = ref("company", "公司", width=140)
    receivables_mode_id: Mapped[int] = ref("receivables_mode", "账户", width=160)
    amount: Mapped[Decimal] = money("收支金额", total=True)
    reversal: Mapped[bool] = flag("冲销", width=70)
    posted_at: Mapped[datetime] = moment("过账时间")

    rows = """
        select l.entry_id as effect_id, l.business_date, l.company_id, l.receivables_mode_id, l.amount,
            l.reverses is not null as reversal, l.posted_at, {route}
        from money_ledger l
        where l.bill_type = :bill_type and l.bill_id = :bill_id
    """


LEDGERS = (StockEffect, ReservationEffect, SettlementEffect, SettlementEntryEffect, MoneyEffect)


@call(api, "GET", "v2/open/BillEffect/getEffects", right=ANY_USER, returns=list[Effects])
def get_effects(ctx: Context, screen: str, id: Key) -> Any:
    """单据影响: the kinds that the bill has rows of; needs the right to see the bill."""
    cls = registry.find(screen)
    if cls is None or not issubclass(cls, Bill) or cls.bill is None:
        raise NotFound("单据")
    ctx.require(cls.right("list"))
    mine = within(cls.table(), ctx.principal)
    if ctx.conn.execute(select(cls.key()).where(cls.key() == id, mine)).first() is None:
        raise NotFound(cls.declaration.label)
    found = [_related(ctx, cls, id), *(_written(ctx, cls, id, effect) for effect in LEDGERS)]
    return [effects.model_dump(by_alias=True) for effects in found if effects.rows]


def _written(ctx: Context, cls: type[Bill], bill_id: int, effect: type[Effect]) -> Effects:
    assert cls.bill
    statement = project(effect, effect.fields()).select().order_by(effect.key()).limit(MOST + 1)
    asked = {"bill_type": cls.bill.prefix, "bill_id": bill_id}
    mine = (within(effect.table(), ctx.principal),)
    rows = ctx.conn.execute(sourced(effect, statement, ctx.principal, asked, mine)).all()
    reader = effect.reader(ctx.principal, cls)
    hidden = masks(effect, effect.name(), reader)
    return _answer(reader, effect, [masked(row, hidden) for row in rows])


def _related(ctx: Context, cls: type[Bill], bill_id: int) -> Effects:
    routes = bill_routes(ctx.principal)
    found: list[dict[str, Any]] = []
    for relation, other, chosen in _relations(cls, bill_id):
        prefix = other.bill.prefix if other.bill else ""
        if prefix not in routes:
            continue
        table, hidden = other.table(), masks(other, other.name(), ctx.principal)
        shown = table.c.bill_no, table.c.business_date, table.c.status
        query = select(other.key().label("key"), *shown).where(
            other.key().in_(chosen), within(table, ctx.principal)
        )
        found += [
            {
                "effect_id": len(found) + at,
                "relation": relation,
                "bill_name": other.declaration.label,
                "bill_no": MASK if "bill_no" in hidden else row.bill_no,
                "business_date": MASK if "business_date" in hidden else row.business_date,
                "status": MASK if "status" in hidden else STATUSES[row.status],
                "route": f"{routes[prefix]}?id={row.key}",
            }
            for at, row in enumerate(ctx.conn.execute(query.order_by(other.key()).limit(MOST + 1)))
        ]
    return _answer(ctx.principal, RelatedBill, found)


def _answer(reader: Principal, effect: type[Effect], rows: list[dict[str, Any]]) -> Effects:
    fields = field_screens(effect, reader)
    block = BlockScreen(
        name=effect.name(), label=effect.label, fields=fields, required=False, source=None, proposals=[]
    )
    return Effects(block=block, rows=rows[:MOST], more=len(rows) > MOST)


class Reference(NamedTuple):
    """A column of a `later` bill or its lines that names a `source` or one of its lines."""

    later: type[Bill]
    column: Column[Any]
    source: type[Bill]
    target: Column[Any]


@cache
def _references() -> tuple[Reference, ...]:
    owners: dict[Any, type[Bill]] = {}
    for cls in registry.declared():
        if issubclass(cls, Bill) and cls.bill:
            owners |= dict.fromkeys((cls.table(), *(block.cls.table() for block in cls.bill.blocks)), cls)
    return tuple(
        Reference(later, column, owners[foreign.column.table], foreign.column)
        for table, later in owners.items()
        for column in table.columns
        for foreign in column.foreign_keys
        if foreign.column.table in owners and column.name != "bill_id"
    )


def _relations(cls: type[Bill], bill_id: int) -> Iterator[tuple[str, type[Bill], Select[Any]]]:
    """How a bill is related to bills of other types, and the keys of those."""
    for reference in _references():
        own, other = _bill_of(reference.column, reference.later), _bill_of(reference.target, reference.source)
        joined = reference.column == reference.target
        if reference.later is cls:
            yield "来源", reference.source, select(other).where(joined, own == bill_id)
        if reference.source is cls:
            yield "后续", reference.later, select(own).where(joined, other == bill_id)


def _bill_of(column: Column[Any], cls: type[Bill]) -> Column[Any]:
    """The bill's key in the table of one of its columns."""
    return cls.key() if column.table is cls.table() else column.table.columns["bill_id"]
