"""Stock received, issued and on hand over any days (进销存报表): opening + in − out = closing, row by row
and in total.

Amounts are at the company's average. A correction of an issue's cost counts with the issue. The value that
a warehouse gains or loses because other warehouses of its company bought at other prices is 均价分摊, which
adds up to zero in a company.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import COST, key_field, money_field, quantity_field
from api.kit.declaration.fields import date_field as on_day
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Paging, Sql, Values
from api.kit.http.date_filters import ONE_DAY, parse_date_range, this_month_filter
from api.kit.scope import Principal
from api.reporting.lists.expressions import conditional_sum_sql
from api.reporting.lists.stock.stock_columns import CARD_ROUTE, LOCATION_KEY, StockReportRow

KINDS = ("purchase", "sale", "transfer", "stocktake", "conversion", "other")
SIDES = {"in": "is_inbound", "out": "not is_inbound"}

# Stock at both ends, moves between them, and where a warehouse's last piece went: figures of these alone are nothing.
_FIGURES = f"""
with figures as (
    select company_id, warehouse_id, goods_id, 'stock' as part, 'opening' as kind, true as is_inbound,
        false as is_reversal, closing_quantity as quantity, closing_value as amount
    from facts.fct_stock_balance_daily where cast(:before as date) between valid_from and valid_to
    union all
    select company_id, warehouse_id, goods_id, 'stock', 'closing', true, false, closing_quantity, closing_value
    from facts.fct_stock_balance_daily where cast(:last as date) between valid_from and valid_to
    union all
    select company_id, warehouse_id, goods_id, 'move', kind, is_inbound, is_reversal, quantity, value
    from facts.fct_stock_move where business_date between cast(:first as date) and cast(:last as date)
    union all
    select company_id, warehouse_id, goods_id, 'emptied', null, true, false, change_quantity,
        case when valid_from < cast(:first as date) then closing_value else 0 end
    from facts.fct_stock_balance_daily
    where closing_quantity = 0 and valid_from <= cast(:last as date) and valid_to >= cast(:before as date)
        and (valid_from >= cast(:first as date) or closing_value <> 0)
)
select f.*, {LOCATION_KEY.format("f")} as inventory_out_in_id, g.goods_type_id, g.brand_id,
    cast(:first as date) as first_day, cast(:last as date) as day
from figures f
join goods g on g.goods_id = f.goods_id
"""


def _sums_sql() -> str:
    """Return SQL of the figures by kind and side, and of all kinds on a side; sums that aren't selected cost
    nothing."""
    found = [
        conditional_sum_sql(
            f"{name}{side}_{measure}", measure, f"{of_kind} and {of_side}", "-" if side == "out" else ""
        )
        for name, of_kind in (*((f"{kind}_", f"kind = '{kind}'") for kind in KINDS), ("", f"kind in {KINDS}"))
        for side, of_side in SIDES.items()
        for measure in ("quantity", "amount")
    ]
    found += [
        conditional_sum_sql(f"{end}_{measure}", measure, f"kind = '{end}'")
        for end in ("opening", "closing")
        for measure in ("quantity", "amount")
    ]
    return ",\n".join([*found, conditional_sum_sql("adjustment_amount", "amount", "kind = 'adjustment'")])


_SUMS = f"""
with sums as (
    select {{of}}{_sums_sql()}
    from {{rows}}
    where part <> 'emptied'
    {{by}}
)
select * replace (closing_amount - opening_amount + out_amount as in_amount),
    closing_amount - opening_amount + out_amount - in_amount - adjustment_amount as revaluation_amount
from sums
"""
_PLACE = "inventory_out_in_id, " + "".join(
    f"min({name}) as {name}, "
    for name in ("company_id", "warehouse_id", "goods_id", "goods_type_id", "brand_id", "first_day", "day")
)
_SUMMARY = f"""
{_SUMS.format(of=_PLACE, rows="{rows}", by="group by inventory_out_in_id")}
where opening_quantity <> 0 or in_quantity <> 0 or out_quantity <> 0 or opening_amount <> 0 or closing_amount <> 0
    or sums.in_amount <> 0 or out_amount <> 0 or adjustment_amount <> 0
"""
_BY_KIND = "(select part, kind, is_inbound, sum(quantity) as quantity, sum(amount) as amount from {rows} group by all)"
# Places whose figures are all zero add nothing.
_ADDED = _SUMS.format(of="", rows=_BY_KIND, by="")
# A place without stock at the end had its last piece go or its worth without a piece. It has figures then, unless it
# moved nothing or moves were turned back: those places' moves alone are added up.
_KEYS = """
with held as (
    select inventory_out_in_id, warehouse_id, goods_id from {rows}
    where part = 'stock' and kind = 'closing' and (quantity <> 0 or amount <> 0)
), emptied as (
    select inventory_out_in_id, warehouse_id, goods_id, bool_and(quantity = 0 and amount = 0) as unmoved from {rows}
    where part = 'emptied' and inventory_out_in_id not in (select inventory_out_in_id from held)
    group by all
), turned_back as (
    select inventory_out_in_id from {rows} where part = 'move' and is_reversal
), doubtful as (
    select * from emptied where unmoved or inventory_out_in_id in (from turned_back)
), told as (
    select inventory_out_in_id, warehouse_id, goods_id from {rows} semi join doubtful using (warehouse_id, goods_id)
    where part = 'move'
    group by all
    having coalesce(sum(quantity) filter (where is_inbound), 0) <> 0
        or coalesce(sum(quantity) filter (where not is_inbound), 0) <> 0
        or coalesce(sum(amount) filter (where is_inbound and kind <> 'adjustment'), 0) <> 0
        or coalesce(sum(amount) filter (where not is_inbound and kind <> 'adjustment'), 0) <> 0
        or coalesce(sum(amount) filter (where kind = 'adjustment'), 0) <> 0
)
from held
union all
select * exclude (unmoved) from emptied
where inventory_out_in_id not in (select inventory_out_in_id from doubtful)
union all
from told
"""


class InventoryOutIn(StockReportRow):
    """Stock received, issued and on hand (进销存报表)."""

    __tablename__ = "inventory_out_in"
    pinned_columns = (
        "warehouse_id",
        "goods_id",
        "opening_quantity",
        "in_quantity",
        "out_quantity",
        "closing_quantity",
        "closing_amount",
    )
    keyword_reference = "goods_id"
    paging = Paging(parts=("warehouse_id", "goods_id"), keys_sql=_KEYS, totals_sql=_ADDED)
    declaration = Declaration(
        "进销存报表",
        "v2/report/InventoryOutIn",
        "goods_id",
        routes={"list": "/report/inventoryoutin"},
        menu=Menu("报表中心", "库存报表", 10),
        actions=READ_ONLY,
        order_by=("inventory_out_in_id", "asc"),
        drill=Drill(
            "库存明细账",
            CARD_ROUTE,
            (
                ("warehouse_id", "warehouse_id"),
                ("goods_id", "goods_id"),
                ("business_date_start", "first_day"),
                ("business_date_end", "day"),
            ),
        ),
        question="这段时间每个商品进了多少、出了多少，期初期末各是多少？",
    )

    inventory_out_in_id: Mapped[int] = key_field()
    day: Mapped[date] = on_day("日期", search=True, list=False, sort=-60)
    first_day: Mapped[date] = on_day("起始日期", list=False)
    opening_quantity: Mapped[Decimal] = quantity_field("期初数量", total=True)
    opening_amount: Mapped[Decimal] = money_field("期初金额", total=True, permission=COST)
    purchase_in_quantity: Mapped[Decimal] = quantity_field("采购入库数量", total=True)
    purchase_in_amount: Mapped[Decimal] = money_field("采购入库金额", total=True, permission=COST)
    sale_in_quantity: Mapped[Decimal] = quantity_field("销售退货数量", total=True)
    sale_in_amount: Mapped[Decimal] = money_field("销售退货金额", total=True, permission=COST)
    transfer_in_quantity: Mapped[Decimal] = quantity_field("调入数量", total=True)
    transfer_in_amount: Mapped[Decimal] = money_field("调入金额", total=True, permission=COST)
    stocktake_in_quantity: Mapped[Decimal] = quantity_field("盘盈数量", total=True)
    stocktake_in_amount: Mapped[Decimal] = money_field("盘盈金额", total=True, permission=COST)
    conversion_in_quantity: Mapped[Decimal] = quantity_field("形态转换产出数量", total=True)
    conversion_in_amount: Mapped[Decimal] = money_field("形态转换产出金额", total=True, permission=COST)
    other_in_quantity: Mapped[Decimal] = quantity_field("其他入库数量", total=True)
    other_in_amount: Mapped[Decimal] = money_field("其他入库金额", total=True, permission=COST)
    adjustment_amount: Mapped[Decimal] = money_field("成本调整", total=True, permission=COST)
    revaluation_amount: Mapped[Decimal] = money_field("均价分摊", total=True, permission=COST)
    in_quantity: Mapped[Decimal] = quantity_field("入库合计数量", total=True)
    in_amount: Mapped[Decimal] = money_field("入库合计金额", total=True, permission=COST)
    sale_out_quantity: Mapped[Decimal] = quantity_field("销售出库数量", total=True)
    sale_out_amount: Mapped[Decimal] = money_field("销售出库金额", total=True, permission=COST)
    purchase_out_quantity: Mapped[Decimal] = quantity_field("采购退货数量", total=True)
    purchase_out_amount: Mapped[Decimal] = money_field("采购退货金额", total=True, permission=COST)
    transfer_out_quantity: Mapped[Decimal] = quantity_field("调出数量", total=True)
    transfer_out_amount: Mapped[Decimal] = money_field("调出金额", total=True, permission=COST)
    stocktake_out_quantity: Mapped[Decimal] = quantity_field("盘亏数量", total=True)
    stocktake_out_amount: Mapped[Decimal] = money_field("盘亏金额", total=True, permission=COST)
    conversion_out_quantity: Mapped[Decimal] = quantity_field("形态转换投入数量", total=True)
    conversion_out_amount: Mapped[Decimal] = money_field("形态转换投入金额", total=True, permission=COST)
    other_out_quantity: Mapped[Decimal] = quantity_field("其他出库数量", total=True)
    other_out_amount: Mapped[Decimal] = money_field("其他出库金额", total=True, permission=COST)
    out_quantity: Mapped[Decimal] = quantity_field("出库合计数量", total=True)
    out_amount: Mapped[Decimal] = money_field("出库合计金额", total=True, permission=COST)
    closing_quantity: Mapped[Decimal] = quantity_field("期末数量", total=True)
    closing_amount: Mapped[Decimal] = money_field("期末金额", total=True, permission=COST)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return this_month_filter("day")

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        first, last = parse_date_range(params, "day", "日期")
        return _FIGURES, {"before": first - ONE_DAY, "first": first, "last": last}

    @classmethod
    def summary(cls, params: Values) -> str:
        return _SUMMARY
