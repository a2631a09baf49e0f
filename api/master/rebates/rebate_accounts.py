"""Rebate accounts (返利账户): a partner's rebates accrued, confirmed, used and left.

Confirmed and used amounts are read from the settlement ledger, accrued ones from bills.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import ClassVar

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import date_field, money_field, reference_field, text_field
from api.kit.declaration.view import BillReferenceRow, Sql, Values, View
from api.kit.scope import Principal
from api.kit.storage.database import today
from api.master.rebates.rebate_accruals import rebate_accruals_sql
from api.master.rebates.rebate_policies import Direction
from api.master.settlements.advances import NOT_REVERSED

_ACCOUNTS = """
select a.company_id * 4294967296 + a.{party}_id as {rebate}_account_id, a.company_id, a.{party}_id,
    sum(a.accrued) as accrued, sum(a.confirmed) as confirmed, sum(a.confirmed - a.left_amount) as used_amount,
    sum(a.left_amount) as left_amount, max(a.last_date) as last_date
from (
    select e.company_id, e.{party}_id, e.accrued, 0.00 as confirmed, 0.00 as left_amount,
        cast(null as date) as last_date
    from ({accruals}) e
    union all
    select l.company_id, l.party_id, 0.00, -l.amount, -l.open_amount, l.business_date
    from settlement_item l
    where l.bill_type = '{prefix}' and {standing}
) a
group by a.company_id, a.{party}_id
"""
_MOVEMENTS = """
select l.entry_id as {rebate}_movement_id, l.company_id, l.party_id as {party}_id, l.business_date, l.bill_no,
    {{rebate_no}} as rebate_no, case when l.entry = 'open' then -l.amount else 0.00 end as confirmed,
    case when l.entry = 'write_off' then l.amount else 0.00 end as used_amount, {{route}}
from settlement_item i
join settlement_ledger l using (settlement_id)
where i.bill_type = '{prefix}' and l.reverses is null
    and not exists (select from settlement_ledger r where r.reverses = l.entry_id)
"""


class RebateAccount(View):
    """返利账户"""

    __abstract__ = True

    direction: ClassVar[Direction]

    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-20)
    accrued: Mapped[Decimal] = money_field("应计返利", total=True, width=130, sort=10)
    confirmed: Mapped[Decimal] = money_field("已确认返利", total=True, width=130, sort=11)
    used_amount: Mapped[Decimal] = money_field("已使用", total=True, width=130, sort=12)
    left_amount: Mapped[Decimal] = money_field("余额", total=True, width=130, sort=13)
    last_date: Mapped[date | None] = date_field("最近确认", search=True, width=110, sort=14)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        of = cls.direction
        names = {"party": of.party, "rebate": of.rebate, "prefix": of.prefix}
        return _ACCOUNTS.format(**names, accruals=rebate_accruals_sql(of), standing=NOT_REVERSED), {
            "today": today()
        }


class RebateMovement(BillReferenceRow):
    """返利账户明细: a bill's movement of one rebate, confirmed or used."""

    __abstract__ = True
    numbers: ClassVar[Mapping[str, str]] = {"rebate_no": "i"}

    business_date: Mapped[date] = date_field("业务日期", search=True, width=110, sort=-30)
    bill_no: Mapped[str] = text_field("单据号", search=True, width=190, sort=-29)
    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-20)
    rebate_no: Mapped[str] = text_field("返利单号", search=True, width=190, bill=True, sort=10)
    confirmed: Mapped[Decimal] = money_field("确认金额", total=True, width=130, sort=11)
    used_amount: Mapped[Decimal] = money_field("使用金额", total=True, width=130, sort=12)


def rebate_movements_sql(of: Direction) -> str:
    """Return the SQL of `RebateMovement` rows."""
    return _MOVEMENTS.format(party=of.party, rebate=of.rebate, prefix=of.prefix)
