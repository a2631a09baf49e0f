"""Purchases over any days, summed up as chosen (采购汇总报表): received, returned, net, and the mean price."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import key_field, money_field, price_field, quantity_field
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import READ_ONLY
from api.reporting.lists.groupings import AggregatedRow, Groupings
from api.reporting.lists.sales_purchase_columns import PURCHASE_DETAIL, PurchaseRow

BY = Groupings(
    {
        1: ("公司", ("company_id",)),
        2: ("供应商", ("supplier_id",)),
        3: ("商品类型", ("goods_type_id",)),
        4: ("品牌", ("brand_id",)),
        5: ("商品", ("goods_id", "goods_type_id", "brand_id")),
        6: ("部门", ("company_id", "department_id")),
        7: ("采购员", ("company_id", "employee_id")),
        8: ("仓库", ("company_id", "warehouse_id")),
    },
    default_choice=2,
)

_LINES = """
select p.company_id, p.department_id, p.employee_id, p.supplier_id, p.warehouse_id, p.goods_id, p.maker_id,
    g.goods_type_id, g.brand_id, cast(:first as date) as first_day, cast(:last as date) as day,
    cast(:grouping as integer) as grouping, p.bill_type = 'CGTH' as is_return, p.quantity, p.amount, p.no_tax_amount
from facts.fct_purchase_line p
join goods g on g.goods_id = p.goods_id
where p.business_date between cast(:first as date) and cast(:last as date)
"""
_SUMS = """
coalesce(sum(quantity) filter (where not is_return), 0) as received_quantity,
coalesce(sum(amount) filter (where not is_return), 0) as received_amount,
coalesce(-sum(quantity) filter (where is_return), 0) as returned_quantity,
coalesce(-sum(amount) filter (where is_return), 0) as returned_amount,
sum(quantity) as quantity, sum(amount) as amount, sum(no_tax_amount) as no_tax_amount
"""


class PurchaseSummary(AggregatedRow, PurchaseRow):
    """Purchases summed by chosen columns (采购汇总报表)."""

    __tablename__ = "purchase_summary"
    by, lines, sums = BY, _LINES, _SUMS
    shown = """
    case when received_quantity > 0 then cast(received_amount / received_quantity as decimal(18, 6)) end as mean_price
    """
    declaration = Declaration(
        "采购汇总报表",
        "v2/report/PurchaseSummary",
        "quantity",
        routes={"list": "/report/purchasesumrpt"},
        menu=Menu("报表中心", "采购报表", 10),
        actions=READ_ONLY,
        also_at=("v2/report/Purchase",),
        order_by=("amount", "desc"),
        drill=BY.build_drill("采购明细报表", PURCHASE_DETAIL),
        question="这段时间采购了多少、退了多少，主要是哪些供应商和商品？",
    )

    purchase_summary_id: Mapped[int] = key_field()
    received_quantity: Mapped[Decimal] = quantity_field("入库数量", total=True)
    received_amount: Mapped[Decimal] = money_field("入库金额", total=True)
    returned_quantity: Mapped[Decimal] = quantity_field("退货数量", total=True)
    returned_amount: Mapped[Decimal] = money_field("退货金额", total=True)
    quantity: Mapped[Decimal] = quantity_field("净购数量", total=True)
    amount: Mapped[Decimal] = money_field("净购含税金额", total=True)
    no_tax_amount: Mapped[Decimal] = money_field("净购未税金额", total=True)
    mean_price: Mapped[Decimal | None] = price_field(
        "入库均价", default=None, ratio=Ratio("received_amount", "received_quantity", times=1, places=6)
    )
