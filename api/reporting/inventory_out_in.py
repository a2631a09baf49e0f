"""Stock received, issued and on hand over any days (进销存报表): opening + in − out = closing, row by row and in total.

Amounts are at the company's average. A correction of an issue's cost counts with the issue. What a warehouse gains or
loses because other warehouses of its company bought at other prices is 均价分摊, which adds up to zero in a company.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.asked import ONE_DAY, asked_days, this_month
from api.kit.fields import COST, key, money, quantity
from api.kit.fields import day as on_day
from api.kit.resource import Declaration, Drill, Menu
from api.kit.scope import Principal
from api.kit.view import READ_ONLY, Paging, Sql, Values
from api.reporting.expressions import summed
from api.reporting.stock_rows import CARD, PLACE_KEY, StockRow

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
select f.*, {PLACE_KEY.format("f")} as inventory_out_in_id, g.goods_type_id, g.brand_id,
    cast(:first as date) as first_day, cast(:last as date) as day
from figures f
join goods g on g.goods_id = f.goods_id
"""


def _sums() -> str:
    """Figures by kind and side, and of all kinds on a side: where these alone are asked, the others aren't added up."""
    found = [
        summed(f"{name}{side}_{measure}", measure, f"{of_kind} and {of_side}", "-" if side == "out" else "")
        for name, of_kind in (*((f"{kind}_", f"kind = '{kind}'") for kind in KINDS), ("", f"kind in {KINDS}"))
        for side, of_side in SIDES.items()
        for measure in ("quantity", "amount")
    ]
    found += [
        summed(f"{end}_{measure}", measure, f"kind = '{end}'")
        for end in ("opening", "closing")
        for measure in ("quantity", "amount")
    ]
    return ",\n".join([*found, summed("adjustment_amount", "amount", "kind = 'adjustment'")])


_SUMS = f"""
with sums as (
    select {{of}}{_sums()}
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


class InventoryOutIn(StockRow):
    """进销存报表"""

    __tablename__ = "inventory_out_in"
    leading = (
        "warehouse_id",
        "goods_id",
        "opening_quantity",
        "in_quantity",
        "out_quantity",
        "closing_quantity",
        "closing_amount",
    )
    found_by = "goods_id"
    paging = Paging(parts=("warehouse_id", "goods_id"), keys=_KEYS, added=_ADDED)
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
            CARD,
            (
                ("warehouse_id", "warehouse_id"),
                ("goods_id", "goods_id"),
                ("business_date_start", "first_day"),
                ("business_date_end", "day"),
            ),
        ),
        question="这段时间每个商品进了多少、出了多少，期初期末各是多少？",
    )

    inventory_out_in_id: Mapped[int] = key()
    day: Mapped[date] = on_day("日期", search=True, list=False, sort=-60)
    first_day: Mapped[date] = on_day("起始日期", list=False)
    opening_quantity: Mapped[Decimal] = quantity("期初数量", total=True)
    opening_amount: Mapped[Decimal] = money("期初金额", total=True, permission=COST)
    purchase_in_quantity: Mapped[Decimal] = quantity("采购入库数量", total=True)
    purchase_in_amount: Mapped[Decimal] = money("采购入库金额", total=True, permission=COST)
    sale_in_quantity: Mapped[Decimal] = quantity("销售退货数量", total=True)
    sale_in_amount: Mapped[Decimal] = money("销售退货金额", total=True, permission=COST)
    transfer_in_quantity: Mapped[Decimal] = quantity("调入数量", total=True)
    transfer_in_amount: Mapped[Decimal] = money("调入金额", total=True, permission=COST)
    stocktake_in_quantity: Mapped[Decimal] = quantity("盘盈数量", total=True)
    stocktake_in_amount: Mapped[Decimal] = money("盘盈金额", total=True, permission=COST)
    conversion_in_quantity: Mapped[Decimal] = quantity("形态转换产出数量", total=True)
    conversion_in_amount: Mapped[Decimal] = money("形态转换产出金额", total=True, permission=COST)
    other_in_quantity: Mapped[Decimal] = quantity("其他入库数量", total=True)
    other_in_amount: Mapped[Decimal] = money("其他入库金额", total=True, permission=COST)
    adjustment_amount: Mapped[Decimal] = money("成本调整", total=True, permission=COST)
    revaluation_amount: Mapped[Decimal] = money("均价分摊", total=True, permission=COST)
    in_quantity: Mapped[Decimal] = quantity("入库合计数量", total=True)
    in_amount: Mapped[Decimal] = money("入库合计金额", total=True, permission=COST)
    sale_out_quantity: Mapped[Decimal] = quantity("销售出库数量", total=True)
    sale_out_amount: Mapped[Decimal] = money("销售出库金额", total=True, permission=COST)
    purchase_out_quantity: Mapped[Decimal] = quantity("采购退货数量", total=True)
    purchase_out_amount: Mapped[Decimal] = money("采购退货金额", total=True, permission=COST)
    transfer_out_quantity: Mapped[Decimal] = quantity("调出数量", total=True)
    transfer_out_amount: Mapped[Decimal] = money("调出金额", total=True, permission=COST)
    stocktake_out_quantity: Mapped[Decimal] = quantity("盘亏数量", total=True)
    stocktake_out_amount: Mapped[Decimal] = money("盘亏金额", total=True, permission=COST)
    conversion_out_quantity: Mapped[Decimal] = quantity("形态转换投入数量", total=True)
    conversion_out_amount: Mapped[Decimal] = money("形态转换投入金额", total=True, permission=COST)
    other_out_quantity: Mapped[Decimal] = quantity("其他出库数量", total=True)
    other_out_amount: Mapped[Decimal] = money("其他出库金额", total=True, permission=COST)
    out_quantity: Mapped[Decimal] = quantity("出库合计数量", total=True)
    out_amount: Mapped[Decimal] = money("出库合计金额", total=True, permission=COST)
    closing_quantity: Mapped[Decimal] = quantity("期末数量", total=True)
    closing_amount: Mapped[Decimal] = money("期末金额", total=True, permission=COST)

    @classmethod
    def usual(cls) -> dict[str, str]:
        return this_month("day")

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        first, last = asked_days(asked, "day", "日期")
        return _FIGURES, {"before": first - ONE_DAY, "first": first, "last": last}

    @classmethod
    def summary(cls, asked: Values) -> str:
        return _SUMMARY
