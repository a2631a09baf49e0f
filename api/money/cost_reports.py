"""Cost reports (成本报表): cost of each issue with the averages around it, and present costs of goods.

Both are read from the ledger itself, not from the published snapshot: recalculated differences show at
once.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import Connection
from sqlalchemy.orm import Mapped

from api.inventory.stock_query import LedgerRow
from api.kit.declaration.fields import (
    COST,
    goods_field,
    key_field,
    money_field,
    price_field,
    quantity_field,
    reference_field,
)
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import BILL, READ_ONLY, Sql, Values, View
from api.kit.scope import Principal
from api.money import cost_recalculation

# A row's place in business order: differences stand with what they correct, a reversal with what it negates.
_PLACE = """
case
    when x.reverses is null then coalesce(x.corrects, x.ledger_id)
    else (select coalesce(o.corrects, o.ledger_id) from stock_ledger o where o.ledger_id = x.reverses)
end
"""
_AVERAGE = f"""
(
    select case when sum(x.quantity) > 0 then round(sum(x.amount) / sum(x.quantity), 6) end
    from stock_ledger x
    where x.company_id = l.company_id and x.goods_id = l.goods_id and x.pool_id = l.pool_id
        and (x.business_date, {_PLACE}) {{}} (l.business_date, l.ledger_id)
)
"""
_DIFFERENCE = """
(select coalesce(-sum(d.amount), 0) from stock_ledger d where d.corrects = l.ledger_id and d.reverses is null)
"""
_ISSUES = f"""
select
    l.ledger_id as cost_detail_id, l.business_date, l.bill_type, {{bill_no}} as bill_no, l.company_id, l.warehouse_id,
    l.goods_id,
    -l.quantity as quantity, -l.amount as posted_amount, {_DIFFERENCE} as difference_amount,
    -l.amount + {_DIFFERENCE} as amount, round((l.amount - {_DIFFERENCE}) / l.quantity, 6) as unit_cost,
    {_AVERAGE.format("<")} as average_before, {_AVERAGE.format("<=")} as average_after,
    {{route}}
from stock_ledger l
where (l.quantity < 0 or l.bill_type = 'XSTH') and l.quantity <> 0 and l.reverses is null
    and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
"""


class CostReport(View):
    """Base of reports whose figures change during a cost recalculation, with a notice of it."""

    __abstract__ = True

    @classmethod
    def notices(cls, conn: Connection, principal: Principal) -> list[str]:
        return cost_recalculation.list_notices(conn, principal) if cls.shows_costs(principal) else []


class CostDetail(CostReport, LedgerRow):
    """成本明细: issue by issue, sales returns negative; reversed bills are left out."""

    __tablename__ = "cost_detail"
    exportable_as_report = True
    keyword_reference = "goods_id"
    declaration = Declaration(
        "成本明细",
        "v2/report/CostDetail",
        "bill_no",
        routes={"list": "/report/costdetail"},
        menu=Menu("报表中心", "成本报表", 10),
        actions=READ_ONLY,
        order_by=("cost_detail_id", "desc"),
        drill=BILL,
        question="每次出库按什么成本结转，均价前后怎样变化？",
    )

    cost_detail_id: Mapped[int] = key_field()
    goods_id: Mapped[int] = goods_field(search=True)
    quantity: Mapped[Decimal] = quantity_field("出库数量", total=True)
    average_before: Mapped[Decimal | None] = price_field("出库前均价", permission=COST, default=None)
    unit_cost: Mapped[Decimal] = price_field("出库单价", permission=COST)
    average_after: Mapped[Decimal | None] = price_field("出库后均价", permission=COST, default=None)
    posted_amount: Mapped[Decimal] = money_field("过账成本", permission=COST, total=True)
    difference_amount: Mapped[Decimal] = money_field("重算差异", permission=COST, total=True)
    amount: Mapped[Decimal] = money_field("出库成本", permission=COST, total=True)

    rows = _ISSUES


# The key of three parts is folded into 53 bits, which a browser's numbers hold.
_PRICES = """
select
    hashint8extended(c.pool_id, hashint8extended(c.goods_id, c.company_id)) & 9007199254740991 as cost_price_id,
    c.company_id, nullif(c.pool_id, 0) as warehouse_id, c.goods_id, g.goods_type_id, g.brand_id, c.quantity, c.amount,
    case when c.quantity > 0 then round(c.amount / c.quantity, 6) end as average, c.last_unit_cost
from cost_balance c
join goods g on g.goods_id = c.goods_id
where c.quantity <> 0 or c.last_unit_cost is not null
"""


class CostPrice(CostReport):
    """成本价: the moving average and the last purchase cost of a company's goods.

    A warehouse is named where it is valued on its own.
    """

    __tablename__ = "cost_price"
    pinned_columns = ("goods_id", "quantity", "average", "amount")
    keyword_reference = "goods_id"
    declaration = Declaration(
        "成本价",
        "v2/inventory/CostPrice",
        "cost_price_id",
        routes={"list": "/inventory/costprice"},
        menu=Menu("库存管理", "库存查询", 40),
        actions=READ_ONLY,
        order_by=("goods_id", "asc"),
        drill=Drill(
            "成本明细", "/report/costdetail", (("goods_id", "goods_id"), ("company_id", "company_id"))
        ),
    )

    cost_price_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", search=True)
    warehouse_id: Mapped[int | None] = reference_field(
        "warehouse", "单独核算仓库", within=("company_id",), search=True
    )
    goods_id: Mapped[int] = goods_field(search=True)
    goods_type_id: Mapped[int] = reference_field("goods_type", "商品类型", search=True)
    brand_id: Mapped[int] = reference_field("brand", "品牌", search=True)
    quantity: Mapped[Decimal] = quantity_field("库存数量", total=True)
    average: Mapped[Decimal | None] = price_field("成本均价", permission=COST, default=None)
    last_unit_cost: Mapped[Decimal | None] = price_field("最近进价", permission=COST, default=None)
    amount: Mapped[Decimal] = money_field("库存金额", permission=COST, total=True)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _PRICES, {}
