"""Sales by line (销售明细): goods sold and returned, with cost and margin."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import COST, key_field, money_field, rate_field
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL, READ_ONLY, Sql, Values
from api.kit.scope import Principal
from api.reporting.lists.bill_columns import bill_columns_sql
from api.reporting.lists.expressions import ratio_sql
from api.reporting.lists.sales_purchase_columns import SALES_DETAIL, SaleRow, TradeLine

_LINES = """
select s.line_id * 2 + case when s.bill_type = 'XSTH' then 1 else 0 end as sales_detail_id, s.*,
    g.goods_type_id, g.brand_id, s.revenue - s.cost as profit, {margin}, {bill}
from facts.fct_sales_line s
join goods g on g.goods_id = s.goods_id
"""


class SalesDetail(TradeLine, SaleRow):
    """Sales by line (销售明细报表)."""

    __tablename__ = "sales_detail"
    pinned_columns = ("business_date", "customer_id", "goods_id", "quantity", "price", "amount", "revenue")
    declaration = Declaration(
        "销售明细报表",
        "v2/report/SalesDetail",
        "bill_no",
        routes={"list": SALES_DETAIL},
        menu=Menu("报表中心", "销售报表", 20),
        actions=READ_ONLY,
        order_by=("business_date", "desc"),
        drill=BILL,
        question="什么商品，以什么价格，卖给了谁？",
    )

    sales_detail_id: Mapped[int] = key_field()
    revenue: Mapped[Decimal] = money_field("未税收入", total=True)
    cost: Mapped[Decimal] = money_field("销售成本", total=True, permission=COST)
    profit: Mapped[Decimal] = money_field("毛利", total=True, permission=COST)
    margin: Mapped[Decimal | None] = rate_field(
        "毛利率%", default=None, permission=COST, ratio=Ratio("profit", "revenue")
    )

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        # The margin of a return is that of what it takes back.
        margin = ratio_sql("(s.revenue - s.cost) * sign(s.revenue)", "abs(s.revenue)", "margin")
        return _LINES.format(margin=margin, bill=bill_columns_sql("s", "XSCK", "XSTH")), {}
