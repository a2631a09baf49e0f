"""Company initialisation (公司初始化): list of the state and opening balances of each company."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    COST,
    datetime_field,
    enum_field,
    integer_field,
    key_field,
    money_field,
    reference_field,
)
from api.kit.declaration.flow import POSTED_SQL
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.scope import Principal
from api.shell.operations.initialisation import STATE_SQL, STATES


class CompanyInitialisation(View):
    """公司初始化: the initialisation page takes a company's next file; opening bills count once they are audited."""

    __tablename__ = "company_initialisation"
    declaration = Declaration(
        "公司初始化",
        "v2/system/CompanyInitialisation",
        "company_id",
        routes={"list": "/system/erpinlist"},
        menu=Menu("系统管理", "期初设置", 3),
        actions=READ_ONLY,
        order_by=("company_initialisation_id", "asc"),
        drill=Drill("初始化上传", "/system/initialization", (("company_id", "company_id"),)),
    )

    company_initialisation_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", search=True, width=220)
    state: Mapped[int] = enum_field("初始化状态", STATES, default=0, search=True, width=110)
    changed_at: Mapped[datetime | None] = datetime_field("状态时间")
    goods: Mapped[int] = integer_field("公司商品", total=True, width=100)
    customers: Mapped[int] = integer_field("客户", total=True, width=90)
    opening_stocks: Mapped[int] = integer_field("期初库存单", total=True, width=100)
    opening_stock_amount: Mapped[Decimal] = money_field(
        "期初库存金额", total=True, permission=COST, width=140
    )
    opening_receivable: Mapped[Decimal] = money_field("期初应收", total=True, width=130)
    opening_payable: Mapped[Decimal] = money_field("期初应付", total=True, width=130)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return _COMPANIES, {}


_COMPANIES = f"""
select
    c.company_id as company_initialisation_id, c.company_id, {STATE_SQL} as state,
    i.changed_at,
    (select count(*) from company_goods g where g.company_id = c.company_id) as goods,
    (select count(*) from customer k where k.company_id = c.company_id) as customers,
    (select count(*) from opening_stock o where o.company_id = c.company_id and o.status in {POSTED_SQL})
        as opening_stocks,
    (
        select coalesce(sum(o.no_tax_amount), 0)
        from opening_stock o
        where o.company_id = c.company_id and o.status in {POSTED_SQL}
    ) as opening_stock_amount,
    (
        select coalesce(sum(s.amount), 0)
        from settlement_item s
        where s.company_id = c.company_id and s.kind = 'opening' and s.party_type = 'customer'
    ) as opening_receivable,
    (
        select coalesce(sum(s.amount), 0)
        from settlement_item s
        where s.company_id = c.company_id and s.kind = 'opening' and s.party_type = 'supplier'
    ) as opening_payable
from company c
left join initialisation i on i.company_id = c.company_id
"""
