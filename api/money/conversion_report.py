"""Conversion detail (形态转换明细): what conversions took and made, line by line, at what the ledger says it cost.

What pays for stock that had been sold short before is left out: what is made costs what was taken and the labour.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.inventory.conversion_recipes import KINDS
from api.inventory.conversions import PREFIX, STANDS
from api.inventory.stock_query import LedgerRow
from api.kit.fields import COST, enum, goods, key, money, price, quantity, ref, text
from api.kit.resource import Declaration, Menu
from api.kit.view import BILL, READ_ONLY
from api.money.cost_reports import OfCosts

TAKEN, MADE = 1, 2
_LINES = f"""
select
    l.conversion_detail_id, l.business_date, l.bill_type, {{bill_no}} as bill_no, l.company_id, l.warehouse_id, h.kind,
    h.recipe_id,
    l.side, l.goods_id, l.batch_id, l.input_quantity, l.input_amount, l.output_quantity, l.output_amount,
    round(
        (coalesce(l.input_amount, 0) + coalesce(l.output_amount, 0))
        / nullif(coalesce(l.input_quantity, 0) + coalesce(l.output_quantity, 0), 0),
        6
    ) as unit_cost,
    h.reason, {{route}}
from (
    select
        min(s.ledger_id) as conversion_detail_id, s.business_date, s.bill_type, s.bill_id, s.bill_no, s.company_id,
        s.warehouse_id, s.goods_id, s.batch_id, case when i.line_id is null then {MADE} else {TAKEN} end as side,
        case when i.line_id is not null then -sum(s.quantity) end as input_quantity,
        case when i.line_id is not null then -sum(s.amount) end as input_amount,
        case when i.line_id is null then sum(s.quantity) end as output_quantity,
        case when i.line_id is null then sum(s.amount) end as output_amount
    from stock_ledger s
    left join conversion_input i on i.line_id = s.line_id
    where s.bill_type = '{PREFIX}' and s.basis is distinct from 'correction' and {STANDS}
    group by s.business_date, s.bill_type, s.bill_id, s.bill_no, s.company_id, s.warehouse_id, s.goods_id, s.batch_id,
        s.line_id, i.line_id
) l
join stock_conversion h on h.bill_id = l.bill_id
"""


class ConversionDetail(OfCosts, LedgerRow):
    """形态转换明细: one row a line and batch; reversed bills are left out."""

    __tablename__ = "conversion_detail"
    filed = True
    found_by = "goods_id"
    leading = (
        *("business_date", "bill_no", "kind", "side", "goods_id"),
        *("input_quantity", "output_quantity", "input_amount", "output_amount"),
    )
    declaration = Declaration(
        "形态转换明细",
        "inventory/ConversionDetail",
        "bill_no",
        routes={"list": "/inventory/conversiondetail"},
        menu=Menu("库存管理", "明细查询", 60),
        actions=READ_ONLY,
        order_by=("conversion_detail_id", "desc"),
        drill=BILL,
        question="组装、拆卸和形态转换用了什么、产出了什么，成本怎样结转？",
        words="组装 拆卸 套装 投入 产出",
    )

    conversion_detail_id: Mapped[int] = key()
    kind: Mapped[int] = enum("类型", KINDS, default=1, search=True, width=90)
    side: Mapped[int] = enum("方向", {TAKEN: "投入", MADE: "产出"}, default=TAKEN, search=True, width=70)
    recipe_id: Mapped[int | None] = ref(
        "conversion_recipe", "配方", target="conversion_recipe_id", search=True, width=180
    )
    goods_id: Mapped[int] = goods(search=True)
    batch_id: Mapped[int] = ref("goods_batch", "批次(DOT)", target="batch_id", label_field="batch", width=100)
    input_quantity: Mapped[Decimal | None] = quantity("投入数量", default=None, total=True, width=90)
    output_quantity: Mapped[Decimal | None] = quantity("产出数量", default=None, total=True, width=90)
    unit_cost: Mapped[Decimal | None] = price("单位成本", default=None, permission=COST)
    input_amount: Mapped[Decimal | None] = money(
        "投入成本", default=None, permission=COST, total=True, width=100
    )
    output_amount: Mapped[Decimal | None] = money(
        "产出成本", default=None, permission=COST, total=True, width=100
    )
    reason: Mapped[str | None] = text("原因", free=True, search=True)

    rows = _LINES
