"""Purchases by line (采购明细): what came in and went back to suppliers."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.asked import this_month
from api.kit.fields import day, flag, key, money, price, quantity, text
from api.kit.resource import Declaration, Menu
from api.kit.scope import Principal
from api.kit.view import BILL, READ_ONLY, Sql, Values
from api.reporting.bills import bill_columns
from api.reporting.trade_rows import PURCHASE_DETAIL, PurchaseRow

_LINES = """
select p.line_id * 2 + case when p.bill_type = 'CGTH' then 1 else 0 end as purchase_detail_id, p.*,
    g.goods_type_id, g.brand_id, {bill}
from facts.fct_purchase_line p
join goods g on g.goods_id = p.goods_id
"""


class PurchaseDetail(PurchaseRow):
    """采购明细报表"""

    __tablename__ = "purchase_detail"
    declaration = Declaration(
        "采购明细报表",
        "v2/report/PurchaseDetail",
        "bill_no",
        routes={"list": PURCHASE_DETAIL},
        menu=Menu("报表中心", "采购报表", 20),
        actions=READ_ONLY,
        order_by=("business_date", "desc"),
        drill=BILL,
    )

    purchase_detail_id: Mapped[int] = key()
    business_date: Mapped[date] = day("业务日期", search=True, width=110, sort=-60)
    bill_name: Mapped[str] = text("单据类型", width=100)
    bill_no: Mapped[str] = text("单据号", search=True, width=190)
    is_gift: Mapped[bool] = flag("赠品", search=True, width=70)
    quantity: Mapped[Decimal] = quantity("数量", total=True)
    price: Mapped[Decimal] = price("含税单价")
    amount: Mapped[Decimal] = money("含税金额", total=True)
    no_tax_amount: Mapped[Decimal] = money("未税金额", total=True)
    route: Mapped[str | None] = text("单据地址", list=False, export=False, hidden=True)

    @classmethod
    def usual(cls) -> dict[str, str]:
        return this_month("business_date")

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        return _LINES.format(bill=bill_columns("p", "CGRK", "CGTH")), {}
