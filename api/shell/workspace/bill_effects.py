"""Bill effects (单据影响): a bill's sources, later bills and ledger rows, read in one panel.

Sources and later bills are found by the foreign keys between the tables of declared bills. Rows of
other companies and warehouses, bills that the user may not list, and masked fields stay hidden.
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

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.field_sources import FieldSources, from_fields
from api.kit.declaration.fields import (
    COST,
    date_field,
    datetime_field,
    flag_field,
    goods_field,
    key_field,
    money_field,
    price_field,
    quantity_field,
    reference_field,
    text_field,
)
from api.kit.declaration.flow import STATUSES
from api.kit.declaration.view import BillReferenceRow, Sql, Values, apply_source, map_bill_routes
from api.kit.errors import NotFound
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Key
from api.kit.http.screens import BlockScreen, describe_fields
from api.kit.scope import Principal, scope_condition
from api.kit.storage.projection import MASK, build_projection, mask_row, masked_names
from api.master.settlements.advances import IS_ADVANCE

api = build_router()
MAX_ROWS = 500
"""Rows shown of a kind; the ledgers' own lists have them all."""
AMOUNTS = ("total_amount", "amount")
"""Amounts of the bill's header that settlements and payments repeat."""


def mirror_list_columns(screen: str, *names: str) -> dict[str, FieldSources]:
    """Return marks for columns that a list has under the same names."""
    return {name: from_fields(f"{screen}.{name}") for name in names}


class EffectBlock(BaseModel):
    """A kind of effect: its columns and its rows, of which there may be `more`."""

    block: BlockScreen
    rows: list[dict[str, Any]]
    more: bool


class Effect(BillReferenceRow):
    """Base of the panel's rows; `route` opens the bill that the row names."""

    __abstract__ = True

    label: ClassVar[str]
    figures: ClassVar[tuple[str, ...]] = ()
    """Columns that repeat the bill's own amounts."""
    listed: ClassVar[Mapping[str, FieldSources]] = {}
    """Fields of the ledgers' own lists that the columns repeat, and whose masking they follow."""

    effect_id: Mapped[int] = key_field()

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        sql, values = super().source(principal, params)
        return sql, {**values, **params}

    @classmethod
    def mask_reader(cls, principal: Principal, bill: type[Bill]) -> Principal:
        """Return the principal with the fields denied that the ledgers' lists or the bill hide from him."""
        hidden = {name for name, mark in cls.listed.items() if not mark.is_visible_to(principal)}
        if masked_names(bill, bill.name(), principal) & set(AMOUNTS):
            hidden |= set(cls.figures)
        denied = {(cls.name(), name) for name in hidden}
        return replace(principal, denied_fields=principal.denied_fields | denied)


class RelatedBill(Effect):
    """上下游单据: a bill that it was made from or that was made from it."""

    __tablename__ = "related_bill"
    label = "上下游单据"

    relation: Mapped[str] = text_field("关系", width=80)
    bill_name: Mapped[str] = text_field("单据类型", width=120)
    bill_no: Mapped[str] = text_field("单据号", width=190)
    business_date: Mapped[date] = date_field("业务日期", width=110)
    status: Mapped[str] = text_field("状态", width=90)


class StockEffect(Effect):
    """库存流水: rows of the stock ledger."""

    __tablename__ = "stock_effect"
    label = "库存流水"
    listed = mirror_list_columns(
        "stock_move",
        *("business_date", "company_id", "warehouse_id", "allocation_id", "goods_id", "batch_id"),
        *("quantity", "unit_cost", "amount", "reversal", "posted_at"),
    )

    business_date: Mapped[date] = date_field("业务日期", width=110)
    company_id: Mapped[int] = reference_field("company", "公司", width=140)
    warehouse_id: Mapped[int] = reference_field("warehouse", "仓库", width=130)
    allocation_id: Mapped[int] = reference_field("allocation", "库位", width=100)
    goods_id: Mapped[int] = goods_field(shows=("goods_num",))
    batch_id: Mapped[int] = reference_field(
        "goods_batch", "批次(DOT)", target="batch_id", label_field="batch", width=100
    )
    quantity: Mapped[Decimal] = quantity_field("数量", total=True)
    unit_cost: Mapped[Decimal] = price_field("成本单价", permission=COST)
    amount: Mapped[Decimal] = money_field("成本金额", permission=COST, total=True)
    reversal: Mapped[bool] = flag_field("冲销", width=70)
    posted_at: Mapped[datetime] = datetime_field("过账时间")

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
        **mirror_list_columns("stock_summary", "company_id", "warehouse_id", "goods_id"),
        **mirror_list_columns("sales_order", "business_date", "bill_no"),
        "quantity": from_fields("stock_summary.reserved"),
        "posted_at": from_fields("sales_order.audited_at"),
    }

    business_date: Mapped[date] = date_field("业务日期", width=110)
    bill_no: Mapped[str] = text_field("单据号", width=190)
    company_id: Mapped[int] = reference_field("company", "公司", width=140)
    warehouse_id: Mapped[int] = reference_field("warehouse", "仓库", width=130)
    goods_id: Mapped[int] = goods_field(shows=("goods_num",))
    quantity: Mapped[Decimal] = quantity_field("占用数量", total=True)
    posted_at: Mapped[datetime] = datetime_field("过账时间")

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
        "party_name": from_fields("credit_item.customer_id", "supplier_item.supplier_id"),
        "company_id": from_fields("credit_item.company_id", "supplier_item.company_id"),
        "due_date": from_fields("credit_item.due_date", "supplier_item.due_date"),
        "amount": from_fields("credit_item.amount", "supplier_item.amount"),
        "open_amount": from_fields("credit_item.used_amount", "supplier_item.open_amount"),
    }

    party_name: Mapped[str] = text_field("往来单位", width=200)
    company_id: Mapped[int] = reference_field("company", "公司", width=140)
    kind_name: Mapped[str] = text_field("类别", width=90)
    due_date: Mapped[date] = date_field("到期日", width=110)
    amount: Mapped[Decimal] = money_field("金额", total=True)
    open_amount: Mapped[Decimal] = money_field("未结金额", total=True)

    rows = f"""
        select l.settlement_id as effect_id, {_PARTY}, l.company_id, l.due_date, l.amount, l.open_amount, {{route}},
            case when {IS_ADVANCE} then case l.party_type when 'customer' then '预收' else '预付' end
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
        "business_date": from_fields("customer_statement.business_date", "supplier_statement.business_date"),
        "bill_no": from_fields("customer_statement.bill_no", "supplier_statement.bill_no"),
        "settled_no": from_fields("customer_statement.bill_no", "supplier_statement.bill_no"),
        "company_id": from_fields("customer_statement.company_id", "supplier_statement.company_id"),
        "entry_name": from_fields("customer_statement.entry", "supplier_statement.entry"),
        "amount": from_fields("customer_statement.increase_amount", "supplier_statement.increase_amount"),
        "posted_at": from_fields("customer_statement.business_date", "supplier_statement.business_date"),
    }

    business_date: Mapped[date] = date_field("业务日期", width=110)
    bill_no: Mapped[str] = text_field("单据号", width=190)
    settled_no: Mapped[str] = text_field("往来单据号", width=190, bill=True)
    company_id: Mapped[int] = reference_field("company", "公司", width=140)
    entry_name: Mapped[str] = text_field("事项", width=80)
    amount: Mapped[Decimal] = money_field("金额", total=True)
    posted_at: Mapped[datetime] = datetime_field("过账时间")

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
        **mirror_list_columns(
            "account_entry", "business_date", "company_id", "receivables_mode_id", "reversal"
        ),
        "amount": from_fields("account_entry.received", "account_entry.paid"),
        "posted_at": from_fields("account_entry.business_date"),
    }

    business_date: Mapped[date] = date_field("业务日期", width=110)
    company_id: Mapped[int] = reference_field("company", "公司", width=140)
    receivables_mode_id: Mapped[int] = reference_field("receivables_mode", "账户", width=160)
    amount: Mapped[Decimal] = money_field("收支金额", total=True)
    reversal: Mapped[bool] = flag_field("冲销", width=70)
    posted_at: Mapped[datetime] = datetime_field("过账时间")

    rows = """
        select l.entry_id as effect_id, l.business_date, l.company_id, l.receivables_mode_id, l.amount,
            l.reverses is not null as reversal, l.posted_at, {route}
        from money_ledger l
        where l.bill_type = :bill_type and l.bill_id = :bill_id
    """


LEDGERS = (StockEffect, ReservationEffect, SettlementEffect, SettlementEntryEffect, MoneyEffect)


@call(api, "GET", "v2/open/BillEffect/getEffects", right=ANY_USER, returns=list[EffectBlock])
def get_effects(ctx: Context, screen: str, id: Key) -> Any:
    """单据影响: the kinds that the bill has rows of; needs the right to see the bill."""
    cls = registry.find_resource(screen)
    if cls is None or not issubclass(cls, Bill) or cls.bill is None:
        raise NotFound("单据")
    ctx.require_right(cls.right("list"))
    mine = scope_condition(cls.table(), ctx.principal)
    if ctx.conn.execute(select(cls.key()).where(cls.key() == id, mine)).first() is None:
        raise NotFound(cls.declaration.label)
    found = [
        _read_related_bills(ctx, cls, id),
        *(_read_ledger_rows(ctx, cls, id, effect) for effect in LEDGERS),
    ]
    return [effects.model_dump(by_alias=True) for effects in found if effects.rows]


def _read_ledger_rows(ctx: Context, cls: type[Bill], bill_id: int, effect: type[Effect]) -> EffectBlock:
    assert cls.bill
    statement = build_projection(effect, effect.fields()).select().order_by(effect.key()).limit(MAX_ROWS + 1)
    params = {"bill_type": cls.bill.prefix, "bill_id": bill_id}
    mine = (scope_condition(effect.table(), ctx.principal),)
    rows = ctx.conn.execute(apply_source(effect, statement, ctx.principal, params, mine)).all()
    reader = effect.mask_reader(ctx.principal, cls)
    hidden = masked_names(effect, effect.name(), reader)
    return _build_block(reader, effect, [mask_row(row, hidden) for row in rows])


def _read_related_bills(ctx: Context, cls: type[Bill], bill_id: int) -> EffectBlock:
    routes = map_bill_routes(ctx.principal)
    found: list[dict[str, Any]] = []
    for relation, other, chosen in _find_relations(cls, bill_id):
        prefix = other.bill.prefix if other.bill else ""
        if prefix not in routes:
            continue
        table, hidden = other.table(), masked_names(other, other.name(), ctx.principal)
        shown = table.c.bill_no, table.c.business_date, table.c.status
        query = select(other.key().label("key"), *shown).where(
            other.key().in_(chosen), scope_condition(table, ctx.principal)
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
            for at, row in enumerate(ctx.conn.execute(query.order_by(other.key()).limit(MAX_ROWS + 1)))
        ]
    return _build_block(ctx.principal, RelatedBill, found)


def _build_block(reader: Principal, effect: type[Effect], rows: list[dict[str, Any]]) -> EffectBlock:
    fields = describe_fields(effect, reader)
    block = BlockScreen(
        name=effect.name(), label=effect.label, fields=fields, required=False, source=None, proposals=[]
    )
    return EffectBlock(block=block, rows=rows[:MAX_ROWS], more=len(rows) > MAX_ROWS)


class BillReference(NamedTuple):
    """A column of a `later` bill or its lines that names a `source` or one of its lines."""

    later: type[Bill]
    column: Column[Any]
    source: type[Bill]
    target: Column[Any]


@cache
def _list_references() -> tuple[BillReference, ...]:
    owners: dict[Any, type[Bill]] = {}
    for cls in registry.list_resources():
        if issubclass(cls, Bill) and cls.bill:
            owners |= dict.fromkeys((cls.table(), *(block.cls.table() for block in cls.bill.blocks)), cls)
    return tuple(
        BillReference(later, column, owners[foreign.column.table], foreign.column)
        for table, later in owners.items()
        for column in table.columns
        for foreign in column.foreign_keys
        if foreign.column.table in owners and column.name != "bill_id"
    )


def _find_relations(cls: type[Bill], bill_id: int) -> Iterator[tuple[str, type[Bill], Select[Any]]]:
    """Yield the label, type and key query of the related bills of other types."""
    for reference in _list_references():
        own, other = (
            _bill_key_column(reference.column, reference.later),
            _bill_key_column(reference.target, reference.source),
        )
        joined = reference.column == reference.target
        if reference.later is cls:
            yield "来源", reference.source, select(other).where(joined, own == bill_id)
        if reference.source is cls:
            yield "后续", reference.later, select(own).where(joined, other == bill_id)


def _bill_key_column(column: Column[Any], cls: type[Bill]) -> Column[Any]:
    """Return the bill key column in the table of one of its columns."""
    return cls.key() if column.table is cls.table() else column.table.columns["bill_id"]
