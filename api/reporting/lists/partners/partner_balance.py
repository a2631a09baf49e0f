"""Receivable and payable of a partner in one row (往来核算), for partners who are both customer and
supplier.

Customers belong to a company and suppliers to the group; the same name in both is the same partner.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import (
    date_field,
    enum_field,
    key_field,
    money_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Drill, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values
from api.kit.http.date_filters import parse_end_date
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.reporting.lists.list_report import ListReport
from api.reporting.lists.partner_columns import CUSTOMER, SUPPLIER

# Masters are joined by one number: where the kind of partner stood in the condition, each would be tried for each.
_BALANCES = f"""
with balances as (
    select company_id, party_type, party_id,
        coalesce(sum(amount) filter (where not is_advance), 0) as owed,
        coalesce(-sum(amount) filter (where is_advance), 0) as advance
    from facts.fct_settlement_entry
    where business_date <= cast(:day as date)
    group by company_id, party_type, party_id
), partners as (
    select b.company_id, coalesce(c.customer_name, s.supplier_name, b.party_type || b.party_id) as partner_name,
        max(b.party_id) filter (where party_type = 'customer') as customer_id,
        max(b.party_id) filter (where party_type = 'supplier') as supplier_id,
        coalesce(sum(owed) filter (where party_type = 'customer'), 0) as receivable_amount,
        coalesce(sum(advance) filter (where party_type = 'customer'), 0) as advance_received,
        coalesce(sum(owed) filter (where party_type = 'supplier'), 0) as payable_amount,
        coalesce(sum(advance) filter (where party_type = 'supplier'), 0) as advance_paid
    from balances b
    left join customer c on c.customer_id = case party_type when 'customer' then party_id end
    left join supplier s on s.supplier_id = case party_type when 'supplier' then party_id end
    where owed <> 0 or advance <> 0
    group by 1, 2
)
select *, cast(hash(company_id, partner_name) % 9007199254740991 as bigint) as partner_balance_id,
    cast(:day as date) as as_of,
    case when customer_id is null then 2 when supplier_id is null then 1 else 3 end as kind,
    receivable_amount - advance_received as receivable_balance, payable_amount - advance_paid as payable_balance,
    receivable_amount - advance_received - payable_amount + advance_paid as net_amount,
    case when customer_id is null then '{SUPPLIER.statement}?supplier_id=' || supplier_id
        else '{CUSTOMER.statement}?customer_id=' || customer_id end
        || '&company_id=' || company_id || '&business_date_end=' || cast(:day as date) as route
from partners
"""
KINDS = {1: "客户", 2: "供应商", 3: "客户兼供应商"}


class PartnerBalance(ListReport):
    """Receivable and payable of a partner in one row (往来核算)."""

    __tablename__ = "partner_balance"
    declaration = Declaration(
        "往来核算",
        "v2/report/PartnerBalance",
        "partner_name",
        routes={"list": "/report/relationAccounting"},
        menu=Menu("报表中心", "往来报表", 50),
        actions=READ_ONLY,
        also_at=("v2/report/Finance",),
        order_by=("net_amount", "desc"),
        balance="net_amount",
        drill=Drill("往来明细", route_field="route"),
        question="往来单位应收应付相抵后，谁欠谁多少？",
        words="欠款 欠账 对账",
    )

    partner_balance_id: Mapped[int] = key_field()
    as_of: Mapped[date] = date_field("截止日期", span="until", search=True, list=False, sort=-60)
    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-55)
    partner_name: Mapped[str] = text_field("往来单位", search=True, width=220, sort=-54)
    kind: Mapped[int] = enum_field("往来性质", KINDS, default=1, search=True, width=110, sort=-53)
    customer_id: Mapped[int | None] = reference_field(
        "customer", "客户", within=("company_id",), search=True, list=False, sort=-52
    )
    supplier_id: Mapped[int | None] = reference_field("supplier", "供应商", search=True, list=False, sort=-51)
    receivable_amount: Mapped[Decimal] = money_field("未核销应收（减返利）", total=True)
    advance_received: Mapped[Decimal] = money_field("预收", total=True)
    receivable_balance: Mapped[Decimal] = money_field("应收余额", total=True)
    payable_amount: Mapped[Decimal] = money_field("未核销应付（减返利）", total=True)
    advance_paid: Mapped[Decimal] = money_field("预付", total=True)
    payable_balance: Mapped[Decimal] = money_field("应付余额", total=True)
    net_amount: Mapped[Decimal] = money_field("往来净额", total=True)
    route: Mapped[str | None] = text_field("明细地址", list=False, export=False, hidden=True)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return {"as_of_end": today().isoformat()}

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        last = parse_end_date(params, "as_of", "截止日期")
        return _BALANCES, {"day": last}
