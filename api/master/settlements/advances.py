"""Rows of advances and write-offs (预收预付与核销): advances of partners, and write-offs with both bills.

Customers and suppliers have screens of their own; both show the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import ClassVar

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import date_field, enum_field, money_field, reference_field, text_field
from api.kit.declaration.posting import PartyType
from api.kit.declaration.view import BillReferenceRow, Sql, Values, View
from api.kit.scope import Principal

SETTLED, WAIVED = 1, 2
WRITE_OFF_KINDS = {SETTLED: "核销", WAIVED: "抹零/现金折扣"}

IS_ADVANCE = "(l.kind = 'advance' or l.kind = 'opening' and l.amount < 0)"
"""Condition: a settlement item `l` is an advance; opening ones are negative balances."""

NOT_REVERSED = """
not exists (
    select from settlement_ledger o join settlement_ledger r on r.reverses = o.entry_id
    where o.settlement_id = l.settlement_id and o.entry = 'open'
)
"""
"""Condition: the bill that opened a settlement item `l` is not reversed."""


def advance_accounts_sql(party: PartyType) -> str:
    """Return the SQL of `AdvanceAccount` rows."""
    return f"""
select l.company_id * 4294967296 + l.party_id as {party}_advance_id, l.company_id, l.party_id as {party}_id,
    max(l.business_date) as last_date,
    -sum(l.amount) as amount, -sum(l.amount - l.open_amount) as used_amount, -sum(l.open_amount) as left_amount
from settlement_item l
where l.party_type = '{party}' and {IS_ADVANCE} and {NOT_REVERSED}
group by l.company_id, l.party_id
"""


def advance_items_sql(party: PartyType) -> str:
    """Return the SQL of `AdvanceItem` rows."""
    return f"""
select l.settlement_id as {party}_advance_item_id, l.company_id, l.party_id as {party}_id, l.bill_no,
    l.business_date, -l.amount as amount, -(l.amount - l.open_amount) as used_amount, -l.open_amount as left_amount,
    {{route}}
from settlement_item l
where l.party_type = '{party}' and {IS_ADVANCE} and {NOT_REVERSED}
"""


def write_off_rows_sql(party: PartyType) -> str:
    """Return the SQL of `WriteOffRow` rows."""
    return f"""
select l.entry_id as {party}_write_off_id, l.company_id, l.party_id as {party}_id, l.bill_no, l.business_date,
    {{item_no}} as item_no, i.business_date as item_date, i.due_date, i.amount as item_amount, -l.amount as amount,
    case when l.waived then {WAIVED} else {SETTLED} end as manner, i.open_amount, {{route}}
from settlement_ledger l
join settlement_item i using (settlement_id)
where l.party_type = '{party}' and l.entry = 'write_off'
    and not exists (select from settlement_ledger r where r.reverses = l.entry_id)
"""


class AdvanceAccount(View):
    """A partner's advances in total: amount, part that settled bills, rest."""

    __abstract__ = True

    accounts: ClassVar[str]

    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-20)
    amount: Mapped[Decimal] = money_field("累计金额", total=True, width=130, sort=10)
    used_amount: Mapped[Decimal] = money_field("已冲抵金额", total=True, width=130, sort=11)
    left_amount: Mapped[Decimal] = money_field("余额", total=True, width=130, sort=12)
    last_date: Mapped[date] = date_field("最近日期", search=True, width=110, sort=13)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        return cls.accounts, {}


class AdvanceItem(BillReferenceRow):
    """One advance, and what of it is left."""

    __abstract__ = True

    business_date: Mapped[date] = date_field("业务日期", search=True, width=110, sort=-30)
    bill_no: Mapped[str] = text_field("单据号", search=True, width=190, sort=-29)
    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-20)
    amount: Mapped[Decimal] = money_field("金额", total=True, width=130, sort=10)
    used_amount: Mapped[Decimal] = money_field("已冲抵金额", total=True, width=130, sort=11)
    left_amount: Mapped[Decimal] = money_field("余额", total=True, width=130, sort=12)


class WriteOffRow(BillReferenceRow):
    """One write-off: the bill that settled, and the bill that was settled."""

    __abstract__ = True
    numbers: ClassVar[Mapping[str, str]] = {"item_no": "i"}

    business_date: Mapped[date] = date_field("核销日期", search=True, width=110, sort=-30)
    bill_no: Mapped[str] = text_field("核销单据", search=True, width=190, sort=-29)
    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-20)
    item_no: Mapped[str] = text_field("被核销单据", search=True, width=190, bill=True, sort=10)
    item_date: Mapped[date] = date_field("业务日期", search=True, width=110, sort=11)
    due_date: Mapped[date] = date_field("到期日", search=True, width=110, sort=12)
    item_amount: Mapped[Decimal] = money_field("单据金额", width=130, sort=13)
    amount: Mapped[Decimal] = money_field("核销金额", total=True, width=130, sort=14)
    manner: Mapped[int] = enum_field(
        "方式", WRITE_OFF_KINDS, default=SETTLED, search=True, width=110, sort=14
    )
    open_amount: Mapped[Decimal] = money_field("未核销金额", width=130, sort=15)
