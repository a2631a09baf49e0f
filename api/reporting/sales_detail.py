"""Sales by line (销售明细): what was sold and came back, with cost and margin."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.asked import this_month
from api.kit.fields import COST, day, flag, key, money, price, quantity, rate, text
from api.kit.resource import Declaration, Menu
from api.kit.scope import Principal
from api.kit.view import BILL, READ_ONLY, Sql, Values
from api.reporting.bills import bill_columns
from api.reporting.trade_rows import SALES_DETAIL, SaleRow, ratio

_LINES = """
select s.line_id * 2 + case when s.bill_type = 'XSTH' then 1 else 0 end as sales_detail_id, s.*,
    g.goods_type_id, g.brand_id, s.revenue - s.cost as profit, {margin}, {bill}
from facts.fct_sales_line s
join goods g on g.goods_id = s.goods_id
"""


class SalesDetail(SaleRow):
    """销售明细报表"""

    __tablename__ = "sales_detail"
    declaration = Declaration(
        "销售明细报表",
        "v2/report/SalesDetail",
        "bill_no",
        routes={"list": SALES_DETAIL},
        menu=Menu("报表中心", "销售报表", 20),
        actions=READ_ONLY,
        order_by=("business_date", "desc"),
        drill=BILL,
    )

    sales_detail_id: Mapped[int] = key()
    business_date: Mapped[date] = day("业务日期", search=True, width=110, sort=-60)
    bill_name: Mapped[str] = text("单据类型", width=100)
    bill_no: Mapped[str] = text("单据号", search=True, width=190)
    is_gift: Mapped[bool] = flag("赠品", search=True, width=70)
    quantity: Mapped[Decimal] = quantity("数量", total=True)
    price: Mapped[Decimal] = price("含税单价")
    amount: Mapped[Decimal] = money("含税金额", total=True)
    revenue: Mapped[Decimal] = money("未税收入", total=True)
    cost: Mapped[Decimal] = money("销售成本", total=True, permission=COST)
    profit: Mapped[Decimal] = money("毛利", total=True, permission=COST)
    margin: Mapped[Decimal | None] = rate("毛利率%", default=None, permission=COST)
    route: Mapped[str | None] = text("单据地址", list=False, export=False, hidden=True)

    @classmethod
    def usual(cls) -> dict[str, str]:
        return this_month("business_date")

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        # The margin of a return is that of what it takes back.
        margin = ratio("(s.revenue - s.cost) * sign(s.revenue)", "abs(s.revenue)", "margin")
        return _LINES.format(margin=margin, bill=bill_columns("s", "XSCK", "XSTH")), {}
