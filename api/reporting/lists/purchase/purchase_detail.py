"""Purchases by line (采购明细): receipts from and returns to suppliers."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import key_field, money_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL, READ_ONLY, Sql, Values
from api.kit.scope import Principal
from api.reporting.lists.bill_columns import bill_columns_sql
from api.reporting.lists.sales_purchase_columns import PURCHASE_DETAIL, PurchaseRow, TradeLine

_LINES = """
select p.line_id * 2 + case when p.bill_type = 'CGTH' then 1 else 0 end as purchase_detail_id, p.*,
    g.goods_type_id, g.brand_id, {bill}
from facts.fct_purchase_line p
join goods g on g.goods_id = p.goods_id
"""


class PurchaseDetail(TradeLine, PurchaseRow):
    """Purchases by line (采购明细报表)."""

    __tablename__ = "purchase_detail"
    pinned_columns = (
        "business_date",
        "supplier_id",
        "goods_id",
        "quantity",
        "price",
        "amount",
        "no_tax_amount",
    )
    declaration = Declaration(
        "采购明细报表",
        "v2/report/PurchaseDetail",
        "bill_no",
        routes={"list": PURCHASE_DETAIL},
        menu=Menu("报表中心", "采购报表", 20),
        actions=READ_ONLY,
        order_by=("business_date", "desc"),
        drill=BILL,
        question="什么商品，以什么价格，从谁那里买的？",
    )

    purchase_detail_id: Mapped[int] = key_field()
    no_tax_amount: Mapped[Decimal] = money_field("未税金额", total=True)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _LINES.format(bill=bill_columns_sql("p", "CGRK", "CGTH")), {}
