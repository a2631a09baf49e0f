"""Stock card (库存明细账): the opening balance of goods in a warehouse, each move in business order, and
the balance after it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.declaration import registry
from api.kit.declaration.fields import (
    COST,
    date_field,
    enum_field,
    key_field,
    money_field,
    price_field,
    quantity_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL, READ_ONLY, Paging, Sql, Values
from api.kit.http.date_filters import ONE_DAY, parse_date_range, this_month_filter
from api.kit.scope import Principal
from api.kit.storage.projection import MASK
from api.master.warehouses.warehouses import CONSIGNED, TRANSIT
from api.reporting.lists.bill_columns import bill_columns_sql
from api.reporting.lists.stock.stock_columns import CARD_ROUTE, StockReportRow

OPENING, MOVE, REVALUATION = 0, 1, 2
ENTRIES = {OPENING: "期初结存", MOVE: "出入库", REVALUATION: "均价分摊"}

# What a warehouse's value changed by on a day, and none of its own moves explains, comes from what its company's others
# paid or were paid. It stands at the end of that day, so that a day's last balance is the same in whichever days are
# asked for.
_ENTRIES = f"""
with entries as (
    select company_id, warehouse_id, goods_id, 0 as batch_id, cast(:first as date) as business_date,
        {OPENING} as entry, 0 as place, 0 as ledger_id, null as bill_type, null as bill_id, null as bill_no,
        true as is_inbound, closing_quantity as quantity, closing_value as amount
    from facts.fct_stock_balance_daily
    where cast(:before as date) between valid_from and valid_to and (closing_quantity <> 0 or closing_value <> 0)
        and cast(:first as date) <= cast(:last as date)
    union all
    select company_id, warehouse_id, goods_id, batch_id, business_date, {MOVE}, place, ledger_id, {{bill}}, is_inbound,
        quantity, value
    from facts.fct_stock_move
    where business_date between cast(:first as date) and cast(:last as date)
    union all
    select company_id, warehouse_id, goods_id, 0, valid_from, {REVALUATION}, 0, 0, null, null, null, true, 0,
        revaluation_value
    from facts.fct_stock_balance_daily
    where valid_from between cast(:first as date) and cast(:last as date) and valid_to >= cast(:first as date)
        and revaluation_value <> 0
)
select e.*, g.goods_type_id, g.brand_id
from entries e
join goods g on g.goods_id = e.goods_id
"""
_BILL = "bill_type, bill_id, bill_no"
# Whoever is limited to warehouses is not told of the bills of others that brought goods into his, nor of bills of goods
# that are on their way or with customers, which lie in none of the warehouses that bills are of.
_OWN_BILL = f"""
case when {{foreign}} then null else bill_type end, case when {{foreign}} then null else bill_id end,
case when {{foreign}} then '{MASK}' else bill_no end
"""
_FOREIGN = f"""
(is_inbound and bill_type in ({{brought}})
    or warehouse_id in (select warehouse_id from warehouse where type in ({TRANSIT}, {CONSIGNED})))
"""
_MOVED = f"""
select *,
    cast(hash(warehouse_id, goods_id, business_date, entry, ledger_id) % 9007199254740991 as bigint) as stock_card_id,
    case when entry <> {OPENING} and is_inbound then quantity end as in_quantity,
    case when entry <> {OPENING} and is_inbound then amount end as in_amount,
    case when not is_inbound then -quantity end as out_quantity,
    case when not is_inbound then -amount end as out_amount
from {{rows}}
"""
_BALANCES = f"""
select r.*, {{bill}}, sum(quantity) over so_far as balance_quantity, sum(amount) over so_far as balance_amount,
    case
        when sum(quantity) over so_far > 0
            then cast(sum(amount) over so_far / sum(quantity) over so_far as decimal(18, 6))
    end as unit_cost
from ({_MOVED}) r
window so_far as (
    partition by warehouse_id, goods_id order by business_date, entry, place, ledger_id
    rows between unbounded preceding and current row
)
"""


class StockCard(StockReportRow):
    """Stock card (库存明细账): the moves of goods in a warehouse with the balance after each."""

    __tablename__ = "stock_card"
    keyword_reference = "goods_id"
    paging = Paging(
        parts=("warehouse_id", "goods_id"),
        tie_breakers=("warehouse_id", "goods_id", "business_date", "entry", "place", "ledger_id"),
        keys_sql=_MOVED,
        totals_sql=_MOVED,
    )
    pinned_columns = (
        "business_date",
        "warehouse_id",
        "goods_id",
        "entry",
        "in_quantity",
        "out_quantity",
        "balance_quantity",
        "balance_amount",
    )
    declaration = Declaration(
        "库存明细账",
        "v2/report/StockCard",
        "bill_no",
        routes={"list": CARD_ROUTE},
        menu=Menu("报表中心", "库存报表", 30),
        actions=READ_ONLY,
        order_by=("company_id", "asc"),
        drill=BILL,
        question="一个商品的库存是怎样一笔一笔变成现在这样的？",
    )

    stock_card_id: Mapped[int] = key_field()
    business_date: Mapped[date] = date_field("业务日期", search=True, width=110, sort=-60)
    goods_type_id: Mapped[int] = reference_field("goods_type", "商品类型", search=True, list=False, sort=-52)
    brand_id: Mapped[int] = reference_field("brand", "品牌", search=True, list=False, sort=-51)
    entry: Mapped[int] = enum_field("摘要", ENTRIES, default=MOVE, width=100)
    bill_name: Mapped[str | None] = text_field("单据类型", width=100)
    bill_no: Mapped[str | None] = text_field("单据号", width=190)
    batch_id: Mapped[int] = reference_field(
        "goods_batch", "批次(DOT)", target="batch_id", within=("goods_id",), label_field="batch"
    )
    in_quantity: Mapped[Decimal | None] = quantity_field("入库数量", default=None, total=True)
    in_amount: Mapped[Decimal | None] = money_field("入库金额", default=None, total=True, permission=COST)
    out_quantity: Mapped[Decimal | None] = quantity_field("出库数量", default=None, total=True)
    out_amount: Mapped[Decimal | None] = money_field("出库金额", default=None, total=True, permission=COST)
    balance_quantity: Mapped[Decimal] = quantity_field("结存数量")
    unit_cost: Mapped[Decimal | None] = price_field("结存单价", default=None, permission=COST)
    balance_amount: Mapped[Decimal] = money_field("结存金额", permission=COST)
    route: Mapped[str | None] = text_field("单据地址", list=False, export=False, hidden=True)
    place: Mapped[int] = mapped_column(BigInteger)
    ledger_id: Mapped[int] = mapped_column(BigInteger)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return this_month_filter("business_date")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        first, last = parse_date_range(params, "business_date", "业务日期")
        bill = _BILL if principal.warehouses is None else _OWN_BILL.format(foreign=_foreign_bill_condition())
        return _ENTRIES.format(bill=bill), {"before": first - ONE_DAY, "first": first, "last": last}

    @classmethod
    def summary(cls, params: Values) -> str:
        return _BALANCES.format(bill=bill_columns_sql("r"), rows="{rows}")


def _foreign_bill_condition() -> str:
    """Return SQL of whether a move of one's warehouse may be by a bill of another's."""
    bills = registry.map_prefixes().items()
    brought = [f"'{prefix}'" for prefix, cls in bills if "to_warehouse_id" in cls.table().c]
    return _FOREIGN.format(brought=", ".join(brought))
