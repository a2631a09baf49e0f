"""Rebate accounts (返利账户): what a partner's policies earned, what was confirmed, used and is left.

What is confirmed and used is read from the settlement ledger; what was earned, from bills.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import ClassVar

from sqlalchemy.orm import Mapped

from api.kit.database import today
from api.kit.fields import day, money, ref, text
from api.kit.scope import Principal
from api.kit.view import BillRow, Sql, Values, View
from api.master.advances import STANDING
from api.master.rebate_accruals import accruals
from api.master.rebate_policies import Direction

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

    company_id: Mapped[int] = ref("company", "公司", search=True, sort=-20)
    accrued: Mapped[Decimal] = money("应计返利", total=True, width=130, sort=10)
    confirmed: Mapped[Decimal] = money("已确认返利", total=True, width=130, sort=11)
    used_amount: Mapped[Decimal] = money("已使用", total=True, width=130, sort=12)
    left_amount: Mapped[Decimal] = money("余额", total=True, width=130, sort=13)
    last_date: Mapped[date | None] = day("最近确认", search=True, width=110, sort=14)

    @classmethod
    def source(cls, principal: Principal, asked: Values) -> Sql:
        of = cls.direction
        names = {"party": of.party, "rebate": of.rebate, "prefix": of.prefix}
        return _ACCOUNTS.format(**names, accruals=accruals(of), standing=STANDING), {"today": today()}


class RebateMovement(BillRow):
    """返利账户明细: what each bill confirmed, or used of which rebate."""

    __abstract__ = True
    numbers: ClassVar[Mapping[str, str]] = {"rebate_no": "i"}

    business_date: Mapped[date] = day("业务日期", search=True, width=110, sort=-30)
    bill_no: Mapped[str] = text("单据号", search=True, width=190, sort=-29)
    company_id: Mapped[int] = ref("company", "公司", search=True, sort=-20)
    rebate_no: Mapped[str] = text("返利单号", search=True, width=190, bill=True, sort=10)
    confirmed: Mapped[Decimal] = money("确认金额", total=True, width=130, sort=11)
    used_amount: Mapped[Decimal] = money("使用金额", total=True, width=130, sort=12)


def movements(of: Direction) -> str:
    """Rows of `RebateMovement`."""
    return _MOVEMENTS.format(party=of.party, rebate=of.rebate, prefix=of.prefix)
