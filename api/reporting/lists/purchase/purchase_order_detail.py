"""Purchase orders by line (采购订单明细): quantities ordered, received and outstanding, and lead times."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.bills.orders import RECEIVING
from api.kit.declaration.fields import (
    date_field,
    enum_field,
    integer_field,
    key_field,
    money_field,
    price_field,
    quantity_field,
    rate_field,
    text_field,
)
from api.kit.declaration.ratios import Ratio
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL, READ_ONLY, Sql, Values
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.reporting.lists.bill_columns import BillReportRow, bill_columns_sql
from api.reporting.lists.expressions import ratio_sql
from api.reporting.lists.sales_purchase_columns import PurchaseRow

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


class OrderDetail(BillReportRow, PurchaseRow):
    """Purchase orders by line (采购订单明细报表)."""

    __tablename__ = "order_detail"
    pinned_columns = (
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

    order_detail_id: Mapped[int] = key_field()
    business_date: Mapped[date] = date_field("订单日期", search=True, width=110, sort=-60)
    bill_no: Mapped[str] = text_field("订单号", search=True, width=190, sort=-49)
    receiving_status: Mapped[int] = enum_field("收货状态", RECEIVING, default=1, search=True, width=100)
    price: Mapped[Decimal] = price_field("含税单价")
    amount: Mapped[Decimal] = money_field("订单金额", total=True)
    quantity: Mapped[Decimal] = quantity_field("订单数量", total=True)
    received_quantity: Mapped[Decimal] = quantity_field("到货数量", total=True)
    rest_quantity: Mapped[Decimal] = quantity_field("未到数量", search=True, total=True)
    cancelled_quantity: Mapped[Decimal] = quantity_field("关闭未到数量", total=True)
    received_rate: Mapped[Decimal | None] = rate_field(
        "到货率%", default=None, ratio=Ratio("received_quantity", "quantity")
    )
    delivery_date: Mapped[date | None] = date_field("交货日期", search=True, width=110)
    first_date: Mapped[date | None] = date_field("首次到货", width=110)
    last_date: Mapped[date | None] = date_field("最近到货", width=110)
    first_days: Mapped[int | None] = integer_field("首次到货天数", default=None)
    lead_days: Mapped[int | None] = integer_field("到齐天数", default=None)
    late_days: Mapped[int | None] = integer_field("逾期天数", default=None, search=True)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        received = ratio_sql("l.received_quantity", "l.quantity", "received_rate")
        return _LINES.format(rate=received, bill=bill_columns_sql("l", "CGDD")), {"today": today()}
