"""Warranty bills by line (售后明细): registration, stock moves, returns, compensation, factory settlement."""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import COST, enum_field, key_field, money_field, quantity_field, text_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import BILL, READ_ONLY, Sql, Values
from api.kit.scope import Principal
from api.reporting.lists.bill_columns import bill_columns_sql
from api.reporting.lists.warranty.warranty_columns import LINES_ROUTE, WarrantyRow

KINDS = {
    1: ("SBDJ", "三包登记"),
    2: ("TBRK", "三包入库"),
    3: ("TBCK", "三包出库"),
    4: ("TBTH", "旧胎退回"),
    5: ("GSLP", "公司理赔"),
    6: ("CJLP", "厂家理赔"),
}
"""What a line is of, in the order in which a piece goes through it: the bill's prefix, and its name."""
_KIND = " ".join(f"when '{prefix}' then {number}" for number, (prefix, _) in KINDS.items())

_LINES = f"""
with lines as (
    select l.*, case l.bill_type {_KIND} end as kind, g.goods_type_id, g.brand_id,
        l.compensation_amount - l.factory_amount as net_amount
    from facts.fct_guarantee_line l
    join goods g on g.goods_id = l.goods_id
)
select l.line_id * {len(KINDS)} + l.kind - 1 as aftersales_detail_id, l.*, {{bill}}
from lines l
"""


class AftersalesDetail(WarrantyRow):
    """Warranty bills by line (售后明细报表)."""

    __tablename__ = "aftersales_detail"
    pinned_columns = (
        "business_date",
        "kind",
        "customer_id",
        "goods_id",
        "registered_quantity",
        "compensation_amount",
        "net_amount",
    )
    declaration = Declaration(
        "售后明细报表",
        "v2/report/AftersalesDetail",
        "bill_no",
        routes={"list": LINES_ROUTE},
        menu=Menu("报表中心", "三包报表", 10),
        actions=READ_ONLY,
        order_by=("business_date", "desc"),
        drill=BILL,
        question="三包的登记、出入库、赔付和厂家结算，逐笔是哪些？",
    )

    aftersales_detail_id: Mapped[int] = key_field()
    kind: Mapped[int] = enum_field(
        "单据类型",
        {number: name for number, (_, name) in KINDS.items()},
        default=1,
        search=True,
        width=100,
        sort=-59,
    )
    claim_no: Mapped[str | None] = text_field("厂家理赔单号", search=True, width=150, sort=-43)
    registered_quantity: Mapped[Decimal] = quantity_field("登记数量", total=True, width=90, sort=10)
    stock_quantity: Mapped[Decimal] = quantity_field("三包库存增减", total=True, width=110, sort=11)
    stock_value: Mapped[Decimal] = money_field("三包库存金额增减", total=True, permission=COST, sort=12)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _LINES.format(bill=bill_columns_sql("l", "TBRK", "TBCK", "TBTH")), {}
