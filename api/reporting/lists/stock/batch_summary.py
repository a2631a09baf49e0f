"""Stock by batch (批次汇总): quantities received, issued and on hand of each batch in a warehouse, and its
DOT age."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    COST,
    date_field,
    integer_field,
    key_field,
    money_field,
    price_field,
    quantity_field,
    reference_field,
)
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.reporting.lists.stock.stock_columns import StockReportRow

# Ages count from Monday to Monday, as DOT codes do.
_BATCHES = """
select
    cast(hash(s.warehouse_id, s.goods_id, s.batch_id) % 9007199254740991 as bigint) as batch_summary_id,
    s.company_id, s.warehouse_id, s.goods_id, s.batch_id, g.goods_type_id, g.brand_id, b.production_date,
    datediff('day', date_trunc('week', b.production_date), date_trunc('week', cast(:today as date))) // 7 as age_weeks,
    s.in_quantity, s.out_quantity, s.quantity, s.value as amount, s.first_receipt_date,
    case when s.quantity > 0 then cast(s.value / s.quantity as decimal(18, 6)) end as unit_cost
from facts.fct_stock_batch s
join goods g on g.goods_id = s.goods_id
left join goods_batch b on b.batch_id = s.batch_id
"""


class BatchSummary(StockReportRow):
    """Stock by batch (批次汇总)."""

    __tablename__ = "batch_summary"
    pinned_columns = (
        "warehouse_id",
        "goods_id",
        "batch_id",
        "production_date",
        "in_quantity",
        "out_quantity",
        "quantity",
    )
    keyword_reference = "goods_id"
    declaration = Declaration(
        "批次汇总",
        "v2/report/BatchSummary",
        "goods_id",
        routes={"list": "/report/batchsummary"},
        menu=Menu("报表中心", "库存报表", 50),
        actions=READ_ONLY,
        order_by=("age_weeks", "desc"),
        drill=Drill(
            "库存流水",
            "/inventory/stockmoves",
            tuple((name, name) for name in ("warehouse_id", "goods_id", "batch_id")),
        ),
        question="每个批次还剩多少，生产了多少周？",
    )

    batch_summary_id: Mapped[int] = key_field()
    batch_id: Mapped[int] = reference_field(
        "goods_batch", "批次(DOT)", target="batch_id", within=("goods_id",), search=True, label_field="batch"
    )
    production_date: Mapped[date | None] = date_field("生产日期", search=True)
    age_weeks: Mapped[int | None] = integer_field("DOT周龄", default=None, search=True)
    first_receipt_date: Mapped[date | None] = date_field("最早入库")
    in_quantity: Mapped[Decimal] = quantity_field("入库数量", total=True)
    out_quantity: Mapped[Decimal] = quantity_field("出库数量", total=True)
    quantity: Mapped[Decimal] = quantity_field("结存数量", search=True, total=True)
    unit_cost: Mapped[Decimal | None] = price_field("成本单价", default=None, permission=COST)
    amount: Mapped[Decimal] = money_field("结存金额", total=True, permission=COST)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return {"quantity_start": "0.001"}

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _BATCHES, {"today": today()}
