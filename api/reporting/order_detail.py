"""Purchase orders by line (采购订单明细): ordered, received, still to come, and how long it took."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.database import today
from api.kit.fields import day, enum, integer, key, money, price, rate, text
from api.kit.fields import quantity as counted
from api.kit.orders import RECEIVING
from api.kit.ratios import Ratio
from api.kit.resource import Declaration, Menu
from api.kit.scope import Principal
from api.kit.view import BILL, READ_ONLY, Sql, Values
from api.reporting.bills import BilledRow, bill_columns
from api.reporting.expressions import ratio
from api.reporting.trade_rows import PurchaseRow

# What a closed order did not get is not waited for. A lead time is told once all of a line arrived.
_LINES = """
with lines as (
    select o.*, 'CGDD' as bill_type, g.goods_type_id, g.brand_id,
        case when o.received_quantity >= o.quantity then 2 when o.received_quantity > 0 then 3 else 1 end
            as receiving_status,
        case when o.is_closed then 0 else greatest(o.quantity - o.received_quantity, 0) end as rest_quantity,
        case when o.is_closed then greatest(o.quantity - o.received_quantity, 0) else 0 end as cancelled_quantity
    from facts.fct_purchase_order_line o
    join goods g on g.goods_id = o.goods_id
)
select l.line_id as order_detail_id, l.*, {rate}, {bill},
    l.first_date - l.business_date as first_days,
    case when receiving_status = 2 then l.last_date - l.business_date end as lead_days,
    case
        when l.delivery_date is null or l.is_closed and receiving_status <> 2 then null
        when receiving_status = 2 then greatest(l.last_date - l.delivery_date, 0)
        else greatest(cast(:today as date) - l.delivery_date, 0)
    end as late_days
from lines l
"""


class OrderDetail(BilledRow, PurchaseRow):
    """采购订单明细报表"""

    __tablename__ = "order_detail"
    leading = (
        "business_date",
        "supplier_id",
        "goods_id",
        "quantity",
        "received_quantity",
        "rest_quantity",
        "receiving_status",
    )
    declaration = Declaration(
        "采购订单明细报表",
        "v2/report/OrderDetail",
        "bill_no",
        routes={"list": "/report/orderdetrpt"},
        menu=Menu("报表中心", "采购报表", 30),
        actions=READ_ONLY,
        order_by=("business_date", "desc"),
        drill=BILL,
        question="哪些采购订单还没到货，差多少？",
    )

    order_detail_id: Mapped[int] = key()
    business_date: Mapped[date] = day("订单日期", search=True, width=110, sort=-60)
    bill_no: Mapped[str] = text("订单号", search=True, width=190, sort=-49)
    receiving_status: Mapped[int] = enum("收货状态", RECEIVING, default=1, search=True, width=100)
    price: Mapped[Decimal] = price("含税单价")
    amount: Mapped[Decimal] = money("订单金额", total=True)
    quantity: Mapped[Decimal] = counted("订单数量", total=True)
    received_quantity: Mapped[Decimal] = counted("到货数量", total=True)
    rest_quantity: Mapped[Decimal] = counted("未到数量", search=True, total=True)
    cancelled_quantity: Mapped[Decimal] = counted("关闭未到数量", total=True)
    received_rate: Mapped[Decimal | None] = rate(
        "到货率%", default=None, ratio=Ratio("received_quantity", "quantity")
    )
    delivery_date: Mapped[date | None] = day("交货日期", search=True, width=110)
    first_date: Mapped[date | None] = day("首次到货", width=110)
    last_date: Mapped[date | None] = day("最近到货", width=110)
    first_days: Mapped[int | None] = integer("首次到货天数", default=None)
    lead_days: Mapped[int | None] = integer("到齐天数", default=None)
    late_days: Mapped[int | None] = integer("逾期天数", default=None, search=True)

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        received = ratio("l.received_quantity", "l.quantity", "received_rate")
        return _LINES.format(rate=received, bill=bill_columns("l", "CGDD")), {"today": today()}
