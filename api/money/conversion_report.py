"""Conversion detail (形态转换明细): inputs and outputs of conversions, line by line, at their ledger cost.

Corrections for stock that had been oversold before are left out: outputs cost the inputs and the labour.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.inventory.conversion_recipes import KINDS
from api.inventory.conversions import NOT_REVERSED, PREFIX
from api.inventory.stock_query import LedgerRow
from api.kit.declaration.fields import (
    COST,
    enum_field,
    goods_field,
    key_field,
    money_field,
    price_field,
    quantity_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL, READ_ONLY
from api.money.cost_reports import CostReport

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
    where s.bill_type = '{PREFIX}' and s.basis is distinct from 'correction' and {NOT_REVERSED}
    group by s.business_date, s.bill_type, s.bill_id, s.bill_no, s.company_id, s.warehouse_id, s.goods_id, s.batch_id,
        s.line_id, i.line_id
) l
join stock_conversion h on h.bill_id = l.bill_id
"""


class ConversionDetail(CostReport, LedgerRow):
    """形态转换明细: one row a line and batch; reversed bills are left out."""

    __tablename__ = "conversion_detail"
    exportable_as_report = True
    keyword_reference = "goods_id"
    pinned_columns = (
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

    conversion_detail_id: Mapped[int] = key_field()
    kind: Mapped[int] = enum_field("类型", KINDS, default=1, search=True, width=90)
    side: Mapped[int] = enum_field(
        "方向", {TAKEN: "投入", MADE: "产出"}, default=TAKEN, search=True, width=70
    )
    recipe_id: Mapped[int | None] = reference_field(
        "conversion_recipe", "配方", target="conversion_recipe_id", search=True, width=180
    )
    goods_id: Mapped[int] = goods_field(search=True)
    batch_id: Mapped[int] = reference_field(
        "goods_batch", "批次(DOT)", target="batch_id", label_field="batch", width=100
    )
    input_quantity: Mapped[Decimal | None] = quantity_field("投入数量", default=None, total=True, width=90)
    output_quantity: Mapped[Decimal | None] = quantity_field("产出数量", default=None, total=True, width=90)
    unit_cost: Mapped[Decimal | None] = price_field("单位成本", default=None, permission=COST)
    input_amount: Mapped[Decimal | None] = money_field(
        "投入成本", default=None, permission=COST, total=True, width=100
    )
    output_amount: Mapped[Decimal | None] = money_field(
        "产出成本", default=None, permission=COST, total=True, width=100
    )
    reason: Mapped[str | None] = text_field("原因", free=True, search=True)

    rows = _LINES
