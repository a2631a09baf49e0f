"""Stock at the end of a day, summed up as chosen (库存汇总报表): by company, warehouse, type, brand, or several."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    COST,
    date_field,
    goods_field,
    integer_field,
    key_field,
    money_field,
    quantity_field,
    rate_field,
)
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values
from api.kit.http.date_filters import parse_end_date
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.reporting.lists.groupings import GroupedRow, Groupings
from api.reporting.lists.stock.stock_columns import INFORMATION_ROUTE, StockReportRow

BY = Groupings(
    {
        1: ("公司", ("company_id",)),
        2: ("仓库", ("company_id", "warehouse_id")),
        3: ("商品类型", ("goods_type_id",)),
        4: ("品牌", ("brand_id",)),
    },
    default_choice=2,
)

_STOCK = """
select b.company_id, b.warehouse_id, b.goods_id, g.goods_type_id, g.brand_id, cast(:day as date) as as_of,
    cast(:grouping as integer) as grouping, b.closing_quantity as quantity, b.closing_value as amount
from facts.fct_stock_balance_daily b
join goods g on g.goods_id = b.goods_id
where cast(:day as date) between b.valid_from and b.valid_to and (b.closing_quantity <> 0 or b.closing_value <> 0)
"""
# Shares are of what the filter keeps, of all groups together.
_SUMMARY = """
with groups as (
    select {columns}, cast(null as bigint) as goods_id, min(as_of) as as_of, min(grouping) as grouping,
        count(distinct goods_id) as goods_count, sum(quantity) as quantity, sum(amount) as amount
    from {{rows}}
    group by {chosen}
)
select *, {row_id},
    case when sum(quantity) over () > 0 then cast(100 * quantity / sum(quantity) over () as decimal(18, 4)) end
        as quantity_share,
    case when sum(amount) over () > 0 then cast(100 * amount / sum(amount) over () as decimal(18, 4)) end
        as amount_share
from groups
"""


class InventorySummary(GroupedRow, StockReportRow):
    """Stock at the end of a day, summed by chosen columns (库存汇总报表)."""

    __tablename__ = "inventory_summary"
    keyword_reference = "goods_id"
    by = BY
    declaration = Declaration(
        "库存汇总报表",
        "v2/report/InventorySummary",
        "goods_count",
        routes={"list": "/report/inventorysumrpt"},
        menu=Menu("报表中心", "库存报表", 20),
        actions=READ_ONLY,
        order_by=("quantity", "desc"),
        drill=Drill("库存信息查询", INFORMATION_ROUTE, BY.list_drill_filters()),
        question="到某一天为止，各公司、仓库、品类、品牌有多少库存，各占多少？",
    )

    inventory_summary_id: Mapped[int] = key_field()
    as_of: Mapped[date] = date_field("截止日期", span="until", search=True, list=False, sort=-60)
    goods_id: Mapped[int] = goods_field(search=True, list=False, shows=(), sort=-53)
    goods_count: Mapped[int] = integer_field("商品数")
    quantity: Mapped[Decimal] = quantity_field("库存数量", total=True)
    quantity_share: Mapped[Decimal | None] = rate_field("数量占比%", default=None)
    amount: Mapped[Decimal] = money_field("库存金额", total=True, permission=COST)
    amount_share: Mapped[Decimal | None] = rate_field("金额占比%", default=None, permission=COST)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return {"as_of_end": today().isoformat(), "grouping": str(BY.default_choice)}

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        last = parse_end_date(params, "as_of", "截止日期")
        return _STOCK, {"day": last, "grouping": BY.list_chosen_numbers(params)[0]}

    @classmethod
    def summary(cls, params: Values) -> str:
        row_id = BY.row_id_sql("inventory_summary_id")
        chosen = ", ".join(BY.list_chosen_columns(params))
        return _SUMMARY.format(columns=BY.columns_sql(params), chosen=chosen, row_id=row_id)
